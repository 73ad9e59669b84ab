package rules

import (
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/internal/state"
)

// drRecord counts the applications in one group of diminishing returns. They come from one source
// or, with define.ScopeTarget, from all sources.
type drRecord struct {
	group  uint16
	count  uint16 // accepted applications
	source buff.OwnerID
	until  clock.OwnerTime // expiry: see isCurrent
}

// drShare returns the share of its duration that an application gets, in percent. The n-th
// application accepted since the record was created gets the n-th step; further ones get the last
// step. An application with a share of 0 is denied with reason Diminished.
//
// Examples: testdata/dr.txt, dr_counts.txt, dr_pair.txt, dr_pair_shared.txt.
func drShare(t *Turn, s *Owner, a *buff.Application) uint64 {
	steps := a.Spec.DR.Steps
	n := 0
	if d := s.findRecord(compile.Of(a.Spec), a.Source, t.now); d != nil {
		n = int(d.count)
	}
	return uint64(steps[min(n, len(steps)-1)])
}

// findRecord returns the record for a definition and a source, or nil. It deletes the record if it
// has expired, because a new instance would make it seem current again.
func (s *Owner) findRecord(spec *compile.Program, source buff.OwnerID, now clock.OwnerTime) *drRecord {
	g := s.gates()
	k := g.recordIndex(spec.Dr, spec.DrSource(source))
	switch {
	case k < 0:
		return nil
	case s.isCurrent(&g.drRecords[k], now):
		return &g.drRecords[k]
	}
	g.drRecords = slices.Delete(g.drRecords, k, k+1)
	return nil
}

// recordIndex returns the index of the record of a group and a source, or a negative number.
func (g *gates) recordIndex(group uint16, source buff.OwnerID) int {
	if g == nil {
		return -1
	}
	return slices.IndexFunc(g.drRecords, func(d drRecord) bool { return d.group == group && d.source == source })
}

// isCurrent reports whether a record has not expired. The reset time starts at the end of the
// last application, so that a record never expires while one of its applications is in effect.
func (s *Owner) isCurrent(d *drRecord, now clock.OwnerTime) bool {
	if now < d.until {
		return true
	}
	for i := s.first(); i.exists(); i = i.next() {
		s.visited++
		if i.program().Dr == d.group && (i.program().DR.Scope == define.ScopeTarget || i.isAffected(d.source)) {
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
	d := s.findRecord(spec, source, t.now)
	if d == nil {
		d = s.addRecord(spec, source, t.now)
	}
	if d.count < uint16(len(spec.DR.Steps)) {
		d.count++
	}
	d.until = max(d.until, t.now.Add(spec.Reset)) // the instance may have ended already
}

// addRecord adds a record for a definition and a source. If the owner already has MaxPerOwner
// records, the new record replaces the oldest one.
func (s *Owner) addRecord(spec *compile.Program, source buff.OwnerID, now clock.OwnerTime) *drRecord {
	g := s.ensureGates()
	s.dropExpiredRecords(now)
	if len(g.drRecords) >= buff.MaxPerOwner {
		g.drRecords = slices.Delete(g.drRecords, 0, 1)
	}
	g.drRecords = append(g.drRecords, drRecord{group: spec.Dr, source: spec.DrSource(source), until: now})
	return &g.drRecords[len(g.drRecords)-1]
}

// fewRecords is the largest number of expired records for which separate checks with isCurrent are
// faster than a call of affectingSources.
const fewRecords = 8

// dropExpiredRecords deletes the expired records.
func (s *Owner) dropExpiredRecords(now clock.OwnerTime) {
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
		noted[a.at] = true
		if i := s.slot(a.at); !i.onlyAsync() {
			felt[drKey{i.program().Dr, a.source, false}] = true
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

// applier is a source with an application in effect in the instance at a slot.
type applier struct {
	source buff.OwnerID
	at     uint16
}

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
	if i.owner.gates().hasAppliers(i.slot) {
		return slices.Contains(i.owner.gates().appliers, applier{source, i.slot})
	}
	return i.source == source
}

// hasAppliers reports whether appliers are recorded for a slot.
func (g *gates) hasAppliers(at uint16) bool { return g.appliersOf(at) > 0 }

// appliersOf returns the number of appliers recorded for a slot.
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

// noteApplier records that an application of a source has joined an instance.
func (i instance) noteApplier(source buff.OwnerID) {
	if !i.program().DrPerSource() || i.onlyAsync() || i.program().Stack.Timers != define.TimersShared || i.isAffected(source) {
		return
	}
	i.ensureApplier()
	i.owner.ensureGates().addApplier(i.slot, source)
}

// ensureApplier records the present source of an instance as an applier, before the instance gets
// another source.
func (i instance) ensureApplier() {
	if i.program().DrPerSource() && !i.onlyAsync() && !i.owner.gates().hasAppliers(i.slot) {
		i.owner.ensureGates().addApplier(i.slot, i.source)
	}
}

func (g *gates) addApplier(at uint16, source buff.OwnerID) {
	if len(g.appliers) >= buff.MaxPerOwner {
		g.appliers = slices.Delete(g.appliers, 0, 1)
	}
	g.appliers = append(g.appliers, applier{source, at})
}

// dropAppliers deletes the appliers of a slot.
func (g *gates) dropAppliers(at uint16) {
	if g != nil {
		g.appliers = slices.DeleteFunc(g.appliers, func(a applier) bool { return a.at == at })
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
	source = spec.DrSource(source)
	for k := range g.drRecords {
		if d := &g.drRecords[k]; d.group == spec.Dr && d.source == source {
			d.until = max(d.until, t.now.Add(spec.Reset))
		}
	}
}

// restartResetOfRun calls restartReset for those applications of an instance that are not async
// stacks.
func restartResetOfRun(t *Turn, i instance) {
	s := i.owner
	switch {
	case i.program().Uses&compile.UsesDR == 0 || i.onlyAsync() && i.program().DrPerSource():
	case !s.gates().hasAppliers(i.slot):
		s.gates().restartReset(t, i.program(), i.source)
	default:
		for _, a := range s.gates().appliers {
			if a.at == i.slot {
				s.gates().restartReset(t, i.program(), a.source)
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
			r.set.ensureGates().addApplier(c.at, buff.OwnerID(source))
		}
	}
}
