package buff

// kill: the owner dies.
func (s *Set) kill(t *Turn) Result {
	s.each(func(at uint16) {
		switch i := &s.slots[at]; i.spec.OnDeath {
		case FateRemove:
			s.end(t, at, Death)
		case FatePause:
			s.setDeathPause(t, at, true)
		}
	})
	return Result{}
}

// revive: the owner lives again.
func (s *Set) revive(t *Turn) Result {
	s.each(func(at uint16) {
		if s.slots[at].flags&deathPaused != 0 {
			s.setDeathPause(t, at, false)
		}
	})
	return Result{}
}

// setDeathPause holds the time of a buff while its owner is dead. It is a cause of its own:
// a Resume does not end it.
func (s *Set) setDeathPause(t *Turn, at uint16, on bool) {
	s.flush(t, at)
	i := &s.slots[at]
	p := s.paceOf(t, i)
	p.change(t.now, byDeath, on, Ratio{})
	i.flags &^= deathPaused
	if on {
		i.flags |= deathPaused
	}
	s.touch(at)
}

// byDeath is the cause in a buff's pace for which the owner's has the zone.
const byDeath = OfZone
