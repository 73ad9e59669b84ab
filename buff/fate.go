package buff

// What befalls an owner, or the source of a buff.

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

// loseSource: whoever applied buffs leaves.
func (s *Set) loseSource(t *Turn, source OwnerID) Result {
	s.each(func(at uint16) {
		i := &s.slots[at]
		if i.source != source {
			return
		}
		switch i.spec.OnSourceGone {
		case FateRemove:
			s.end(t, at, SourceGone)
		case FateAdopt:
			s.flush(t, at)
			i.source = s.owner
		}
	})
	return Result{}
}

// interrupt: the owner did something that ends buffs.
func (s *Set) interrupt(t *Turn, act Act) Result {
	var r Result
	if s.gates == nil || s.gates.acts&act.bit() == 0 {
		return r
	}
	s.each(func(at uint16) {
		if spec := s.slots[at].spec; spec.interrupt&act.bit() != 0 {
			s.endNamed(t, at, Interrupt, spec.catalog.ActName(act))
			r.Amount++
		}
	})
	return r
}
