package rules

import (
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/gate"
	"github.com/bufftick/bufftick/internal/state"
)

// drShare returns the share of its duration that an application gets, in percent. The n-th
// application accepted since the record was created gets the n-th step; further ones get the last
// step. An application with a share of 0 is denied with reason Diminished.
//
// Examples: testdata/dr.txt, dr_counts.txt, dr_pair.txt, dr_pair_shared.txt.
func drShare(t *Turn, s *Owner, a *buff.Application) uint64 {
	steps := a.Spec.DR.Steps
	n := 0
	if d := findReturn(t, s, compile.Of(a.Spec), a.Source); d != nil {
		n = int(d.Count)
	}
	return uint64(steps[min(n, len(steps)-1)])
}

// findReturn returns the record for a definition and a source, or nil.
func findReturn(t *Turn, s *Owner, spec *compile.Program, source buff.OwnerID) *gate.Return {
	if s.gates() == nil {
		return nil
	}
	return s.gates().returns.Find(spec.Dr, spec.DrSource(source), t.now, s.inEffect)
}

// inEffect reports whether an application of the group and source of a record is in effect. The
// reset time starts at the end of the last application.
func (s *Owner) inEffect(d *gate.Return) bool {
	for i := s.first(); i.exists(); i = i.next() {
		s.visited++
		if i.program().Dr == d.Group && (i.program().DR.Scope == define.ScopeTarget || i.isAffected(d.Source)) {
			return true
		}
	}
	return false
}

// diminish counts an accepted application. It is called only after the application has succeeded,
// because a denied application does not count, even if the reason is a lack of room.
//
// Example: testdata/dr_counts.txt.
func diminish(t *Turn, s *Owner, spec *compile.Program, source buff.OwnerID) {
	d := findReturn(t, s, spec, source)
	if d == nil {
		g := s.ensureGates()
		dropExpiredReturns(t, s)
		d = g.returns.Add(spec.Dr, spec.DrSource(source), t.now, buff.MaxPerOwner)
	}
	if d.Count < uint16(len(spec.DR.Steps)) {
		d.Count++
	}
	d.Until = max(d.Until, t.now.Add(spec.Reset)) // the instance may have ended already
}

// fewReturns is the largest number of past records for which separate checks with inEffect are
// faster than a call of affectingSources.
const fewReturns = 8

// dropExpiredReturns deletes the expired records.
func dropExpiredReturns(t *Turn, s *Owner) {
	switch g, past := s.gates(), s.gates().returns.Past(t.now); {
	case past == 0:
	case past <= fewReturns:
		g.returns.DropExpired(t.now, s.inEffect)
	default:
		s.visited += uint32(len(g.returns) + len(g.appliers))
		felt := s.affectingSources()
		g.returns.DropExpired(t.now, func(d *gate.Return) bool {
			return felt[drKey{d.Group, 0, true}] || felt[drKey{d.Group, d.Source, false}]
		})
	}
}

// drKey is a group and a source, or a group and all sources.
type drKey struct {
	group  uint16
	source buff.OwnerID
	all    bool
}

// affectingSources returns the keys of all records that have an application in effect or waiting in
// a queue. It gives the same answers as isAffected for single sources, but with one pass over the
// instances.
func (s *Owner) affectingSources() map[drKey]bool {
	felt, noted := map[drKey]bool{}, map[uint16]bool{}
	for _, a := range s.gates().appliers {
		noted[a.Slot] = true
		if i := s.slot(a.Slot); !i.onlyAsync() {
			felt[drKey{i.program().Dr, a.Source, false}] = true
		}
	}
	for i := s.first(); i.exists(); i = i.next() {
		s.visited++
		if i.program().Uses&compile.UsesDR == 0 {
			continue
		}
		if i.program().DR.Scope == define.ScopeTarget {
			felt[drKey{i.program().Dr, 0, true}] = true
			continue
		}
		if i.program().Stack.Timers != define.TimersShared {
			for _, l := range i.extra().async {
				felt[drKey{i.program().Dr, l.source, false}] = true
			}
		}
		if !i.onlyAsync() && !noted[i.slot] {
			felt[drKey{i.program().Dr, i.source, false}] = true
		}
	}
	return felt
}

// With define.ScopePair, diminishing returns are counted separately for each source. So an Owner
// must know the source of each application that is in effect. An async stack has its own source.
// The applications of a shared instance, and the running application of a queue, have the source of
// the instance, unless appliers are recorded for the slot of the instance.

// onlyAsync reports whether all applications of an instance are in its async stacks.
func (i instance) onlyAsync() bool {
	return i.program().Stack.Timers == define.TimersEach || i.flags&member != 0
}

// isAffected reports whether an application of a source is in effect in an instance, or waits in
// its queue.
func (i instance) isAffected(source buff.OwnerID) bool {
	if (i.onlyAsync() || i.program().Stack.Timers != define.TimersShared) && i.extraIndex != noSlot && slices.ContainsFunc(i.extra().async, func(l asyncStack) bool { return l.source == source }) {
		return true
	}
	if i.onlyAsync() {
		return false
	}
	if i.hasAppliers() {
		return slices.Contains(i.owner.gates().appliers, gate.Applier{Source: source, Slot: i.slot})
	}
	return i.source == source
}

// hasAppliers reports whether appliers are recorded for an instance.
func (i instance) hasAppliers() bool {
	g := i.owner.gates()
	return g != nil && g.appliers.Count(i.slot) > 0
}

// noteApplier records that an application of a source has joined an instance.
func (i instance) noteApplier(source buff.OwnerID) {
	if !i.program().DrPerSource() || i.onlyAsync() || i.program().Stack.Timers != define.TimersShared || i.isAffected(source) {
		return
	}
	i.ensureApplier()
	i.addApplier(source)
}

// ensureApplier records the present source of an instance as an applier, before the instance gets
// another source.
func (i instance) ensureApplier() {
	if i.program().DrPerSource() && !i.onlyAsync() && !i.hasAppliers() {
		i.addApplier(i.source)
	}
}

// addApplier records an applier of an instance.
func (i instance) addApplier(source buff.OwnerID) {
	i.owner.ensureGates().appliers.Add(i.slot, source, buff.MaxPerOwner)
}

// dropAppliers deletes the appliers of an instance.
func dropAppliers(i instance) {
	if g := i.owner.gates(); g != nil {
		g.appliers.Drop(i.slot)
	}
}

// restartReset restarts the reset time of a record when an application of a source ends. With
// define.ScopePair, the record therefore expires one reset time after the end of the last
// application of that source. Waiting applications count too, and it does not matter which source
// the instance has.
func (g *gates) restartReset(t *Turn, spec *compile.Program, source buff.OwnerID) {
	if spec.Uses&compile.UsesDR == 0 || g == nil {
		return
	}
	g.returns.Extend(spec.Dr, spec.DrSource(source), t.now.Add(spec.Reset))
}

// restartResetOfRun calls restartReset for those applications of an instance that are not async
// stacks.
func restartResetOfRun(t *Turn, i instance) {
	s := i.owner
	switch {
	case i.program().Uses&compile.UsesDR == 0 || i.onlyAsync() && i.program().DrPerSource():
	case !i.hasAppliers():
		s.gates().restartReset(t, i.program(), i.source)
	default:
		for _, a := range s.gates().appliers {
			if a.Slot == i.slot {
				s.gates().restartReset(t, i.program(), a.Source)
			}
		}
	}
}

// restartResets calls restartReset for all applications of an instance.
func restartResets(t *Turn, i instance) {
	restartResetOfRun(t, i)
	if i.extraIndex != noSlot && i.program().DrPerSource() {
		for k := range i.extra().async {
			i.owner.gates().restartReset(t, i.program(), i.extra().async[k].source)
		}
	}
}

// restartResets calls restartReset for all applications of a saved buff if some of them have ended
// while the owner was away.
func (r *restorer) restartResets(c *restoredBuff) {
	s, t, b, spec := r.set, r.turn, c.saved, c.spec
	if spec.Uses&compile.UsesDR == 0 || !c.expired && !c.partsEnded {
		return
	}
	if len(b.Appliers) == 0 && !(len(b.Async) > 0 && spec.DrPerSource()) {
		s.gates().restartReset(t, spec, buff.OwnerID(b.Source))
	}
	if !spec.DrPerSource() {
		return
	}
	for _, source := range b.Appliers {
		s.gates().restartReset(t, spec, buff.OwnerID(source))
	}
	for _, list := range [][]state.Stack{b.Async, b.Waiting} {
		for k := range list {
			s.gates().restartReset(t, spec, buff.OwnerID(list[k].Source))
		}
	}
}

// restoreAppliers records the saved appliers of a restored buff. In a queue, the saved appliers
// belong to the application that was running when the owner was saved. If another application runs
// now, they are dropped.
func (r *restorer) restoreAppliers(c *restoredBuff) {
	if b := c.saved; c.spec.DrPerSource() && c.spec.Stack.Timers != define.TimersEach && c.i.flags&member == 0 && (c.spec.Stack.Timers == define.TimersShared || !c.partsEnded) {
		for _, source := range b.Appliers {
			r.set.slot(c.at).addApplier(buff.OwnerID(source))
		}
	}
}
