package buff

import (
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/wheel"
)

// SheetChange is an earlier value of an input of an owner's attributes, before a change that no
// event reports. It is one of these: the version of a buff that moves to another one; a number of
// a buff that changes or ends with it; the fact that a buff was hidden when it ended; a base that
// differed from Value minus Delta of its Changed. From the present state, the events and these
// changes, an earlier state can be computed: see [Turn.SheetChanged].
type SheetChange struct {
	At   wheel.Time // world time of the change
	Seen wheel.Time // time of the frame, like Event.Seen

	Owner  OwnerID
	Handle Handle // the buff; 0 for a change of a base
	Spec   *Spec  // the earlier version
	Hidden bool   // the buff was hidden
	Place  int    // index of the number in [Set.Numbers]; below 0 if no number has changed

	Attr stat.Attr // the attribute whose base has changed
	Was  float64   // the earlier number or base
}

// OnSheet returns Modifiers[k] as it is on the sheet of an owner, for a number of stacks and the
// numbers that [Set.Numbers] returns. place is the index of the number that determines its value,
// or below 0 for none. Missing numbers have their defaults.
func (s *Spec) OnSheet(k, stacks int, numbers []float64) (m stat.Modifier, place int) {
	p := programFor(s)
	c := &p.modifiers[k]
	m = stat.Modifier{Attr: c.attr, Op: c.op, Channel: c.channel}
	place = int(c.value.place)
	if p.varies(c) { // Numbers has its value, after the numbers
		if place = len(p.numbers) + k; place < len(numbers) {
			m.Value = numbers[place]
		}
		return m, place
	}
	e := effect{spec: p, k: &magnitudes{values: numbers}, stacks: int16(stacks)}
	m.Value, _ = e.amount(k)
	return m, place
}

// Varies reports whether the value of Modifiers[k] is itself an element of [Set.Numbers], because
// it cannot be computed from one number and the number of stacks alone.
func (s *Spec) Varies(k int) bool { p := programFor(s); return p.varies(&p.modifiers[k]) }

// varies reports whether the value of a modifier cannot be computed from one number and the number
// of stacks alone, because its formula reads the stacks or each async stack has a separate number.
func (s *program) varies(m *modifier) bool {
	return s.ownNumber(m.value) || m.value.place >= 0 && s.numbers[m.value.place].live != 0
}

// Numbers appends to dst the numbers of the buff with that handle, for [Spec.OnSheet], and returns
// it. For a stale handle it appends none.
func (s *Set) Numbers(h Handle, dst []float64) []float64 {
	i := s.lookup(h)
	if i == nil {
		return dst
	}
	dst = append(dst, s.magnitudesOf(i).values...)
	if spec := s.programOf(i); slices.ContainsFunc(spec.modifiers, func(m modifier) bool { return spec.varies(&m) }) {
		e := s.effectOf(i)
		for j := range spec.modifiers {
			v, _ := e.amount(j)
			dst = append(dst, v)
		}
	}
	return dst
}

// modifies reports whether a modifier depends on exactly the number at a place.
func (s *program) modifies(place int) bool {
	return slices.ContainsFunc(s.modifiers, func(m modifier) bool { return int(m.value.place) == place && !s.varies(&m) })
}

// newSheetChange returns a SheetChange about the present state of a buff.
func (s *Set) newSheetChange(t *Turn, at uint16) SheetChange {
	i := s.slot(at)
	return SheetChange{At: t.at, Seen: t.Now, Owner: s.owner, Handle: s.handle(at), Spec: &s.programOf(i).Spec, Hidden: i.flags&hidden != 0, Place: -1}
}

// reportNumber reports a number that is about to change; NaN means that it is removed.
func (s *Set) reportNumber(t *Turn, at uint16, place int, was, to float64) {
	if was != to && t.SheetChanged != nil && s.programOf(s.slot(at)).modifies(place) {
		c := s.newSheetChange(t, at)
		c.Place, c.Was = place, was
		t.SheetChanged(c)
	}
}

// reportVarying reports the value of a modifier that varies and is about to change; NaN means that
// it is removed.
func (s *Set) reportVarying(t *Turn, at uint16, j int, was, to float64) {
	spec := s.programOf(s.slot(at))
	if was == to || !spec.varies(&spec.modifiers[j]) {
		return
	}
	c := s.newSheetChange(t, at)
	c.Place, c.Was, c.Hidden = len(spec.numbers)+j, was, false
	t.SheetChanged(c)
}

// reportNumbers reports all numbers that are about to change; nil means that all are removed.
func (s *Set) reportNumbers(t *Turn, at uint16, to []float64) {
	if s.programOf(s.slot(at)).uses&usesModifiers == 0 || t.SheetChanged == nil {
		return
	}
	for place, v := range s.magnitudesOf(s.slot(at)).values {
		is := math.NaN()
		if place < len(to) {
			is = to[place]
		}
		s.reportNumber(t, at, place, v, is)
	}
}

// reportLastState reports the state of a buff that is about to end or to move to another version,
// since it cannot be read later.
func (s *Set) reportLastState(t *Turn, at uint16, version bool) {
	if i := s.slot(at); t.SheetChanged != nil && s.programOf(i).uses&usesModifiers != 0 && (version || i.flags&hidden != 0) {
		t.SheetChanged(s.newSheetChange(t, at))
	}
	s.reportNumbers(t, at, nil)
}
