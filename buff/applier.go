package buff

import (
	"slices"

	"github.com/bufftick/bufftick/buff/define"
)

// Diminishing returns with the scope pair remember of each source what it has applied, whoever
// owns the instance. So the Set knows whose applications are in effect: async stacks have their
// sources; of what is shared, and of what runs in a queue, it is the source of the instance,
// or, if they are others or more, all appliers that are noted of its slot.

// applier is one of those whose applications are in effect in an instance.
type applier struct {
	source OwnerID
	at     uint16
}

// paired reports whether it matters who applies a definition.
func (s *Spec) paired() bool { return s.uses&usesDR != 0 && s.DR.Scope == define.ScopePair }

// onlyAsync reports whether all that is in effect in an instance is in its async stacks.
func (s *Set) onlyAsync(i *instance) bool {
	return s.specOf(i).Stack.Timers == define.TimersEach || i.flags&member != 0
}

// feels reports whether an application of a source is in effect in an instance, or waits.
func (s *Set) feels(at uint16, source OwnerID) bool {
	i := &s.slots[at]
	if (s.onlyAsync(i) || s.specOf(i).Stack.Timers != define.TimersShared) && i.extra != noSlot && slices.ContainsFunc(s.extraOf(i).async, func(l asyncStack) bool { return l.source == source }) {
		return true
	}
	if s.onlyAsync(i) {
		return false
	}
	if s.gates.noted(at) {
		return slices.Contains(s.gates.appliers, applier{source, at})
	}
	return i.source == source
}

// noted reports whether appliers are noted of a slot.
func (g *gates) noted(at uint16) bool { return g.appliersOf(at) > 0 }

// appliersOf returns how many appliers are noted of a slot.
func (g *gates) appliersOf(at uint16) (n int) {
	if g != nil {
		for _, a := range g.appliers {
			if a.at == at {
				n++
			}
		}
	}
	return n
}

// noteApplier notes that an application of a source has joined an instance. There are no
// more than are remembered.
func (s *Set) noteApplier(at uint16, source OwnerID) {
	i := &s.slots[at]
	if !s.specOf(i).paired() || s.onlyAsync(i) || s.specOf(i).Stack.Timers != define.TimersShared || s.feels(at, source) {
		return
	}
	s.keepApplier(at)
	s.needGates().addApplier(at, source)
}

// keepApplier notes who applied an instance, before it has another source.
func (s *Set) keepApplier(at uint16) {
	if i := &s.slots[at]; s.specOf(i).paired() && !s.onlyAsync(i) && !s.gates.noted(at) {
		s.needGates().addApplier(at, i.source)
	}
}

func (g *gates) addApplier(at uint16, source OwnerID) {
	if len(g.appliers) >= MaxPerOwner {
		g.appliers = slices.Delete(g.appliers, 0, 1)
	}
	g.appliers = append(g.appliers, applier{source, at})
}

// dropAppliers forgets those of a slot.
func (g *gates) dropAppliers(at uint16) {
	if g != nil {
		g.appliers = slices.DeleteFunc(g.appliers, func(a applier) bool { return a.at == at })
	}
}

// ceased notes that an application of a source has an effect no more: it is remembered for
// so long from now on, or from when the last one of the source has none. That is the ruling for pair: the
// memory ends a reset after the last moment at which an application of that source was in effect, those that wait
// included, whoever owns the instance.
func (g *gates) ceased(t *Turn, spec *Spec, source OwnerID) {
	if spec.uses&usesDR == 0 || g == nil {
		return
	}
	source = spec.remembered(source)
	for k := range g.returns {
		if d := &g.returns[k]; d.group == spec.dr && d.source == source {
			d.until = max(d.until, t.now.Add(spec.reset))
		}
	}
}

// runCeased is ceased for what an instance is beside its async stacks.
func (s *Set) runCeased(t *Turn, at uint16) {
	i := &s.slots[at]
	switch {
	case s.specOf(i).uses&usesDR == 0 || s.onlyAsync(i) && s.specOf(i).paired():
	case !s.gates.noted(at):
		s.gates.ceased(t, s.specOf(i), i.source)
	default:
		for _, a := range s.gates.appliers {
			if a.at == at {
				s.gates.ceased(t, s.specOf(i), a.source)
			}
		}
	}
}

// allCeased is ceased for all that is in an instance.
func (s *Set) allCeased(t *Turn, at uint16) {
	i := &s.slots[at]
	s.runCeased(t, at)
	if i.extra != noSlot && s.specOf(i).paired() {
		for k := range s.extraOf(i).async {
			s.gates.ceased(t, s.specOf(i), s.extraOf(i).async[k].source)
		}
	}
}

// allCeased is ceased for all that was in a buff when it was saved, if some of it has ended
// while its owner was away.
func (r *restorer) allCeased(c *comeback) {
	s, t, b, spec := r.set, r.turn, c.saved, c.spec
	if spec.uses&usesDR == 0 || !c.gone && !c.parts {
		return
	}
	if len(b.Appliers) == 0 && !(len(b.Async) > 0 && spec.paired()) {
		s.gates.ceased(t, spec, b.Source)
	}
	if !spec.paired() {
		return
	}
	for _, source := range b.Appliers {
		s.gates.ceased(t, spec, source)
	}
	for _, list := range [][]savedStack{b.Async, b.Waiting} {
		for k := range list {
			s.gates.ceased(t, spec, list[k].Source)
		}
	}
}

// placeAppliers notes whose applications are in effect in a buff that is back. Of a queue of
// which another one runs by now they were those of the one that ran.
func (r *restorer) placeAppliers(c *comeback) {
	if b := c.saved; c.spec.paired() && c.spec.Stack.Timers != define.TimersEach && c.i.flags&member == 0 && (c.spec.Stack.Timers == define.TimersShared || !c.parts) {
		for _, source := range b.Appliers {
			r.set.needGates().addApplier(c.at, source)
		}
	}
}
