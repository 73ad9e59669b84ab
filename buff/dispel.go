package buff

import "github.com/bufftick/bufftick/buff/define"

// purge takes off what a dispel finds: so many portions, buff by buff and round by round, or
// all. It never pulses and never refreshes anything. What resists counts as a portion: a dispel that
// meets nothing but resistance is used up.
//
// A round takes one portion of each buff, so that three portions against three buffs of three stacks take one
// stack of each. A round in which nothing yields is the last.
//
// Stories: testdata/dispel.txt, dispel_grades.txt, dispel_resist.txt, dispel_stacks.txt,
// dispel_charges.txt.
func (s *Set) purge(t *Turn, q *Query) Result {
	var r Result
	for {
		before := r.Amount
		s.found(t, q, func(at uint16) bool {
			if !s.specOf(s.slot(at)).yieldsTo(q.Grade) {
				return true
			}
			if q.Most > 0 && int(r.Amount) >= q.Most {
				return false
			}
			r.Amount++
			if s.dispel(t, at, q) {
				r.Kind, r.Why = Removed, Dispelled
			}
			return true
		})
		if q.Most == 0 || int(r.Amount) >= q.Most || r.Amount == before {
			return r
		}
	}
}

// dispel takes one portion off an instance, or all of it, unless it resists.
//
// A portion is what the query says, a number of stacks, or else what the definition says: all, a stack, a charge. A query
// for all (Most is zero) that says no stacks takes whole buffs, whatever their definition says.
func (s *Set) dispel(t *Turn, at uint16, q *Query) bool {
	d := &s.specOf(s.slot(at)).Dispel
	if d.Resist > 0 && s.needGates().lucky(t.Seed, s.owner, d.Resist) {
		e := s.about(Denied, at)
		e.Why = Resisted
		t.emit(s, &e)
		return false
	}
	all := q.Most == 0
	switch {
	case q.Stacks > 0:
		s.lose(t, at, q.Stacks, Dispelled)
	case !all && d.Per == define.PerStack:
		s.lose(t, at, 1, Dispelled)
	case !all && d.Per == define.PerCharge && s.specOf(s.slot(at)).Charges.N > 0:
		s.useCharges(t, at, 1, Dispelled)
	default:
		s.end(t, at, Dispelled)
	}
	return true
}

// yieldsTo reports whether a dispel of that grade takes the buff off.
func (s *Spec) yieldsTo(g define.Grade) bool {
	return s.Dispel.Grade <= g && s.Dispel.Grade != define.GradeUndispellable
}

// meant reports whether a query means the instance.
func (s *Set) meant(q *Query, i *instance) bool {
	spec := s.specOf(i)
	return (q.Spec == nil || s.same(spec, q.Spec)) && (q.Tag == 0 || has(spec.tags, q.Tag)) &&
		(q.Type == "" || spec.Dispel.Type == q.Type) && (q.Polarity == define.Neutral || spec.Polarity == q.Polarity) &&
		(q.Source == 0 || i.source == q.Source) && (q.Compensate == "" || spec.Save.Compensate == q.Compensate)
}

// found calls f for every instance that a query means, in its order, until f returns false. Who is meant is settled before
// the first is touched; one that has gone by the time its turn comes is left out.
func (s *Set) found(t *Turn, q *Query, f func(at uint16) bool) {
	t.chosen = t.chosen[:0]
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		s.looked++
		if s.meant(q, s.slot(at)) {
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
