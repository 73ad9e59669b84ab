package game

import (
	"fmt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/examples/mmo/buffs"
)

// book holds the catalog, and those definitions, attributes and acts that the code uses by name.
type book struct {
	catalog *buff.Catalog

	strike, meteor, venom, bleed, burn, leech *buff.Spec // cast by players on bosses
	chill, static, quarry                     *buff.Spec
	mend, regrowth, renew, bloom, chain       *buff.Spec // cast by players on players to restore health
	shell, swiftness, zeal, fury, cleanse     *buff.Spec // cast by players on players as other help
	warSong, ironWill, boneWall               *buff.Spec
	devotion, totem                           *buff.Spec // auras
	quake, bomb, explosion, dread, despair    *buff.Spec // cast by bosses on players
	daze, statue, plague                      *buff.Spec
	frenzy, enrage, wrath, lastStand          *buff.Spec // cast by bosses on themselves
	stew, feast, rested, stance, deathWard    *buff.Spec // long-lasting buffs of players
	life, ghost, fallen                       *buff.Spec // life and death

	phases []phase // phases of a boss, in order

	vigour, maxHealth, hide, power, pace stat.Attr // attributes of every unit

	harmed buff.Act // the act of being hit
}

// loadBook reads the definitions in the given folder, or the embedded definitions if the name of
// the folder is "". With the embedded definitions the program needs no files.
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

// is reports whether two definitions are versions of the same definition.
func is(a, b *buff.Spec) bool { return a != nil && a.Lineage() == b.Lineage() }

func newBook(cat *buff.Catalog) (*book, error) {
	var missing []string
	spec := func(id string) *buff.Spec {
		s := cat.Spec(id)
		if s == nil {
			missing = append(missing, id)
		}
		return s
	}
	attr := func(name string) stat.Attr {
		a, ok := cat.Attr(name)
		if !ok {
			missing = append(missing, name)
		}
		return a
	}
	b := &book{
		catalog: cat,
		strike:  spec("strike"), meteor: spec("meteor"), venom: spec("venom"),
		bleed: spec("bleed"), burn: spec("burn"), leech: spec("leech"),
		chill: spec("deep_chill"), static: spec("static"), quarry: spec("quarry"),
		mend: spec("mend"), regrowth: spec("regrowth"), renew: spec("renew"),
		bloom: spec("bloom"), chain: spec("chain"),
		shell: spec("shell"), swiftness: spec("swiftness"), zeal: spec("zeal"), fury: spec("fury"), cleanse: spec("cleanse"),
		warSong: spec("war_song"), ironWill: spec("iron_will"), boneWall: spec("bone_wall"),
		devotion: spec("devotion"), totem: spec("rain_totem"),
		quake: spec("quake"), bomb: spec("bomb"), explosion: spec("explosion"), dread: spec("dread"), despair: spec("despair"),
		daze: spec("daze"), statue: spec("statue"), plague: spec("plague"),
		frenzy: spec("frenzy"), enrage: spec("enrage"), wrath: spec("wrath"), lastStand: spec("last_stand"),
		stew: spec("hearty_stew"), feast: spec("feast"), rested: spec("well_rested"), stance: spec("guard_stance"), deathWard: spec("death_ward"),
		life: spec("life"), ghost: spec("ghost"), fallen: spec("fallen"),
		vigour: attr("vigour"), maxHealth: attr("max_health"), hide: attr("hide"), power: attr("power"), pace: attr("pace"),
	}
	b.harmed, _ = cat.Act("damage") // if no buff reacts to the act, the act has no effect
	b.phases = []phase{{0.7, b.wrath}, {0.4, b.lastStand}}
	if missing != nil {
		return nil, fmt.Errorf("the game uses %q, which are no definitions or attributes", missing)
	}
	return b, nil
}
