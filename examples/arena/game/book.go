package game

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/examples/arena/buffs"
)

// Ability is an ability of a hero. Abilities are numbered from 0; players use the keys 1 to 8.
type Ability uint8

// The abilities, in the order of their keys.
const (
	Venom Ability = iota
	Renew
	Stun
	Barrier
	Haste
	Banner
	Silence
	Cleanse
	Abilities = 8
)

// Aim is the kind of target of an ability.
type Aim uint8

// The kinds of targets.
const (
	AtFoe Aim = iota
	AtFriend
	AtSelf
	AtAny // a friend, a foe or the hero itself
)

// Skill describes an [Ability].
type Skill struct {
	ID    string  // id of the buff and the icon; the id of the cooldown is ID + "_cooldown"
	Name  string  // name shown to players
	Text  string  // description of its effect
	Aim   Aim     // kind of target
	Range float64 // maximum distance of the target, in paces
}

// Skills describes the abilities.
var Skills = [Abilities]Skill{
	{"venom", "Venom", "A poison of up to five stacks", AtFoe, 16},
	{"renew", "Renew", "Heals a friend for 9 s", AtFriend, 18},
	{"stun", "Concussion", "Stuns for 3 s, and for half as long within 15 s", AtFoe, 6},
	{"barrier", "Barrier", "Absorbs 260 points of damage", AtFriend, 18},
	{"haste", "Quickening", "60 % faster for 6 s", AtSelf, 0},
	{"banner", "War Banner", "Gives courage to friends within 9 paces", AtSelf, 0},
	{"silence", "Hush", "Prevents the target from casting", AtFoe, 16},
	{"cleanse", "Cleanse", "Removes two harmful effects from a friend, or one helpful effect from a foe", AtAny, 18},
}

// Class is the class of a unit.
type Class uint8

// The classes.
const (
	Blade Class = iota
	Ranger
	Hexer
	Cleric
	Warden
	King // the class of the Kings, which are not heroes
	classes
)

var classNames = [classes]string{"Blade", "Ranger", "Hexer", "Cleric", "Warden", "King"}

// String returns the name of the class.
func (c Class) String() string { return classNames[c] }

// arm is the basic attack of a class.
type arm struct {
	id    string
	reach float64
	every time.Duration
}

var arms = [classes]arm{
	{"slash", 2.4, 1200 * time.Millisecond},
	{"shot", 15, 1500 * time.Millisecond},
	{"bolt", 13, 1600 * time.Millisecond},
	{"smite", 13, 1500 * time.Millisecond},
	{"strike", 2.6, 1300 * time.Millisecond},
	{"maul", 5, 1400 * time.Millisecond},
}

// book holds the catalog, and those definitions, tags and attributes that the code uses by name.
type book struct {
	catalog  *buff.Catalog
	skills   [Abilities]*buff.Spec // nil for Cleanse, which is not a buff
	cooldown [Abilities]*buff.Spec
	cooling  [Abilities]buff.Tag
	arms     [classes]*buff.Spec

	breath, life, fallen, meal           *buff.Spec
	quake, doom, fury, stoneskin, tremor *buff.Spec
	breathing, stunned, silenced         buff.Tag
	health, maxHealth, speed, power      stat.Attr
}

// loadBook reads the definitions in the given folder, or the embedded definitions if the name of
// the folder is "".
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

// newBook looks up the names that the code uses. If the catalog does not contain all of them, it
// returns an error with the missing names.
func newBook(cat *buff.Catalog) (*book, error) {
	var missing []string
	spec := func(id string) *buff.Spec {
		s := cat.Spec(id)
		if s == nil {
			missing = append(missing, id)
		}
		return s
	}
	tag := func(name string) buff.Tag {
		t, ok := cat.Tag(name)
		if !ok {
			missing = append(missing, name)
		}
		return t
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
		breath:  spec("breath"), life: spec("life"), fallen: spec("fallen"), meal: spec("meal"),
		quake: spec("quake"), doom: spec("doom"), fury: spec("fury"), stoneskin: spec("stoneskin"), tremor: spec("tremor"),
		breathing: tag("cooldown.breath"), stunned: tag("state.stunned"), silenced: tag("state.silenced"),
		health: attr("health"), maxHealth: attr("max_health"), speed: attr("speed"), power: attr("power"),
	}
	for k, s := range Skills {
		if Ability(k) != Cleanse {
			b.skills[k] = spec(s.ID)
		}
		b.cooldown[k], b.cooling[k] = spec(s.ID+"_cooldown"), tag("cooldown."+s.ID)
	}
	for k, a := range arms {
		b.arms[k] = spec(a.id)
	}
	if missing != nil {
		return nil, fmt.Errorf("the arena uses %q, which are no definitions, tags or attributes", missing)
	}
	return b, nil
}

// is reports whether two definitions are versions of the same definition.
func is(a, b *buff.Spec) bool { return a != nil && a.Lineage() == b.Lineage() }
