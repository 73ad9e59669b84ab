package define

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bufftick/bufftick/buff/reason"
)

// Errors of catalogs. Every error of buff.NewCatalog matches ErrSpec. buff.Catalog.Rebuild fails
// with ErrAttributes if an attribute was changed or removed.
var (
	ErrSpec       = errors.New("buff: bad definition")
	ErrAttributes = errors.New("buff: the attributes that the owners have were changed")
)

// SpecError is one error in one definition.
type SpecError struct {
	ID    string // ID of the definition, or its position ("#3") if it has no ID; "" for an attribute
	Field string // the field, as in a file ("on.pulse[0].apply"); "" for the whole definition
	Text  string // the error, and the allowed values
}

// Error returns the definition, the field and the text in one line.
func (e *SpecError) Error() string {
	if e.ID == "" {
		return fmt.Sprintf("%s: %s", e.Field, e.Text)
	}
	if e.Field == "" {
		return fmt.Sprintf("buff %q: %s", e.ID, e.Text)
	}
	return fmt.Sprintf("buff %q: %s: %s", e.ID, e.Field, e.Text)
}

// SpecErrors lists all errors in a set of definitions, in the order of the definitions.
type SpecErrors []*SpecError

// Error returns the errors, one per line.
func (es SpecErrors) Error() string {
	lines := make([]string, len(es))
	for i, e := range es {
		lines[i] = e.Error()
	}
	return strings.Join(lines, "\n")
}

// Is reports whether target is [ErrSpec].
func (es SpecErrors) Is(target error) bool { return target == ErrSpec }

// Definitions is the content of a buff.Catalog.
type Definitions struct {
	// Attributes are the attributes of every owner. Definitions can use no other attributes.
	Attributes []Attribute

	// Tags and Acts are names for the game to use in addition to those in the definitions.
	Tags, Acts []string

	// Dead is the rule for all definitions whose Dead field is DeadDefault.
	Dead DeadRule

	// Specs are the definitions of the buffs.
	Specs []Spec

	// Places are the positions of the Specs in their source, for people, as in
	// "buffs/venom.yaml:12". The slice may be shorter than Specs. buff.Catalog.Changes ignores it.
	Places []string
}

// Tag is the number of a tag in its buff.Catalog, or 0 for none.
type Tag uint16

// Act is the number of an act in its buff.Catalog, or 0 for none. An act is something that owners
// do, such as "move"; see [Spec].Interrupt.
type Act uint8

// OwnerID identifies an owner or source of buffs, such as a player or a creature. The game
// chooses the numbers.
type OwnerID uint64

// Spec is the definition of a buff, as written by a designer. buff.NewCatalog checks and copies
// each Spec. The copies in a buff.Catalog are shared and must not be modified.
//
// The zero value of every field except ID and Duration is a sensible default.
type Spec struct {
	// ID names the definition within its catalog. Required.
	ID string

	// Name and Note are for people. The engine does not read them.
	Name, Note string

	// Tags classify the buff, from the general to the particular, as in "debuff.poison". Grants
	// are tags that the owner has while the buff is present and not hidden. Queries match Tags
	// and Grants; an immunity matches only Tags.
	Tags, Grants []string

	// Polarity says whether the buff is good or bad for its owner. Only queries read it.
	Polarity Polarity

	// Kind says whether the buff ends by time, at once or never. An instant buff has no duration,
	// period or stacks; an infinite buff has no duration.
	Kind Kind

	// Duration is the lifetime of a Timed buff in whole milliseconds, above zero and at most
	// define.MaxDuration; zero does not mean infinite. MinDuration and MaxDuration limit the
	// duration of an application, after scaling and diminishing returns; zero means no limit.
	Duration, MinDuration, MaxDuration time.Duration

	// DurationBy, if not nil, replaces Duration with the value of the curve at the level of the
	// application, in seconds, rounded to whole milliseconds, half up. PeriodBy does the same for
	// Period. All values of the curves must be within the limits for Duration and Period.
	DurationBy, PeriodBy *Curve

	// DurationScale, if not nil, multiplies the duration of an application. Its value is at least
	// zero; if it is zero, the application is denied with reason Resisted.
	DurationScale *Number

	// Clock says when time passes for the buff while its owner is away.
	Clock Clock

	// Period is the time between two pulses: whole milliseconds from MinPeriod to
	// MaxDuration, or zero for a buff that does not pulse.
	Period time.Duration

	// PeriodFrom, if not nil, replaces Period with a number in seconds, which is evaluated at an
	// application and a refresh, rounded half up to milliseconds, and kept from MinPeriod to
	// MaxDuration. A refresh changes the period after the next pulse.
	PeriodFrom *Number

	// First says whether there is a pulse at the application itself. Tail says whether there is a
	// pulse for an incomplete last period. Align says from which instant the periods are counted.
	// All of them need a Period.
	First First
	Tail  Tail
	Align Align

	// Haste is the rule for a change of the period. With HasteDuration, the change also scales
	// the remaining duration.
	Haste         Haste
	HasteDuration bool

	// HasteBy, if not nil, is the rate of the pulses and of the charges that come back, usually an
	// attribute: with a rate of 2 they take half of Period and of Charges.Recharge. With
	// HasteDuration it shortens the duration of an application in the same way. The number is read
	// at an application and a refresh; with HasteNext also at each pulse; with HasteRescale after
	// each command and due event, and only from attributes of the owner. It is kept from 0.001 to
	// 1000, and the period from MinPeriod to MaxDuration. The command SetPeriod is then refused.
	HasteBy *Number

	// Catchup is the rule for several pulses in one late frame. CatchupMax is the maximum count
	// of a coalesced pulse; pulses above it are dropped. Zero means no maximum.
	Catchup    Catchup
	CatchupMax int

	// Stack has the rules for further applications.
	Stack Stacking

	// Group makes the buff exclusive with other buffs of the same group.
	Group Group

	// Slot makes the buff occupy one of a limited number of slots on its owner.
	Slot Slot

	// PerSource limits the number of instances of one source, on all owners together. The limit is
	// enforced on the owner before the new instance starts, and across owners by the engine.
	PerSource PerSource

	// Require has conditions on the tags of the owner. While one of them does not hold, the buff is
	// inhibited. Inhibition says what happens to its pulses when all conditions hold again.
	Require    Requirements
	Inhibition Inhibition

	// Dead says whether the buff can be applied to a dead owner.
	Dead DeadRule

	// Immune is the rule for the running buff when its owner becomes immune to the buff. Immunity
	// selects the buffs to which this buff makes its owner immune.
	Immune   ImmuneRule
	Immunity Match

	// Chance is the chance that an application succeeds, in per mille: 1 to 1000. Zero means that
	// an application always succeeds, and ChanceNever means that it never succeeds.
	Chance int

	// DR, the diminishing returns, shortens or denies successive applications.
	DR DR

	// Dispel says how the buff can be dispelled or stolen.
	Dispel DispelRule

	// Interrupt names the acts of the owner that end the buff, such as "move" or "damaged". The
	// game chooses the names and reports the acts, except ActDamaged and ActDealt, which the engine
	// reports. A catalog has at most MaxActs acts.
	Interrupt []string

	// Charges and Shield end the buff when they are used up, even before its duration ends.
	Charges Charges
	Shield  Shield

	// Modifiers change attributes of the owner while the buff is present and not hidden.
	Modifiers []Modifier

	// Links are definitions that are applied to the owner together with this buff, each once, with
	// the same source. The linked buffs end with this buff, for the same reason. A linked buff that
	// several buffs have applied ends with the last of them.
	Links []string

	// Aura makes the buff apply another buff to the owners around its owner.
	Aura Aura

	// Params are numbers for handlers, with a value that an application can provide.
	Params []Param

	// Vars are the variables of the buff.
	Vars []Var

	// OnDeath says what happens to the buff when the owner dies. It is removed (the default), kept,
	// or paused until the owner is revived.
	OnDeath Fate

	// OnSourceGone says what happens to the buff when its source leaves. It is kept (the default),
	// removed, or adopted by its owner.
	OnSourceGone Fate

	// OnArea says what happens to the buff when its owner moves to another area. It is kept (the
	// default), or removed with reason Interrupted and the act "area".
	OnArea Fate

	// OnFault says what happens to the buff when one of its handlers panics or ends its goroutine.
	// It is kept (the default) or removed.
	OnFault Fate

	// Save says which parts of the buff are saved when its owner leaves.
	Save Saving

	// Reload is the rule for running instances when a new version is loaded.
	Reload ReloadRule

	// Client is information for game clients.
	Client Client

	// Data holds values for the game, such as a cast time or a range. The engine does not read it,
	// and it must not be modified. A reload compares it with reflect.DeepEqual. Package catalog
	// decodes it from the field "data" of a file, into the type that its Loader is configured with.
	Data any

	// On lists the actions to execute after events of the buff.
	On Hooks

	compiled Compiled
}

// Compiled holds the data that a buff.Catalog adds to its copies of the definitions. In any other
// Spec it is zero.
type Compiled struct {
	Program                  any // the form of the definition that an engine executes
	Index, Lineage, Revision uint32
}

// Compiled returns the part of the Spec that is set by its catalog and read by the engine. It must
// not be modified.
func (s *Spec) Compiled() *Compiled { return &s.compiled }

// Hooks are lists of actions. The actions of a list are executed in order, after the event that
// gives the list its name.
type Hooks struct {
	Apply    []Action // a new instance started
	Refresh  []Action // a refresh changed the buff; a refresh that restarts the duration always counts
	Pulse    []Action // the buff pulsed; needs a Period
	Exec     []Action // an instant buff was executed; only for Kind Instant
	Overflow []Action // the buff was applied at its stack limit

	// Death is executed when the owner dies, before any of its buffs is removed, but not for hidden
	// buffs. If the death removes the buff, the actions of Remove and RemoveAny follow. ToTarget
	// selects the killer. A handler gets a Died event with the buff's definition and handle.
	Death []Action

	// Absorb is executed when the shield of the buff has absorbed a part of a hit, before it breaks,
	// but not in the chain of a reaction to damage. It needs a Shield. The event is a Reacted with
	// the Name "absorb" and the absorbed points; ToTarget selects the source of the damage.
	Absorb []Action

	// When is executed when its condition begins to hold, or nil.
	When *When

	// Act is keyed by the name of the act: see buff.Happened. A hidden buff does not react to acts.
	Act map[string][]Action

	// ActBySource lists acts of Act. The buff reacts to them only if the other owner of the act is
	// the source of the buff.
	ActBySource []string

	// Remove is keyed by the reason of the removal. ToTarget selects the owner that removed the buff;
	// it is possible for Cancelled, Dispelled, Stolen, Consumed, Broken, Death and Interrupted, and
	// the target does not exist if no owner did it. RemoveAny is executed for every reason, after
	// the list in Remove for that reason.
	Remove    map[reason.Reason][]Action
	RemoveAny []Action
}

// When is a condition on the owner, with the actions for the moment when it begins to hold. It is
// tested after each command and due event. The first test of a buff, also of one that returns with
// its owner, only notes the state: the actions run at a later change from 0 to another number. A
// hidden buff notes changes too, but its actions do not run. The event is a Reacted with the Name
// "when".
type When struct {
	If Number // a formula of attributes of the owner, and of level, stacks and magnitude
	Do []Action
}

// Action is one operation of a definition. It affects the owner of the buff unless To selects
// another owner.
type Action struct {
	Do   Do
	To   To     // must be zero for DoCall, DoSet and DoAdd
	Of   string // for ToBearers, the ID of the definition that the targets have
	Name string // for DoCall, the Go handler; otherwise the ID of a definition

	// Name or Query selects the buffs of a DoRemove, DoExtend, DoUse, DoRate or DoDispel. With a
	// Name it is one buff: the oldest that the source of the action applied or, if there is none,
	// the oldest from any source. A DoUse and a DoRate need a Name, and a DoDispel a Query. If
	// FromSource is set, only buffs that the source applied are selected. If there is no such
	// buff, the action has no effect.
	Query      *Query
	FromSource bool

	// Reason is the reason of a DoRemove; reason.None means Cancelled.
	Reason reason.Reason

	// Stacks is the number of stacks that a DoRemove or one portion of a DoDispel removes, or the
	// number of charges of a DoUse. Zero means all stacks, Spec.Dispel.Per, or one charge.
	Stacks int

	// Var names a variable of the buff, for DoSet and DoAdd.
	Var string

	// By is the number of a DoExtend, DoRate, DoSet or DoAdd. A DoExtend takes seconds, which may be negative
	// and are rounded to milliseconds. A DoRate takes a rate from 0.01 to 10, which is rounded to
	// hundredths; with any other rate the action is skipped with a Faulted. In a pulse, a DoAdd
	// adds the part of By for the fraction of a period that the pulse covers, as a Change does.
	By *Number

	// AtMost limits the remaining time after a DoExtend, if it is not zero. It never shortens a
	// buff.
	AtMost time.Duration

	// Change is the operand of DoChange and DoDamage.
	Change *Change

	// With, if not nil, has numbers of a DoApply.
	With *ApplyWith

	// OneOf, if not zero, is the number of alternatives that start with this action: it and the
	// OneOf-1 next actions of the list. One of them runs, chosen by a roll when the list starts,
	// and in proportion to their Weights. A Weight of zero means 1.
	OneOf  int
	Weight int

	// If, if not nil, and IfTags are conditions. They are evaluated when the action runs, after the
	// earlier actions of its list; for an action on another owner, when the list starts. If If is
	// zero or IfTags does not hold for the owner of the buff, the action is skipped.
	If     *Number
	IfTags TagTest
}

// Query selects buffs of one owner for an [Action]. A buff must match every field that is not zero;
// the zero Query selects all buffs.
type Query struct {
	ID       string
	Type     string   // equals Spec.Dispel.Type
	Tag      string   // is in Spec.Tags or Spec.Grants, or is above a tag in them
	Polarity Polarity // Positive or Negative; Neutral means any, unless the field Neutral is set
	Neutral  bool     // selects only neutral buffs; Polarity must then be Neutral
	Grade    Grade    // for a DoDispel, the highest Spec.Dispel.Grade to remove
	Most     int      // maximum number of buffs, or of portions of a DoDispel; zero means no maximum
	Newest   bool     // take the newest application first instead of the oldest
}

// ApplyWith are numbers of an application that an action makes. A number that is nil is that of the
// event: its magnitude and level, the duration of the definition, and one application's stacks. The
// numbers are rounded half up. The action is skipped, with a Faulted, if one is out of range:
// Magnitude beyond 2^53 in size, Stacks not from 1 to MaxStacks, Level not from 0 to MaxLevel. A
// duration that is not above zero denies the application.
type ApplyWith struct {
	Magnitude *Number
	Duration  *Number // seconds, rounded to milliseconds
	Stacks    *Number
	Level     *Number
}

// Numbers returns the numbers with their names.
func (w *ApplyWith) Numbers() (all [4]struct {
	Name   string
	Number **Number
},
) {
	for i, n := range [4]**Number{&w.Magnitude, &w.Duration, &w.Stacks, &w.Level} {
		all[i].Name, all[i].Number = [...]string{"magnitude", "duration", "stacks", "level"}[i], n
	}
	return all
}

// HandlerID is the position of a handler's name in the result of buff.Catalog.Handlers, from 1. The
// zero HandlerID means no handler.
type HandlerID int32

// Index returns the position of the definition in its catalog, from 0, in the order passed to
// NewCatalog. A Spec that is not from a catalog has the index 0.
func (s *Spec) Index() int { return int(s.compiled.Index) }

// Lineage returns the number of the definition's ID in its catalog, from 1. All versions of a
// definition have the same lineage, in all catalogs that were made from one another by
// buff.Catalog.Rebuild or buff.Catalog.Next. A Spec that is not from a catalog has the lineage 0.
func (s *Spec) Lineage() int { return int(s.compiled.Lineage) }

// Revision returns how often the content of the definition has changed since the first catalog that
// had the definition. If one of two catalogs succeeds the other (see buff.Catalog.Succeeds),
// definitions in them with equal lineages and equal revisions have the same content.
func (s *Spec) Revision() int { return int(s.compiled.Revision) }

// String returns the definition's ID.
func (s *Spec) String() string { return s.ID }
