package buff

import (
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// purge takes off what a dispel finds: so many portions, buff by buff and round by round, or
// all. It never pulses and never refreshes anything. What resists counts as a portion.
func (s *Set) purge(t *Turn, q *Query) Result {
	var r Result
	for {
		before := r.Amount
		s.found(t, q, func(at uint16) bool {
			if !s.slots[at].spec.yieldsTo(q.Grade) {
				return true
			}
			if q.Most > 0 && int(r.Amount) >= q.Most {
				return false
			}
			r.Amount++
			if s.dispel(t, at, q.Most == 0) {
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
func (s *Set) dispel(t *Turn, at uint16, all bool) bool {
	d := &s.slots[at].spec.Dispel
	if d.Resist > 0 && s.lucky(t, d.Resist) {
		e := s.about(Denied, at)
		e.Why = Resisted
		t.emit(s, &e)
		return false
	}
	switch {
	case !all && d.Per == PerStack:
		s.lose(t, at, 1, Dispelled)
	case !all && d.Per == PerCharge && s.slots[at].spec.Charges.N > 0:
		s.useCharges(t, at, 1, Dispelled)
	default:
		s.end(t, at, Dispelled)
	}
	return true
}

// yieldsTo reports whether a dispel of that grade takes the buff off.
func (s *Spec) yieldsTo(g Grade) bool {
	return s.Dispel.Grade <= g && s.Dispel.Grade != GradeUndispellable
}

// Parcel is a command of one owner's rules for another owner.
type Parcel struct {
	At      wheel.Time // of its cause
	To      OwnerID    // who it is for
	Command Command    // what is asked of it
}

// steal takes what the query finds off its owner and has it applied to who steals, for
// what was left of it, but not for longer than most.
func (s *Set) steal(t *Turn, q *Query, most time.Duration) Result {
	var r Result
	s.found(t, q, func(at uint16) bool {
		i := &s.slots[at]
		if i.spec.Dispel.Keep || !i.spec.yieldsTo(q.Grade) {
			return true
		}
		if q.Most > 0 && int(r.Amount) >= q.Most {
			return false
		}
		r.Amount++
		r.Kind, r.Why = Removed, Stolen
		a := Application{Spec: i.spec, Source: q.To, Stacks: int(i.stacks), Level: int(i.level), Magnitude: i.magnitude}
		if values := s.keptOf(i).values; len(values) > 0 {
			a.taken = t.take(i.spec, values)
		}
		left := MaxDuration
		if i.end != wheel.Never {
			left = time.Duration(min(int64(i.end-s.nowOf(t, i)), MaxDuration.Milliseconds())) * time.Millisecond
		}
		if most > 0 {
			left = min(left, most)
		}
		if i.end != wheel.Never || most > 0 {
			a.Duration = For(left)
		}
		s.end(t, at, Stolen)
		if left <= 0 {
			return true // it would have ended now
		}
		t.Sent = append(t.Sent, Parcel{At: t.at, To: q.To, Command: Command{Verb: Apply, Application: a}})
		return true
	})
	return r
}
