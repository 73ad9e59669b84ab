package buff

import (
	"strconv"

	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/wordlist"
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
	Hidden                          // it has no effect from here on: a requirement fails, another of its group is stronger, or its owner is immune
	Shown                           // it has its effect again
	Suppressed                      // a pulse that had no effect, because the buff is hidden or its owner immune
	Queued                          // with TimersQueue: who runs was settled anew
	Hastened                        // its period was changed
	Restored                        // it came back with its owner
	Changed                         // the base of an attribute was changed
	Reacted                         // something happened for which the buff has actions: see [Happened]
	Missed                          // an action of the buff for its source, or for the target of an act, found nobody: Name says which action
	Died                            // the owner died
	Revived                         // it lives again

	// Done is the kind of no event. It is the Kind of a Result if the command did something that no event
	// reports: a tag, a pause, a zone.
	Done
)

var eventWords = []string{"", "apply", "refresh", "stack", "stackend", "pulse", "exec", "remove", "deny", "timeout", "error", "hide", "show", "suppressed", "queue", "period", "restore", "change", "react", "miss", "die", "revive", "done"}

// String returns the word of the kind in a log: "apply", "pulse".
func (k EventKind) String() string { return wordlist.Word(eventWords, k) }

// Event is one fact about one owner. Events of an owner stand in the order in
// which they happened.
type Event struct {
	At   wheel.Time // when it happened by the rules
	Seen wheel.Time // the frame in which it was worked out; later than At in a late or coarse frame

	// Seq numbers the events of an owner, from 1 on, in their order: see [EventID]. It is 0 for what says only
	// that a buff came or went with its owner, which is a Restored and a Removed with the reason Unload, and for the
	// Faulted of a cascade among many owners, which belongs to no owner.
	Seq uint64

	Owner  OwnerID
	Source OwnerID // who applied the buff; of a Died, who did it, or 0
	Target OwnerID // of a Reacted, who else was in what happened, or 0; of the Died that a handler in [Hooks].Death gets, who did it; of a Missed, who is not there, or 0 for the game
	Spec   *Spec   // nil for a TimedOut, for a cascade, and for a Changed and a Died by a command of the game
	Handle Handle  // the instance; zero for an instant buff, a Denied, a TimedOut and a Changed

	// End is the instance's end after an Applied, a Refreshed, a Queued, a Restored, a
	// Stacked with TimersEach (the end of the new stacks), a StackEnded that began the
	// duration anew, or a Hastened that moved it; otherwise, for an infinite one, and as long as
	// its time stands still, Never: [Instance.Left] then says what is left.
	End wheel.Time

	// Next is the pulse to come, of a Hastened and a Restored; otherwise Never, or zero.
	Next wheel.Time

	// Elapsed and Period, in ms, are set for a pulse of less than a whole period:
	// its effect is the share Elapsed/Period of a whole one. An Executed that a pulse has set off has those of
	// the pulse, and its Count.
	Elapsed, Period int64

	// Offline, of a buff that ended while its owner was away, is how long its owner was away, in ms by its clock. Of one
	// whose actions are done then (define.OfflineRun), and of one that such actions have applied, it is how long ago it ended.
	Offline int64

	// Magnitude is that of the application; of a Queued, of the one that runs now; of a
	// Pulsed with TimersEach, the sum of those of the stacks that pulse; of a Changed, what
	// shields took of the damage; of a Reacted, the amount of what happened.
	Magnitude int64

	// Delta is, of a Changed, by how much the base was changed, and Value what it is now.
	Delta, Value float64

	Name string // the timeout's name, the act of an Interrupt or of a Reacted, the attribute of a Changed, the action of a Missed as in "apply sting to target", or of a Denied for NoParam the number that is missing, or that is brought and nothing reads

	Stacks int32 // after the fact; for a Pulsed, those that pulse
	Count  int32 // how many pulses a Pulsed stands for, or one that an Executed follows from, if more than one; otherwise 0
	Level  int16
	Attr   stat.Attr // of a Changed
	Kind   EventKind
	Why    Reason // for Removed, StackEnded, Denied, Faulted, and Immune for a Hidden and a Suppressed if that is the only cause
}

// EventID is what an event is known by wherever its owner goes. The number goes with the owner: into its
// blob, to another zone or machine, and back. An owner that begins without a blob begins at 1.
//
// After a crash an owner goes on from its last blob, and its numbers too. What is then done again as it was
// done before, as by a replay, has the same numbers. If it is done in another way, the numbers of what was lost
// are given to something else: so who keeps an EventID, to know what comes twice, is given it when the
// event is on disk: see store.Saver.Effects.
type EventID struct {
	Owner OwnerID // whose event it is
	Seq   uint64  // its number among that owner's
}

// ID returns what the event is known by. Its Seq may be 0.
func (e *Event) ID() EventID { return EventID{e.Owner, e.Seq} }

// String returns "7:31": the 31st event of owner 7.
func (id EventID) String() string {
	return string(strconv.AppendUint(append(strconv.AppendUint(nil, uint64(id.Owner), 10), ':'), id.Seq, 10))
}

// AppendLog appends the event as one line of a scenario log, without its end of
// line: "3000 pulse venom x2". With seen, a pulse that ran late ends in
// " seen=8000".
func (e *Event) AppendLog(dst []byte, seen bool) []byte {
	dst = strconv.AppendInt(dst, int64(e.At), 10)
	dst = append(dst, ' ')
	if e.Kind == Removed && e.Why == Unload {
		return append(append(dst, "unload "...), e.Spec.ID...)
	}
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
	case Applied, Refreshed, Stacked, StackEnded, Pulsed, Executed, Restored:
		dst = appendField(dst, " x", int64(e.Stacks))
	case Queued:
		dst = appendField(dst, " active=", e.Magnitude)
	case Changed:
		return e.appendChange(dst)
	case Missed:
		return append(append(dst, ' '), e.Name...)
	case Reacted:
		dst = append(append(dst, ' '), e.Name...)
		if e.Magnitude != 0 {
			dst = appendField(dst, " amount=", e.Magnitude)
		}
	}
	if e.Why != NoReason {
		dst = append(append(dst, " why="...), e.Why.String()...)
	}
	if e.End != wheel.Never {
		dst = appendField(dst, " end=", int64(e.End))
	}
	if (e.Kind == Hastened || e.Kind == Restored) && e.Next != wheel.Never {
		dst = appendField(dst, " next=", int64(e.Next))
	}
	pulse := e.Kind == Pulsed || e.Kind == Suppressed
	if pulse && e.Period != 0 {
		dst = appendField(appendField(dst, " fraction=", e.Elapsed), "/", e.Period)
	}
	if pulse && e.Count > 1 {
		dst = appendField(dst, " count=", int64(e.Count))
	}
	if e.Offline > 0 {
		dst = appendField(dst, " offline=", e.Offline)
	}
	if seen && e.Kind == Pulsed && e.Seen > e.At {
		dst = appendField(dst, " seen=", int64(e.Seen))
	}
	return dst
}

// appendChange appends what is told of a Changed after its buff, if it has one.
func (e *Event) appendChange(dst []byte) []byte {
	if e.Spec != nil {
		dst = append(append(dst, ' '), e.Name...)
	}
	dst = strconv.AppendFloat(append(dst, " by="...), e.Delta, 'g', -1, 64)
	dst = strconv.AppendFloat(append(dst, " value="...), e.Value, 'g', -1, 64)
	if e.Magnitude > 0 {
		dst = appendField(dst, " absorbed=", e.Magnitude)
	}
	return dst
}

func appendField(dst []byte, key string, n int64) []byte {
	return strconv.AppendInt(append(dst, key...), n, 10)
}

// String returns the line of [Event.AppendLog].
func (e Event) String() string { return string(e.AppendLog(nil, false)) }
