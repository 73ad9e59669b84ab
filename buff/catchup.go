package buff

import "github.com/bufftick/bufftick/wheel"

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
