package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/internal/rules/sheet"
)

// An instance refers to its definition by number, not by pointer, so that the garbage collector
// need not scan the instances. Otherwise a million buffs would have a million pointers to a few
// hundred definitions. Nearly all definitions are in the Owner's catalog. Definitions of other
// catalogs are in rareState.foreign. An instance has such a definition between a reload and
// [Owner.Adopt], or if the reload removed the definition.

// program returns the program of an instance, or nil for a free slot.
func (i instance) program() *compile.Program {
	if i.def > 0 {
		return i.owner.catalog.Programs[i.def-1]
	}
	return i.foreignProgram()
}

// foreignProgram does the same as program, for an instance of another catalog or for a free
// slot.
func (i instance) foreignProgram() *compile.Program {
	if i.def == 0 {
		return nil
	}
	return i.owner.rare.foreign[-1-i.def]
}

// setProgram changes the program of an instance.
func (i instance) setProgram(spec *compile.Program) {
	i.clearForeign()
	if spec.Catalog == i.owner.catalog {
		i.def = int32(spec.Compiled().Index) + 1
		return
	}
	b := i.owner.ensureRare()
	if n := len(b.foreign); n <= int(i.slot) {
		b.foreign = append(b.foreign, make([]*compile.Program, int(i.slot)+1-n)...)
	}
	b.foreign[i.slot] = spec
	i.def = -1 - int32(i.slot)
}

// clearForeign clears the foreign definition of a slot, if there is one.
func (i instance) clearForeign() {
	if i.def < 0 {
		i.owner.rare.foreign[i.slot] = nil
	}
}

// setCatalog sets the catalog of the Owner and renumbers the definitions of its instances.
func (s *Owner) setCatalog(c *compile.Catalog) {
	was := s.catalog
	s.catalog = c
	others := false
	for at := range s.records.Used() {
		i := s.slot(at)
		switch {
		case i.def > 0:
			spec := was.Programs[i.def-1]
			i.def = 0
			s.slot(uint16(at)).setProgram(spec)
		case i.def < 0:
			s.slot(uint16(at)).setProgram(i.foreignProgram())
		}
		others = others || i.def < 0
	}
	if !others && s.rare != nil {
		s.rare.foreign = nil
	}
}

// rareState is the part of an Owner that many owners do not need.
type rareState struct {
	foreign  []*compile.Program // by slot: programs that are not in the Owner's catalog, see instance.program
	extras   []extra            // see record.extraIndex
	timeouts *timeouts          // nil until the first timeout
	sheet    *sheet.Sheet       // attributes; nil if all are as in the catalog

	gates     *gates           // nil until needed
	timeScale *clock.Owner     // owner time; nil if it is the same as world time
	journal   *journal.Journal // records changes; nil if disabled

	calls        []waitingCall // calls deferred to the start of the next Run; see pendingCalls
	pendingCalls int32         // the last pendingCalls elements of calls still wait; the others were made

	modifiers int32  // number of modifiers of all live instances, including hidden instances
	freeExtra uint16 // first free element of extras, or noSlot
	rereads   bool   // see Owner.Rereads
	mixed     bool   // the Owner may have instances of several catalogs
}

// mixed reports whether the Owner may have instances of several catalogs.
func (s *Owner) mixed() bool { return s.rare != nil && s.rare.mixed }

// modifierCount returns the number of modifiers of all live instances.
func (s *Owner) modifierCount() int {
	if s.rare == nil {
		return 0
	}
	return int(s.rare.modifiers)
}

// setMixed sets the result of mixed.
func (s *Owner) setMixed(are bool) {
	if are != s.mixed() {
		s.ensureRare().mixed = are
	}
}

// gates returns the owner's gates, or nil if nothing has needed them yet.
func (s *Owner) gates() *gates {
	if s.rare == nil {
		return nil
	}
	return s.rare.gates
}

// journal returns the journal that records changes, or nil.
func (s *Owner) journal() *journal.Journal {
	if s.rare == nil {
		return nil
	}
	return s.rare.journal
}

// deferredCalls returns the number of handler calls that wait for the next Run.
func (s *Owner) deferredCalls() int {
	if s.rare == nil {
		return 0
	}
	return int(s.rare.pendingCalls)
}

// timeouts returns the timeouts, or nil if there has been none.
func (s *Owner) timeouts() *timeouts {
	if s.rare == nil {
		return nil
	}
	return s.rare.timeouts
}

func (s *Owner) ensureRare() *rareState {
	if s.rare == nil {
		s.rare = &rareState{freeExtra: noSlot}
	}
	return s.rare
}

// sameDefinition reports whether two programs are versions of one definition. Comparing pointers is
// enough while all instances of the Owner are from its catalog. If `other` is nil, because its Spec
// is not from a catalog, the result is false.
func (s *Owner) sameDefinition(spec, other *compile.Program) bool {
	return spec == other || other != nil && (s.mixed() || other.Catalog != s.catalog) && spec.Compiled().Lineage == other.Compiled().Lineage
}

// updateVersion switches an instance to the definition's version in the application that joins
// it. It must be called after all checks that can deny the application. If the Stacking.Timers of
// the two versions differ, the application already has the version of the instance.
func updateVersion(t *Turn, i instance, a *buff.Application) {
	if i.program() != compile.Of(a.Spec) {
		switchVersion(t, i, a)
	}
}

// emitVersion emits a Refreshed for an instance that has switched to another version, if no other
// event reports the switch. Observers that store data by version need the event.
func emitVersion(t *Turn, i instance) {
	e := i.newEvent(buff.Refreshed)
	e.End = i.reportedEnd()
	t.emit(i.owner, &e)
}

// switchVersion switches an instance to the definition's version in an application. Grants,
// modifiers and all other properties change at once, but the next pulse does not move.
func switchVersion(t *Turn, i instance, a *buff.Application) {
	s := i.owner
	spec := compile.Of(a.Spec)
	reportLastState(t, i, true)
	if i.flags&hidden == 0 {
		revokeEffects(t, i)
	}
	restartResets(t, i) // the new version may have another group of diminishing returns
	old, was := i.program(), i.currentPeriod()
	if by := len(spec.Modifiers) - len(i.program().Modifiers); by != 0 {
		s.ensureRare().modifiers += int32(by)
	}
	i.setProgram(spec)
	i.storePeriod(spec.PeriodAt(int(i.level)))
	if i.extraIndex != noSlot {
		x := i.extra()
		if x.currentPeriod = 0; i.period() == 0 {
			x.pendingPeriod = 0
		}
	}
	switch {
	case i.period() == 0:
		i.boundary = clock.Never
	case i.boundary == clock.Never:
		now := i.now(t)
		i.boundary = i.firstBoundary(now)
		i.restartAsyncPeriods(now)
	case was != i.period():
		i.ensureExtra().currentPeriod = was
	}
	if spec.Uses&compile.UsesExtra != 0 {
		convertUses(t, i, a, old)
	}
	if spec.Uses&compile.UsesMagnitudes != 0 {
		storeNumbers(t, i, a)
	} else if i.extraIndex != noSlot {
		i.extra().magnitudes.reset()
	}
	if spec.Uses&compile.UsesActs != 0 {
		s.ensureGates().handledActs |= spec.Acts()
	}
	s.ensureGates().noteImmunityChange() // the new version may have other tags and another Immune rule
	if i.flags&hidden == 0 {
		grantEffects(t, i)
	}
}
