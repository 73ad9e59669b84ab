package buff

import (
	"strconv"

	"github.com/bufftick/bufftick/wheel"
)

// EventKind says what happened.
type EventKind uint8

// The kinds of an [Event]: facts, in the past tense.
const (
	Applied    EventKind = iota + 1 // a new instance
	Refreshed                       // the end of a live instance was set again, even if it did not move
	Stacked                         // a live instance got more stacks
	StackEnded                      // it lost some and lives on
	Pulsed                          // its periodic effect
	Executed                        // an instant buff did its work
	Removed                         // an instance ended
	Denied                          // an application was refused
	TimedOut                        // a timeout came due
	Faulted                         // a handler failed, or a cascade was stopped
)

var eventWords = []string{"", "apply", "refresh", "stack", "stackend", "pulse", "exec", "remove", "deny", "timeout", "error"}

// String returns the word of the kind in a log: "apply", "pulse".
func (k EventKind) String() string { return word(eventWords, k) }

// Event is one fact about one owner. Events of an owner stand in the order in
// which they happened.
type Event struct {
	At   wheel.Time // when it happened by the rules
	Seen wheel.Time // the frame in which it was worked out; later than At in a late or coarse frame

	Owner  OwnerID
	Source OwnerID // who applied the buff
	Spec   *Spec   // nil for a TimedOut and for a cascade
	Handle Handle  // the instance; zero for an instant buff, a Denied and a TimedOut

	// End is the instance's end after an Applied, a Refreshed, or a StackEnded
	// that began the duration anew; otherwise, and for an infinite one, Never.
	End wheel.Time

	// Elapsed and Period, in ms, are set for a pulse of less than a whole period:
	// its effect is the share Elapsed/Period of a whole one.
	Elapsed, Period int64

	Magnitude int64  // as the application gave it
	Name      string // the timeout's name

	Stacks int32 // after the fact; for a Pulsed, those that pulse
	Kind   EventKind
	Why    Reason // for Removed, StackEnded, Denied and Faulted
}

// AppendLog appends the event as one line of a scenario log, without its end of
// line: "3000 pulse venom x2". With seen, a pulse that ran late ends in
// " seen=8000".
func (e *Event) AppendLog(dst []byte, seen bool) []byte {
	dst = strconv.AppendInt(dst, int64(e.At), 10)
	dst = append(dst, ' ')
	dst = append(dst, e.Kind.String()...)
	switch {
	case e.Spec != nil:
		dst = append(append(dst, ' '), e.Spec.ID...)
	case e.Name != "":
		dst = append(append(dst, ' '), e.Name...)
	case e.Kind == Faulted: // a cascade, or a timeout by function
		return append(append(dst, ' '), e.Why.String()...)
	}
	switch e.Kind {
	case Applied, Refreshed, Stacked, StackEnded, Pulsed, Executed:
		dst = strconv.AppendInt(append(dst, " x"...), int64(e.Stacks), 10)
	}
	if e.Why != NoReason {
		dst = append(append(dst, " why="...), e.Why.String()...)
	}
	if e.End != wheel.Never {
		dst = strconv.AppendInt(append(dst, " end="...), int64(e.End), 10)
	}
	if e.Period != 0 {
		dst = strconv.AppendInt(append(dst, " fraction="...), e.Elapsed, 10)
		dst = strconv.AppendInt(append(dst, '/'), e.Period, 10)
	}
	if seen && e.Kind == Pulsed && e.Seen > e.At {
		dst = strconv.AppendInt(append(dst, " seen="...), int64(e.Seen), 10)
	}
	return dst
}

// String returns the line of [Event.AppendLog].
func (e Event) String() string { return string(e.AppendLog(nil, false)) }
