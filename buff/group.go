package buff

import (
	"slices"

	"github.com/bufftick/bufftick/buff/define"
)

// makeRoom checks whether the owner has room for a new instance, and ends the instances that it
// displaces: in its group, in its slot class, and of its source. If there is no room, it returns
// the reason and changes no instance. It is not needed for a definition without the features in
// usesRoom.
//
// The displaced instances are collected first and ended together, so that all Removed events
// precede the Applied.
//
// Examples: testdata/group_rules.txt, slots.txt, per_source.txt.
func (s *Set) makeRoom(t *Turn, a *Application) Reason {
	t.displaced = t.displaced[:0]
	if programFor(a.Spec).group != 0 && !s.displaceGroup(t, a) {
		return Exclusive
	}
	if programFor(a.Spec).slot != 0 && !s.displaceSlot(t, programFor(a.Spec)) {
		return NoSlot
	}
	if programFor(a.Spec).uses&usesShare != 0 {
		s.displaceSource(t, a)
	}
	if int(s.live)-len(t.displaced) >= int(s.limit) {
		return Full
	}
	freed := 0
	for _, g := range t.displaced {
		freed += len(s.programOf(s.slot(g.at)).modifiers)
	}
	if !s.modifiersFit(programFor(a.Spec), freed) {
		return Full
	}
	for _, g := range t.displaced {
		s.end(t, g.at, g.why)
	}
	return NoReason
}

// displaced is an instance that is removed to make room for a new one.
type displaced struct {
	at  uint16
	why Reason
}

// displaceGroup collects the group members that a new instance replaces, and reports whether the
// group admits the new instance. Only the rule of the new instance counts:
//
//	always            replaces all members
//	never             is refused if there is a member
//	higher            replaces members of lower priority; refused by the others
//	equal or higher   replaces members of the same or lower priority; refused by the others
//	same source       replaces members of its source
//	hide              replaces no member: the weaker ones are hidden, see findStrongest
func (s *Set) displaceGroup(t *Turn, a *Application) bool {
	g := &a.Spec.Group
	if g.Rule == define.GroupHide {
		return true
	}
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		s.visited++
		i := s.slot(at)
		if s.programOf(i).group != programFor(a.Spec).group {
			continue
		}
		other := s.programOf(i).Group.Priority
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

// displaceSlot collects the instance that a new one evicts from a full slot class, and reports
// whether there is room. With EvictLowest, a new instance with a lower priority than all others
// is refused.
//
// Instances that the group has displaced do not count, so that replacing an instance of the same
// class needs no second slot. Example: testdata/slots.txt.
func (s *Set) displaceSlot(t *Turn, spec *program) bool {
	taken, victim := 0, uint16(noSlot)
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		s.visited++
		if s.programOf(s.slot(at)).slot != spec.slot || slices.ContainsFunc(t.displaced, func(g displaced) bool { return g.at == at }) {
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
		spec.Slot.Evict == define.EvictLowest && spec.Group.Priority < s.programOf(s.slot(victim)).Group.Priority:
		return false
	}
	t.displaced = append(t.displaced, displaced{victim, Overflowed})
	return true
}

// displaceSource collects the oldest instance of the same definition and source if the source has
// reached its limit on this owner. The engine enforces the limit across owners.
func (s *Set) displaceSource(t *Turn, a *Application) {
	held, oldest := 0, uint16(noSlot)
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		s.visited++
		i := s.slot(at)
		if i.source != a.Source || !s.sameDefinition(s.programOf(i), programFor(a.Spec)) || slices.ContainsFunc(t.displaced, func(g displaced) bool { return g.at == at }) {
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

// evictedBefore reports whether the instance in slot a is evicted rather than the instance in slot
// b, which is older. With EvictOldest, and if the two are equal by the rule, the older one is
// evicted.
func (s *Set) evictedBefore(rule define.Evict, a, b uint16) bool {
	x, y := s.slot(a), s.slot(b)
	switch rule {
	case define.EvictLowest:
		return s.programOf(x).Group.Priority < s.programOf(y).Group.Priority
	case define.EvictSoonest:
		return s.toOwnerTime(x, x.end) < s.toOwnerTime(y, y.end) // not in world time, where the end of a paused buff is Never
	}
	return false
}

// strongest names the strongest instance of a group with the rule hide. Only this instance of the
// group has an effect.
type strongest struct {
	group uint16
	at    uint16
}

// findStrongest finds the strongest instance of each group with the rule hide. An instance that is
// hidden for another cause counts too: if it is the strongest, no member of its group has an
// effect.
//
// Example: testdata/group_hide.txt.
func (s *Set) findStrongest(t *Turn) {
	t.strongest = t.strongest[:0]
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		s.visited++
		i := s.slot(at)
		if s.programOf(i).group == 0 || s.programOf(i).Group.Rule != define.GroupHide {
			continue
		}
		k := slices.IndexFunc(t.strongest, func(b strongest) bool { return b.group == s.programOf(i).group })
		switch {
		case k < 0:
			t.strongest = append(t.strongest, strongest{s.programOf(i).group, at})
		case !s.isStronger(t.strongest[k].at, at):
			t.strongest[k].at = at
		}
	}
}

// isStronger reports whether the instance in slot a, which is older, is stronger than the instance
// in slot b. It compares priority, level and magnitude. Of equal instances, the younger one is
// stronger.
func (s *Set) isStronger(a, b uint16) bool {
	x, y := s.slot(a), s.slot(b)
	if p, q := s.programOf(x).Group.Priority, s.programOf(y).Group.Priority; p != q {
		return p > q
	}
	return x.strength().compare(y.strength()) > 0
}

// outrankedCauses returns those causes for hiding an instance that depend on stronger instances:
// weaker (within its group) and ineffective (among the instances of its definition). Call
// findStrongest first.
//
// Examples: testdata/group_hide.txt, effective.txt.
func (s *Set) outrankedCauses(t *Turn, at uint16) (causes flags) {
	i := s.slot(at)
	if s.programOf(i).Group.Rule == define.GroupHide && s.programOf(i).group != 0 {
		for _, b := range t.strongest {
			if b.group == s.programOf(i).group && b.at != at {
				causes |= weaker
			}
		}
	}
	if n := s.programOf(i).Stack.Effective; n > 0 && s.programOf(i).Stack.Timers != define.TimersEach && s.countStronger(at) >= n {
		causes |= ineffective
	}
	return causes
}

// countStronger returns how many other instances of the same definition are stronger, or equally
// strong and older.
func (s *Set) countStronger(at uint16) (n int) {
	i := s.slot(at)
	for other := s.oldest; other != noSlot; other = s.slot(other).newer {
		s.visited++
		o := s.slot(other)
		if !s.sameDefinition(s.programOf(o), s.programOf(i)) {
			continue
		}
		if by := o.strength().compare(i.strength()); by > 0 || by == 0 && s.age(o) < s.age(i) {
			n++
		}
	}
	return n
}
