package buff

import (
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/handle"
)

// purge removes portions of the buffs that a dispel matches. It never pulses or refreshes a buff.
//
// Examples: testdata/dispel.txt, dispel_grades.txt, dispel_resist.txt, dispel_stacks.txt,
// dispel_charges.txt.
func (s *Set) purge(t *Turn, q *Query) Result {
	return s.portions(t, q, Dispelled, func(at uint16) { s.dispel(t, at, q) })
}

// portions calls the function take for each portion of a dispel or a steal. There are Query.Most
// portions or, if Most is zero, one portion of each buff. A buff that resists uses up a portion.
//
// Each round takes at most one portion of each buff. For example, if three portions of one stack
// each are taken from three buffs, each buff loses one stack. The last round is the one that takes
// no portion.
func (s *Set) portions(t *Turn, q *Query, why Reason, take func(at uint16)) Result {
	var r Result
	for {
		before := r.Amount
		s.eachMatch(t, q, func(at uint16) bool {
			if !s.programOf(s.slot(at)).yieldsTo(q.Grade) || why == Stolen && !s.stealable(at) {
				return true
			}
			if q.Most > 0 && int(r.Amount) >= q.Most {
				return false
			}
			r.Amount++
			if !s.resists(t, at) {
				r.Kind, r.Why = Removed, why
				take(at)
			} else if r.Kind == 0 {
				r.Kind, r.Why = Denied, Resisted
			}
			return true
		})
		if q.Most == 0 || int(r.Amount) >= q.Most || r.Amount == before {
			return r
		}
	}
}

// resists rolls the chance of an instance to resist one portion of a dispel or a steal, and
// reports whether it resists.
func (s *Set) resists(t *Turn, at uint16) bool {
	d := &s.programOf(s.slot(at)).Dispel
	if d.Resist == 0 || !s.ensureGates().roll(t.Seed, s.owner, d.Resist) {
		return false
	}
	e := s.instanceEvent(Denied, at)
	e.Why = Resisted
	t.emit(s, &e)
	return true
}

// dispel removes one portion of an instance.
//
// A portion is Query.Stacks stacks or, if that is zero, the unit in Dispel.Per of the definition:
// the buff, a stack or a charge. A query for all buffs (Most is zero) without Stacks removes
// whole buffs.
func (s *Set) dispel(t *Turn, at uint16, q *Query) {
	d := &s.programOf(s.slot(at)).Dispel
	all := q.Most == 0
	switch {
	case q.Stacks > 0:
		s.removeStacks(t, at, q.Stacks, Dispelled)
	case !all && d.Per == define.PerStack:
		s.removeStacks(t, at, 1, Dispelled)
	case !all && d.Per == define.PerCharge && s.programOf(s.slot(at)).Charges.N > 0:
		s.useCharges(t, at, 1, Dispelled)
	default:
		s.end(t, at, Dispelled)
	}
}

// yieldsTo reports whether a dispel of grade g can remove the buff.
func (s *program) yieldsTo(g define.Grade) bool {
	return s.Dispel.Grade <= g && s.Dispel.Grade != define.GradeUndispellable
}

// matches reports whether a query matches the instance.
func (s *Set) matches(q *Query, i *instance) bool {
	spec := s.programOf(i)
	return (q.Spec == nil || s.sameDefinition(spec, programFor(q.Spec))) && (q.Tag == 0 || has(spec.tags, q.Tag)) &&
		(q.Type == "" || spec.Dispel.Type == q.Type) && q.matchesPolarity(spec.Polarity) &&
		(q.Source == 0 || i.source == q.Source) && (q.Compensate == "" || spec.Save.Compensate == q.Compensate)
}

// matchesPolarity reports whether a query matches buffs of a polarity.
func (q *Query) matchesPolarity(p define.Polarity) bool {
	switch {
	case q.Neutral:
		return p == define.Neutral
	case q.Polarity != define.Neutral:
		return p == q.Polarity
	}
	return true
}

// eachMatch calls f for each instance that a query matches, in the order of the query, until f
// returns false. The matches are determined before the first call; instances that have ended
// meanwhile are skipped.
func (s *Set) eachMatch(t *Turn, q *Query, f func(at uint16) bool) {
	t.matches = t.matches[:0]
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		s.visited++
		if s.matches(q, s.slot(at)) {
			t.matches = append(t.matches, s.handle(at))
		}
	}
	for k := range t.matches {
		h := t.matches[k]
		if q.Newest {
			h = t.matches[len(t.matches)-1-k]
		}
		if s.isLive(h) && !f(handle.Slot(h)) {
			return
		}
	}
}

// isLive reports whether a handle refers to a running buff.
func (s *Set) isLive(h Handle) bool { return s.lookup(h) != nil }
