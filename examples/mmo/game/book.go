package game

import (
	"fmt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/examples/mmo/buffs"
)

// book is the definitions, and by name those that the code applies or looks for.
type book struct {
	catalog *buff.Catalog

	strike, meteor, venom, bleed, burn, leech *buff.Spec // players to bosses
	mend, regrowth, renew, bloom, chain       *buff.Spec // players to players: health
	shell, swiftness, zeal, fury, cleanse     *buff.Spec // … and other help
	quake, bomb, explosion, dread, despair    *buff.Spec // bosses to players
	daze, frenzy, enrage                      *buff.Spec
	stew, rested, stance, deathWard           *buff.Spec // what lasts
	ghost, fallen                             *buff.Spec // the dead
}

// loadBook reads the definitions of a folder, or if that is "" those that travel with the
// program, so that it runs from anywhere.
func loadBook(dir string) (*book, error) {
	load := func() (*buff.Catalog, error) { return catalog.LoadFS(buffs.Files, ".") }
	if dir != "" {
		load = func() (*buff.Catalog, error) { return catalog.Load(dir) }
	}
	cat, err := load()
	if err != nil {
		return nil, err
	}
	return newBook(cat)
}

// is reports whether two definitions are versions of the same.
func is(a, b *buff.Spec) bool { return a != nil && a.Line() == b.Line() }

func newBook(cat *buff.Catalog) (*book, error) {
	var missing []string
	spec := func(id string) *buff.Spec {
		s := cat.Spec(id)
		if s == nil {
			missing = append(missing, id)
		}
		return s
	}
	b := &book{
		catalog: cat,
		strike:  spec("strike"), meteor: spec("meteor"), venom: spec("venom"),
		bleed: spec("bleed"), burn: spec("burn"), leech: spec("leech"),
		mend: spec("mend"), regrowth: spec("regrowth"), renew: spec("renew"),
		bloom: spec("bloom"), chain: spec("chain"),
		shell: spec("shell"), swiftness: spec("swiftness"), zeal: spec("zeal"), fury: spec("fury"), cleanse: spec("cleanse"),
		quake: spec("quake"), bomb: spec("bomb"), explosion: spec("explosion"), dread: spec("dread"), despair: spec("despair"),
		daze: spec("daze"), frenzy: spec("frenzy"), enrage: spec("enrage"),
		stew: spec("hearty_stew"), rested: spec("well_rested"), stance: spec("guard_stance"), deathWard: spec("death_ward"),
		ghost: spec("ghost"), fallen: spec("fallen"),
	}
	if missing != nil {
		return nil, fmt.Errorf("the game casts %q, and there is no such definition", missing)
	}
	return b, nil
}
