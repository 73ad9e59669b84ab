package buff

import "github.com/bufftick/bufftick/wheel"

// pulse does the periodic effect that an application brings at once.
func (s *Set) pulse(t *Turn, at uint16) {
	s.pulseAt(t, at, s.nowOf(t, &s.slots[at]), 0, 0, 0)
}

// pulseAt does the periodic effect of the instance's own instant own, or reports that it has
// none now; elapsed is zero for a whole one, otherwise the ms of the period that it stands
// for, of so many; count is how many pulses it stands for, if more than one.
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
	if i.flags&hidden != 0 || s.gates != nil {
		if yes, why := s.suppressed(at); yes {
			e.Kind, e.Why = Suppressed, why
			return
		}
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
		s.follow(t, ops, s.keptOf(i))
		return
	}
	e := &t.Events[len(t.Events)-1]
	s.tell(t, Faulted, at).Why = BadValue
	for k := range ops {
		if ops[k].change == nil || !ops[k].change.pulsed {
			s.followEvent(t, ops[k:k+1], e, s.keptOf(i))
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
