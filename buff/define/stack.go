package define

import "time"

// Limits of a definition or a catalog.
const (
	MinPeriod      = 50 * time.Millisecond // shortest period
	MaxDuration    = 400 * 24 * time.Hour  // longest duration or period
	MaxStacks      = 1<<15 - 1             // highest stack limit
	MaxWeight      = 1_000_000             // highest Weight of an alternative
	MaxAsyncStacks = 256                   // highest stack limit with TimersEach and TimersQueue
	MaxLevel       = 1<<15 - 1             // highest level of an application
	MaxActs        = 64                    // acts in a catalog
	MaxTags        = 1 << 14               // tags in a catalog, parents included
	MaxParams      = 64                    // parameters of a definition
	UnlimitedPool  = 1 << 53               // Shield.Pool of a shield that no game uses up
	MaxVars        = 8                     // variables of a definition
	MaxLinks       = 64                    // links of a definition
	MaxLineage     = 1 << 17               // definitions of a catalog and of all earlier versions of it

	MaxModifiers = 64 // modifiers of a definition
)

// Stacking has the rules for a further application to a live instance.
type Stacking struct {
	// By says which live instance an application joins. With ByNone most of the other fields have
	// no effect.
	By By

	// Limit is the maximum number of stacks of an instance, 1 to MaxStacks; zero means 1 or, with
	// TimersQueue, MaxAsyncStacks. Initial is the number of stacks that an application adds if it
	// does not specify one, 1 to Limit; zero means 1.
	Limit, Initial int

	// Timers says whether the stacks of an instance end together. With TimersEach and
	// TimersQueue, Limit is at most MaxAsyncStacks.
	Timers Timers

	// Effective limits how many stacks or instances count; zero means all. With TimersEach, it
	// limits the stacks that count in modifiers and in actions for pulses, acts, deaths and
	// removals. Otherwise it limits the instances on one owner, and further instances are hidden.
	// The strongest ones are those that count. They are ordered by level (highest first), then by
	// magnitude (greatest first), then by age (oldest first).
	Effective int

	// Refresh and Phase say how a further application changes the end and the pulses. With
	// TimersEach, Refresh matters only for an application at the limit, and only for the stack
	// that ends first: RefreshNone leaves this stack unchanged, and any other rule moves its end
	// to the end of the application.
	//
	// RefreshPct is the percentage of the duration that RefreshPandemic carries over, 1 to 100;
	// zero means 30. RefreshCap is the longest remaining time after RefreshExtend; zero means no
	// limit.
	Refresh    Refresh
	RefreshPct int
	RefreshCap time.Duration
	Phase      Phase

	// Overflow is the rule for an application at the limit. Whatever the rule, the actions in
	// Hooks.Overflow run.
	Overflow Overflow

	// Expire says how many stacks end when the duration is over, and ExpireN is the number of
	// stacks for ExpireCount.
	Expire  Expire
	ExpireN int

	// Decay, if not zero, is the time until the next stacks end after stacks have expired, in place
	// of the duration. A refresh starts the duration again. It needs an Expire other than ExpireAll.
	Decay time.Duration

	// Level says how the level of a further application is used.
	Level LevelRule

	// Each threshold runs whenever the number of stacks rises to the At of the threshold.
	Thresholds []Threshold
}

// Threshold is an action at a number of stacks.
type Threshold struct {
	At      int    // number of stacks, 1 to the limit
	Apply   string // definition applied to the owner by the instance's source; "" for none
	Consume int    // number of stacks that are then removed, with reason Consumed, or ConsumeAll
}

// ChanceNever is the buff.Spec.Chance of a buff whose applications always fail.
const ChanceNever = -1

// ConsumeAll is a [Threshold.Consume] that ends the instance.
const ConsumeAll = -1
