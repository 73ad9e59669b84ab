package buff

import (
	"math"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// pulse does the periodic effect that an application brings at once, with all stacks.
func (s *Set) pulse(t *Turn, at uint16) { s.pulseAt(t, at, offBeat, 0, 0, 0) }

// offBeat stands for the instant of a pulse that is on no beat: every async stack counts in it.
const offBeat wheel.Time = math.MinInt64

// pulseAt does the periodic effect of the instance's own instant own, or reports that it has
// none now; elapsed is zero for a whole one, otherwise the ms of the period that it stands
// for, of so many; count is how many pulses it stands for, if more than one.
//
// Stories: testdata/pulse_and_end.txt, catchup.txt.
func (s *Set) pulseAt(t *Turn, at uint16, own wheel.Time, elapsed, period int64, count int32) {
	i := s.slot(at)
	stacks, magnitude := int32(i.stacks), i.magnitude
	if s.specOf(i).Stack.Timers == define.TimersEach {
		if stacks, magnitude = s.counting(i, own); stacks == 0 {
			return
		}
	}
	e := s.tell(t, Pulsed, at)
	e.Stacks, e.Magnitude, e.Count = stacks, magnitude, count
	if i.flags&hidden != 0 {
		e.Kind, e.Why = Suppressed, whyHidden(i.flags)
		return
	}
	if elapsed != 0 {
		e.Elapsed, e.Period = elapsed, period
	}
	s.queuePulseActions(t, at, own)
}

// queuePulseActions does what follows from the pulse that was just told of the buff in a slot.
func (s *Set) queuePulseActions(t *Turn, at uint16, own wheel.Time) {
	i := s.slot(at)
	var async []asyncStack
	if i.extra != noSlot {
		async = s.extraOf(i).async
	}
	s.queuePulseActionsOf(t, at, i, s.specOf(i), s.magnitudesOf(i), async, own)
}

// queuePulseActionsOf does what follows from the pulse that was just told, of the buff in a slot, or of one that is on nobody
// any more. If a number that is asked for anew cannot be worked out, nothing of what hangs on it is done.
func (s *Set) queuePulseActionsOf(t *Turn, at uint16, i *instance, spec *program, k *magnitudes, async []asyncStack, own wheel.Time) {
	ops := spec.pulse
	sound := spec.uses&usesPulsed == 0 || s.reevaluatePulsed(t, at, i, spec, k, async)
	if k = t.numbersOf(spec, k, async, own); sound {
		s.queueActions(t, ops, k)
		return
	}
	e := t.Events[len(t.Events)-1]
	if at != noSlot {
		s.tell(t, Faulted, at).Why = BadValue
	} else {
		t.emit(s, &Event{
			Kind: Faulted, Why: BadValue, Spec: e.Spec, Source: e.Source, Stacks: int32(i.stacks), Level: e.Level, Magnitude: i.magnitude, End: wheel.Never,
		})
	}
	for j := range ops {
		if ops[j].change == nil || !ops[j].change.pulsed {
			s.queueEventActions(t, ops[j:j+1], &e, e.Source, k)
		}
	}
}

// firePulse does what is due at the instance's own instant own, a boundary of the period or the
// end of a partial tail, and moves on to the next boundary.
//
// The next one is counted from own and never from now, so that no late frame makes the beat drift; and it is set
// before the pulse is done, whose actions may change it.
func (s *Set) firePulse(t *Turn, at uint16, own wheel.Time) {
	i := s.slot(at)
	elapsed, period := int64(0), int64(0)
	if own == i.boundary {
		s.restartPeriod(i, own) // what is aligned finds back to its beat after a change of the period
		if own == i.end && s.specOf(i).Tail == define.TailPartial && s.elapsed(i, own) > 0 && !s.continues(i) {
			i.boundary = own.Add(s.period(i)) // at a rate of its own a boundary of its owner may lie before: this pulse is whole, and leaves no tail
		}
	} else {
		elapsed, period = s.elapsed(i, own), s.currentPeriod(i)
		s.restartPeriod(i, own)
		i.boundary = own.Add(s.period(i)) // also if it is aligned, or the tail would come again
	}
	if s.specOf(i).uses&usesCatchup != 0 {
		s.catchUp(t, at, own, elapsed, period)
		return
	}
	s.pulseAt(t, at, own, elapsed, period, 0)
}

// In a late frame, pulses of one instance that come due with nothing about it changing
// between them may be done as one, by Spec.Catchup: at the last of them, or when something
// changes. A frame is late for an instance if another of its pulses is due in it.

// catchUp does a pulse, or lets it wait for the next one, which is due in this frame too.
//
// A partial pulse is never one of several: it says for how much of a period it stands. Where the stacks that count change between
// two pulses, the ones before are done first, as they were.
//
// Stories: testdata/catchup.txt, catchup_change.txt, catchup_immune.txt, stat/parts.txt.
func (s *Set) catchUp(t *Turn, at uint16, own wheel.Time, elapsed, period int64) {
	i := s.slot(at)
	if elapsed != 0 {
		s.flush(t, at)
		s.pulseAt(t, at, own, elapsed, period, 0)
		return
	}
	x := s.ensureExtra(i)
	x.pendingPulses++
	x.lastPending = own
	if next := s.nextPulse(i); next > s.nextEnd(i) || s.toWorldTime(i, next) > t.Now || !s.sameCount(i, own, next) {
		s.flush(t, at)
	}
}

// flushAll is flush for all instances of which that is true.
func (s *Set) flushAll(t *Turn, which func(*program) bool) {
	s.each(func(at uint16) {
		if which(s.specOf(s.slot(at))) {
			s.flush(t, at)
		}
	})
}

// flush does the pulses that wait, since something about the instance changes now, or the
// last of them has come.
//
// Whoever is about to change something that a pulse would see calls it first: stacks, magnitude, end, hidden or not. So pulses
// that come late are those that would have come in time, only later. What they stand for is not done twice: pendingPulses is
// cleared before the pulse, which may come back here. Stories: testdata/catchup_change.txt, catchup_purge.txt.
func (s *Set) flush(t *Turn, at uint16) {
	i := s.slot(at)
	if i.extra == noSlot || s.extraOf(i).pendingPulses == 0 {
		return
	}
	x := s.extraOf(i)
	count, own := x.pendingPulses, x.lastPending
	x.pendingPulses = 0
	done := int32(1)
	if s.specOf(i).Catchup == define.CatchupCoalesce {
		done = count
		if most := s.specOf(i).CatchupMax; most > 0 {
			done = min(done, int32(most))
		}
	}
	t.Dropped += uint64(count - done)
	if done == 1 {
		done = 0 // one pulse that stands for itself says nothing of a count
	}
	s.pulseAt(t, at, own, 0, 0, done)
}

// Call is a Go handler to be called for an event.
type Call struct {
	Event   *Event // good until the handler is back; nobody may change it: that of the next call may stand in the same place
	Do      any    // the function of a timeout; nil: Handler
	Timeout TimeoutHandle
	Handler HandlerID
}

// waitingCall is a Call that has to wait, with its event.
type waitingCall struct {
	Call
	event Event
	quiet bool // see Turn.quiet
}

// forget lets go of what a call points to. It is more than three cache lines, and to clear all of it would take longer.
func (c *waitingCall) forget() { c.Event, c.event.Spec, c.event.Name, c.Do = nil, nil, "", nil }

// makeCurrent makes a call that has waited the current one. It stays where it is until the handler is back.
func (c *waitingCall) makeCurrent(t *Turn) {
	if t.current != &c.Call || c.Event != &c.event { // while the collector marks, a pointer that is written costs more than to ask
		c.Event, t.current = &c.event, &c.Call
	}
}

// callDeferred calls the first handler that was put off.
//
// It runs at the head of a Run, at the instant of its cause, which may lie before the frame: the handler sees the time at which it
// would have run if it had not been put off. Story: testdata/put_off.txt.
func (s *Set) callDeferred(t *Turn) {
	b := s.rare
	t.deferred = b.calls[len(b.calls)-int(b.pendingCalls)]
	t.deferred.makeCurrent(t)
	if b.pendingCalls--; b.pendingCalls == 0 {
		b.clearCalls()
	}
	t.begin(t.current.Event.At, s.timeScale().firstReached(t.current.Event.At), true)
	t.quiet = t.deferred.quiet
	s.call(t)
}

// clearCalls lets go of what the handlers that were put off refer to.
func (b *rareState) clearCalls() {
	clear(b.calls)
	b.calls = b.calls[:0]
}

// call calls the current handler, unless its buff has gone.
//
// Story: testdata/removed_is_silent.txt.
func (s *Set) call(t *Turn) {
	if t.Call == nil {
		return
	}
	e := t.current.Event
	if e.Handle != 0 && e.Kind != Removed && e.Kind != Reacted && e.Kind != Died && s.lookup(e.Handle) == nil {
		t.Dropped++ // nothing of a buff starts once it has gone, but what its removal calls, or what has used it up
		return
	}
	e.Seen = t.Now
	s.callNow(t)
}

// callNow calls the current handler.
func (s *Set) callNow(t *Turn) {
	t.calling = true
	why := t.Call(t, t.current)
	t.calling = false
	if why != NoReason {
		s.fault(t, why)
	}
}

// fault reports that the current handler failed, and lets its buff go if the definition wants it.
//
// The Faulted says of which event the handler was: a fault is found by the buff, the source and the instant.
// Story: testdata/faults.txt.
func (s *Set) fault(t *Turn, why Reason) {
	e := *t.current.Event
	e.Kind, e.Why, e.End, e.Period, e.Elapsed, e.Count = Faulted, why, wheel.Never, 0, 0, 0
	t.emit(s, &e)
	if e.Spec != nil && e.Spec.OnFault == define.FateRemove && s.lookup(e.Handle) != nil {
		s.end(t, e.Handle.slot(), Fault)
		s.conclude(t)
	}
}

// queueCall queues a handler, or puts it off to the next Run.
//
// Inside a Run it stands among the commands that the event has caused, in the order of the list of the definition. Outside,
// in a Do, no handler may be called: it waits in calls, which are the Set's own and not the Turn's, since that serves others
// before this one runs again.
func (s *Set) queueCall(t *Turn, of *Event, do any, h HandlerID, timeout TimeoutHandle) {
	to := &t.calls
	if t.inside {
		t.items = append(t.items, item{at: int32(len(t.calls)), round: t.round, call: true, quiet: t.quiet})
	} else {
		b := s.ensureRare()
		to = &b.calls
		b.pendingCalls++
	}
	n := len(*to)
	if n == cap(*to) {
		*to = append(*to, waitingCall{})
	}
	*to = (*to)[:n+1]
	c := &(*to)[n] // where it stays: it is long
	c.event, c.Do, c.Handler, c.Timeout, c.quiet = *of, do, h, timeout, t.quiet
}
