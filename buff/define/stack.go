package define

import "time"

// Limits on what a definition may say.
const (
	MinPeriod      = 50 * time.Millisecond // a shorter period is an error of the definition
	MaxDuration    = 400 * 24 * time.Hour  // a longer duration or period is an error of the definition
	MaxStacks      = 1<<15 - 1             // the highest stack limit
	MaxAsyncStacks = 256                   // the highest stack limit where each application has a time of its own
	MaxLevel       = 1<<15 - 1             // the highest level of an application
	MaxActs        = 64                    // names of acts in one catalog
	MaxTags        = 1 << 14               // tags in one catalog, with those above them
	MaxParams      = 64                    // parameters of one definition
	MaxLinks       = 64                    // links of one definition
	MaxLineage     = 1 << 17               // definitions of a catalog and of all that it took the place of

	MaxModifiers = 64 // modifiers of one definition
)

// Stacking says what a second application of a definition does to a live instance.
type Stacking struct {
	// By says which live instance is joined; with ByNone most of the rest means
	// nothing.
	By By

	// Limit is the number of stacks that an instance may have, from 1 to MaxStacks. If zero, 1, or with
	// TimersQueue MaxAsyncStacks. Initial is the number of stacks of an application that does not say how
	// many, from 1 to Limit. If zero, 1.
	Limit, Initial int

	// Timers says how many ends the stacks of one instance have. With TimersEach and
	// TimersQueue the Limit is at most MaxAsyncStacks.
	Timers Timers

	// Effective is how many count: with TimersEach, of the stacks in a pulse; otherwise of
	// the instances on one owner, the others being hidden. The strongest do, by level,
	// then by magnitude, then the oldest. If zero, all.
	Effective int

	// Refresh and Phase say what becomes of the end and of the beat. With TimersEach, Refresh
	// is about the stack that ends first, at the limit: RefreshNone leaves it alone, otherwise
	// it ends when the application would. RefreshPct is
	// the share of the duration that RefreshPandemic carries over, in percent, from
	// 1 to 100. If zero, 30. RefreshCap is the most that RefreshExtend leaves until the
	// end; if zero, there is no cap.
	Refresh    Refresh
	RefreshPct int
	RefreshCap time.Duration
	Phase      Phase

	// Overflow says what an application at the limit does; the definitions of
	// OverflowApply are applied to the owner then, whatever it does.
	Overflow      Overflow
	OverflowApply []string

	// Expire says what the end of the duration takes away, ExpireN how many stacks for
	// ExpireCount.
	Expire  Expire
	ExpireN int

	// Level says what the level of a further application does.
	Level LevelRule

	// Thresholds are done when the stacks reach them from below, once for each time.
	Thresholds []Threshold
}

// Threshold is what a number of stacks sets off.
type Threshold struct {
	At      int    // stacks, from 1 to the limit
	Apply   string // a definition, applied to the owner by the instance's source; or none
	Consume int    // stacks taken away then, for the reason Consumed; ConsumeAll for all
}

// ChanceNever is a buff.Spec.Chance of none.
const ChanceNever = -1

// ConsumeAll is a [Threshold.Consume] that ends the instance.
const ConsumeAll = -1
