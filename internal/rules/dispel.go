package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/handle"
)

// A dispel removes the buffs that match a query, up to a number of buffs, stacks or charges. A buff
// can resist, and a definition can forbid it.

// purge removes portions of the buffs that a dispel matches. It never pulses or refreshes a buff.
//
// Examples: testdata/dispel.txt, dispel_grades.txt, dispel_resist.txt, dispel_stacks.txt,
// dispel_charges.txt.
func purge(t *Turn, s *Owner, q *buff.Query) buff.Result {
	return portions(t, s, q, reason.Dispelled, func(i instance) { dispel(t, i, q) })
}

// portions calls `take` for each portion of a dispel or a steal. There are Query.Most portions or,
// if Most is zero, one portion of each buff. A buff that resists uses up a portion.
//
// Each round takes at most one portion of each buff. For example, if three portions of one stack
// each are taken from three buffs, each buff loses one stack. The rounds end when a round takes no
// portion.
func portions(t *Turn, s *Owner, q *buff.Query, why reason.Reason, take func(i instance)) buff.Result {
	var r buff.Result
	for {
		before := r.Amount
		eachMatch(t, s, q, func(i instance) bool {
			if !i.program().YieldsTo(q.Grade) || why == reason.Stolen && !i.stealable() {
				return true
			}
			if q.Most > 0 && int(r.Amount) >= q.Most {
				return false
			}
			r.Amount++
			if !resists(t, i) {
				r.Kind, r.Why = buff.Removed, why
				take(i)
			} else if r.Kind == 0 {
				r.Kind, r.Why = buff.Denied, reason.Resisted
			}
			return true
		})
		if q.Most == 0 || int(r.Amount) >= q.Most || r.Amount == before {
			return r
		}
	}
}

// resists reports whether an instance resists one portion of a dispel or a steal. The result is
// random, with the chance in Dispel.Resist.
func resists(t *Turn, i instance) bool {
	s := i.owner
	d := &i.program().Dispel
	if d.Resist == 0 || !s.ensureGates().rolls.Roll(t.Seed, s.id, d.Resist) {
		return false
	}
	e := i.newEvent(buff.Denied)
	e.Why = reason.Resisted
	t.emit(s, &e)
	return true
}

// dispel removes one portion of an instance.
//
// A portion is Query.Stacks stacks or, if that is zero, the unit in Dispel.Per of the definition:
// the buff, a stack or a charge. A query for all buffs (Most is zero) without Stacks removes
// whole buffs.
func dispel(t *Turn, i instance, q *buff.Query) {
	d := &i.program().Dispel
	all := q.Most == 0
	switch {
	case q.Stacks > 0:
		removeStacks(t, i, q.Stacks, reason.Dispelled)
	case !all && d.Per == define.PerStack:
		removeStacks(t, i, 1, reason.Dispelled)
	case !all && d.Per == define.PerCharge && i.program().Charges.N > 0:
		useCharges(t, i, 1, reason.Dispelled)
	default:
		end(t, i, reason.Dispelled)
	}
}

// matches reports whether a query matches the instance.
func (i instance) matches(q *buff.Query) bool {
	spec := i.program()
	return (q.Spec == nil || i.owner.sameDefinition(spec, compile.Of(q.Spec))) && (q.Tag == 0 || compile.Has(spec.Tags, q.Tag)) &&
		(q.Type == "" || spec.Dispel.Type == q.Type) && matchesPolarity(q, spec.Polarity) &&
		(q.Source == 0 || i.source == q.Source) && (q.Compensate == "" || spec.Save.Compensate == q.Compensate)
}

// matchesPolarity reports whether a query matches buffs of a polarity.
func matchesPolarity(q *buff.Query, p define.Polarity) bool {
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
func eachMatch(t *Turn, s *Owner, q *buff.Query, f func(i instance) bool) {
	t.matches = t.matches[:0]
	for i := s.first(); i.exists(); i = i.next() {
		s.visited++
		if i.matches(q) {
			t.matches = append(t.matches, i.handle())
		}
	}
	for k := range t.matches {
		h := t.matches[k]
		if q.Newest {
			h = t.matches[len(t.matches)-1-k]
		}
		if s.isLive(h) && !f(s.slot(handle.Slot(h))) {
			return
		}
	}
}
