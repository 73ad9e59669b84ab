package rules

import (
	"math"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/handle"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/wheel"
)

// pulse executes a pulse that an application causes immediately. All stacks count in this pulse.
func pulse(t *Turn, i instance) {
	pulseAt(t, i, offBoundary, 0, 0, 0)
}

// offBoundary is passed instead of an instant if a pulse is not at a boundary of the period. All
// async stacks count in such a pulse.
const offBoundary clock.BuffTime = math.MinInt64

// pulseAt emits a pulse and queues its actions. If the buff is hidden, it emits a Suppressed
// instead. The parameter `own` is the instant of the pulse in the instance's time. For a partial
// pulse, `elapsed` is the elapsed part of the period in ms; otherwise it is zero. If the pulse
// stands for more than one pulse, `count` is their number; otherwise it is zero.
//
// Examples: testdata/pulse_and_end.txt, catchup.txt.
func pulseAt(t *Turn, i instance, own clock.BuffTime, elapsed, period int64, count int32) {
	stacks, magnitude := int32(i.stacks), i.magnitude
	if i.program().Stack.Timers == define.TimersEach {
		if stacks, magnitude = i.countedStacks(own); stacks == 0 {
			return
		}
	}
	e := i.emit(t, buff.Pulsed)
	e.Stacks, e.Magnitude, e.Count = stacks, magnitude, count
	if i.flags&hidden != 0 {
		e.Kind, e.Why = buff.Suppressed, whyHidden(i.flags)
		return
	}
	if elapsed != 0 {
		e.Elapsed, e.Period = elapsed, period
	}
	queuePulseActions(t, i, own)
}

// queuePulseActions queues the actions for the pulse that was just emitted for the buff.
func queuePulseActions(t *Turn, i instance, own clock.BuffTime) {
	var async []asyncStack
	if i.extraIndex != noSlot {
		async = i.extra().async
	}
	queuePulseActionsWith(t, i, i.program(), i.magnitudes(), async, own)
}

// queuePulseActionsWith queues the actions for the pulse that was just emitted for an instance. The
// slot of the instance is noSlot for a restored buff that has already ended. If a number with
// SnapshotPulse cannot be evaluated, queuePulseActionsWith emits a Faulted and skips the actions
// that depend on such numbers.
func queuePulseActionsWith(t *Turn, i instance, spec *compile.Program, k *magnitudes, async []asyncStack, own clock.BuffTime) {
	s := i.owner
	ops := spec.Pulse
	sound := spec.Uses&compile.UsesPulsed == 0 || reevaluatePulsed(t, i, spec, k, async)
	if k = t.numbersOf(spec, k, async, own); sound {
		queueActions(t, s, ops, k)
		return
	}
	e := t.Events[len(t.Events)-1]
	if i.slot != noSlot {
		i.emit(t, buff.Faulted).Why = reason.BadValue
	} else {
		t.emit(s, &buff.Event{
			Kind: buff.Faulted, Why: reason.BadValue, Spec: e.Spec, Source: e.Source, Stacks: int32(i.stacks), Level: e.Level, Magnitude: i.magnitude, End: wheel.Never,
		})
	}
	for j := range ops {
		if ops[j].Change == nil || !ops[j].Change.Pulsed {
			queueEventActions(t, s, ops[j:j+1], &e, e.Source, k)
		}
	}
}

// firePulse executes a due pulse and advances to the next boundary of the period. The parameter
// `own` is the instant of the pulse in the instance's time. It is a boundary of the period or, for
// a partial pulse, the end of the buff.
//
// The next boundary is counted from `own`, not from the present, so that late frames cause no
// drift. It is set before the pulse is emitted, because the actions of the pulse may change it.
func firePulse(t *Turn, i instance, own clock.BuffTime) {
	elapsed, period := int64(0), int64(0)
	if own == i.boundary {
		i.restartPeriod(own) // if aligned, the period returns to its phase after a change
		if own == i.end && i.program().Tail == define.TailPartial && i.elapsed(own) > 0 && !i.continues() {
			// This was a whole pulse at the end. If aligned boundaries are at other instants, the
			// time since the last of them must not cause a partial pulse as well.
			i.boundary = own.Add(i.period())
		}
	} else {
		elapsed, period = i.elapsed(own), i.currentPeriod()
		i.restartPeriod(own)
		i.boundary = own.Add(i.period()) // even if aligned, so that the partial pulse is not repeated
	}
	if i.program().Uses&compile.UsesCatchup != 0 {
		catchUp(t, i, own, elapsed, period)
		return
	}
	pulseAt(t, i, own, elapsed, period, 0)
}

// In a late frame, several due pulses of one instance may be combined into one pulse, according to
// Spec.Catchup. This is possible only if the instance does not change between these pulses. The
// combined pulse runs at the instant of the last of them, or just before a change. A frame is late
// for an instance if more than one of its pulses is due in the frame.

// catchUp executes a pulse, or leaves it pending because the next one is due in this frame too.
//
// A partial pulse is never combined, because its event gives the elapsed part of one period. If
// different stacks count in the next pulse, the pending pulses run first, with the stacks that
// count in them.
//
// Examples: testdata/catchup.txt, catchup_change.txt, catchup_immune.txt, stat/parts.txt.
func catchUp(t *Turn, i instance, own clock.BuffTime, elapsed, period int64) {
	if elapsed != 0 {
		flushPulses(t, i)
		pulseAt(t, i, own, elapsed, period, 0)
		return
	}
	x := i.ensureExtra()
	x.pendingPulses++
	x.lastPending = own
	if next := i.nextPulse(); next > i.nextEnd() || i.clocks().ToWorld(next) > t.Now || !i.sameCountedStacks(own, next) {
		flushPulses(t, i)
	}
}

// flushMatching calls flushPulses for each instance for whose definition the function `which`
// returns true.
func flushMatching(t *Turn, s *Owner, which func(*compile.Program) bool) {
	s.eachInstance(func(i instance) {
		if which(i.program()) {
			flushPulses(t, i)
		}
	})
}

// flushPulses executes the pending pulses of an instance as one pulse, according to Spec.Catchup.
//
// It must be called before every change that affects a pulse: a change of stacks, magnitude, end or
// visibility. So late pulses have the same results as pulses on time. The number of pending pulses
// is cleared first, because the pulse may call flushPulses again. Examples:
// testdata/catchup_change.txt, catchup_purge.txt.
func flushPulses(t *Turn, i instance) {
	if i.extraIndex == noSlot || i.extra().pendingPulses == 0 {
		return
	}
	x := i.extra()
	count, own := x.pendingPulses, x.lastPending
	x.pendingPulses = 0
	done := int32(1)
	if i.program().Catchup == define.CatchupCoalesce {
		done = count
		if most := i.program().CatchupMax; most > 0 {
			done = min(done, int32(most))
		}
	}
	t.Dropped += uint64(count - done)
	if done == 1 {
		done = 0 // a single pulse has no count
	}
	pulseAt(t, i, own, 0, 0, done)
}

// Call is a Go handler to be called for an event.
type Call struct {
	Event   *buff.Event // read-only, and valid only until the handler returns; the memory is reused
	Do      any         // the function of a timeout; nil if Handler is set
	Timeout buff.TimeoutHandle
	Handler define.HandlerID
}

// waitingCall is a queued Call with its own copy of the event.
type waitingCall struct {
	Call
	event buff.Event
	quiet bool // see Turn.quiet
}

// forget clears the pointers of a call. Clearing the whole call, which takes more than three cache
// lines, would be slower.
func (c *waitingCall) forget() { c.Event, c.event.Spec, c.event.Name, c.Do = nil, nil, "", nil }

// makeCurrent makes a queued call the current one. The call must not be moved in memory until the
// handler has returned.
func (c *waitingCall) makeCurrent(t *Turn) {
	if t.current != &c.Call || c.Event != &c.event {
		c.Event, t.current = &c.event, &c.Call
	}
}

// callDeferred calls the first deferred handler.
//
// The handler is called at the start of a Run, but at the instant of its cause, which may be before
// the frame. So the handler sees the time at which it would have run without the delay. Example:
// testdata/put_off.txt.
func callDeferred(t *Turn, s *Owner) {
	b := s.rare
	t.deferred = b.calls[len(b.calls)-int(b.pendingCalls)]
	t.deferred.makeCurrent(t)
	if b.pendingCalls--; b.pendingCalls == 0 {
		b.clearCalls()
	}
	t.begin(t.current.Event.At, s.timeScale().ToInner(t.current.Event.At), true)
	t.quiet = t.deferred.quiet
	call(t, s)
}

// clearCalls releases the references of the deferred calls.
func (b *rareState) clearCalls() {
	clear(b.calls)
	b.calls = b.calls[:0]
}

// call calls the current handler, unless its buff has ended.
//
// Example: testdata/removed_is_silent.txt.
func call(t *Turn, s *Owner) {
	if t.Call == nil {
		return
	}
	e := t.current.Event
	if e.Handle != 0 && e.Kind != buff.Removed && e.Kind != buff.Reacted && e.Kind != buff.Died && !s.isLive(e.Handle) {
		t.Dropped++ // after the end of a buff, only handlers for its removal, a death or a reaction are called
		return
	}
	e.Seen = t.Now
	callNow(t, s)
}

// callNow calls the current handler.
func callNow(t *Turn, s *Owner) {
	t.calling = true
	why := t.Call(t, t.current)
	t.calling = false
	if why != reason.None {
		fault(t, s, why)
	}
}

// fault reports that the current handler failed, and ends the buff of the handler if its OnFault is
// define.FateRemove.
//
// The Faulted names the buff, the source and the instant of the handler's event. Example:
// testdata/faults.txt.
func fault(t *Turn, s *Owner, why reason.Reason) {
	e := *t.current.Event
	e.Kind, e.Why, e.End, e.Period, e.Elapsed, e.Count = buff.Faulted, why, wheel.Never, 0, 0, 0
	t.emit(s, &e)
	if e.Spec != nil && e.Spec.OnFault == define.FateRemove && s.isLive(e.Handle) {
		end(t, s.slot(handle.Slot(e.Handle)), reason.Fault)
		evaluateConditions(t, s)
	}
}

// queueCall queues the call of a handler, or defers it to the next Run.
//
// Inside a Run, the call is queued among the commands that the event causes, in the order of the
// definition's list. Inside a Do, no handler may be called, so the call is deferred. A deferred
// call is stored in the Owner, because the Turn serves other Owners before this Owner runs again.
func queueCall(t *Turn, s *Owner, of *buff.Event, do any, h define.HandlerID, timeout buff.TimeoutHandle) {
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
	c := &(*to)[n] // filled in place, because it is large
	c.event, c.Do, c.Handler, c.Timeout, c.quiet = *of, do, h, timeout, t.quiet
}
