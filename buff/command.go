package buff

import (
	"errors"
	"fmt"
	"time"
)

// Errors of a command. [Result.Err] wraps one of them and names the thing and the
// limit.
var (
	ErrDuration = errors.New("buff: bad duration")
	ErrStacks   = errors.New("buff: stacks must not be negative")
	ErrFull     = errors.New("buff: the owner carries as many as it may")
	ErrStale    = errors.New("buff: the handle names nothing that runs")
	ErrInfinite = errors.New("buff: an infinite buff has no end to move")
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

// Application is what it takes to put a buff on an owner.
type Application struct {
	Spec      *Spec
	Source    OwnerID // who does it
	Stacks    int     // if zero, Spec.Stack.Initial; more than the limit is cut to it
	Duration  Span    // if zero, the definition's
	Magnitude int64   // handed on to events and handlers
}

// Verb says what a [Command] does.
type Verb uint8

// The verbs.
const (
	Apply      Verb = iota + 1 // puts Application on the owner
	Remove                     // ends Handle, or Stacks of it, for Reason
	RemoveSpec                 // the same for the oldest instance of Application.Spec; none is no error
	Extend                     // moves the end of Handle by By, which may be negative
	Kill                       // the owner dies
	LoseSource                 // Application.Source leaves
	AddTimeout                 // calls Do or Handler after By, or at the next millisecond if By is not above zero
	Cancel                     // takes Timeout back
)

// Command is one thing asked of an owner. Each verb reads the fields that it
// names.
type Command struct {
	Application Application
	Handle      Handle
	Timeout     TimeoutHandle
	By          time.Duration
	Name        string
	Do          any
	Stacks      int
	Handler     HandlerID
	Verb        Verb
	Reason      Reason // if NoReason, Cancelled
}

// Result is what came of a command.
type Result struct {
	Handle  Handle        // the instance that was applied, refreshed or stacked
	Timeout TimeoutHandle // of AddTimeout

	// Kind is the chief fact: Applied, Stacked, Refreshed, Executed, Denied,
	// StackEnded, Removed, or Faulted with Err; zero if nothing changed.
	Kind EventKind
	Why  Reason // for Denied, Removed, StackEnded and Faulted

	// Queued says that the owner is busy: the command waits in its mailbox, and
	// what came of it will be an event.
	Queued bool

	// Err is set if the command could not be carried out. Nothing is half done then.
	Err error
}

// duration returns the ms that the application lasts, 0 for ever.
func (a *Application) duration() int64 {
	if a.Duration.given {
		return wait(a.Duration.d)
	}
	return a.Spec.duration
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
	if a.Stacks < 0 {
		return BadStacks, fmt.Errorf("%w: %q with %d", ErrStacks, a.Spec.ID, a.Stacks)
	}
	return NoReason, nil
}
