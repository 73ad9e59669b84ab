package buff

import (
	"slices"

	"github.com/bufftick/bufftick/wheel"
)

// diminished is what an owner remembers of one group of diminishing returns.
type diminished struct {
	group  uint16
	n      uint16 // accepted applications
	source OwnerID
	until  wheel.Time // forgotten then, unless an instance of the group is live; in the owner's time
}

// share returns the part of its duration, in percent, that an application gets.
func (s *Set) share(t *Turn, a *Application) uint64 {
	steps := a.Spec.DR.Steps
	n := 0
	if d := s.returns(a.Spec, a.Source, t.now); d != nil {
		n = int(d.n)
	}
	return uint64(steps[min(n, len(steps)-1)])
}

// returns finds what is remembered of the definition's group, nil if nothing. What is over
// is forgotten here, before the new instance would bring it back to mind.
func (s *Set) returns(spec *Spec, source OwnerID, now wheel.Time) *diminished {
	if s.gates == nil {
		return nil
	}
	if spec.DR.Scope == ScopeTarget {
		source = 0
	}
	for k := range s.gates.returns {
		d := &s.gates.returns[k]
		if d.group != spec.dr || d.source != source {
			continue
		}
		if s.remembers(d, now) {
			return d
		}
		s.gates.returns = slices.Delete(s.gates.returns, k, k+1)
		return nil
	}
	return nil
}

func (s *Set) remembers(d *diminished, now wheel.Time) bool {
	if now < d.until {
		return true
	}
	for at := s.oldest; at != noSlot; at = s.slots[at].newer {
		if i := &s.slots[at]; i.spec.dr == d.group && (d.source == 0 || d.source == i.source) {
			return true
		}
	}
	return false
}

// diminish counts an application that was accepted. What is over is forgotten first, so
// that the list is not longer than what bears on the next application.
func (s *Set) diminish(t *Turn, spec *Spec, source OwnerID) {
	d := s.returns(spec, source, t.now)
	if d == nil {
		d = s.remember(spec, source, t.now)
	}
	if d.n < uint16(len(spec.DR.Steps)) {
		d.n++
	}
}

func (s *Set) remember(spec *Spec, source OwnerID, now wheel.Time) *diminished {
	g := s.needGates()
	g.returns = slices.DeleteFunc(g.returns, func(d diminished) bool { return !s.remembers(&d, now) })
	if len(g.returns) >= MaxPerOwner {
		g.returns = slices.Delete(g.returns, 0, 1)
	}
	if spec.DR.Scope == ScopeTarget {
		source = 0
	}
	g.returns = append(g.returns, diminished{group: spec.dr, source: source, until: now})
	return &g.returns[len(g.returns)-1]
}

// lastEnd notes that an instance of a group of diminishing returns ends. Nothing may be
// remembered of the group: what was restored may have been of none when it was applied.
func (s *Set) lastEnd(t *Turn, i *instance) {
	if s.gates == nil {
		return
	}
	source := i.source
	if i.spec.DR.Scope == ScopeTarget {
		source = 0
	}
	for k := range s.gates.returns {
		if d := &s.gates.returns[k]; d.group == i.spec.dr && d.source == source {
			d.until = max(d.until, t.now.Add(i.spec.reset))
		}
	}
}
