package game

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// Side is the side of a unit.
type Side uint8

// The sides.
const (
	Ember Side = iota
	Tide
	Hollow // the side of the Kings
)

// Unit is a hero or the King of an arena. Its buffs are in the engine.
type Unit struct {
	ID    buff.OwnerID
	Name  string
	Class Class
	Side  Side
	Arena int
	Squad int // number of the squad within the arena; a squad has up to five heroes of one side

	X, Y, Facing float64 // X and Y in paces, Facing in radians
	Moving       bool
	Health, Most float64
	Dead         bool
	Target       buff.OwnerID // 0 means no target
	Played       bool         // a person plays the unit now
	Taken        bool         // a person has taken the unit; if the person is away, a bot plays it

	// The current order: a direction, a destination, or neither.
	dx, dy       float64
	goX, goY     float64
	going        bool
	swing        wheel.Time // time when the next attack is ready
	think        wheel.Time // time of the next decision, if no person plays the unit
	nextX, nextY float64
}

// Hero reports whether the unit is a hero and not a King.
func (u *Unit) Hero() bool { return u.Side != Hollow }

// foe reports whether the two units are on different sides.
func (u *Unit) foe(o *Unit) bool { return u.Side != o.Side }

// Fact is a visible event, such as a hit, a spell or a death.
type Fact struct {
	Kind FactKind
	// What is an Ability, the Class of the attacker, or an index in [Icons]. It depends on Kind.
	What           uint8
	Source, Target buff.OwnerID
	Amount         uint16
}

// FactKind is the kind of a [Fact].
type FactKind uint8

// The kinds of facts. The comments describe the field [Fact.What].
const (
	Struck   FactKind = iota // a basic attack; `What` is the Class, and Amount is the damage
	Cast                     // an ability was cast; `What` is the Ability
	Hurt                     // damage by a pulse of a buff; `What` is the icon
	Healed                   // a heal by a buff; `What` is the icon
	Absorbed                 // damage absorbed by a shield; `What` is the icon of the damaging buff
	Resisted                 // an effect was resisted; `What` is the Ability, or 255 if unknown
	Fell                     // a unit died
	Rose
	Shook // the King's quake
)

// second is one second of engine time.
const second = wheel.Time(time.Second / time.Millisecond)
