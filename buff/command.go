package buff

import (
	"errors"
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff/stat"
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

// For returns a Span of d, rounded up to whole milliseconds, so that nothing ends
// early. One that is not above zero is not "for ever" and not "at once", and one
// above [MaxDuration] is most likely a slip: the command that uses it fails with
// [ErrDuration].
func For(d time.Duration) Span { return Span{d: d, given: true} }

// Given returns the duration and whether there is one.
func (s Span) Given() (d time.Duration, given bool) { return s.d, s.given }

// Application is what it takes to put a buff on an owner.
type Application struct {
	Spec      *Spec
	Source    OwnerID // who does it
	Stacks    int     // if zero, Spec.Stack.Initial; more than the limit is cut to it
	Level     int     // from 0 to MaxLevel
	Key       uint64  // for Stacking.By ByKey
	Duration  Span    // if zero, the definition's
	Scale     Ratio   // of the duration: what resistances leave of it; zero is 1
	Magnitude int64   // handed on to events and handlers
	Params    []Arg   // for the numbers of the definition that the caller brings; not kept

	// Captured is what is known of the attributes of the source: see [Application.Capture].
	// It is copied where it is kept.
	Captured []Captured

	member bool   // applied by an aura: without an end
	taken  *taken // it was stolen
}

// Arg is one number that an application brings for [Number.Caller].
type Arg struct {
	Caller string  // the name that the definition gives it
	Value  float64 // an application with one that is none, where it is wanted, is refused
}

// Verb says what a [Command] does.
type Verb uint8

// The verbs.
const (
	Apply      Verb = iota + 1 // puts Application on the owner
	Remove                     // ends Handle, or Stacks of it, for Reason
	RemoveSpec                 // the same for the oldest instance of Application.Spec; none is no error
	Extend                     // moves the end of Handle by By, which may be negative; Application.Duration is the most that may be left
	Kill                       // the owner dies
	LoseSource                 // Application.Source leaves
	AddTimeout                 // calls Do or Handler after By, or at the next millisecond if By is not above zero
	Cancel                     // takes Timeout back

	SetRemaining // ends Handle after By; if By is not above zero, at once
	SetPeriod    // the period of Handle becomes By: haste
	Hold         // stops the time of Handle, or with Scope of the owner
	Resume       // ends a Hold
	SetRate      // the time of Handle, or with Scope of the owner, passes at Rate
	Inhibit      // Handle has no effect, as if Require.Ongoing failed
	Release      // ends an Inhibit
	AddTag       // the owner has Tag, once more
	DropTag      // the owner has Tag once less
	Immunize     // the owner is immune to buffs with Tag, once more; with Purge those that it has go
	Expose       // the owner is immune to buffs with Tag once less
	Purge        // a dispel: what Query finds goes
	Steal        // what Query finds goes, and is applied to Query.To for at most By
	Interrupted  // the owner did Act: buffs that it interrupts go
	Consume      // the owner did Act: buffs that it consumes lose a charge each; with a Handle that one loses Stacks
	Absorb       // Amount of damage with Tag, or zero, meets the shields
	Revive       // the owner lives again: what its death paused goes on
	Enter        // the owner is within the aura of Application.Source that applies Application.Spec
	Leave        // it is not any more: what Enter applied ends after By
	ExtendAll    // Extend for all that Query finds
	ZoneLeft     // the owner goes to another zone: buffs that stay behind go
	AddBase      // Value is added to the base of the attribute Attr, within its limits
	SetBase      // Value becomes the base of the attribute Attr, whatever its limits
	Damage       // Value, in whole points, half up, with Tag, or zero, meets the shields; the rest is taken off the base of Attr
)

// Whose says whose time a Hold, a Resume or a SetRate is about.
type Whose uint8

// Whose time it may be. They work together: the time of a buff stands still if any of the
// three does, and passes at the product of the three rates.
const (
	OfBuff  Whose = iota // the one of Handle
	OfOwner              // all that the owner carries
	OfZone               // the same, as a second cause
)

// Command is one thing asked of an owner. Each verb reads the fields that it
// names. AddBase, SetBase and Damage also have Application.Spec and Source, for the event:
// the buff that does it; without them it is the game.
type Command struct {
	Application Application
	Handle      Handle
	Timeout     TimeoutHandle
	By          time.Duration
	Amount      int64
	Value       float64
	Rate        Ratio
	Name        string
	Do          any
	Query       *Query // not changed after it was given
	Stacks      int
	Handler     HandlerID
	Tag         Tag
	Attr        stat.Attr
	Act         Act
	Verb        Verb
	Reason      Reason // if NoReason, Cancelled
	Whose       Whose
	Purge       bool

	linked bool // a RemoveSpec: of that source, for the Reason and the Name
}

// Query finds buffs of one owner. What is left out is not asked.
type Query struct {
	Spec     *Spec
	Tag      Tag    // one of Spec.Tags and Spec.Grants, or above one
	Type     string // Spec.Dispel.Type
	Polarity Polarity
	Source   OwnerID // if not zero
	Grade    Grade   // for a Purge and a Steal: the highest Spec.Dispel.Grade that gives way
	Most     int     // portions that are taken off; if zero, all
	Newest   bool    // the newest application first, not the oldest
	To       OwnerID // who steals

	Compensate string // Spec.Save.Compensate
}

// Result is what came of a command.
type Result struct {
	Handle  Handle        // the instance that was applied, refreshed or stacked
	Timeout TimeoutHandle // of AddTimeout

	// Kind is the chief fact: Applied, Stacked, Refreshed, Executed, Denied,
	// StackEnded, Removed, Queued, Changed, or Faulted with Err; zero if nothing changed.
	Kind EventKind
	Why  Reason // for Denied, Removed, StackEnded and Faulted

	// Queued says that the owner is busy: the command waits in its mailbox, and
	// what came of it will be an event.
	Queued bool

	// Amount is, of an Absorb, the damage that is left, of a Damage what the shields took
	// of it, and otherwise how many instances or charges were taken or found.
	Amount int64

	// Err is set if the command could not be carried out. Nothing is half done then.
	Err error
}

// plain reports whether the application has nothing that check could refuse.
func (a *Application) plain() bool {
	return !a.Duration.given && a.Stacks >= 0 && uint(a.Level) <= MaxLevel && a.Scale == Ratio{}
}

// check returns what is wrong with the application, or zeros.
func (a *Application) check() (Reason, error) {
	if d := a.Duration.d; a.Duration.given {
		switch {
		case a.Spec.Kind == Instant:
			return BadDuration, fmt.Errorf("%w: %q is instant and takes none, not %v", ErrDuration, a.Spec.ID, d)
		case d <= 0:
			return BadDuration, fmt.Errorf("%w: %q for %v, must be above zero", ErrDuration, a.Spec.ID, d)
		case d > MaxDuration:
			return BadDuration, fmt.Errorf("%w: %q for %v, above the limit of %v", ErrDuration, a.Spec.ID, d, MaxDuration)
		}
	}
	switch {
	case a.Stacks < 0:
		return BadStacks, fmt.Errorf("%w: %q with %d", ErrStacks, a.Spec.ID, a.Stacks)
	case a.Level < 0 || a.Level > MaxLevel:
		return BadLevel, fmt.Errorf("%w: %q with %d, want 0 to %d", ErrLevel, a.Spec.ID, a.Level, MaxLevel)
	case !a.Scale.within(MaxRatio):
		return BadDuration, fmt.Errorf("%w: %q with %v, want parts up to %d", ErrScale, a.Spec.ID, a.Scale, MaxRatio)
	}
	return NoReason, nil
}
