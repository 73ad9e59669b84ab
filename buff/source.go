package buff

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
			s.newSource(at, s.owner)
		}
	})
	return Result{}
}
