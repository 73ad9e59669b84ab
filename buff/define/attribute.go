package define

import "github.com/bufftick/bufftick/buff/stat"

// Attribute is one number that every owner has.
type Attribute struct {
	stat.Attribute

	// AtMin says what becomes of the owner when a change or a lower Max brings the base down to its
	// Min, or the Min rises to it.
	AtMin AtMin
}

// Modifier changes an attribute of the owner for as long as the buff is on it and has its
// effect. Package stat says what the ops and channels do.
type Modifier struct {
	Attr    string
	Op      stat.Op
	Channel int // 0 to stat.MaxChannel
	Value   Number

	// PerStack multiplies the value by the number of stacks.
	PerStack bool
}

// Change is what DoChange and DoDamage do: they change the base of an attribute of the
// owner for good.
type Change struct {
	// Attr names the attribute.
	Attr string

	// By is added by DoChange; DoDamage takes it away, rounded to a whole number, half up,
	// after the shields have taken their part of it; below zero it does nothing. For a
	// pulse of less than a whole period, By counts with the pulse's share; for one that
	// stands for several, as often.
	By Number

	// PerStack multiplies it by the number of stacks.
	PerStack bool

	// School is a tag: which shields absorb the damage. "" for none.
	School string
}

// Client is what game clients want to know of a buff; the engine does not read it.
type Client struct {
	Icon     string // the game's own name for a picture
	Hide     bool   // it is not to be shown
	Priority int    // which is shown first
	Sync     Sync   // who is told of it
}
