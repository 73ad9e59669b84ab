package buff

import (
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/internal/sheet"
	"github.com/bufftick/bufftick/wheel"
)

// An instance names its definition by a number, and not by a pointer, so that the collector has nothing
// to look for in the instances of an owner: with a million buffs it would follow a million pointers to
// some hundred definitions. Nearly always all are of the Set's catalog. Those that are not, between
// a reload and the owner's [Set.Adopt] or where a definition is no more, stand in a list beside.

// specOf returns the definition of an instance, nil of a free slot.
func (s *Set) specOf(i *instance) *program {
	if i.def > 0 {
		return s.catalog.programs[i.def-1]
	}
	return s.foreignSpecOf(i)
}

// foreignSpecOf is specOf for an instance of another catalog, or none.
func (s *Set) foreignSpecOf(i *instance) *program {
	if i.def == 0 {
		return nil
	}
	return s.rare.foreign[-1-i.def]
}

// setSpec gives an instance a definition.
func (s *Set) setSpec(at uint16, spec *program) {
	s.clearForeign(at)
	i := s.slot(at)
	if spec.catalog == s.catalog {
		i.def = int32(spec.index) + 1
		return
	}
	b := s.ensureRare()
	if n := len(b.foreign); n <= int(at) {
		b.foreign = append(b.foreign, make([]*program, int(at)+1-n)...)
	}
	b.foreign[at] = spec
	i.def = -1 - int32(at)
}

// clearForeign ends the pointer that a slot may have to a definition of another catalog.
func (s *Set) clearForeign(at uint16) {
	if i := s.slot(at); i.def < 0 {
		s.rare.foreign[at] = nil
	}
}

// setCatalog makes a catalog that of the Set, and numbers the definitions anew.
func (s *Set) setCatalog(c *Catalog) {
	was := s.catalog
	s.catalog = c
	others := false
	for at := range s.used {
		i := s.slot(at)
		switch {
		case i.def > 0:
			spec := was.programs[i.def-1]
			i.def = 0
			s.setSpec(uint16(at), spec)
		case i.def < 0:
			s.setSpec(uint16(at), s.foreignSpecOf(i))
		}
		others = others || i.def < 0
	}
	if !others && s.rare != nil {
		s.rare.foreign = nil
	}
}

// rareState is what many owners do not have: those whose time is the world's, of whom nobody keeps a journal, and whose buffs are plain.
type rareState struct {
	foreign  []*program // by slot, of the instances that are not of the Set's catalog, see specOf
	extras   []extra
	timeouts *timeouts    // nil: there was none yet
	sheet    *sheet.Sheet // of attributes; nil: they are as the catalog says

	gates     *gates           // what bears on what may be applied; nil: nothing
	timeScale *timeScale       // the owner's time; nil: it is the world's
	journal   *journal.Journal // where changes are noted; nil: nowhere

	calls        []waitingCall // handlers that were put off to the head of the next Run, the last ones are pending
	pendingCalls int32         // of them, those that have not been called

	modifiers int32 // of all live instances, also of those that are hidden
	freeExtra uint16
	rereads   bool // see Set.Rereads
	mixed     bool // definitions of more than one catalog have been here
}

// mixed reports whether definitions of more than one catalog have been here.
func (s *Set) mixed() bool { return s.rare != nil && s.rare.mixed }

// modified returns how many modifiers all live instances have.
func (s *Set) modifierCount() int {
	if s.rare == nil {
		return 0
	}
	return int(s.rare.modifiers)
}

// setMixed notes whether they have.
func (s *Set) setMixed(are bool) {
	if are != s.mixed() {
		s.ensureRare().mixed = are
	}
}

// time returns the owner's time, nil if it is the world's.
func (s *Set) timeScale() *timeScale {
	if s.rare == nil {
		return nil
	}
	return s.rare.timeScale
}

// gate returns what bears on what may be applied, nil if nothing does.
func (s *Set) gates() *gates {
	if s.rare == nil {
		return nil
	}
	return s.rare.gates
}

// notes returns where changes are noted, nil if they are not.
func (s *Set) journal() *journal.Journal {
	if s.rare == nil {
		return nil
	}
	return s.rare.journal
}

// putOff returns how many handlers have been put off and not been called.
func (s *Set) deferredCalls() int {
	if s.rare == nil {
		return 0
	}
	return int(s.rare.pendingCalls)
}

// waits returns the timeouts, nil if there was none yet.
func (s *Set) timeouts() *timeouts {
	if s.rare == nil {
		return nil
	}
	return s.rare.timeouts
}

func (s *Set) ensureRare() *rareState {
	if s.rare == nil {
		s.rare = &rareState{freeExtra: noSlot}
	}
	return s.rare
}

// Lineages returns how many IDs there are, or were, in the catalog and those whose place it
// has taken: the greatest [Spec.Lineage].
func (c *Catalog) Lineages() int { return len(c.lineages.list) }

// Calls reports whether a definition of this very catalog calls the Go handler of that
// name; [Catalog.Handlers] also has those that only earlier ones did.
func (c *Catalog) Calls(handler string) bool { return c.ownHandlers[handler] }

// sameDefinition reports whether two programs are versions of one definition. While all instances of a Set
// are from its catalog, it compares pointers only. A nil asked, of a Spec that is not from a
// catalog, is like no other.
func (s *Set) sameDefinition(spec, asked *program) bool {
	return spec == asked || asked != nil && (s.mixed() || asked.catalog != s.catalog) && spec.lineage == asked.lineage
}

// updateVersion settles of which version an instance and the application that joins it are from
// here on: the application's. Two with other rules of timers cannot be mixed; then the
// application has taken the old one already. It comes after everything that may refuse.
func (s *Set) updateVersion(t *Turn, at uint16, a *Application) {
	i := s.slot(at)
	if s.specOf(i) != a.Spec.program {
		s.switchVersion(t, at, a)
	}
}

// emitVersion tells that an instance is of another version where nothing else would: whoever
// keeps something for a version learns of it by an event.
func (s *Set) emitVersion(t *Turn, at uint16) {
	e := s.about(Refreshed, at)
	e.End = s.reportedEnd(s.slot(at))
	t.emit(s, &e)
}

// switchVersion makes a running instance one of the application's version: what it grants and
// what is not plain about it changes at once, the pulse that is to come stays where it is.
func (s *Set) switchVersion(t *Turn, at uint16, a *Application) {
	i, spec := s.slot(at), a.Spec.program
	s.reportLastState(t, at, true)
	if i.flags&hidden == 0 {
		s.revokeEffects(t, at)
	}
	s.restartResets(t, at) // by the new version it may be of another group
	old, was := s.specOf(i), s.currentPeriod(i)
	if by := len(spec.modifiers) - len(s.specOf(i).modifiers); by != 0 {
		s.ensureRare().modifiers += int32(by)
	}
	s.setSpec(at, spec)
	s.storePeriod(i, spec.periodAt(int(i.level)))
	if i.extra != noSlot {
		x := s.extraOf(i)
		if x.currentPeriod = 0; s.period(i) == 0 {
			x.pendingPeriod = 0
		}
	}
	switch {
	case s.period(i) == 0:
		i.boundary = wheel.Never
	case i.boundary == wheel.Never:
		now := s.nowOf(t, i)
		i.boundary = s.firstBoundary(i, now)
		s.restartAsyncPeriods(i, now)
	case was != s.period(i):
		s.ensureExtra(i).currentPeriod = was
	}
	if spec.uses&usesExtra != 0 {
		s.convertUses(t, i, a, old)
	}
	if spec.uses&usesMagnitudes != 0 {
		s.storeNumbers(t, i, a)
	} else if i.extra != noSlot {
		s.extraOf(i).magnitudes.reset()
	}
	if spec.uses&usesActs != 0 {
		s.ensureGates().handledActs |= spec.acts()
	}
	s.ensureGates().noteImmunityChange() // another version may have other tags, and another rule
	if i.flags&hidden == 0 {
		s.grantEffects(t, at)
	}
}
