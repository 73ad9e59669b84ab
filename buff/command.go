package buff

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
)

// Errors of a command. [Result.Err] wraps one of them and names the subject and the limit.
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

	ErrAttribute = errors.New("buff: there is no such attribute")
	ErrValue     = errors.New("buff: bad value of an attribute")
)

// Span is an optional duration. The zero Span is the duration of the definition.
type Span struct {
	d     time.Duration
	given bool
}

// Lasting returns a Span of d, rounded up to whole milliseconds so that a buff never ends early.
// A command with a duration that is not above zero, or above [define.MaxDuration], fails with
// [ErrDuration]: such values are most likely mistakes, and do not mean "infinite" or "instant".
func Lasting(d time.Duration) Span { return Span{d: d, given: true} }

// Given returns the duration and whether there is one.
func (s Span) Given() (d time.Duration, given bool) { return s.d, s.given }

// Application describes one application of a buff to an owner.
type Application struct {
	Spec      *Spec
	Source    OwnerID // 0 for the game
	Stacks    int     // if zero, Spec.Stack.Initial; clamped to the limit
	Level     int     // from 0 to MaxLevel
	Key       uint64  // for Stacking.By ByKey
	Duration  Span    // if zero, the definition's duration
	Scale     Ratio   // multiplies the duration, for resistances; zero is 1
	Magnitude int64   // passed to events and handlers
	Params    []Arg   // numbers of the definition that the caller sets; not retained. Unknown ones are denied: NoParam

	// Captured are attributes of the source: see [Application.Capture]. They are copied
	// if they are retained.
	Captured []Captured

	share      share        // of the pulse that caused it
	member     bool         // applied by an aura; it has no end
	with       uint64       // the age of its head if it is a link; 0: it is not
	rest       bool         // one of stolenBuff.rest
	stolen     bool         // the definition does not change its duration
	stolenBuff *stolenState // the remaining state of the stolen buff; nil: only the fields above

	backdate backdate // see followBackdated
}

// Arg is the value of a number with [define.Number.Caller].
type Arg struct {
	Caller string  // the name in the definition
	Value  float64 // NaN and Inf are denied if the definition reads them
}

// Command is one change requested of an owner, of a zone or of all owners. Use the constructor of
// each verb: [Apply], [Remove], [Extend], [Dispel], [PauseZone] and so on. The same value is
// executed by an engine on any of its lanes, written to a recording, sent between machines
// ([Command.AppendBinary]) and is a line of a scenario ([Command.String], [ParseCommand]).
//
// [verb.Verb] lists the fields that each verb reads. AddBase, SetBase and Damage also have
// Application.Spec and Source, for the event: the buff that causes it. Without them the game
// does.
type Command struct {
	Application Application
	Query       Query
	Owner       OwnerID // the target, unless it has a handle; see [Command.Number]
	Handle      Handle
	Timeout     TimeoutHandle
	By          time.Duration
	Amount      int64
	Value       float64
	Name        string
	Do          any // the function of a timeout; such a command has no binary form
	Stacks      int
	Rate        Ratio
	Zone        uint32
	Handler     HandlerID // set on execution from Name
	Tag         Tag
	Attr        stat.Attr
	Act         Act
	Verb        verb.Verb
	Reason      Reason // if NoReason, Cancelled
	Whose       define.Whose
	Purge       bool

	quiet  bool // see Turn.quiet
	linked bool // a RemoveSpec of all links of the head of age Amount, with Reason and Name
}

// Number returns the owner's number in the handle of the command, if the command has one.
// Otherwise it is for Owner, or, for [verb.Compensate], [verb.LoseSource] and the time of a zone,
// for several owners.
func (c *Command) Number() (number uint32, by bool) {
	switch c.Verb {
	case verb.Remove, verb.Extend, verb.SetRemaining, verb.SetPeriod, verb.Inhibit, verb.Release, verb.ConsumeCharges:
		return c.Handle.Number(), true
	case verb.Pause, verb.Resume, verb.SetRate:
		return c.Handle.Number(), c.Whose == define.OfBuff
	case verb.Cancel:
		return c.Timeout.Number(), true
	}
	return 0, false
}

// Many reports whether the command is for more than one owner: for all owners with buffs of a
// source, for all of a zone, or for all.
func (c *Command) Many() bool {
	switch c.Verb {
	case verb.Compensate, verb.LoseSource:
		return true
	case verb.Pause, verb.Resume, verb.SetRate:
		return c.Whose == define.OfZone
	}
	return false
}

// Query selects buffs of one owner. Zero fields select all.
type Query struct {
	Spec       *Spec
	Source     OwnerID         // if not zero
	To         OwnerID         // of a Steal, the thief
	Most       int             // the most portions of a Dispel or Steal, or buffs per owner of a Compensate; if zero, all
	Stacks     int             // of a Dispel and a Steal: the stacks in a portion, with Most zero one portion of each buff; if zero, Spec.Dispel.Per, and for a Steal the whole buff
	Type       string          // Spec.Dispel.Type
	Compensate string          // Spec.Save.Compensate
	Tag        Tag             // in Spec.Tags or Spec.Grants, or an ancestor of one
	Polarity   define.Polarity // Positive or Negative; if Neutral, any, unless the next field is set
	Neutral    bool            // only neutral buffs; Polarity must then be Neutral
	Grade      define.Grade    // of a Dispel and a Steal: the highest Spec.Dispel.Grade that is removed
	Newest     bool            // the newest application first instead of the oldest
}

// Result is the result of a command.
type Result struct {
	Handle  Handle        // the instance that was applied, refreshed or stacked
	Timeout TimeoutHandle // of AddTimeout

	// Kind is the main outcome: Applied, Stacked, Refreshed, Executed, Denied, StackEnded, Removed,
	// Queued, Hastened, Changed, Reacted, Died, Revived, or Faulted with Err. It is Done if the command
	// made a change without an event, and zero if it made no change.
	Kind EventKind
	Why  Reason // for Denied, Removed, StackEnded and Faulted

	// Queued reports that the owner is busy, or the source of an application whose attributes
	// must be read: the command waits in the owner's mailbox and has not run. Work that is due up
	// to the instant of the call runs first, with its handlers, even for a buff that this command
	// removes or a timeout that it cancels. The outcome is an event with that instant as its At
	// and a Why that is the command's. A timeout that is cancelled in time has no event.
	Queued bool

	// Amount is the remaining damage of an Absorb, the damage absorbed by shields of a Damage, and
	// otherwise the number of instances or charges that were removed or selected.
	Amount int64

	// Err is set if the command failed. No part of it was applied then.
	Err error
}

// String formats the result for a log: "apply 3/0/17", "deny limit", "queued", "nothing changed",
// or the error.
func (r Result) String() string {
	switch {
	case r.Err != nil:
		return r.Err.Error()
	case r.Queued:
		return "queued"
	}
	text := "nothing changed"
	if r.Kind != 0 {
		text = r.Kind.String()
	}
	if r.Why != NoReason {
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

// plain reports whether check would accept the application without a closer look.
func (a *Application) plain() bool {
	return !a.Duration.given && a.Stacks >= 0 && uint(a.Level) <= define.MaxLevel && a.Scale == Ratio{}
}

// check returns the fault of the application, or zeros.
func (a *Application) check() (Reason, error) {
	if d := a.Duration.d; a.Duration.given {
		switch {
		case a.Spec.Kind == define.Instant:
			return BadDuration, fmt.Errorf("%w: %q is instant and takes none, not %v", ErrDuration, a.Spec.ID, d)
		case d <= 0:
			return BadDuration, fmt.Errorf("%w: %q for %v, must be above zero", ErrDuration, a.Spec.ID, d)
		case d > define.MaxDuration:
			return BadDuration, fmt.Errorf("%w: %q for %v, above the limit of %v", ErrDuration, a.Spec.ID, d, define.MaxDuration)
		}
	}
	switch {
	case a.Stacks < 0:
		return BadStacks, fmt.Errorf("%w: %q with %d", ErrStacks, a.Spec.ID, a.Stacks)
	case a.Level < 0 || a.Level > define.MaxLevel:
		return BadLevel, fmt.Errorf("%w: %q with %d, want 0 to %d", ErrLevel, a.Spec.ID, a.Level, define.MaxLevel)
	case !a.Scale.within(MaxRatio):
		return BadDuration, fmt.Errorf("%w: %q with %v, want parts up to %d", ErrScale, a.Spec.ID, a.Scale, MaxRatio)
	}
	return NoReason, nil
}

// Errors of decoding, parsing and checking a [Command].
var (
	// ErrCommand: it is not a command, or not one that a constructor could make.
	ErrCommand = errors.New("buff: bad command")
	// ErrCommandVersion: its binary form has a later version.
	ErrCommandVersion = errors.New("buff: a command of a version that is not known")
	// ErrFunc: it holds a Go function, which has no binary form.
	ErrFunc = errors.New("buff: a command with a function has no binary form")
	// ErrName: the catalog has no definition, tag, act or attribute of that name or number.
	ErrName = errors.New("buff: the catalog has no such name")
)

// Check reports whether a command is valid for owners with the definitions of a catalog. It
// returns [ErrCommand] if no constructor could have made it, and [ErrName] if the catalog does
// not have its tag or attribute; a nil catalog has none. It does not check whether the command
// can be executed.
func (c *Command) Check(catalog *Catalog) error {
	if catalog == nil {
		catalog = &Catalog{}
	}
	switch {
	case c.Verb == 0 || c.Verb > verb.Last:
		return fmt.Errorf("%w: the verb %d", ErrCommand, c.Verb)
	case c.Verb == verb.Enter || c.Verb == verb.Leave || c.linked:
		return fmt.Errorf("%w: %v is the engine's own", ErrCommand, c.Verb)
	case (c.Verb == verb.Apply || c.Verb == verb.RemoveSpec) && c.Application.Spec == nil:
		return fmt.Errorf("%w: %v of no definition", ErrCommand, c.Verb)
	case c.Verb == verb.AddTimeout && c.Name == "" && c.Do == nil:
		return fmt.Errorf("%w: a timeout that calls nothing", ErrCommand)
	case c.Reason != NoReason && !c.Reason.Removes():
		return fmt.Errorf("%w: the reason %v, which does not end a buff", ErrCommand, c.Reason)
	case c.Whose == define.OfSource || c.Whose > define.OfZone:
		return fmt.Errorf("%w: a time that is neither a buff's nor an owner's nor a zone's: %d", ErrCommand, c.Whose)
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

// Commands for the buff or timeout of a handle. They fail with [ErrStale] if it has ended.

// Remove ends the buff of a handle with the reason Cancelled.
func Remove(h Handle) Command { return Command{Verb: verb.Remove, Handle: h} }

// RemoveStacks removes n stacks from the buff of a handle, with a reason that ends buffs: the
// whole buff if n is not above zero or it has no more. The timers of the remaining stacks do not
// change. It panics if the reason does not end buffs.
func RemoveStacks(h Handle, n int, why Reason) Command {
	return Command{Verb: verb.Remove, Handle: h, Stacks: n, Reason: removal(why)}
}

// removal panics if why does not end buffs. Cancelled is the zero reason of a command.
func removal(why Reason) Reason {
	if !why.Removes() {
		panic(fmt.Sprintf("buff: %v is not a reason that ends a buff", why))
	}
	if why == Cancelled {
		return NoReason
	}
	return why
}

// Extend moves the end of the buff of a handle by d, which may be negative. If the end would not
// be after now, the buff expires at once, without a pulse. It fails with [ErrInfinite] if the
// buff has no end.
func Extend(h Handle, d time.Duration) Command {
	return Command{Verb: verb.Extend, Handle: h, By: d}
}

// ExtendUpTo is Extend with a maximum: it does not move the end beyond most from now, and does
// not change an end that is further away.
func ExtendUpTo(h Handle, d, most time.Duration) Command {
	return Command{Verb: verb.Extend, Handle: h, By: d, Application: Application{Duration: Lasting(most)}}
}

// SetRemaining makes the buff of a handle end after d, even if it had no end. If d is not above
// zero, it expires at once, without a pulse.
func SetRemaining(h Handle, d time.Duration) Command {
	return Command{Verb: verb.SetRemaining, Handle: h, By: d}
}

// SetPeriod changes the period of the buff of a handle, as the Haste of its definition says. It
// fails with [ErrPeriod] if the buff does not pulse, or d is not in whole milliseconds from
// [define.MinPeriod] to [define.MaxDuration].
func SetPeriod(h Handle, d time.Duration) Command {
	return Command{Verb: verb.SetPeriod, Handle: h, By: d}
}

// PauseBuff pauses the time of one buff until [ResumeBuff].
func PauseBuff(h Handle) Command { return Command{Verb: verb.Pause, Whose: define.OfBuff, Handle: h} }

// ResumeBuff ends a PauseBuff. The buff stays paused while its owner is.
func ResumeBuff(h Handle) Command { return Command{Verb: verb.Resume, Whose: define.OfBuff, Handle: h} }

// SetBuffRate is [SetRate] for the time of one buff, which then has the product of its rate, its
// owner's and its zone's.
func SetBuffRate(h Handle, r Ratio) Command {
	return Command{Verb: verb.SetRate, Whose: define.OfBuff, Handle: h, Rate: r}
}

// Inhibit disables the buff of a handle as if its ongoing requirement failed: pulses are
// suppressed, grants are off, and its time continues. A second Inhibit has no effect.
func Inhibit(h Handle) Command { return Command{Verb: verb.Inhibit, Handle: h} }

// Release ends an Inhibit. The buff takes effect again unless it is hidden for another reason;
// its Inhibition says when it pulses.
func Release(h Handle) Command { return Command{Verb: verb.Release, Handle: h} }

// ConsumeCharges uses n charges of one buff, or one if n is below one; the buff ends with its
// last charge. It does not change a buff without charges.
func ConsumeCharges(h Handle, n int) Command {
	return Command{Verb: verb.ConsumeCharges, Handle: h, Stacks: n}
}

// Cancel cancels a timeout.
func Cancel(t TimeoutHandle) Command { return Command{Verb: verb.Cancel, Timeout: t} }
