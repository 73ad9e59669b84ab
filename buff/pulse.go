package buff

import (
	"math"

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
	i := &s.slots[at]
	stacks, magnitude := int32(i.stacks), i.magnitude
	if i.spec.Stack.Timers == TimersEach {
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
	s.followPulse(t, at)
}

// followPulse does what follows from the pulse that was just told. If a number that is asked
// for anew cannot be worked out, nothing of what hangs on it is done.
func (s *Set) followPulse(t *Turn, at uint16) {
	i := &s.slots[at]
	ops := i.spec.pulse
	if i.spec.uses&usesPulsed == 0 || s.askAgain(t, at) {
		s.follow(t, ops, s.magnitudesOf(i))
		return
	}
	e := &t.Events[len(t.Events)-1]
	s.tell(t, Faulted, at).Why = BadValue
	for k := range ops {
		if ops[k].change == nil || !ops[k].change.pulsed {
			s.followEvent(t, ops[k:k+1], e, e.Source, s.magnitudesOf(i))
		}
	}
}

// beat does what is due at the instance's own instant own, a boundary of the period or the
// end of a partial tail, and moves on to the next boundary.
func (s *Set) beat(t *Turn, at uint16, own wheel.Time) {
	i := &s.slots[at]
	elapsed, period := int64(0), int64(0)
	if own == i.beat {
		s.newBeat(i, own) // what is aligned finds back to its beat after a change of the period
	} else {
		elapsed, period = s.elapsed(i, own), s.running(i)
		s.newBeat(i, own)
		i.beat = own.Add(i.period) // also if it is aligned, or the tail would come again
	}
	if i.spec.uses&usesCatchup != 0 {
		s.catchUp(t, at, own, elapsed, period)
		return
	}
	s.pulseAt(t, at, own, elapsed, period, 0)
}

// In a late frame, pulses of one instance that come due with nothing about it changing
// between them may be done as one, by Spec.Catchup: at the last of them, or when something
// changes. A frame is late for an instance if another of its pulses is due in it.

// catchUp does a pulse, or lets it wait for the next one, which is due in this frame too.
func (s *Set) catchUp(t *Turn, at uint16, own wheel.Time, elapsed, period int64) {
	i := &s.slots[at]
	if elapsed != 0 {
		s.flush(t, at)
		s.pulseAt(t, at, own, elapsed, period, 0)
		return
	}
	x := s.needExtra(i)
	x.owed++
	x.owedAt = own
	if next := s.nextPulse(i); next > s.nextEnd(i) || s.worldOf(i, next) > t.Now || !s.sameCount(i, own, next) {
		s.flush(t, at)
	}
}

// flushAll is flush for all instances of which that is true.
func (s *Set) flushAll(t *Turn, which func(*Spec) bool) {
	s.each(func(at uint16) {
		if which(s.slots[at].spec) {
			s.flush(t, at)
		}
	})
}

// flush does the pulses that wait, since something about the instance changes now, or the
// last of them has come.
func (s *Set) flush(t *Turn, at uint16) {
	i := &s.slots[at]
	if i.extra == noSlot || s.extraOf(i).owed == 0 {
		return
	}
	x := s.extraOf(i)
	count, own := x.owed, x.owedAt
	x.owed = 0
	done := int32(1)
	if i.spec.Catchup == CatchupCoalesce {
		done = count
		if most := i.spec.CatchupMax; most > 0 {
			done = min(done, int32(most))
		}
	}
	t.Dropped += uint64(count - done)
	if done == 1 {
		done = 0
	}
	s.pulseAt(t, at, own, 0, 0, done)
}
