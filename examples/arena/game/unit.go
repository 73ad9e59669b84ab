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
	Hollow // the King's
)

// Unit is a hero or the King of an arena. Its buffs are in the engine.
type Unit struct {
	ID    buff.OwnerID
	Name  string
	Class Class
	Side  Side
	Arena int
	Squad int // five heroes of one side, numbered within the arena

	X, Y, Facing float64 // in paces; in radians
	Moving       bool
	Health, Most float64
	Dead         bool
	Target       buff.OwnerID // 0: none
	Played       bool         // by a person
	Taken        bool         // by a person, who may be away; then a bot plays it

	// The current order: a direction, a destination, or neither.
	dx, dy       float64
	goX, goY     float64
	going        bool
	swing        wheel.Time // when its next attack is ready
	think        wheel.Time // when it next decides, if no person plays it
	nextX, nextY float64
}

// Hero reports whether the unit is a hero and not a king.
func (u *Unit) Hero() bool { return u.Side != Hollow }

// foe reports whether two units are on different sides.
func (u *Unit) foe(o *Unit) bool { return u.Side != o.Side }

// Fact is a visible event: a hit, a spell, a death.
type Fact struct {
	Kind FactKind
	// the Ability, the Class whose attack it was, or the index in [World.Icons] of the buff
	What           uint8
	Source, Target buff.OwnerID
	Amount         uint16
}

// FactKind is the kind of a [Fact].
type FactKind uint8

// The kinds of facts, with the meaning of [Fact.What].
const (
	Struck   FactKind = iota // a basic attack: Class; Amount is the damage
	Cast                     // Ability
	Hurt                     // by a pulse of a buff: icon
	Healed                   // icon
	Absorbed                 // by a shield: icon of the damaging buff
	Resisted                 // Ability, or 255
	Fell                     // a unit died
	Rose
	Shook // the King's quake
)

// second is one second of engine time.
const second = wheel.Time(time.Second / time.Millisecond)
