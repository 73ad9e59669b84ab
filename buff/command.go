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

// Errors of a command. [Result.Err] wraps one of them and names the thing and the
// limit.
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

// Span is a duration that may be left out: the zero Span stands for the
// definition's own.
type Span struct {
	d     time.Duration
	given bool
}

// Lasting returns a Span of d, rounded up to whole milliseconds, so that nothing ends
// early. One that is not above zero is not "for ever" and not "at once", and one
// above [define.MaxDuration] is most likely a slip: the command that uses it fails with
// [ErrDuration].
func Lasting(d time.Duration) Span { return Span{d: d, given: true} }

// Given returns the duration and whether there is one.
func (s Span) Given() (d time.Duration, given bool) { return s.d, s.given }

// Application is what it takes to put a buff on an owner.
type Application struct {
	Spec      *Spec
	Source    OwnerID // who applies it; 0 for the game
	Stacks    int     // if zero, Spec.Stack.Initial; more than the limit is cut to it
	Level     int     // from 0 to MaxLevel
	Key       uint64  // for Stacking.By ByKey
	Duration  Span    // if zero, the definition's
	Scale     Ratio   // of the duration: what resistances leave of it; zero is 1
	Magnitude int64   // handed on to events and handlers
	Params    []Arg   // for the numbers of the definition that the caller brings; not kept. One that it does not read is refused: NoParam

	// Captured is what is known of the attributes of the source: see [Application.Capture].
	// It is copied where it is kept.
	Captured []Captured

	share      share        // of the pulse that has set it off
	member     bool         // applied by an aura: without an end
	with       uint64       // as the link of the buff of that age; 0: of none
	rest       bool         // one of stolenBuff.rest
	stolen     bool         // it lasts as long as it says
	stolenBuff *stolenState // it was stolen, and this is what was left of it; nil: nothing but what is said above

	backdate backdate // see followBackdated
}

// Arg is one number that an application brings for [define.Number.Caller].
type Arg struct {
	Caller string  // the name that the definition gives it
	Value  float64 // an application with one that is none, where it is wanted, is refused
}

// Command is one thing asked of an owner, of a zone or of all: a value that says what is to be done and to
// which owner. Make one with the function of that name: [Apply], [Remove], [Extend], [Dispel], [PauseZone]
// and so on. The same value is asked of an engine on any of its lanes, is written into a recording, is sent
// between machines ([Command.AppendBinary]) and is a line of a scenario ([Command.String], [ParseCommand]).
//
// Each verb reads the fields that [verb.Verb] names. AddBase, SetBase and Damage also have
// Application.Spec and Source, for the event: the buff that does it; without them it is the game.
type Command struct {
	Application Application
	Query       Query
	Owner       OwnerID // whom it is for, if no handle says it; see [Command.Number]
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
	Handler     HandlerID // whoever carries it out finds it by Name
	Tag         Tag
	Attr        stat.Attr
	Act         Act
	Verb        verb.Verb
	Reason      Reason // if NoReason, Cancelled
	Whose       define.Whose
	Purge       bool

	quiet  bool // see Turn.quiet
	linked bool // a RemoveSpec: of all that came with the buff of the age Amount, for the Reason and the Name
}

// Number returns the number of the owner in the handle that says whom the command is for, and
// whether one does. Otherwise it is for Owner, or, by [verb.Compensate], [verb.LoseSource] and the
// time of a zone, for more than one.
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

// Many reports whether the command is for more than one owner: for all who carry something of a
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

// Query finds buffs of one owner. What is left out is not asked.
type Query struct {
	Spec       *Spec
	Source     OwnerID         // if not zero
	To         OwnerID         // of a Steal, the thief
	Most       int             // of a Dispel and a Steal, how many portions are taken, of a Compensate, how many buffs of each owner; if zero, all
	Stacks     int             // of a Dispel and a Steal: a portion is so many stacks, and with Most zero one of each; if zero, it is what Spec.Dispel.Per says, of a Steal the whole buff
	Type       string          // Spec.Dispel.Type
	Compensate string          // Spec.Save.Compensate
	Tag        Tag             // one of Spec.Tags and Spec.Grants, or above one
	Polarity   define.Polarity // Positive or Negative; if Neutral, any, unless the field below says otherwise
	Neutral    bool            // only neutral buffs; Polarity must then be Neutral
	Grade      define.Grade    // of a Dispel and a Steal: the highest Spec.Dispel.Grade that yields
	Newest     bool            // the newest application first, not the oldest
}

// Result is what came of a command.
type Result struct {
	Handle  Handle        // the instance that was applied, refreshed or stacked
	Timeout TimeoutHandle // of AddTimeout

	// Kind is the main result: Applied, Stacked, Refreshed, Executed, Denied, StackEnded, Removed, Queued,
	// Hastened, Changed, Reacted, Died, Revived, or Faulted with Err. It is Done if the command did
	// something that no event reports, and zero if nothing changed.
	Kind EventKind
	Why  Reason // for Denied, Removed, StackEnded and Faulted

	// Queued says that the owner is busy, or the source of an application, whose attributes must
	// be read: the command waits in its mailbox, and nothing has
	// been done yet. What is due for the owner up to the instant of the call comes first, with
	// its handlers, also of a buff that this command removes or a timeout that it cancels. What
	// came of it will be an event with that instant as its At and a Why that is the command's,
	// but for a timeout that is taken back in time, of which there is none.
	Queued bool

	// Amount is, of an Absorb, the damage that is left, of a Damage what the shields took
	// of it, and otherwise how many instances or charges were taken or found.
	Amount int64

	// Err is set if the command could not be carried out. Nothing is half done then.
	Err error
}

// String says what came of the command, for a log: "apply 3/0/17", "deny limit", "queued", "nothing
// changed", or the error.
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

// plain reports whether the application has nothing that check could refuse.
func (a *Application) plain() bool {
	return !a.Duration.given && a.Stacks >= 0 && uint(a.Level) <= define.MaxLevel && a.Scale == Ratio{}
}

// check returns what is wrong with the application, or zeros.
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

// Errors of a [Command] that was brought from somewhere: of its binary form, of its text, and of
// [Command.Check].
var (
	// ErrCommand: it is no command, or one that no constructor could have made.
	ErrCommand = errors.New("buff: bad command")
	// ErrCommandVersion: its binary form is of a later version.
	ErrCommandVersion = errors.New("buff: a command of a version that is not known")
	// ErrFunc: it holds a Go function, which has no binary form.
	ErrFunc = errors.New("buff: a command with a function has no binary form")
	// ErrName: the catalog has no definition, tag, act or attribute of that name or number.
	ErrName = errors.New("buff: the catalog has no such name")
)

// Check returns what is wrong with a command for owners whose definitions are those of a catalog,
// nil if nothing is: [ErrCommand] if no constructor could have made it, [ErrName] if its tag or its
// attribute is not of the catalog; nil is one without any. Whether what it asks for can be done is not asked.
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

// Commands about what a handle names. If it names nothing that runs they fail with [ErrStale].

// Remove ends the buff of a handle, for the reason Cancelled.
func Remove(h Handle) Command { return Command{Verb: verb.Remove, Handle: h} }

// RemoveStacks takes n stacks off the buff of a handle, for a reason that ends buffs: all of it if
// n is not above zero or it has no more. The timers of what is left stay as they are. It panics if
// the reason ends no buff.
func RemoveStacks(h Handle, n int, why Reason) Command {
	return Command{Verb: verb.Remove, Handle: h, Stacks: n, Reason: removal(why)}
}

// removal panics if why is not a reason that ends a buff. Cancelled is what a command has that says
// none.
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
// be after now, the buff expires at once, without a pulse. It fails with [ErrInfinite] if there is
// no end.
func Extend(h Handle, d time.Duration) Command {
	return Command{Verb: verb.Extend, Handle: h, By: d}
}

// ExtendUpTo is Extend that never leaves more than most: the end is not moved beyond most from
// now, and one that is further away already stays.
func ExtendUpTo(h Handle, d, most time.Duration) Command {
	return Command{Verb: verb.Extend, Handle: h, By: d, Application: Application{Duration: Lasting(most)}}
}

// SetRemaining makes the buff of a handle end after d, also one without an end. If d is not above
// zero, it expires at once, without a pulse.
func SetRemaining(h Handle, d time.Duration) Command {
	return Command{Verb: verb.SetRemaining, Handle: h, By: d}
}

// SetPeriod changes the period of the buff of a handle, by the Haste of its definition. It fails
// with [ErrPeriod] if the buff does not pulse, or d is not in whole milliseconds from [define.MinPeriod]
// to [define.MaxDuration].
func SetPeriod(h Handle, d time.Duration) Command {
	return Command{Verb: verb.SetPeriod, Handle: h, By: d}
}

// PauseBuff stops the time of one buff, until [ResumeBuff].
func PauseBuff(h Handle) Command { return Command{Verb: verb.Pause, Whose: define.OfBuff, Handle: h} }

// ResumeBuff lets the time of one buff go on where PauseBuff stopped it. While its owner is
// paused, it stands still all the same.
func ResumeBuff(h Handle) Command { return Command{Verb: verb.Resume, Whose: define.OfBuff, Handle: h} }

// SetBuffRate is [SetRate] for the time of one buff, which then passes at the product of its own
// rate, its owner's and its zone's.
func SetBuffRate(h Handle, r Ratio) Command {
	return Command{Verb: verb.SetRate, Whose: define.OfBuff, Handle: h, Rate: r}
}

// Inhibit takes the effect of the buff of a handle away, as if its ongoing requirement failed: its
// pulses are suppressed, what it grants is off, and its time goes on. To inhibit twice is the same
// as once.
func Inhibit(h Handle) Command { return Command{Verb: verb.Inhibit, Handle: h} }

// Release ends an Inhibit. The buff has its effect again unless something else hides it; its
// Inhibition says what becomes of the beat.
func Release(h Handle) Command { return Command{Verb: verb.Release, Handle: h} }

// ConsumeCharges uses n charges of one buff, one if n is below; without any left it goes. A buff
// without charges is left as it is.
func ConsumeCharges(h Handle, n int) Command {
	return Command{Verb: verb.ConsumeCharges, Handle: h, Stacks: n}
}

// Cancel takes a timeout back.
func Cancel(t TimeoutHandle) Command { return Command{Verb: verb.Cancel, Timeout: t} }
