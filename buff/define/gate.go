package define

import "time"

// Group names what is exclusive with each other.
type Group struct {
	Name     string // "" for none
	Priority int
	Rule     GroupRule
}

// Slot is a class of places on an owner, such as its sixteen debuffs. All definitions
// that name a class say the same of it.
type Slot struct {
	Class string // "" for none
	Limit int    // from 1 to MaxPerOwner
	Evict Evict
}

// PerSource is the share of one source: if it applies one more, its oldest instance ends
// for the reason Replaced, on whomever it is.
type PerSource struct {
	Limit int // if zero, there is no limit
}

// Requirements are conditions on the tags of the owner.
type Requirements struct {
	Apply   TagTest // or the application is refused
	Ongoing TagTest // or the running buff has no effect: it is hidden
	Remove  TagTest // if it holds, and is not empty, the buff is removed
}

// TagTest is about the tags that an owner has: by the Grants of its buffs, or given to
// it by the game. An owner with "state.dead.burnt" has "state.dead" and "state". An empty
// TagTest holds.
type TagTest struct {
	All  []string // it has each of them
	Any  []string // it has one of them
	None []string // it has none of them
}

// Match says which buffs are meant. What is left out is not asked. The zero Match
// means none.
type Match struct {
	Tags     []string // its Tags, not its Grants, have one of them, or one below
	Type     string   // Dispel.Type
	Polarity Polarity // if not Neutral
}

// DR is diminishing returns: each application while the last one is remembered lasts a
// smaller share of its duration.
type DR struct {
	Group string        // "" for none
	Steps []int         // percent, from 0 to 100; after the last one, the last one
	Reset time.Duration // after the end of the last of the group all is forgotten
	Scope Scope
}

// DispelRule says how a buff is taken off by others.
type DispelRule struct {
	Type   string
	Grade  Grade
	Per    Per
	Resist int  // chance that a dispel fails, in per mille
	Keep   bool // it cannot be stolen
}

// Charges are uses of a buff; with the last one it ends, for the reason Consumed.
type Charges struct {
	N         int      // if zero, the buff has none
	ConsumeOn []string // the acts that use one
	Refresh   ChargeRule
}

// Shield absorbs damage until its pool is used up; then it ends, for the reason Broken.
type Shield struct {
	On       bool
	Pool     int64    // if zero, the Magnitude of the application
	By       *Number  // if not nil, stands for Pool: rounded down
	Priority int      // the highest absorbs first, then the oldest
	Schools  []string // tags of the damage it absorbs; if none, all

	// Attrs are the attributes before whose damage it stands. If there are none, it is those with AtMinKill, and
	// if no attribute has that, all. An Absorb names no attribute, and meets every shield.
	Attrs []string
}

// Aura applies a buff to those around the owner: every Interval whoever the game says is
// in the area is given it, and loses it Linger after the first look that did not find it. What
// several auras apply stacks by the rule of that buff: by target it is one instance, which goes
// with the last of them, and each takes away the stacks that it brought. It is not joined by
// what no aura applies.
type Aura struct {
	Apply    string // "" for none
	Radius   float64
	Interval time.Duration
	Linger   time.Duration
}

// Param is a number that handlers find under its Name.
type Param struct {
	Name  string // no two of one definition have the same
	Value Number // what it is
}

// Saving says what is kept of a buff when its owner leaves.
type Saving struct {
	Mode          SaveMode
	IfRemaining   time.Duration
	Offline       Offline
	OfflineCap    int // with OfflineAll, the most pulses; if zero, 100
	OfflineExpire OfflineExpire

	// Compensate names a class, for buff.Query.Compensate.
	Compensate string
}
