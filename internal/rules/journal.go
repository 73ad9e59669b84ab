package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/internal/compile"
)

// SetJournal sets the journal in which the Owner records its changes. A nil journal disables
// recording.
func (s *Owner) SetJournal(j *journal.Journal) {
	if j != s.journal() {
		s.ensureRare().journal = j
	}
}

// mark records a change of a slot.
func (i instance) mark(what journal.Aspect) {
	if j := i.owner.journal(); j != nil && what != 0 {
		j.Mark(i.owner.number, i.slot, what)
	}
}

// markOwner records a change of the owner itself.
func (s *Owner) markOwner(what journal.Aspect) {
	if j := s.journal(); j != nil {
		j.MarkOwner(s.number, what)
	}
}

// markTime records that the owner's time, and with it the time of all buffs, has changed.
func (s *Owner) markTime() {
	if s.journal() == nil {
		return
	}
	s.markOwner(journal.Clock)
	for i := s.first(); i.exists(); i = i.next() {
		i.mark(journal.Time)
	}
}

// usesAspects returns the aspects that every application of the definition changes: Shield if the
// definition has a shield, and Charges if it has charges.
func usesAspects(s *compile.Program) (a journal.Aspect) {
	if s.Shield.On {
		a |= journal.Shield
	}
	if s.Charges.N > 0 {
		a |= journal.Charges
	}
	return a
}

// visibleState holds the fields of an instance that a joining application may change.
type visibleState struct {
	spec       *compile.Program
	source     buff.OwnerID
	magnitude  int64
	shield     int64
	end        int64
	charges    int32
	waiting    int
	stacks     int16
	level      int16
	generation uint32
}

// visibleState returns the present state, which markDifferences compares with a later state.
func (i instance) visibleState() visibleState {
	l := visibleState{i.program(), i.source, i.magnitude, 0, int64(i.end), 0, 0, i.stacks, i.level, i.Generation()}
	if i.extraIndex != noSlot {
		x := i.extra()
		l.shield, l.charges = i.shieldLeft(), i.chargesLeft()
		if i.program().Stack.Timers == define.TimersQueue {
			l.waiting = len(x.async)
		}
	}
	return l
}

// markDifferences records the differences between an earlier state and the present one. If the
// instance has ended in between, it does nothing, because the end is already recorded.
func (i instance) markDifferences(was *visibleState) {
	if i.Generation() != was.generation {
		return
	}
	is := i.visibleState()
	var a journal.Aspect
	note := func(changed bool, what journal.Aspect) {
		if changed {
			a |= what
		}
	}
	note(is.spec != was.spec, journal.Spec)
	note(is.source != was.source, journal.Source)
	note(is.magnitude != was.magnitude || is.level != was.level, journal.Power)
	note(is.shield != was.shield, journal.Shield)
	note(is.charges != was.charges, journal.Charges)
	note(is.end != was.end, journal.Time)
	note(is.waiting != was.waiting, journal.Waiting)
	note(is.stacks != was.stacks, journal.Stacks)
	i.mark(a)
}
