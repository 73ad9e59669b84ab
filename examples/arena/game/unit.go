package game

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// Side is whose side a unit is on.
type Side uint8

// The sides.
const (
	Ember Side = iota
	Tide
	Hollow // the King's own
)

// Unit is a hero, or the King of an arena. What it carries the engine knows; this is the rest.
type Unit struct {
	ID    buff.OwnerID
	Name  string
	Class Class
	Side  Side
	Arena int
	Squad int // five heroes of one side, within the arena

	X, Y, Facing float64 // in paces; in radians
	Moving       bool
	Health, Most float64
	Dead         bool
	Target       buff.OwnerID // 0: nobody
	Played       bool         // by a person
	Taken        bool         // a person has it, who may be away: a bot plays it then

	// What it wants: to walk in a direction, or to a place, or to stand.
	dx, dy       float64
	goX, goY     float64
	going        bool
	swing        wheel.Time // when its arm is ready
	think        wheel.Time // when it thinks next, if nobody plays it
	nextX, nextY float64
}

// Hero reports whether it is one, and not a king.
func (u *Unit) Hero() bool { return u.Side != Hollow }

// foe reports whether two units are on different sides.
func (u *Unit) foe(o *Unit) bool { return u.Side != o.Side }

// Fact is something that is to be seen for a moment: a blow, a spell, a fall.
type Fact struct {
	Kind           FactKind
	What           uint8 // the Ability or the Class whose arm it was, or the place in [World.Icons] of the buff that did it
	Source, Target buff.OwnerID
	Amount         uint16
}

// FactKind says what kind of [Fact] it is.
type FactKind uint8

// The kinds of facts. What is their Ability, Class or icon is said behind each.
const (
	Struck   FactKind = iota // an arm: Class; Amount is the damage
	Cast                     // Ability
	Hurt                     // by a buff's pulse: icon
	Healed                   // icon
	Absorbed                 // by a shield: icon of what did the damage
	Resisted                 // Ability, or 255
	Fell                     // it died
	Rose
	Shook // the King's quake
)

// second is in the engine's unit.
const second = wheel.Time(time.Second / time.Millisecond)
