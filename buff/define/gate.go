package define

import (
	"time"

	"github.com/bufftick/bufftick/buff/reason"
)

// Group names a set of mutually exclusive buffs.
type Group struct {
	Name     string // "" for none
	Priority int
	Rule     GroupRule
}

// Slot puts a buff into a class of buffs. Each owner can have only a limited number of the buffs in
// a class, for example sixteen debuffs. All definitions of a class must give the same Limit and
// Evict.
type Slot struct {
	Class string // "" for none
	Limit int    // slots of each owner, 1 to MaxPerOwner
	Evict Evict
}

// PerSource limits the instances of one source, on all owners together. An application beyond the
// limit ends the source's oldest instance, with reason Replaced.
type PerSource struct {
	Limit int // zero means no limit
}

// Requirements are conditions on the owner.
type Requirements struct {
	Apply   TagTest // applications are denied unless this condition holds
	Ongoing TagTest // while this condition fails, the buff is hidden: present, but without effect
	Remove  TagTest // if this condition holds and is not empty, the buff is removed

	// FromSource limits Apply to tags granted by buffs of the source of the application. Tags from
	// buffs of other sources, and tags that the game has added, do not count.
	FromSource bool

	// If, if not nil, is evaluated for each application except a stolen one. An application is
	// denied if it is zero, with the reason Why: reason.Cost, or reason.None for
	// reason.Requirement.
	If  *Number
	Why reason.Reason
}

// TagTest is a condition on the tags of an owner: those granted by its buffs and those added by
// the game. A tag includes its parents: an owner with "state.dead.burnt" has "state.dead" and
// "state" too. An empty TagTest holds.
type TagTest struct {
	All  []string // the owner has all of these tags
	Any  []string // the owner has at least one of these tags
	None []string // the owner has none of these tags
}

// Match selects buffs by the fields that are set. The zero Match selects no buffs.
type Match struct {
	Tags     []string // one of the buff's Tags (not Grants) is in this list, or below a tag in it
	Type     string   // Dispel.Type; "" for any
	Polarity Polarity // Neutral for any
}

// DR is diminishing returns: successive applications of a group get a decreasing percentage of
// their duration, until the group is reset.
type DR struct {
	Group string        // "" for none
	Steps []int         // percent of the duration, 0 to 100; the last step repeats
	Reset time.Duration // time after the end of the group's last buff until Steps start again
	Scope Scope
}

// DispelRule says how a buff can be dispelled or stolen.
type DispelRule struct {
	Type   string
	Grade  Grade
	Per    Per
	Resist int  // chance that a dispel fails, in per mille
	Keep   bool // the buff cannot be stolen
}

// Charges are the uses of a buff. Using the last one ends the buff, with reason Consumed.
type Charges struct {
	N         int      // zero means no charges
	ConsumeOn []string // names of the acts; each of them uses one charge
	Refresh   ChargeRule

	// Recharge, if not zero, is the time after which a used charge comes back: from MinPeriod to
	// MaxDuration, in whole milliseconds. The charges come back one at a time, in the time of the
	// buff. Such a buff does not end with its last charge: it is hidden until a charge comes back.
	Recharge time.Duration
}

// Shield absorbs damage until its pool is used up. Then the buff ends, with reason Broken.
type Shield struct {
	On       bool
	Pool     int64    // zero means the Magnitude of the application
	By       *Number  // if not nil, the pool is this number, rounded down, instead of Pool
	Priority int      // the highest absorbs first; among equal priorities, the oldest shield
	Schools  []string // tags of the damage that it absorbs; empty means all damage

	// Attrs are the attributes that the shield protects. If Attrs is empty, the shield protects
	// the attributes with AtMinKill or, if there are none, all attributes. The damage of an Absorb
	// command names no attribute, and every shield absorbs it.
	Attrs []string

	// Share is the part of a hit that the shield can absorb, in percent of the damage that reaches
	// it, from 1 to 100 and rounded half up to whole points. Cap is the most that it can absorb of
	// a hit. Zero means no such limit. All stacks of a buff are one shield.
	Share int
	Cap   int64

	// Floor, if not zero, is a value of an attribute: of damage to it, the shield absorbs only the
	// points that would bring its base below Floor. It absorbs nothing of an Absorb command.
	Floor int64

	// Refresh says how a further application changes the remaining pool.
	Refresh ShieldRule
}

// Aura applies the buff Apply to the owners around its own owner. Every Interval the game lists
// the owners in its range; each of these owners gets the buff. An owner that is no longer listed
// loses the buff after Linger, counted from the first Interval at which the owner was missing.
//
// If several auras apply the same buff to an owner, the stacking rule of that buff decides: with
// ByTarget there is one instance, which ends with the last of the auras, and each aura removes
// the stacks that it added. Applications that do not come from an aura never join this instance.
type Aura struct {
	Apply    string // "" for none
	Radius   float64
	Interval time.Duration
	Linger   time.Duration
}

// Param is a number that handlers can read under its Name.
type Param struct {
	Name  string // unique within a definition
	Value Number
}

// Var is a number that each buff of a definition has: its variable. A buff starts with Base, within
// the limits. Actions change it with DoSet and DoAdd, and formulas of actions read it. Refreshes,
// saves and steals keep it, and it ends with the buff. A definition with TimersEach or TimersQueue
// has no variables.
type Var struct {
	Name     string // unique within a definition
	Base     Number
	Min, Max *float64 // limits; nil means none

	// AtMin and AtMax are the actions when a change brings the variable to a limit.
	AtMin, AtMax []Action
}

// Saving says which parts of a buff are kept when its owner leaves.
type Saving struct {
	Mode          SaveMode
	IfRemaining   time.Duration
	Offline       Offline
	OfflineCap    int // maximum number of pulses with OfflineAll; zero means 100
	OfflineExpire OfflineExpire

	// Compensate is a class of buffs for buff.Query.Compensate.
	Compensate string
}
