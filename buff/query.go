package buff

// meant reports whether a query means the instance.
func (s *Set) meant(q *Query, i *instance) bool {
	spec := i.spec
	return (q.Spec == nil || s.same(spec, q.Spec)) && (q.Tag == 0 || has(spec.tags, q.Tag)) &&
		(q.Type == "" || spec.Dispel.Type == q.Type) && (q.Polarity == Neutral || spec.Polarity == q.Polarity) &&
		(q.Source == 0 || i.source == q.Source) && (q.Compensate == "" || spec.Save.Compensate == q.Compensate)
}

// found calls f for every instance that a query means, in its order, until f returns false.
func (s *Set) found(t *Turn, q *Query, f func(at uint16) bool) {
	t.chosen = t.chosen[:0]
	for at := s.oldest; at != noSlot; at = s.slots[at].newer {
		if s.meant(q, &s.slots[at]) {
			t.chosen = append(t.chosen, s.handle(at))
		}
	}
	for k := range t.chosen {
		h := t.chosen[k]
		if q.Newest {
			h = t.chosen[len(t.chosen)-1-k]
		}
		if s.lives(h) && !f(h.slot()) {
			return
		}
	}
}

// lives reports whether a handle names something that runs.
func (s *Set) lives(h Handle) bool { return s.lookup(h) != nil }
