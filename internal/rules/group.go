package rules

import (
	"cmp"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/compile"
)

// A group, a slot class and a limit for each source restrict which buffs an owner has at the same
// time. A new buff replaces others or is refused.

// makeRoom checks whether the owner has room for a new instance, and ends the instances that it
// displaces: in its group, in its slot class, and of its source. If there is no room, it returns
// the reason and changes no instance. It is not needed for a definition without the features in
// compile.UsesRoom.
//
// The displaced instances are collected first and ended together, so that all Removed events
// precede the Applied.
//
// Examples: testdata/group_rules.txt, slots.txt, per_source.txt.
func makeRoom(t *Turn, s *Owner, a *buff.Application) reason.Reason {
	t.displaced = t.displaced[:0]
	if compile.Of(a.Spec).Group != 0 && !displaceGroup(t, s, a) {
		return reason.Exclusive
	}
	if compile.Of(a.Spec).Slot != 0 && !displaceSlot(t, s, compile.Of(a.Spec)) {
		return reason.NoSlot
	}
	if compile.Of(a.Spec).Uses&compile.UsesShare != 0 {
		displaceSource(t, s, a)
	}
	if s.records.Len()-len(t.displaced) >= s.records.Limit() {
		return reason.Full
	}
	freed := 0
	for _, g := range t.displaced {
		freed += len(g.program().Modifiers)
	}
	if !s.modifiersFit(compile.Of(a.Spec), freed) {
		return reason.Full
	}
	for _, g := range t.displaced {
		end(t, g.instance, g.why)
	}
	return reason.None
}

// displaced is an instance that is removed to make room for a new one.
type displaced struct {
	instance
	why reason.Reason
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
func displaceGroup(t *Turn, s *Owner, a *buff.Application) bool {
	g := &a.Spec.Group
	if g.Rule == define.GroupHide {
		return true
	}
	for i := s.first(); i.exists(); i = i.next() {
		s.visited++
		if i.program().Group != compile.Of(a.Spec).Group {
			continue
		}
		other := i.program().Spec.Group.Priority
		switch {
		case g.Rule == define.GroupSameSource && i.source != a.Source:
			continue
		case g.Rule == define.GroupNever, g.Rule == define.GroupHigher && other >= g.Priority, g.Rule == define.GroupEqualOrHigher && other > g.Priority:
			return false
		}
		t.displaced = append(t.displaced, displaced{i, reason.Replaced})
	}
	return true
}

// displaceSlot collects the instance that a new one evicts from a full slot class, and reports
// whether there is room. With EvictLowest, a new instance with a lower priority than all others
// is refused.
//
// Instances that the group has displaced do not count, so that replacing an instance of the same
// class needs no second slot. Example: testdata/slots.txt.
func displaceSlot(t *Turn, s *Owner, spec *compile.Program) bool {
	taken, victim := 0, instance{}
	for i := s.first(); i.exists(); i = i.next() {
		s.visited++
		if i.program().Slot != spec.Slot || slices.ContainsFunc(t.displaced, func(g displaced) bool { return g.slot == i.slot }) {
			continue
		}
		taken++
		if !victim.exists() || i.evictedBefore(spec.Spec.Slot.Evict, victim) {
			victim = i
		}
	}
	switch {
	case taken < spec.Spec.Slot.Limit:
		return true
	case spec.Spec.Slot.Evict == define.EvictReject,
		spec.Spec.Slot.Evict == define.EvictLowest && spec.Spec.Group.Priority < victim.program().Spec.Group.Priority:
		return false
	}
	t.displaced = append(t.displaced, displaced{victim, reason.Overflowed})
	return true
}

// displaceSource collects the oldest instance of the same definition and source if the source has
// reached its limit on this owner. The engine enforces the limit across owners.
func displaceSource(t *Turn, s *Owner, a *buff.Application) {
	held, oldest := 0, instance{}
	for i := s.first(); i.exists(); i = i.next() {
		s.visited++
		if i.source != a.Source || !s.sameDefinition(i.program(), compile.Of(a.Spec)) || slices.ContainsFunc(t.displaced, func(g displaced) bool { return g.slot == i.slot }) {
			continue
		}
		if held++; !oldest.exists() {
			oldest = i
		}
	}
	if held >= a.Spec.PerSource.Limit {
		t.displaced = append(t.displaced, displaced{oldest, reason.Replaced})
	}
}

// evictedBefore reports whether the instance is evicted rather than an older one. With EvictOldest,
// and if the two are equal by the rule, the older one is evicted.
func (i instance) evictedBefore(rule define.Evict, older instance) bool {
	switch rule {
	case define.EvictLowest:
		return i.program().Spec.Group.Priority < older.program().Spec.Group.Priority
	case define.EvictSoonest:
		return i.timeScale().ToOuter(i.end) < older.timeScale().ToOuter(older.end) // not in world time, where the end of a paused buff is Never
	}
	return false
}

// strongest names the strongest instance of a group with the rule "hide". Only this instance of the
// group has an effect.
type strongest struct {
	group uint16
	instance
}

// findStrongest finds the strongest instance of each group with the rule "hide". An instance that
// is hidden for another cause counts too: if it is the strongest, no member of its group has an
// effect.
//
// Example: testdata/group_hide.txt.
func findStrongest(t *Turn, s *Owner) {
	t.strongest = t.strongest[:0]
	for i := s.first(); i.exists(); i = i.next() {
		s.visited++
		if i.program().Group == 0 || i.program().Spec.Group.Rule != define.GroupHide {
			continue
		}
		k := slices.IndexFunc(t.strongest, func(b strongest) bool { return b.group == i.program().Group })
		switch {
		case k < 0:
			t.strongest = append(t.strongest, strongest{i.program().Group, i})
		case !t.strongest[k].isStronger(i):
			t.strongest[k].instance = i
		}
	}
}

// isStronger reports whether the instance is stronger than a younger one. It compares priority,
// level and magnitude. Among equal instances, the younger is stronger.
func (i instance) isStronger(younger instance) bool {
	if p, q := i.program().Spec.Group.Priority, younger.program().Spec.Group.Priority; p != q {
		return p > q
	}
	return i.strength().compare(younger.strength()) > 0
}

// outrankedCauses returns those causes for hiding an instance that depend on stronger instances:
// weaker (within its group) and ineffective (among the instances of its definition). Call
// findStrongest first.
//
// Examples: testdata/group_hide.txt, effective.txt.
func outrankedCauses(t *Turn, i instance) (causes flags) {
	if i.program().Spec.Group.Rule == define.GroupHide && i.program().Group != 0 {
		for _, b := range t.strongest {
			if b.group == i.program().Group && b.slot != i.slot {
				causes |= weaker
			}
		}
	}
	if n := i.program().Stack.Effective; n > 0 && i.program().Stack.Timers != define.TimersEach && i.countStronger() >= n {
		causes |= ineffective
	}
	return causes
}

// countStronger returns how many other instances of the same definition are stronger, or equally
// strong and older.
func (i instance) countStronger() (n int) {
	s := i.owner
	for o := s.first(); o.exists(); o = o.next() {
		s.visited++
		if !s.sameDefinition(o.program(), i.program()) {
			continue
		}
		if by := o.strength().compare(i.strength()); by > 0 || by == 0 && o.age() < i.age() {
			n++
		}
	}
	return n
}

// strength decides which of two applications is stronger: by level, then by magnitude. If both are
// equal, the older application is stronger for Stacking.Effective and in a queue, and the younger
// application is stronger in a group with the rule "hide".
type strength struct {
	level     int16
	magnitude int64
}

func (i *record) strength() strength { return strength{i.level, i.magnitude} }

func (l *asyncStack) strength() strength { return strength{l.level, l.magnitude} }

func strengthOf(a *buff.Application) strength { return strength{int16(a.Level), a.Magnitude} }

// compare returns a negative number if s is weaker than o, a positive one if it is stronger, and 0
// if they are equal.
func (s strength) compare(o strength) int {
	return cmp.Or(cmp.Compare(s.level, o.level), cmp.Compare(s.magnitude, o.magnitude))
}

// replacesByLevel reports whether an application replaces a live instance because of its higher
// level.
func replacesByLevel(a *buff.Application, i instance) bool {
	return a.Spec.Stack.Level == define.LevelHigherWins && a.Level > int(i.level) && !a.Origin.Rest
}
