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
func (s *Owner) mark(at uint16, what journal.Aspect) {
	if j := s.journal(); j != nil && what != 0 {
		j.Mark(s.number, at, what)
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
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		s.mark(at, journal.Time)
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

// visibleStateOf returns the present state, which markDifferences compares with a later state.
func (s *Owner) visibleStateOf(at uint16) visibleState {
	i := s.slot(at)
	l := visibleState{s.programOf(i), i.source, i.magnitude, 0, int64(i.end), 0, 0, i.stacks, i.level, i.generation}
	if i.extra != noSlot {
		x := s.extraOf(i)
		l.shield, l.charges = s.shieldLeft(i), s.chargesLeft(i)
		if s.programOf(i).Stack.Timers == define.TimersQueue {
			l.waiting = len(x.async)
		}
	}
	return l
}

// markDifferences records the differences between an earlier state and the present one. If the
// instance has ended in between, it does nothing, because the end is already recorded.
func (s *Owner) markDifferences(at uint16, was *visibleState) {
	if s.slot(at).generation != was.generation {
		return
	}
	is := s.visibleStateOf(at)
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
	s.mark(at, a)
}
