package buff

import (
	"strconv"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/wordlist"
	"github.com/bufftick/bufftick/wheel"
)

// EventKind is the kind of an [Event].
type EventKind uint8

// Kinds of an [Event].
const (
	Applied    EventKind = iota + 1 // a new instance started
	Refreshed                       // the end of a live instance was set again, maybe to the same instant
	Stacked                         // a live instance got more stacks
	StackEnded                      // a live instance lost stacks and continues
	Pulsed                          // the periodic effect of an instance took place
	Executed                        // an instant buff was executed
	Removed                         // an instance ended
	Denied                          // an application was denied
	TimedOut                        // a timeout was due
	Faulted                         // a handler failed, or a cascade was stopped
	// Hidden means that the instance has lost its effect, for example because a requirement fails,
	// another buff of its group is stronger, or its owner is immune.
	Hidden
	Shown      // the instance has its effect again
	Suppressed // a pulse had no effect, because the buff is hidden or its owner immune
	Queued     // with TimersQueue, the running application was selected again
	Hastened   // the period of an instance changed
	Restored   // an instance was restored with its owner
	Changed    // the base of an attribute changed
	Reacted    // an act occurred for which the buff has actions: see [Happened]
	Missed     // the target of an action does not exist; Name is the action
	Died       // the owner died
	Revived    // the owner was revived

	// Done is not the kind of an event. It is the Kind of a Result if the command had an effect
	// that no event reports, such as a tag, a pause or an area.
	Done
)

var eventWords = []string{"", "apply", "refresh", "stack", "stackend", "pulse", "exec", "remove", "deny", "timeout", "error", "hide", "show", "suppressed", "queue", "period", "restore", "change", "react", "miss", "die", "revive", "done"}

// String returns the word for the kind in logs, such as "apply" or "pulse".
func (k EventKind) String() string { return wordlist.Word(eventWords, k) }

// Event is something that happened to one owner. The events of an owner are in the order in which
// they happened.
type Event struct {
	At   wheel.Time // the instant at which the event happens by the rules
	Seen wheel.Time // the time of the frame that processed the event; at least At

	// Seq numbers the events of an owner from 1, in their order: see [EventID]. It is 0 for a
	// Restored and for a Removed with reason Unload, which only report that a buff was loaded or
	// unloaded with its owner. It is also 0 for the Faulted of a cascade among several owners,
	// which belongs to no owner.
	Seq uint64

	Owner  OwnerID
	Source OwnerID // the owner that applied the buff; for a Died, the killer, or 0

	// Target is another owner, or 0. For a Reacted it is the other owner of the act. For the Died
	// that a handler in [define.Hooks].Death gets, it is the killer. For a Removed it is the owner
	// that removed the buff: see [define.Hooks].Remove. For a Missed it is the owner
	// that does not exist, or 0 if the target was the game.
	Target OwnerID

	// Spec is the definition of the buff. It is nil for a TimedOut, for the Faulted of a cascade,
	// and for a Changed or a Died that a command of the game caused.
	Spec *Spec

	Handle Handle // the instance; zero for an instant buff, a Denied, a TimedOut and a Changed

	// End is the end of the instance. It is set for an Applied, a Refreshed, a Queued, a Restored,
	// a StackEnded that restarted the duration, a Hastened that moved the end, and a Stacked with
	// TimersEach, where it is the end of the new stacks. It is Never for other events, for an
	// infinite buff, and while the buff is paused. [Instance.Left] returns the remaining time of
	// a paused buff.
	End wheel.Time

	// Next is the instant of the next pulse, for a Hastened and a Restored; for other events it is
	// Never or zero.
	Next wheel.Time

	// Elapsed and Period, in ms, are set for a pulse of less than a whole period. Such a pulse has
	// the fraction Elapsed/Period of the effect. If a pulse causes an Executed, the Executed has
	// the Elapsed, the Period and the Count of the pulse.
	Elapsed, Period int64

	// Offline is set if a buff ended while its owner was away. It is then how long the owner was
	// away, in ms of the buff's clock. With define.OfflineRun it is how long ago the buff ended. If
	// the actions of such an end have applied another buff that has ended too, it is how long ago
	// that buff ended.
	Offline int64

	// Magnitude is the magnitude of the application. For a Queued it is the magnitude of the
	// running application. For a Pulsed with TimersEach it is the sum over the stacks that pulse.
	// For a Changed it is the damage that shields absorbed. For a Reacted it is the amount of the
	// act.
	Magnitude int64

	// Delta is the change of the base of an attribute, and Value the base after the change. Both
	// are set for a Changed.
	Delta, Value float64

	// Name depends on Kind:
	//
	//	TimedOut   the name of the timeout
	//	Removed    with reason Interrupted, the act
	//	Reacted    the act, or "absorb" or "when" for on.absorb and on.when
	//	Changed    the attribute
	//	Missed     the action, as in "apply sting to target"
	//	Denied     with NoParam, the number that is missing, or that was provided but is not used
	Name string

	Stacks int32 // number of stacks after the event; for a Pulsed, the number of stacks that pulse

	// Count is the number of pulses that a Pulsed represents, if above 1; otherwise it is 0. If a
	// pulse causes an Executed, the Executed has the Count of the pulse.
	Count int32

	Level  int16
	Attr   stat.Attr // the attribute of a Changed
	School Tag       // for a Reacted to damage that the engine dealt, the school of the damage
	Kind   EventKind
	// Why is set for a Removed, StackEnded, Denied or Faulted. For a Hidden or a Suppressed it is
	// Immune if immunity is the only cause; otherwise it is reason.None.
	Why reason.Reason
}

// EventID identifies an event across zones, machines and restarts. The counter of an owner's
// events is part of the owner's blob and moves with the owner. An owner that is created without a
// blob starts at 1.
//
// After a crash, an owner and its counter continue from the last blob. If the same events happen
// again, as in a replay, they get the same numbers. If the game takes another course, the numbers
// of the lost events are given to other events. So if you detect duplicates by EventID, handle an
// event only when it is on disk: see store.Saver.Effects.
type EventID struct {
	Owner OwnerID // the owner of the event
	Seq   uint64  // number of the event among the events of the owner, see Event.Seq
}

// ID returns the identity of the event. Its Seq may be 0.
func (e *Event) ID() EventID { return EventID{e.Owner, e.Seq} }

// String returns "7:31": the 31st event of owner 7.
func (id EventID) String() string {
	return string(strconv.AppendUint(append(strconv.AppendUint(nil, uint64(id.Owner), 10), ':'), id.Seq, 10))
}

// AppendLog appends the event as one line of a scenario log, such as "3000 pulse venom x2", without
// a newline. If seen is true, the line of a late pulse ends with the time of its frame, as in
// " seen=8000".
func (e *Event) AppendLog(dst []byte, seen bool) []byte {
	dst = strconv.AppendInt(dst, int64(e.At), 10)
	dst = append(dst, ' ')
	if e.Kind == Removed && e.Why == reason.Unload {
		return append(append(dst, "unload "...), e.Spec.ID...)
	}
	dst = append(dst, e.Kind.String()...)
	switch {
	case e.Spec != nil:
		dst = append(append(dst, ' '), e.Spec.ID...)
	case e.Name != "":
		dst = append(append(dst, ' '), e.Name...)
	case e.Kind == Faulted: // a cascade, or a timeout with a function
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
	if e.Why != reason.None {
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

// appendChange appends the fields of a Changed that follow its definition.
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

// SheetChange is an earlier value of an input of an owner's attributes, before a change that no
// event reports. It is one of these: the version of a buff that moves to another one; a number of a
// buff that changes, or ends with the buff; the fact that a buff was hidden when it ended; a base
// that differed from Value minus Delta of its Changed. An earlier state can be computed from the
// present state, the events and these changes.
type SheetChange struct {
	At   wheel.Time // world time of the change
	Seen wheel.Time // time of the frame, like Event.Seen

	Owner  OwnerID
	Handle Handle // the buff; 0 for a change of a base
	Spec   *Spec  // the earlier version
	Hidden bool   // the buff was hidden
	Place  int    // index of the number among the evaluated numbers of the buff; below 0 if no number has changed

	Attr stat.Attr // the attribute whose base has changed
	Was  float64   // previous value of the number or of the attribute's base
}

// TimeChange describes a pause, a resumption or a new rate of an owner's time or of the time of one
// buff. No [Event] reports such a change.
type TimeChange struct {
	At   wheel.Time // world time of the change
	Seen wheel.Time // time of the frame, like Event.Seen

	Owner  OwnerID
	Handle Handle    // the buff, or 0 for the time of the owner
	Verb   verb.Verb // verb.Pause, verb.Resume or verb.SetRate
	// Whose is OfOwner, OfArea or OfBuff: whose time was changed. With a Handle, OfArea means that
	// a buff with on_death pause was paused by the death of its owner, or resumed by the revival.
	Whose define.Whose
	Rate  Ratio // the new rate, for verb.SetRate
	Old   Ratio // the previous rate of the same Whose, for verb.SetRate

	// Was and Is are the effective rates before and after the change, with all causes combined.
	// For an owner they are relative to world time, for a buff to owner time. 0 means paused.
	Was, Is float64
}
