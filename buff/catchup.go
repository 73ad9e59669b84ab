package buff

// In a late frame, pulses of one instance that come due with nothing about it changing
// between them may be done as one, by Spec.Catchup: at the last of them, or when something
// changes. A frame is late for an instance if another of its pulses is due in it.

// catchUp does a pulse, or lets it wait for the next one, which is due in this frame too.
func (s *Set) catchUp(t *Turn, at uint16, elapsed int64) {
	i := &s.slots[at]
	if next := i.nextPulse(); elapsed == 0 && next <= s.nextEnd(i) && s.worldOf(i, next) <= t.Now {
		s.needExtra(i).owed++
		return
	}
	if elapsed != 0 {
		s.flush(t, at)
		s.pulse(t, at, elapsed)
		return
	}
	s.payUp(t, at, 1)
}

// flush does the pulses that wait, since something about the instance changes now.
func (s *Set) flush(t *Turn, at uint16) {
	i := &s.slots[at]
	if i.extra != noSlot && s.extraOf(i).owed > 0 {
		s.payUp(t, at, 0)
	}
}

// payUp does the pulses that wait, and more.
func (s *Set) payUp(t *Turn, at uint16, more int32) {
	i := &s.slots[at]
	count := more
	if i.extra != noSlot {
		x := s.extraOf(i)
		count += x.owed
		x.owed = 0
	}
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
	s.pulseTimes(t, at, 0, done)
}
