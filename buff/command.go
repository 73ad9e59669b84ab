package buff

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
)

// Captured is the value that an attribute of a source had when it was read.
type Captured struct {
	Attr  stat.Attr
	When  define.Snapshot // SnapshotCast or SnapshotApply: when the value was read
	Value float64
}

// Errors of a command. [Result.Failure] wraps one of them and names the subject and the limit.
var (
	ErrDuration = errors.New("buff: bad duration")
	ErrStacks   = errors.New("buff: stacks must not be negative")
	ErrFull     = errors.New("buff: the owner carries as many as it may")
	ErrStale    = errors.New("buff: the handle names nothing that runs")
	ErrInfinite = errors.New("buff: an infinite buff has no end to move")
	ErrLevel    = errors.New("buff: bad level")
	ErrScale    = errors.New("buff: bad scale of a duration")
	ErrRate     = errors.New("buff: bad rate of time")
	ErrPeriod   = errors.New("buff: bad period")
	ErrTag      = errors.New("buff: a tag is missing")
	ErrHandler  = errors.New("buff: a timeout calls nothing")
	ErrAmount   = errors.New("buff: bad amount")

	ErrDenied = errors.New("buff: denied") // only from [Result.Err]: a rule denied the application

	ErrAttribute = errors.New("buff: there is no such attribute")
	ErrValue     = errors.New("buff: bad value of an attribute")
)

// Span is an optional duration. The zero Span means the duration of the definition.
type Span struct {
	d     time.Duration
	given bool
}

// Lasting returns a Span of d, rounded up to whole milliseconds so that a buff never ends early.
// A command with d <= 0 or d > [define.MaxDuration] fails with [ErrDuration], because such a value
// is most likely a mistake: zero does not mean "infinite", nor does it mean "instant".
func Lasting(d time.Duration) Span { return Span{d: d, given: true} }

// Given returns the duration, and reports whether the Span has a duration of its own.
func (s Span) Given() (d time.Duration, given bool) { return s.d, s.given }

// Application describes one application of a buff to an owner.
type Application struct {
	Spec      *Spec
	Source    OwnerID // the owner that applies the buff; 0 if the game applies it
	Stacks    int     // 0 means Spec.Stack.Initial; clamped to the stack limit
	Level     int     // from 0 to MaxLevel
	Key       uint64  // with Stacking.By ByKey, only applications with equal keys stack
	Duration  Span    // the zero Span means the definition's duration
	Scale     Ratio   // multiplies the duration, for example because of a resistance; the zero Ratio means 1
	Magnitude int64   // passed to events and handlers

	// Params are values for the numbers of the definition that have a Caller. The slice is not
	// retained. An application with a value that the definition does not read is denied with
	// NoParam.
	Params []Arg

	// Captured are values of attributes of the source: see [Application.Capture]. The slice is
	// copied if its values are retained.
	Captured []Captured

	// Origin is set for an application that another buff makes. Leave it zero.
	Origin Origin
}

// Origin is the part of an application, and of its command, that only the rules set.
type Origin struct {
	Share  Share  // share of the pulse that caused the application
	Head   uint64 // for a link, the age of its head; otherwise 0
	Stolen any    // the remaining state of a stolen buff; nil if the other fields hold all of it

	Backdate Backdate // how long ago the application starts

	Aura  bool // applied by an aura, so the buff has no end
	Steal bool // made by a steal, so the definition must not change its duration
	Rest  bool // a further part of a stolen buff
	Quiet bool // part of the chain of a reaction to damage, so further damage causes no reactions
	Links bool // this RemoveSpec removes all links of the head whose age is Amount

	// Bears, if not nil, is set in the command of an action on bearers. The command has no effect if
	// its owner has no buff of this definition from Application.Source.
	Bears *Spec

	// Selects is set in the command of an action. Such a command selects the buffs of Owner by
	// Application.Spec or Query, not by Handle.
	Selects bool
}

// Arg is the value of a number with a [define.Number.Caller].
type Arg struct {
	Caller string  // the Caller of the number in the definition
	Value  float64 // NaN and Inf are denied if the definition reads them
}

// Command is one change requested of an owner, of an area or of all owners. Use the constructor of
// each verb: [Apply], [Remove], [Extend], [Dispel], [PauseArea] and so on. An engine executes a
// Command on any of its lanes and writes it to a recording. [Command.AppendBinary] encodes it for
// other machines; [Command.String] and [ParseCommand] convert it to and from a line of a scenario.
//
// [verb.Verb] lists the fields that each verb reads. For AddBase, SetBase and Damage,
// Application.Spec and Application.Source are optional: they name the buff that causes the change
// and are copied to the event. If they are zero, the game causes the change.
type Command struct {
	Application Application
	Query       Query
	Owner       OwnerID // the target, unless Handle or Timeout identifies it: see [Command.Number]
	Handle      Handle
	Timeout     TimeoutHandle
	By          time.Duration
	Amount      int64
	Value       float64
	Name        string
	Do          any // the function of a timeout; a command with a function has no binary form
	Stacks      int
	Rate        Ratio
	Area        uint32
	Handler     define.HandlerID // set from Name when the command is executed
	Tag         Tag
	Attr        stat.Attr
	Act         Act
	Verb        verb.Verb
	Reason      reason.Reason // reason.None means Cancelled
	Whose       define.Whose
	Purge       bool
}

// Number returns the owner's number in the handle of the command, and reports whether the command
// has a handle. A command without a handle is for the owner in the field Owner, or for several
// owners: see [Command.Many].
func (c *Command) Number() (number uint32, by bool) {
	switch c.Verb {
	case verb.Remove, verb.Extend, verb.SetRemaining, verb.SetPeriod, verb.Inhibit, verb.Release, verb.ConsumeCharges:
		return c.Handle.Number(), !c.Application.Origin.Selects
	case verb.Pause, verb.Resume, verb.SetRate:
		return c.Handle.Number(), c.Whose == define.OfBuff && !c.Application.Origin.Selects
	case verb.Cancel:
		return c.Timeout.Number(), true
	}
	return 0, false
}

// Many reports whether the command is for more than one owner: for all owners with buffs of a
// source ([verb.LoseSource]), for all owners in an area, or for all owners ([verb.Compensate]).
func (c *Command) Many() bool {
	switch c.Verb {
	case verb.Compensate, verb.LoseSource:
		return true
	case verb.Pause, verb.Resume, verb.SetRate:
		return c.Whose == define.OfArea
	}
	return false
}

// Query selects buffs of one owner. A buff must match every field that is not zero; the zero Query
// selects all buffs.
type Query struct {
	Spec   *Spec
	Source OwnerID
	To     OwnerID // the thief of a Steal

	// Most is the maximum number of portions that a Dispel or a Steal removes, or of buffs per
	// owner that a Compensate changes. Zero means no maximum.
	Most int

	// Stacks is the number of stacks in one portion of a Dispel or a Steal. Zero means
	// Spec.Dispel.Per for a Dispel, and the whole buff for a Steal. If Stacks is set and Most is
	// zero, one portion of each buff is removed.
	Stacks int

	Type       string          // equals Spec.Dispel.Type
	Compensate string          // equals Spec.Save.Compensate
	Tag        Tag             // is in Spec.Tags or Spec.Grants, or is an ancestor of a tag in them
	Polarity   define.Polarity // Positive or Negative; Neutral means any, unless the field Neutral is set
	Neutral    bool            // selects only neutral buffs; Polarity must then be Neutral
	Grade      define.Grade    // for a Dispel or a Steal, the highest Spec.Dispel.Grade to remove
	Newest     bool            // take the newest application first instead of the oldest
}

// Result is the result of a command.
type Result struct {
	Handle  Handle        // the instance that was applied, refreshed or stacked
	Timeout TimeoutHandle // the new timeout of an AddTimeout

	// Kind is the main outcome: Applied, Stacked, Refreshed, Executed, Denied, StackEnded, Removed,
	// Queued, Hastened, Changed, Reacted, Died, Revived, or Faulted with Failure. It is Done if the
	// command made a change without an event, and zero if it made no change.
	Kind EventKind
	Why  reason.Reason // set if Kind is Denied, Removed, StackEnded or Faulted

	// Queued reports that the command has not run yet and waits in the owner's mailbox. The
	// reason is that the owner is busy, or that the command is an application that reads
	// attributes of its source and the source is busy.
	//
	// Events of the owner that are due by the instant at which the command was issued happen before
	// the command runs, and their handlers are called, even if they belong to a buff that the
	// command removes or to a timeout that it cancels. The command then reports its outcome as an
	// event with that instant as its At, and with the reason of the command as its Why. A timeout
	// that is cancelled in time has no event.
	Queued bool

	// Amount is, for an Absorb, the damage that remains; for a Damage, the damage that shields
	// absorbed; and for other commands the number of instances or charges that were removed or
	// selected.
	Amount int64

	// Failure is set if the command failed. A failed command changes nothing. [Result.Err] is this
	// error, or one that says why the rules denied an application.
	Failure error
}

// OK reports that the command did not fail and the rules did not deny it. It is also true for a
// command that waits (Queued) and for one that found nothing to change.
func (r Result) OK() bool { return r.Failure == nil && r.Kind != Denied }

// Err returns nil if [Result.OK], otherwise Failure or, without one, an error that wraps
// [ErrDenied] and names the reason.
func (r Result) Err() error {
	if r.Failure == nil && r.Kind == Denied {
		return fmt.Errorf("%w: %v", ErrDenied, r.Why)
	}
	return r.Failure
}

// String formats the result for a log: "apply 3/0/17", "deny limit", "queued", "nothing changed",
// or the error.
func (r Result) String() string {
	switch {
	case r.Failure != nil:
		return r.Failure.Error()
	case r.Queued:
		return "queued"
	}
	text := "nothing changed"
	if r.Kind != 0 {
		text = r.Kind.String()
	}
	if r.Why != reason.None {
		text += " " + r.Why.String()
	}
	switch {
	case r.Handle != 0:
		text += " " + r.Handle.String()
	case r.Timeout != 0:
		text += " timeout " + r.Timeout.String()
	}
	if r.Amount != 0 {
		text += " amount=" + strconv.FormatInt(r.Amount, 10)
	}
	return text
}

// Errors of decoding, parsing and checking a [Command].
var (
	// ErrCommand means that the input is not a command, or that no constructor could have made
	// the command.
	ErrCommand = errors.New("buff: bad command")
	// ErrCommandVersion means that the binary form has a later version than this package knows.
	ErrCommandVersion = errors.New("buff: a command of a version that is not known")
	// ErrFunc means that the command holds a Go function, which has no binary form.
	ErrFunc = errors.New("buff: a command with a function has no binary form")
	// ErrName means that the catalog does not have the definition, tag, act or attribute that the
	// command names.
	ErrName = errors.New("buff: the catalog has no such name")
)

// Check reports whether a command is valid for owners with the definitions of a catalog. It returns
// [ErrCommand] if no constructor could have made the command, and [ErrName] if the catalog does not
// have its tag or attribute; a nil catalog has none. It does not check whether the command can be
// executed.
func (c *Command) Check(catalog *Catalog) error {
	if catalog == nil {
		catalog = noCatalog
	}
	switch {
	case c.Verb == 0 || c.Verb > verb.Last:
		return fmt.Errorf("%w: the verb %d", ErrCommand, c.Verb)
	case c.Verb == verb.Enter || c.Verb == verb.Leave || c.Application.Origin.Links:
		return fmt.Errorf("%w: %v is the engine's own", ErrCommand, c.Verb)
	case (c.Verb == verb.Apply || c.Verb == verb.RemoveSpec) && c.Application.Spec == nil:
		return fmt.Errorf("%w: %v of no definition", ErrCommand, c.Verb)
	case c.Verb == verb.AddTimeout && c.Name == "" && c.Do == nil:
		return fmt.Errorf("%w: a timeout that calls nothing", ErrCommand)
	case c.Reason != reason.None && !c.Reason.Removes():
		return fmt.Errorf("%w: the reason %v, which does not end a buff", ErrCommand, c.Reason)
	case c.Whose == define.OfSource || c.Whose > define.OfArea:
		return fmt.Errorf("%w: a time that is neither a buff's nor an owner's nor an area's: %d", ErrCommand, c.Whose)
	case c.Query.Neutral && c.Query.Polarity != define.Neutral:
		return fmt.Errorf("%w: a query for neutral buffs that are %v", ErrCommand, c.Query.Polarity)
	case c.Verb == verb.Compensate && (c.Query.Grade != 0 || c.Query.Stacks != 0):
		return fmt.Errorf("%w: compensate moves ends, and takes no grade and no stacks", ErrCommand)
	case c.Tag != 0 && catalog.TagName(c.Tag) == "":
		return fmt.Errorf("%w: %v with the tag number %d", ErrName, c.Verb, c.Tag)
	case c.Query.Tag != 0 && catalog.TagName(c.Query.Tag) == "":
		return fmt.Errorf("%w: %v with the tag number %d", ErrName, c.Verb, c.Query.Tag)
	}
	switch c.Verb {
	case verb.AddBase, verb.SetBase, verb.Damage:
		if s := catalog.Attributes(); s == nil || c.Attr == 0 || int(c.Attr) > s.Len() {
			return fmt.Errorf("%w: %v with the attribute number %d", ErrName, c.Verb, c.Attr)
		}
	}
	return nil
}

// The following commands are for the buff or the timeout of a handle. They fail with [ErrStale] if
// the buff or the timeout has ended.

// Remove ends the buff of a handle with the reason Cancelled.
func Remove(h Handle) Command { return Command{Verb: verb.Remove, Handle: h} }

// RemoveStacks removes n stacks from the buff of a handle, with the given reason. It removes the
// whole buff if n <= 0, or if the buff has at most n stacks. The timers of the remaining stacks do
// not change.
//
// RemoveStacks panics if why is not a reason that ends buffs: see [reason.Reason.Removes].
func RemoveStacks(h Handle, n int, why reason.Reason) Command {
	return Command{Verb: verb.Remove, Handle: h, Stacks: n, Reason: removal(why)}
}

// removal converts a reason to the value that Command.Reason stores: Cancelled is stored as
// reason.None. It panics if the reason does not end buffs.
func removal(why reason.Reason) reason.Reason {
	if !why.Removes() {
		panic(fmt.Sprintf("buff: %v is not a reason that ends a buff", why))
	}
	if why == reason.Cancelled {
		return reason.None
	}
	return why
}

// Extend moves the end of the buff of a handle by d, which may be negative. If the new end is not
// after now, the buff expires at once, without a pulse. The command fails with [ErrInfinite] if
// the buff has no end.
func Extend(h Handle, d time.Duration) Command {
	return Command{Verb: verb.Extend, Handle: h, By: d}
}

// ExtendUpTo is like Extend but never moves the end past now+maximum. If the end is already later
// than that, it stays.
func ExtendUpTo(h Handle, d, maximum time.Duration) Command {
	return Command{Verb: verb.Extend, Handle: h, By: d, Application: Application{Duration: Lasting(maximum)}}
}

// SetRemaining makes the buff of a handle end after d, even if it had no end. If d <= 0, the buff
// expires at once, without a pulse.
func SetRemaining(h Handle, d time.Duration) Command {
	return Command{Verb: verb.SetRemaining, Handle: h, By: d}
}

// SetPeriod changes the period of the buff of a handle to d. The field Haste of the definition
// decides when the change takes effect. The command fails with [ErrPeriod] if the buff does not
// pulse, or if d is not a whole number of milliseconds from [define.MinPeriod] to
// [define.MaxDuration].
func SetPeriod(h Handle, d time.Duration) Command {
	return Command{Verb: verb.SetPeriod, Handle: h, By: d}
}

// PauseBuff pauses the time of one buff until [ResumeBuff].
func PauseBuff(h Handle) Command { return Command{Verb: verb.Pause, Whose: define.OfBuff, Handle: h} }

// ResumeBuff ends a PauseBuff. The buff stays paused while its owner is paused.
func ResumeBuff(h Handle) Command { return Command{Verb: verb.Resume, Whose: define.OfBuff, Handle: h} }

// SetBuffRate is [SetRate] for the time of one buff. The time of the buff then runs at the product
// of this rate, the owner's rate and the area's rate.
func SetBuffRate(h Handle, r Ratio) Command {
	return Command{Verb: verb.SetRate, Whose: define.OfBuff, Handle: h, Rate: r}
}

// Inhibit disables the buff of a handle as if its ongoing requirement failed: pulses are
// suppressed, grants are off, and its time continues. A second Inhibit has no effect.
func Inhibit(h Handle) Command { return Command{Verb: verb.Inhibit, Handle: h} }

// Release ends an Inhibit. The buff takes effect again unless it is hidden for another reason. The
// field Inhibition of its definition decides when the next pulse is.
func Release(h Handle) Command { return Command{Verb: verb.Release, Handle: h} }

// ConsumeCharges uses n charges of one buff, or one charge if n < 1. The buff ends with its last
// charge. A buff without charges does not change.
func ConsumeCharges(h Handle, n int) Command {
	return Command{Verb: verb.ConsumeCharges, Handle: h, Stacks: n}
}

// Cancel cancels a timeout.
func Cancel(t TimeoutHandle) Command { return Command{Verb: verb.Cancel, Timeout: t} }

// With [define.OfflineRun] the actions of a buff that ended while its owner was away run on
// Restore. A buff that is applied by these actions starts at the moment when the first buff ended,
// if both buffs use the same clock. So a chain of such buffs is in the same state as if the owner
// had stayed.

// Backdate is how far in the past an application starts, in ms of a clock. With the zero backdate
// an application starts now.
type Backdate struct {
	Ms    int64
	Clock define.Clock
}

// Share scales the effects of events that a pulse causes, by the part of a period, the number of
// pulses and the stacks of the pulse. The actions of the pulse pass the share to the applications
// that they issue, and these pass it on to the end of the chain. So a pulse that applies an instant
// buff which does damage does the same damage as a pulse that does the damage itself.
//
// The zero share means one whole pulse of one stack, or no pulse.
//
// Example: testdata/stat/share.txt.
type Share struct {
	Elapsed, Period int64 // as in an Event
	Count           int32 // as in an Event
	Stacks          int32 // stacks of the pulse, 0 for one; used only by instant buffs, which do not stack
}
