package buff

import "github.com/bufftick/bufftick/wheel"

// Lineage returns the number of the definition's ID in its catalog, counted from 1: the same
// for all its versions in the catalogs that [Catalog.Rebuild] has made one from another.
func (s *Spec) Lineage() int { return int(s.lineage) }

// Revision counts the versions of a lineage that said something else than the one before. In
// two catalogs of which one [Catalog.Succeeds] the other, versions of equal revision say
// the same.
func (s *Spec) Revision() int { return int(s.revision) }

// Lineages returns how many IDs there are, or were, in the catalog and those whose place it
// has taken: the greatest [Spec.Lineage].
func (c *Catalog) Lineages() int { return len(c.lineages.list) }

// Calls reports whether a definition of this very catalog calls the Go handler of that
// name; [Catalog.Handlers] also has those that only earlier ones did.
func (c *Catalog) Calls(handler string) bool { return c.called[handler] }

// same reports whether a definition is the one that was asked for, maybe in another version.
// As long as a Set has seen one catalog only, that is a look at two pointers.
func (s *Set) same(spec, asked *Spec) bool {
	return spec == asked || (s.versions || asked.catalog != s.catalog) && spec.lineage == asked.lineage
}

// version settles of which version an instance and the application that joins it are from
// here on: the application's. Two with other rules of timers cannot be mixed; then the
// application has taken the old one already. It comes after everything that may refuse.
func (s *Set) version(t *Turn, at uint16, a *Application) {
	i := &s.slots[at]
	if s.specOf(i) != a.Spec {
		s.takeVersion(t, at, a)
	}
}

// tellVersion tells that an instance is of another version where nothing else would: whoever
// keeps something for a version learns of it by an event.
func (s *Set) tellVersion(t *Turn, at uint16) {
	e := s.about(Refreshed, at)
	e.End = s.endTold(&s.slots[at])
	t.emit(s, &e)
}

// takeVersion makes a running instance one of the application's version: what it grants and
// what is not plain about it changes at once, the pulse that is to come stays where it is.
func (s *Set) takeVersion(t *Turn, at uint16, a *Application) {
	i, spec := &s.slots[at], a.Spec
	s.tellPast(t, at, true)
	if i.flags&hidden == 0 {
		s.take(t, at)
	}
	s.allCeased(t, at) // by the new version it may be of another group
	charged, was := s.specOf(i).Charges.N > 0, s.running(i)
	s.modifiers += int32(len(spec.modifiers) - len(s.specOf(i).modifiers))
	s.setSpec(at, spec)
	i.period = spec.periodAt(int(i.level))
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
		now := s.nowOf(t, i)
		i.beat = s.firstBeat(i, now)
		s.inStep(i, now)
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
	if spec.uses&usesMagnitudes != 0 {
		s.keep(t, i, a)
	} else if i.extra != noSlot {
		s.extraOf(i).magnitudes.empty()
	}
	if spec.uses&usesActs != 0 {
		s.needGates().acts |= spec.acts()
	}
	s.needGates().expose() // another version may have other tags, and another rule
	if i.flags&hidden == 0 {
		s.give(t, at)
	}
}
