package buff

import (
	"time"

	"github.com/bufftick/bufftick/buff/define"
)

// OwnerID names whoever carries or applies buffs: a player, a creature. The number
// is the game's own.
type OwnerID uint64

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
	// has its effect. Queries about the buff read both; an immunity reads Tags only, since it
	// is about what a buff is.
	Tags, Grants []string

	// Polarity says what the buff is to its owner. Only queries read it.
	Polarity define.Polarity

	// Kind says how the buff lives. Instant ones have no duration, period or
	// stack; infinite ones no duration.
	Kind define.Kind

	// Duration is how long a Timed buff lives: whole milliseconds, above zero, at
	// most MaxDuration. Zero never means for ever. MinDuration and MaxDuration bound what
	// an application makes of it by its own duration, by scaling and by diminishing
	// returns; zero stands for no bound.
	Duration, MinDuration, MaxDuration time.Duration

	// DurationBy, if not nil, stands for Duration: its value at the level of the
	// application, in seconds, rounded to whole milliseconds, half up. PeriodBy does the
	// same for Period. Within the levels of the curve each value is within the limits.
	DurationBy, PeriodBy *define.Curve

	// DurationScale, if not nil, is a factor of the duration of an application. It is at
	// least zero; at zero the application is refused for the reason Resisted.
	DurationScale *define.Number

	// Clock says which time it lives by while its owner is away.
	Clock define.Clock

	// Period is the time between two pulses: whole milliseconds from MinPeriod to
	// MaxDuration, or zero for a buff that does not pulse.
	Period time.Duration

	// First says whether the application itself pulses, Tail whether the last part
	// of a period does, Align from where the periods are counted. All need a Period.
	First define.First
	Tail  define.Tail
	Align define.Align

	// Haste says what a change of the period does; with HasteDuration it scales what
	// is left of the duration too.
	Haste         define.Haste
	HasteDuration bool

	// Catchup says what becomes of several pulses in one late frame. CatchupMax is the
	// greatest count of one coalesced pulse; what is above it is dropped. If zero,
	// there is none.
	Catchup    define.Catchup
	CatchupMax int

	// Stack says what a second application does.
	Stack define.Stacking

	// Group makes the buff exclusive with others.
	Group define.Group

	// Slot makes it take one of a limited number of places on its owner.
	Slot define.Slot

	// PerSource limits how many instances one source may have, on all owners together. A Set enforces it on
	// its own owner, before the new instance begins; the engine does across owners.
	PerSource define.PerSource

	// Require says which tags its owner must have, or not have.
	Require    define.Requirements
	Inhibition define.Inhibition

	// Dead says whether a dead owner can get the buff.
	Dead define.DeadRule

	// Immune says what becomes of the running buff when its owner becomes immune to it,
	// Immunity to what the buff makes its owner immune.
	Immune   define.ImmuneRule
	Immunity define.Match

	// Chance is the chance that an application succeeds, in per mille: 1 to 1000. If
	// zero, it always does; ChanceNever is no chance.
	Chance int

	// DR makes each further application shorter, or denies it: diminishing returns.
	DR define.DR

	// Dispel says how the buff can be dispelled or stolen.
	Dispel define.DispelRule

	// Interrupt names the acts of its owner that end it: "move", "damaged". The names are the game's own, except
	// define.ActDamaged and ActDealt, which the engine reports. A catalog has at most MaxActs.
	Interrupt []string

	// Charges and Shield are what may be used up before the duration is.
	Charges define.Charges
	Shield  define.Shield

	// Modifiers change attributes of its owner while it has its effect.
	Modifiers []define.Modifier

	// Links are definitions that are applied to its owner with it, each once, by its source. They end
	// with it, for the same reason, or with the last of several buffs that have brought them.
	Links []string

	// Aura makes the buff apply another one to those around its owner.
	Aura define.Aura

	// Params are numbers that come with an application or stand for it, for handlers.
	Params []define.Param

	// OnDeath says what becomes of the buff when its owner dies: removed (the
	// default), kept, or paused until the owner is revived.
	OnDeath define.Fate

	// OnSourceGone says what becomes of it when its source leaves: kept (the
	// default), removed, or adopted by its owner.
	OnSourceGone define.Fate

	// OnZone says what becomes of it when its owner goes to another zone: kept (the
	// default) or removed, for the reason Interrupt, and the act "zone".
	OnZone define.Fate

	// OnFault says what becomes of it when one of its handlers panics or ends its
	// goroutine: kept (the default) or removed.
	OnFault define.Fate

	// Save says what is kept of it when its owner leaves.
	Save define.Saving

	// Reload says what becomes of running instances when a new version is loaded.
	Reload define.ReloadRule

	// Client is for game clients.
	Client define.Client

	// Data is the game's own, and nothing that the engine reads: a cast time, a range. It must
	// not be changed. A reload compares it by reflect.DeepEqual. Package catalog makes it of
	// data, of the type that its Loader says.
	Data any

	// On says what is done when something happens to the buff.
	On Hooks

	compiled
}

// Hooks are lists of actions, done in order, each list when the event that it is named after has happened.
type Hooks struct {
	Apply    []Action // a new instance
	Refresh  []Action // a refresh that changed something; a restart always does
	Pulse    []Action // a pulse; needs a Period
	Exec     []Action // an instant buff did its work; only for Instant
	Overflow []Action // an application met the stack limit

	// Death is done when the owner dies, before anything that it carries is removed: also by a buff that
	// its death removes, after which come the actions for the removal. A buff that is hidden does nothing.
	// ToTarget is who killed the owner. A handler gets a Died about its buff.
	Death []Action

	// Act is keyed by the act that happened, a name of the game's own: [Happened]. Only these
	// actions, and those of Death, may have a To of ToTarget. A buff that is hidden does not react.
	Act map[string][]Action

	// Remove is keyed by the reason of the removal; RemoveAny is done for every
	// reason, after those of Remove.
	Remove    map[Reason][]Action
	RemoveAny []Action
}

// Action is one thing that a definition does, to its own owner if To does not say otherwise.
type Action struct {
	Do   define.Do
	To   define.To // not for DoCall
	Name string    // the definition (DoApply, DoRemove) or the Go handler (DoCall)

	// Reason is the reason of a DoRemove. If NoReason, Cancelled.
	Reason Reason

	// Change is what a DoChange and a DoDamage do.
	Change *define.Change
}

// HandlerID is the place of a Go handler's name in [Catalog.Handlers], counted from 1; 0 is none.
type HandlerID int32

// Index returns the place of the definition in its catalog, counted from 0 in the
// order in which NewCatalog got them.
func (s *Spec) Index() int { return int(s.index) }

// String returns the definition's ID.
func (s *Spec) String() string { return s.ID }
