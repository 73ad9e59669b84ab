package buff

import "github.com/bufftick/bufftick/wheel"

// same reports whether a definition is the one that was asked for, maybe in another version.
// As long as a Set has seen one catalog only, that is a look at two pointers.
func (s *Set) same(spec, asked *Spec) bool {
	return spec == asked || (s.versions || asked.catalog != s.catalog) && spec.line == asked.line
}

// version settles of which version an instance and the application that joins it are from
// here on: the application's. Two with other rules of timers cannot be mixed; then the
// application has taken the old one already. It comes after everything that may refuse.
func (s *Set) version(t *Turn, at uint16, a *Application) {
	i := &s.slots[at]
	if i.spec != a.Spec {
		s.takeVersion(t, at, a)
	}
}

// tellVersion tells that an instance is of another version where nothing else would: whoever
// keeps something for a version learns of it by an event.
func (s *Set) tellVersion(t *Turn, at uint16) {
	e := s.about(Refreshed, at)
	e.End = s.endTold(t, &s.slots[at])
	t.emit(s, &e)
}

// takeVersion makes a running instance one of the application's version: what it grants and
// what is not plain about it changes at once, the pulse that is to come stays where it is.
func (s *Set) takeVersion(t *Turn, at uint16, a *Application) {
	i, spec := &s.slots[at], a.Spec
	if i.flags&hidden == 0 {
		s.take(t, at)
	}
	charged, was := i.spec.Charges.N > 0, s.running(i)
	s.modifiers += int32(len(spec.modifiers) - len(i.spec.modifiers))
	i.spec, i.period = spec, spec.periodAt(int(i.level))
	if i.extra != noSlot {
		x := s.extraOf(i)
		if x.length = 0; i.period == 0 {
			x.wanted = 0
		}
	}
	switch {
	case i.period == 0:
		i.beat = wheel.Never
	case i.beat == wheel.Never:
		i.beat = i.firstBeat(s.nowOf(t, i))
	case was != i.period:
		s.needExtra(i).length = was
	}
	if spec.uses&usesExtra != 0 {
		x := s.needExtra(i)
		x.shield = max(x.shield, spec.pool(t, a))
		if !charged {
			x.charges = int32(spec.Charges.N)
		}
	}
	if spec.uses&usesKept != 0 {
		s.keep(t, i, a)
	} else if i.extra != noSlot {
		s.extraOf(i).kept.empty()
	}
	if spec.uses&usesInterrupt != 0 {
		s.needGates().acts |= spec.interrupt | spec.consumeOn
	}
	s.unsettle()
	if i.flags&hidden == 0 {
		s.give(t, at)
	}
}
