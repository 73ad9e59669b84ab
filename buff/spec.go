package buff

import "time"

// OwnerID names whoever carries or applies buffs: a player, a creature. The number
// is the game's own.
type OwnerID uint64

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

// Spec is the definition of a buff: what a designer writes. A Spec given to
// [NewCatalog] is copied and checked; the copies that a [Catalog] hands out are
// shared by everything that runs and must not be changed.
//
// The zero value of every field but ID and Duration is a sensible default.
type Spec struct {
	// ID names the definition within its catalog. Required.
	ID string

	// Name and Note are for people; the engine does not read them.
	Name, Note string

	// Tags say what the buff is, from the general to the particular:
	// "debuff.poison". Grants are tags that the owner has while the buff is on it and
	// has its effect. Queries about the buff read both.
	Tags, Grants []string

	// Polarity says what the buff is to its owner. Only queries read it.
	Polarity Polarity

	// Kind says how the buff lives. Instant ones have no duration, period or
	// stack; infinite ones no duration.
	Kind Kind

	// Duration is how long a Timed buff lives: whole milliseconds, above zero, at
	// most MaxDuration. Zero never means for ever. MinDuration and MaxDuration bound what
	// an application makes of it by its own duration, by scaling and by diminishing
	// returns; zero stands for no bound.
	Duration, MinDuration, MaxDuration time.Duration

	// DurationBy, if not nil, stands for Duration: its value at the level of the
	// application, in seconds, rounded to whole milliseconds, half up. PeriodBy does the
	// same for Period. Within the levels of the curve each value is within the limits.
	DurationBy, PeriodBy *Curve

	// DurationScale, if not nil, is a factor of the duration of an application. It is at
	// least zero; at zero the application is refused for the reason Resisted.
	DurationScale *Number

	// Clock says which time it lives by while its owner is away.
	Clock Clock

	// Period is the time between two pulses: whole milliseconds from MinPeriod to
	// MaxDuration, or zero for a buff that does not pulse.
	Period time.Duration

	// First says whether the application itself pulses, Tail whether the last part
	// of a period does, Align from where the periods are counted. All need a Period.
	First First
	Tail  Tail
	Align Align

	// Haste says what a change of the period does; with HasteDuration it scales what
	// is left of the duration too.
	Haste         Haste
	HasteDuration bool

	// Catchup says what becomes of several pulses in one late frame. CatchupMax is the
	// greatest count of one coalesced pulse; what is above it is dropped. If zero,
	// there is none.
	Catchup    Catchup
	CatchupMax int

	// Stack says what a second application does.
	Stack Stacking

	// Group makes the buff exclusive with others.
	Group Group

	// Slot makes it take one of a limited number of places on its owner.
	Slot Slot

	// PerSource limits how many instances one source may have, on all owners together. A Set enforces it on
	// its own owner, before the new instance begins; the engine does across owners.
	PerSource PerSource

	// Require says which tags its owner must have, or not have.
	Require    Requirements
	Inhibition Inhibition

	// Dead says whether a dead owner can get the buff.
	Dead DeadRule

	// Immune says what becomes of the running buff when its owner becomes immune to it,
	// Immunity to what the buff makes its owner immune.
	Immune   ImmuneRule
	Immunity Match

	// Chance is the chance that an application succeeds, in per mille: 1 to 1000. If
	// zero, it always does; ChanceNever is no chance.
	Chance int

	// DR makes each further application shorter, or denies it: diminishing returns.
	DR DR

	// Dispel says how the buff can be dispelled or stolen.
	Dispel DispelRule

	// Interrupt names the acts of its owner that end it: "move", "damage". The names
	// are the game's own; a catalog has at most MaxActs.
	Interrupt []string

	// Charges and Shield are what may be used up before the duration is.
	Charges Charges
	Shield  Shield

	// Modifiers change attributes of its owner while it has its effect.
	Modifiers []Modifier

	// Links are definitions that are applied to its owner with it, by its source, and go
	// with it, for the same reason.
	Links []string

	// Aura makes the buff apply another one to those around its owner.
	Aura Aura

	// Params are numbers that come with an application or stand for it, for handlers.
	Params []Param

	// OnDeath says what becomes of the buff when its owner dies: removed (the
	// default), kept, or paused until the owner is revived.
	OnDeath Fate

	// OnSourceGone says what becomes of it when its source leaves: kept (the
	// default), removed, or adopted by its owner.
	OnSourceGone Fate

	// OnZone says what becomes of it when its owner goes to another zone: kept (the
	// default) or removed, for the reason Interrupt, and the act "zone".
	OnZone Fate

	// OnFault says what becomes of it when one of its handlers panics or ends its
	// goroutine: kept (the default) or removed.
	OnFault Fate

	// Save says what is kept of it when its owner leaves.
	Save Saving

	// Reload says what becomes of running instances when a new version is loaded.
	Reload ReloadRule

	// Client is for game clients.
	Client Client

	// Data is the game's own, and nothing that the engine reads: a cast time, a range. It must
	// not be changed. A reload compares it by reflect.DeepEqual. Package catalog makes it of
	// data, of the type that its Loader says.
	Data any

	// On says what is done when something happens to the buff.
	On Hooks

	compiled
}

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
	// the instances on one owner, the others being hidden. The strongest by Magnitude do,
	// then the oldest. If zero, all.
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

// ChanceNever is a [Spec.Chance] of none.
const ChanceNever = -1

// ConsumeAll is a [Threshold.Consume] that ends the instance.
const ConsumeAll = -1

// Hooks are lists of actions, done in order, each list when the event that it is named after has happened.
type Hooks struct {
	Apply    []Action // a new instance
	Refresh  []Action // a refresh
	Pulse    []Action // a pulse; needs a Period
	Exec     []Action // an instant buff did its work; only for Instant
	Overflow []Action // an application met the stack limit

	// Act is keyed by the act that happened, a name of the game's own: [Happened]. Only these
	// actions may have a To of ToTarget. A buff that is hidden does not react.
	Act map[string][]Action

	// Remove is keyed by the reason of the removal; RemoveAny is done for every
	// reason, after those of Remove.
	Remove    map[Reason][]Action
	RemoveAny []Action
}

// Action is one thing that a definition does, to its own owner if To does not say otherwise.
type Action struct {
	Do   Do
	To   To     // not for DoCall
	Name string // the definition (DoApply, DoRemove) or the Go handler (DoCall)

	// Reason is the reason of a DoRemove. If NoReason, Cancelled.
	Reason Reason

	// Change is what a DoChange and a DoDamage do.
	Change *Change
}

// HandlerID is the place of a Go handler's name in [Catalog.Handlers], counted from 1; 0 is none.
type HandlerID int32

// Index returns the place of the definition in its catalog, counted from 0 in the
// order in which NewCatalog got them.
func (s *Spec) Index() int { return int(s.index) }

// String returns the definition's ID.
func (s *Spec) String() string { return s.ID }
