package rules

import (
	"math"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/internal/rules/deadline"
	"github.com/bufftick/bufftick/wheel"
)

// A buff pulses at each boundary of its period, and at its end if the end is a boundary. A pulse of a
// hidden buff is suppressed.

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
	queueSound(t, s, ops, &e, e.Source, k, false)
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
		nextPeriod(t, i, own)
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

// In most games, most turns consist of one pulse of a plain buff. The pulse calls one handler, and
// its only consequence is the next pulse. The general code checks many rules for such a turn and
// uses lists of changes and of queued items, which makes it a third slower. The fast path in this
// file has the same observable results, with one exception: if a handler does not return,
// [Owner.Looked] counts one visit less. TestPulseOnly compares the two.

// pulseOnly executes the only due event of an Owner if that event is a pulse for the fast path and
// the next event of the same instance is not due in this turn. Otherwise it has no effect and
// returns false.
//
// Like firePulse, it sets the next deadline of the instance before it calls the handler,
// because the handler may change the deadline or not return.
func pulseOnly(t *Turn, i instance, until wheel.Time) bool {
	s := i.owner
	if i.flags != 0 || i.extraIndex != noSlot || s.gates() != nil || s.timeScale() != nil {
		return false
	}
	own := i.boundary                      // no time is scaled, so it is also owner time and world time
	boundary := own.Add(int64(i.period32)) // flags is 0, so the period is not in an extra: see instance.period
	due := min(boundary, i.end)
	if wheel.Time(due) <= until || own > min(clock.BuffTime(until), i.end) { // the pulse is not the only due event, or is not due yet: see deadline.List.File
		return false
	}
	p := i.program()
	if p.Uses&compile.UsesOnlyCall == 0 {
		return false
	}
	t.Ran++
	s.visited += workPerDeadline
	t.begin(wheel.Time(own), clock.OwnerTime(own), true)
	i.boundary = boundary
	place := deadline.PlaceOf(s.number, deadline.BuffRef(i.slot))
	t.File(s.records.Key(i.slot), place, wheel.Time(due), t.at)
	emitPulse(t, i, p, i.handle())
	callPulse(t, s, p.Pulse[0].Handler)
	if len(t.items) > 0 || !s.agenda.Empty() {
		// The handler has caused changes, so compute this deadline again, with the others.
		t.Withdraw(s.records.Key(i.slot), place)
		i.markDirty(t)
	} else {
		s.visited += workPerDeadline
	}
	return true
}

// emitPulse emits the pulse. It builds the event in the Turn, which is in the cache, and copies the
// event to the event list, which is not in the cache. So the handler reads the event from the
// cache. Fields of the event that emitPulse does not set are always zero.
func emitPulse(t *Turn, i instance, p *compile.Program, h buff.Handle) {
	e := &t.pulseCall.event
	e.At, e.Seen, e.Seq, e.End = t.at, t.Now, i.owner.Count(), wheel.Never
	e.Owner, e.Source, e.Handle = i.owner.id, i.source, h
	if e.Spec != &p.Spec { // skips the GC write barrier if unchanged
		e.Spec = &p.Spec
	}
	e.Stacks, e.Level, e.Magnitude, e.Kind = int32(i.stacks), i.level, i.magnitude, buff.Pulsed
	if n := len(t.Events); n < cap(t.Events) {
		t.Events = t.Events[:n+1]
		t.Events[n] = *e
	} else {
		*t.appendEvent() = *e
	}
}
