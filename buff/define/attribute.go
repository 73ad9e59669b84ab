package define

import "github.com/bufftick/bufftick/buff/stat"

// Attribute defines one number that every owner has.
type Attribute struct {
	stat.Attribute

	// AtMin is the rule for an owner when the base reaches Min. That may happen because the base
	// is changed, because a lower Max cuts the base down to Min, or because Min rises to the base.
	AtMin AtMin

	// DamageTaken is a school of damage or "". DoDamage and the command Damage of this school, or
	// of a tag below it, are multiplied by the value of the attribute that the hurt owner has at
	// that moment, or by 0 if the value is below 0, before rounding and shields. If several
	// attributes match a school, all of them multiply.
	DamageTaken string
}

// Modifier changes an attribute of the owner while the buff is present and not hidden. Package
// stat documents Op and Channel.
type Modifier struct {
	Attr    string
	Op      stat.Op
	Channel int // 0 to stat.MaxChannel
	Value   Number

	// PerStack multiplies the value by the number of stacks.
	PerStack bool
}

// Change is the operand of DoChange and DoDamage, which change the base of an attribute of the
// owner permanently.
type Change struct {
	// Attr names the attribute.
	Attr string

	// DoChange adds By to the base. DoDamage rounds By to a whole number, half up, lets the shields
	// absorb damage, and subtracts the rest; it has no effect if By is below zero. In a pulse, By
	// is multiplied by the fraction of a period that the pulse covers or, if several pulses were
	// merged into one, by their number.
	By Number

	// PerStack multiplies By by the number of stacks.
	PerStack bool

	// School is the tag of the damage, which decides which shields absorb it. It may be empty.
	School string
}

// Client is information for game clients. The engine does not read it.
type Client struct {
	Icon     string // name of a picture, defined by the game
	Hide     bool   // the buff is not shown
	Priority int    // the highest is displayed first
	Sync     Sync   // which clients receive the buff
}
