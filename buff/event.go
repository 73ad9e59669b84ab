package buff

import (
	"strconv"

	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/wordlist"
	"github.com/bufftick/bufftick/wheel"
)

// EventKind is the kind of an [Event].
type EventKind uint8

// Kinds of an [Event].
const (
	Applied    EventKind = iota + 1 // a new instance started
	Refreshed                       // the end of a live instance was set again, even if it did not move
	Stacked                         // a live instance got more stacks
	StackEnded                      // a live instance lost stacks and continues
	Pulsed                          // the periodic effect of an instance
	Executed                        // an instant buff was executed
	Removed                         // an instance ended
	Denied                          // an application was denied
	TimedOut                        // a timeout was due
	Faulted                         // a handler failed, or a cascade was stopped
	// Hidden: the instance has lost its effect, because a requirement fails, another buff of its
	// group is stronger, or its owner is immune.
	Hidden
	Shown      // the instance has its effect again
	Suppressed // a pulse without effect, because the buff is hidden or its owner immune
	Queued     // with TimersQueue: the running application was selected again
	Hastened   // the period of an instance changed
	Restored   // an instance was restored with its owner
	Changed    // the base of an attribute changed
	Reacted    // an act occurred for which the buff has actions: see [Happened]
	Missed     // the target of an action does not exist; Name is the action
	Died       // the owner died
	Revived    // the owner was revived

	// Done is not the kind of an event. It is the Kind of a Result if the command had an effect
	// that no event reports, such as a tag, a pause or a zone.
	Done
)

var eventWords = []string{"", "apply", "refresh", "stack", "stackend", "pulse", "exec", "remove", "deny", "timeout", "error", "hide", "show", "suppressed", "queue", "period", "restore", "change", "react", "miss", "die", "revive", "done"}

// String returns the word of the kind in a log: "apply", "pulse".
func (k EventKind) String() string { return wordlist.Word(eventWords, k) }

// Event is something that happened to one owner. The events of an owner are in the order in which
// they happened.
type Event struct {
	At   wheel.Time // the instant at which it happened by the rules
	Seen wheel.Time // the frame in which it was processed; later than At in a late or coarse frame

	// Seq numbers the events of an owner from 1, in their order: see [EventID]. It is 0 for
	// events that only report that a buff was loaded or unloaded with its owner, Restored and
	// Removed with reason Unload, and for the Faulted of a cascade among several owners, which
	// belongs to no owner.
	Seq uint64

	Owner  OwnerID
	Source OwnerID // the owner that applied the buff; of a Died, the killer, or 0
	// Target is, of a Reacted, the other owner of the act, or 0; of the Died that a handler in
	// [Hooks].Death gets, the killer; of a Missed, the owner that does not exist, or 0 for the
	// game.
	Target OwnerID
	Spec   *Spec  // nil for a TimedOut, for a cascade, and for a Changed and a Died by a command of the game
	Handle Handle // the instance; zero for an instant buff, a Denied, a TimedOut and a Changed

	// End is the end of the instance, for an Applied, a Refreshed, a Queued, a Restored, a
	// Stacked with TimersEach (the end of the new stacks), a StackEnded that restarted the
	// duration, and a Hastened that moved it. It is Never for other events, for an infinite buff,
	// and while the buff is paused; in that case [Instance.Left] returns the remaining time.
	End wheel.Time

	// Next is the next pulse, for a Hastened and a Restored; otherwise it is Never or zero.
	Next wheel.Time

	// Elapsed and Period, in ms, are set for a pulse of less than a whole period, which has the
	// fraction Elapsed/Period of the effect. An Executed set off by a pulse has the values of the
	// pulse, and its Count.
	Elapsed, Period int64

	// Offline, for a buff that ended while its owner was away, is how long the owner was away, in
	// ms by the buff's clock. If the buff's actions run then (define.OfflineRun), or if such
	// actions have applied it, Offline is how long ago it ended.
	Offline int64

	// Magnitude is the magnitude of the application. For a Queued it belongs to the running
	// application; for a Pulsed with TimersEach it is the sum over the stacks that pulse; for a
	// Changed, the damage that shields absorbed; for a Reacted, the amount of the act.
	Magnitude int64

	// Delta is the change of the base, for a Changed, and Value the base after it.
	Delta, Value float64

	// Name is the name of a timeout; the act of an Interrupt or a Reacted; the attribute of a
	// Changed; the action of a Missed, as in "apply sting to target"; or, for a Denied with
	// NoParam, the number that is missing, or that is provided and not used.
	Name string

	Stacks int32 // after the event; for a Pulsed, the stacks that pulse
	Count  int32 // number of pulses that a Pulsed represents, or the pulse that set off an Executed, if above 1; otherwise 0
	Level  int16
	Attr   stat.Attr // of a Changed
	Kind   EventKind
	// Why is set for Removed, StackEnded, Denied and Faulted, and is Immune for a Hidden and a
	// Suppressed if that is the only cause.
	Why Reason
}

// EventID identifies an event across zones, machines and restarts. The counter is part of the
// owner's blob and moves with the owner. An owner created without a blob starts at 1.
//
// After a crash, an owner and its counter continue from the last blob. Events that are repeated
// in the same way, as by a replay, get the same numbers. If the game takes another course, the
// numbers of the lost events are given to other events. To detect duplicates by EventID,
// therefore handle an event only when it is on disk: see store.Saver.Effects.
type EventID struct {
	Owner OwnerID // the owner of the event
	Seq   uint64  // its number among the events of that owner
}

// ID returns the identity of the event. Its Seq may be 0.
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

// appendChange appends the fields of a Changed after its definition, if it has one.
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
