package buff

import (
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/state"
	"github.com/bufftick/bufftick/wheel"
)

// drRecord is what an owner remembers of one group of diminishing returns.
type drRecord struct {
	group  uint16
	n      uint16 // accepted applications
	source OwnerID
	until  wheel.Time // forgotten then, unless an application of it is in effect; in the owner's time
}

// drShare returns the part of its duration, in percent, that an application gets: the n-th that was accepted
// since the group was forgotten gets the n-th step, and all further ones the last. With a share of 0 an application is
// denied, for the reason Diminished.
//
// Stories: testdata/dr.txt, dr_counts.txt, dr_pair.txt, dr_pair_shared.txt.
func (s *Set) drShare(t *Turn, a *Application) uint64 {
	steps := a.Spec.DR.Steps
	n := 0
	if d := s.findRecord(a.Spec.program, a.Source, t.now); d != nil {
		n = int(d.n)
	}
	return uint64(steps[min(n, len(steps)-1)])
}

// findRecord finds what is remembered of the definition's group, nil if nothing. What is over
// is forgotten here, before the new instance would bring it back to mind.
func (s *Set) findRecord(spec *program, source OwnerID, now wheel.Time) *drRecord {
	g := s.gates()
	k := g.recordIndex(spec.dr, spec.drSource(source))
	switch {
	case k < 0:
		return nil
	case s.isCurrent(&g.drRecords[k], now):
		return &g.drRecords[k]
	}
	g.drRecords = slices.Delete(g.drRecords, k, k+1)
	return nil
}

// recordIndex returns the place of what is remembered of a group and a source, below zero if it is nothing.
func (g *gates) recordIndex(group uint16, source OwnerID) int {
	if g == nil {
		return -1
	}
	return slices.IndexFunc(g.drRecords, func(d drRecord) bool { return d.group == group && d.source == source })
}

// drSource returns under which source a definition's applications are remembered: 0 stands for all.
func (s *program) drSource(source OwnerID) OwnerID {
	if s.DR.Scope == define.ScopeTarget {
		return 0
	}
	return source
}

// isCurrent reports whether an owner still knows of earlier applications. The time until it forgets begins with the last
// end of one, so it never forgets while one of them is in effect, not even if that is longer than the reset.
func (s *Set) isCurrent(d *drRecord, now wheel.Time) bool {
	if now < d.until {
		return true
	}
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		s.visited++
		if i := s.slot(at); s.specOf(i).dr == d.group && (s.specOf(i).DR.Scope == define.ScopeTarget || s.isAffected(at, d.source)) {
			return true
		}
	}
	return false
}

// diminish counts an application that was accepted. What is over is forgotten first, so
// that the list is not longer than what bears on the next application.
//
// Only what was accepted is counted, and it is counted when it has landed: what is denied behind the gates, for want of a slot,
// makes nothing shorter. Story: testdata/dr_counts.txt.
func (s *Set) diminish(t *Turn, spec *program, source OwnerID) {
	d := s.findRecord(spec, source, t.now)
	if d == nil {
		d = s.addRecord(spec, source, t.now)
	}
	if d.n < uint16(len(spec.DR.Steps)) {
		d.n++
	}
	d.until = max(d.until, t.now.Add(spec.reset)) // it may have ended already
}

// addRecord begins to count the applications of a group, or of a group and source where the scope is pair. There is room
// for as many as an owner may have buffs; one more pushes out the oldest.
func (s *Set) addRecord(spec *program, source OwnerID, now wheel.Time) *drRecord {
	g := s.ensureGates()
	s.dropExpiredRecords(now)
	if len(g.drRecords) >= MaxPerOwner {
		g.drRecords = slices.Delete(g.drRecords, 0, 1)
	}
	g.drRecords = append(g.drRecords, drRecord{group: spec.dr, source: spec.drSource(source), until: now})
	return &g.drRecords[len(g.drRecords)-1]
}

// fewRecords are so few that it is cheaper to look for each of them alone.
const fewRecords = 8

// dropExpiredRecords forgets what is over.
func (s *Set) dropExpiredRecords(now wheel.Time) {
	g, over := s.gates(), 0
	for k := range g.drRecords {
		if g.drRecords[k].until <= now {
			over++
		}
	}
	switch {
	case over == 0:
	case over <= fewRecords:
		g.drRecords = slices.DeleteFunc(g.drRecords, func(d drRecord) bool { return !s.isCurrent(&d, now) })
	default:
		s.visited += uint32(len(g.drRecords) + len(g.appliers))
		felt := s.affectingSources()
		g.drRecords = slices.DeleteFunc(g.drRecords, func(d drRecord) bool {
			return d.until <= now && !felt[drKey{d.group, 0, true}] && !felt[drKey{d.group, d.source, false}]
		})
	}
}

// drKey is what is remembered of a source, or of all of a group.
type drKey struct {
	group  uint16
	source OwnerID
	all    bool
}

// affectingSources returns whose applications are in effect or wait: what feels says of each instance and
// source, at one look at all of them.
func (s *Set) affectingSources() map[drKey]bool {
	felt, noted := map[drKey]bool{}, map[uint16]bool{}
	for _, a := range s.gates().appliers {
		noted[a.at] = true
		if i := s.slot(a.at); !s.onlyAsync(i) {
			felt[drKey{s.specOf(i).dr, a.source, false}] = true
		}
	}
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		s.visited++
		i := s.slot(at)
		if s.specOf(i).uses&usesDR == 0 {
			continue
		}
		if s.specOf(i).DR.Scope == define.ScopeTarget {
			felt[drKey{s.specOf(i).dr, 0, true}] = true
			continue
		}
		if s.specOf(i).Stack.Timers != define.TimersShared {
			for _, l := range s.extraOf(i).async {
				felt[drKey{s.specOf(i).dr, l.source, false}] = true
			}
		}
		if !s.onlyAsync(i) && !noted[at] {
			felt[drKey{s.specOf(i).dr, i.source, false}] = true
		}
	}
	return felt
}

// Diminishing returns with the scope pair remember of each source what it has applied, whoever
// owns the instance. So the Set knows whose applications are in effect: async stacks have their
// sources; of what is shared, and of what runs in a queue, it is the source of the instance,
// or, if they are others or more, all appliers that are noted of its slot.

// applier is one of those whose applications are in effect in an instance.
type applier struct {
	source OwnerID
	at     uint16
}

// drPerSource reports whether it matters who applies a definition.
func (s *program) drPerSource() bool { return s.uses&usesDR != 0 && s.DR.Scope == define.ScopePair }

// onlyAsync reports whether all that is in effect in an instance is in its async stacks.
func (s *Set) onlyAsync(i *instance) bool {
	return s.specOf(i).Stack.Timers == define.TimersEach || i.flags&member != 0
}

// isAffected reports whether an application of a source is in effect in an instance, or waits.
func (s *Set) isAffected(at uint16, source OwnerID) bool {
	i := s.slot(at)
	if (s.onlyAsync(i) || s.specOf(i).Stack.Timers != define.TimersShared) && i.extra != noSlot && slices.ContainsFunc(s.extraOf(i).async, func(l asyncStack) bool { return l.source == source }) {
		return true
	}
	if s.onlyAsync(i) {
		return false
	}
	if s.gates().hasAppliers(at) {
		return slices.Contains(s.gates().appliers, applier{source, at})
	}
	return i.source == source
}

// hasAppliers reports whether appliers are noted of a slot.
func (g *gates) hasAppliers(at uint16) bool { return g.appliersOf(at) > 0 }

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
	i := s.slot(at)
	if !s.specOf(i).drPerSource() || s.onlyAsync(i) || s.specOf(i).Stack.Timers != define.TimersShared || s.isAffected(at, source) {
		return
	}
	s.ensureApplier(at)
	s.ensureGates().addApplier(at, source)
}

// ensureApplier notes who applied an instance, before it has another source.
func (s *Set) ensureApplier(at uint16) {
	if i := s.slot(at); s.specOf(i).drPerSource() && !s.onlyAsync(i) && !s.gates().hasAppliers(at) {
		s.ensureGates().addApplier(at, i.source)
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

// restartReset notes that an application of a source has an effect no more: it is remembered for
// so long from now on, or from when the last one of the source has none. That is the ruling for pair: the
// memory ends a reset after the last moment at which an application of that source was in effect, those that wait
// included, whoever owns the instance.
func (g *gates) restartReset(t *Turn, spec *program, source OwnerID) {
	if spec.uses&usesDR == 0 || g == nil {
		return
	}
	source = spec.drSource(source)
	for k := range g.drRecords {
		if d := &g.drRecords[k]; d.group == spec.dr && d.source == source {
			d.until = max(d.until, t.now.Add(spec.reset))
		}
	}
}

// restartResetOfRun is ceased for what an instance is beside its async stacks.
func (s *Set) restartResetOfRun(t *Turn, at uint16) {
	i := s.slot(at)
	switch {
	case s.specOf(i).uses&usesDR == 0 || s.onlyAsync(i) && s.specOf(i).drPerSource():
	case !s.gates().hasAppliers(at):
		s.gates().restartReset(t, s.specOf(i), i.source)
	default:
		for _, a := range s.gates().appliers {
			if a.at == at {
				s.gates().restartReset(t, s.specOf(i), a.source)
			}
		}
	}
}

// restartResets is ceased for all that is in an instance.
func (s *Set) restartResets(t *Turn, at uint16) {
	i := s.slot(at)
	s.restartResetOfRun(t, at)
	if i.extra != noSlot && s.specOf(i).drPerSource() {
		for k := range s.extraOf(i).async {
			s.gates().restartReset(t, s.specOf(i), s.extraOf(i).async[k].source)
		}
	}
}

// restartResets is ceased for all that was in a buff when it was saved, if some of it has ended
// while its owner was away.
func (r *restorer) restartResets(c *comeback) {
	s, t, b, spec := r.set, r.turn, c.saved, c.spec
	if spec.uses&usesDR == 0 || !c.gone && !c.parts {
		return
	}
	if len(b.Appliers) == 0 && !(len(b.Async) > 0 && spec.drPerSource()) {
		s.gates().restartReset(t, spec, OwnerID(b.Source))
	}
	if !spec.drPerSource() {
		return
	}
	for _, source := range b.Appliers {
		s.gates().restartReset(t, spec, OwnerID(source))
	}
	for _, list := range [][]state.Stack{b.Async, b.Waiting} {
		for k := range list {
			s.gates().restartReset(t, spec, OwnerID(list[k].Source))
		}
	}
}

// restoreAppliers notes whose applications are in effect in a buff that is back. Of a queue of
// which another one runs by now they were those of the one that ran.
func (r *restorer) restoreAppliers(c *comeback) {
	if b := c.saved; c.spec.drPerSource() && c.spec.Stack.Timers != define.TimersEach && c.i.flags&member == 0 && (c.spec.Stack.Timers == define.TimersShared || !c.parts) {
		for _, source := range b.Appliers {
			r.set.ensureGates().addApplier(c.at, OwnerID(source))
		}
	}
}
