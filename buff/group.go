package buff

import (
	"slices"

	"github.com/bufftick/bufftick/buff/define"
)

// makeRoom sees that a new instance may stand beside what is there, and takes away what
// must give way: of its group, of its class of slots, and of its source. If it may not, it returns
// why, and nothing has changed. Without one of usesRoom there is nothing to see to.
//
// So those who give way are only noted at first, each step leaving out whom an earlier one has noted, and
// are ended together at the end, before the newcomer is told: Removed, Removed, Applied.
//
// Stories: testdata/group_rules.txt, slots.txt, per_source.txt.
func (s *Set) makeRoom(t *Turn, a *Application) Reason {
	t.displaced = t.displaced[:0]
	if a.Spec.program.group != 0 && !s.displaceGroup(t, a) {
		return Exclusive
	}
	if a.Spec.program.slot != 0 && !s.displaceSlot(t, a.Spec.program) {
		return NoSlot
	}
	if a.Spec.program.uses&usesShare != 0 {
		s.displaceSource(t, a)
	}
	if int(s.live)-len(t.displaced) >= int(s.limit) {
		return Full
	}
	freed := 0
	for _, g := range t.displaced {
		freed += len(s.specOf(s.slot(g.at)).modifiers)
	}
	if !s.modifiersFit(a.Spec.program, freed) {
		return Full
	}
	for _, g := range t.displaced {
		s.end(t, g.at, g.why)
	}
	return NoReason
}

// displaced is an instance that gives way to a new one.
type displaced struct {
	at  uint16
	why Reason
}

// displaceGroup notes which members of its group a newcomer replaces, and reports whether none
// refuses it. The rule is the newcomer's: what those who are there say bears on who comes after them.
//
//	always            replaces all
//	never             is refused if one is there
//	higher            replaces those of a lower priority, and is refused by one of the same or a higher
//	equal or higher   is refused only by a higher one, and replaces the others
//	same source       replaces those of its own source, and lives beside the others
//	hide              replaces nobody: the weaker ones are hidden, see rank
func (s *Set) displaceGroup(t *Turn, a *Application) bool {
	g := &a.Spec.Group
	if g.Rule == define.GroupHide {
		return true
	}
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		s.visited++
		i := s.slot(at)
		if s.specOf(i).group != a.Spec.program.group {
			continue
		}
		other := s.specOf(i).Group.Priority
		switch {
		case g.Rule == define.GroupSameSource && i.source != a.Source:
			continue
		case g.Rule == define.GroupNever, g.Rule == define.GroupHigher && other >= g.Priority, g.Rule == define.GroupEqualOrHigher && other > g.Priority:
			return false
		}
		t.displaced = append(t.displaced, displaced{at, Replaced})
	}
	return true
}

// displaceSlot notes who gives way to a newcomer in a full class, and reports whether there is
// room then. With lowest-priority a newcomer below all that are there is refused.
//
// One that gives way to the group already counts no more, so that a newcomer which replaces another of its class needs no
// second place. Story: testdata/slots.txt.
func (s *Set) displaceSlot(t *Turn, spec *program) bool {
	taken, victim := 0, uint16(noSlot)
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		s.visited++
		if s.specOf(s.slot(at)).slot != spec.slot || slices.ContainsFunc(t.displaced, func(g displaced) bool { return g.at == at }) {
			continue
		}
		taken++
		if victim == noSlot || s.evictedBefore(spec.Slot.Evict, at, victim) {
			victim = at
		}
	}
	switch {
	case taken < spec.Slot.Limit:
		return true
	case spec.Slot.Evict == define.EvictReject,
		spec.Slot.Evict == define.EvictLowest && spec.Group.Priority < s.specOf(s.slot(victim)).Group.Priority:
		return false
	}
	t.displaced = append(t.displaced, displaced{victim, Overflowed})
	return true
}

// displaceSource notes who gives way to one more of the same source, so that on this owner there are
// no more than its share. Whether it has others elsewhere is for whoever knows all owners.
func (s *Set) displaceSource(t *Turn, a *Application) {
	held, oldest := 0, uint16(noSlot)
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		s.visited++
		i := s.slot(at)
		if i.source != a.Source || !s.sameDefinition(s.specOf(i), a.Spec.program) || slices.ContainsFunc(t.displaced, func(g displaced) bool { return g.at == at }) {
			continue
		}
		if held++; oldest == noSlot {
			oldest = at
		}
	}
	if held >= a.Spec.PerSource.Limit {
		t.displaced = append(t.displaced, displaced{oldest, Replaced})
	}
}

// evictedBefore reports whether a gives way before b, which is older. With oldest nobody does, so that the first one looked at is
// the victim; so it is among equals.
func (s *Set) evictedBefore(rule define.Evict, a, b uint16) bool {
	x, y := s.slot(a), s.slot(b)
	switch rule {
	case define.EvictLowest:
		return s.specOf(x).Group.Priority < s.specOf(y).Group.Priority
	case define.EvictSoonest:
		return s.toOwnerTime(x, x.end) < s.toOwnerTime(y, y.end) // also while the owner's time stands still
	}
	return false
}

// strongest is the one instance of a group that has an effect.
type strongest struct {
	group uint16
	at    uint16
}

// findStrongest finds, for each group whose rule is hide, the strongest.
//
// It is found anew in each round of reconsider: what is hidden by another cause may still be the strongest, and then nobody of
// its group has an effect. Story: testdata/group_hide.txt.
func (s *Set) findStrongest(t *Turn) {
	t.strongest = t.strongest[:0]
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		s.visited++
		i := s.slot(at)
		if s.specOf(i).group == 0 || s.specOf(i).Group.Rule != define.GroupHide {
			continue
		}
		k := slices.IndexFunc(t.strongest, func(b strongest) bool { return b.group == s.specOf(i).group })
		switch {
		case k < 0:
			t.strongest = append(t.strongest, strongest{s.specOf(i).group, at})
		case !s.isStronger(t.strongest[k].at, at):
			t.strongest[k].at = at
		}
	}
}

// isStronger reports whether the older a is stronger than b: by priority, level and magnitude;
// of equals the newest is.
func (s *Set) isStronger(a, b uint16) bool {
	x, y := s.slot(a), s.slot(b)
	if p, q := s.specOf(x).Group.Priority, s.specOf(y).Group.Priority; p != q {
		return p > q
	}
	return x.strength().compare(y.strength()) > 0
}

// outrankedCauses returns for which of its rules an instance is hidden, after rank.
//
// Stories: testdata/group_hide.txt, effective.txt.
func (s *Set) outrankedCauses(t *Turn, at uint16) (causes flags) {
	i := s.slot(at)
	if s.specOf(i).Group.Rule == define.GroupHide && s.specOf(i).group != 0 {
		for _, b := range t.strongest {
			if b.group == s.specOf(i).group && b.at != at {
				causes |= weaker
			}
		}
	}
	if n := s.specOf(i).Stack.Effective; n > 0 && s.specOf(i).Stack.Timers != define.TimersEach && s.countStronger(at) >= n {
		causes |= ineffective
	}
	return causes
}

// countStronger counts the instances of the same definition that are stronger, or as strong and
// older.
func (s *Set) countStronger(at uint16) (n int) {
	i := s.slot(at)
	for other := s.oldest; other != noSlot; other = s.slot(other).newer {
		s.visited++
		o := s.slot(other)
		if !s.sameDefinition(s.specOf(o), s.specOf(i)) {
			continue
		}
		if by := o.strength().compare(i.strength()); by > 0 || by == 0 && s.age(o) < s.age(i) {
			n++
		}
	}
	return n
}
