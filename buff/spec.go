package buff

import (
	"time"

	"github.com/bufftick/bufftick/buff/define"
)

// OwnerID identifies an owner or source of buffs, such as a player or a creature. The game
// chooses the numbers.
type OwnerID uint64

// Spec is the definition of a buff, as written by a designer. [NewCatalog] checks and copies each
// Spec. The copies returned by a [Catalog] are shared and must not be modified.
//
// The zero value of every field except ID and Duration is a sensible default.
type Spec struct {
	// ID names the definition within its catalog. Required.
	ID string

	// Name and Note are for people. The engine does not read them.
	Name, Note string

	// Tags classify the buff, from the general to the particular, as in "debuff.poison". Grants
	// are tags that the owner has while the buff is present and not hidden. Queries match both;
	// an immunity matches only Tags.
	Tags, Grants []string

	// Polarity says whether the buff is good or bad for its owner. Only queries read it.
	Polarity define.Polarity

	// Kind says whether the buff ends by time, at once or never. An instant buff has no duration,
	// period or stacks; an infinite one has no duration.
	Kind define.Kind

	// Duration is the lifetime of a Timed buff in whole milliseconds, above zero and at most
	// MaxDuration; zero does not mean infinite. MinDuration and MaxDuration limit the duration of
	// an application after its own duration, scaling and diminishing returns have been applied;
	// zero means no limit.
	Duration, MinDuration, MaxDuration time.Duration

	// DurationBy, if not nil, replaces Duration by the value of the curve at the level of the
	// application, in seconds, rounded to whole milliseconds, half up. PeriodBy does the same for
	// Period. All values of the curves must be within the limits.
	DurationBy, PeriodBy *define.Curve

	// DurationScale, if not nil, is a factor of the duration of an application, at least zero. At
	// zero the application is denied with reason Resisted.
	DurationScale *define.Number

	// Clock says which time passes for the buff while its owner is away.
	Clock define.Clock

	// Period is the time between two pulses: whole milliseconds from MinPeriod to
	// MaxDuration, or zero for a buff that does not pulse.
	Period time.Duration

	// First says whether the application itself pulses, Tail whether the last part of a period
	// does, and Align from which instant periods are counted. All of them need a Period.
	First define.First
	Tail  define.Tail
	Align define.Align

	// Haste is the rule for a change of the period. With HasteDuration, the change also scales
	// the remaining duration.
	Haste         define.Haste
	HasteDuration bool

	// Catchup is the rule for several pulses in one late frame. CatchupMax is the maximum count
	// of a coalesced pulse; pulses above it are dropped. Zero means no maximum.
	Catchup    define.Catchup
	CatchupMax int

	// Stack has the rules for further applications.
	Stack define.Stacking

	// Group makes the buff exclusive with others.
	Group define.Group

	// Slot makes the buff occupy one of a limited number of slots on its owner.
	Slot define.Slot

	// PerSource limits the number of instances of one source, on all owners together. A Set
	// enforces it on its own owner, before the new instance starts; the engine enforces it across
	// owners.
	PerSource define.PerSource

	// Require has conditions on the tags of the owner. Inhibition is the rule for pulses when a
	// condition holds again.
	Require    define.Requirements
	Inhibition define.Inhibition

	// Dead says whether the buff can be applied to a dead owner.
	Dead define.DeadRule

	// Immune is the rule for the running buff when its owner becomes immune to it. Immunity
	// selects the buffs to which this buff makes its owner immune.
	Immune   define.ImmuneRule
	Immunity define.Match

	// Chance is the chance that an application succeeds, in per mille: 1 to 1000. Zero means that
	// it always succeeds, ChanceNever that it never does.
	Chance int

	// DR shortens or denies successive applications: diminishing returns.
	DR define.DR

	// Dispel says how the buff can be dispelled or stolen.
	Dispel define.DispelRule

	// Interrupt names the acts of its owner that end the buff, such as "move" or "damaged". The
	// game chooses the names, except define.ActDamaged and ActDealt, which the engine reports. A
	// catalog has at most MaxActs.
	Interrupt []string

	// Charges and Shield can be used up before the duration ends.
	Charges define.Charges
	Shield  define.Shield

	// Modifiers change attributes of the owner while the buff is present and not hidden.
	Modifiers []define.Modifier

	// Links are definitions that are applied to the owner together with the buff, each once, by
	// its source. They end with it, for the same reason; if several buffs have applied them, with
	// the last.
	Links []string

	// Aura makes the buff apply another buff to owners around its own.
	Aura define.Aura

	// Params are numbers for handlers, with a value that an application can provide.
	Params []define.Param

	// OnDeath is the rule for the death of the owner: the buff is removed (the default), kept, or
	// paused until the owner is revived.
	OnDeath define.Fate

	// OnSourceGone is the rule for the departure of the source: the buff is kept (the default),
	// removed, or adopted by its owner.
	OnSourceGone define.Fate

	// OnZone is the rule for a move of the owner to another zone: the buff is kept (the default),
	// or removed with reason Interrupt and the act "zone".
	OnZone define.Fate

	// OnFault is the rule for a handler of the buff that panics or ends its goroutine: the buff
	// is kept (the default) or removed.
	OnFault define.Fate

	// Save says which parts of the buff are saved when its owner leaves.
	Save define.Saving

	// Reload is the rule for running instances when a new version is loaded.
	Reload define.ReloadRule

	// Client is information for game clients.
	Client define.Client

	// Data belongs to the game, such as a cast time or a range. The engine does not read it. It
	// must not be modified. A reload compares it with reflect.DeepEqual. Package catalog decodes
	// it from the field data, into the type configured by its Loader.
	Data any

	// On has the actions for events of the buff.
	On Hooks

	program *program // nil until a catalog has checked the definition
}

// Hooks are lists of actions. The actions of a list are executed in order after the event that
// the list is named after.
type Hooks struct {
	Apply    []Action // a new instance started
	Refresh  []Action // a refresh changed something; a restart always counts
	Pulse    []Action // a pulse; needs a Period
	Exec     []Action // an instant buff was executed; only for Instant
	Overflow []Action // an application at the stack limit

	// Death is executed when the owner dies, before any of its buffs is removed. It is also
	// executed for buffs that the death removes, followed by their actions for the removal, but
	// not for hidden buffs. ToTarget is the killer. A handler gets a Died event about its buff.
	Death []Action

	// Act is keyed by the name of the act: see [Happened]. Only these actions and those of Death
	// can have ToTarget. A hidden buff does not react.
	Act map[string][]Action

	// Remove is keyed by the reason of the removal. RemoveAny is executed for every reason, after
	// the list of Remove.
	Remove    map[Reason][]Action
	RemoveAny []Action
}

// Action is one operation of a definition, on its own owner unless To selects another one.
type Action struct {
	Do   define.Do
	To   define.To // not for DoCall
	Name string    // the definition (DoApply, DoRemove) or the Go handler (DoCall)

	// Reason is the reason of a DoRemove; NoReason means Cancelled.
	Reason Reason

	// Change is the operand of DoChange and DoDamage.
	Change *define.Change
}

// HandlerID is the position of a handler's name in [Catalog.Handlers], from 1. The zero HandlerID
// is none.
type HandlerID int32

// Index returns the position of the definition in its catalog, from 0, in the order passed to
// NewCatalog. A Spec that is not from a catalog has the index 0.
func (s *Spec) Index() int {
	if s.program == nil {
		return 0
	}
	return int(s.program.index)
}

// Lineage returns the number of the definition's ID in its catalog, from 1. All versions of a
// definition have the same number, in all catalogs made with [Catalog.Rebuild] from one another.
// A Spec that is not from a catalog has the lineage 0.
func (s *Spec) Lineage() int {
	if s.program == nil {
		return 0
	}
	return int(s.program.lineage)
}

// Revision returns how often the content of the definition has changed since the first catalog of
// its lineage. In two catalogs of which one [Catalog.Succeeds] the other, versions with the same
// lineage and revision have the same content.
func (s *Spec) Revision() int {
	if s.program == nil {
		return 0
	}
	return int(s.program.revision)
}

// String returns the definition's ID.
func (s *Spec) String() string { return s.ID }
