package buff

import (
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/wheel"
)

// SheetChange is what something by which the attributes of an owner are worked out was up to an instant,
// where no event says so: the version of a buff that takes another one; a number of a buff that becomes
// another, or ends with it; that a buff which ends had no effect; a base that was not Value less Delta of its
// Changed. From the present state, the events and these changes one can work out an earlier state: see
// [Turn.SheetChanged].
type SheetChange struct {
	At   wheel.Time // the instant
	Seen wheel.Time // the frame, as an event has it

	Owner  OwnerID
	Handle Handle // the buff; 0: it is about a base
	Spec   *Spec  // the version that it was of
	Hidden bool   // it had no effect
	Place  int    // of the number among those of [Set.Numbers]; below 0: it is about none

	Attr stat.Attr // whose base it is
	Was  float64   // the number or the base
}

// OnSheet returns what Modifiers[k] is on the sheet of an owner, with so many stacks and with the numbers that
// [Set.Numbers] returns. Place is which of these it goes by; below 0: by none. Without that number it has
// the default.
func (s *Spec) OnSheet(k, stacks int, numbers []float64) (m stat.Modifier, place int) {
	p := s.program
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

// Varies reports whether the value of Modifiers[k] is itself one of [Set.Numbers], since it goes by more than one number.
func (s *Spec) Varies(k int) bool { return s.program.varies(&s.program.modifiers[k]) }

// varies reports whether a modifier goes by more than one number and the stacks: by a formula that reads the stacks, or by the
// numbers of applications with timers of their own.
func (s *program) varies(m *modifier) bool {
	return s.ownNumber(m.value) || m.value.place >= 0 && s.numbers[m.value.place].live != 0
}

// Numbers appends the numbers to dst that the buff of that handle keeps of its application, and returns it. They
// mean something to [Spec.OnSheet]. Of a handle that is stale there are none.
func (s *Set) Numbers(h Handle, dst []float64) []float64 {
	i := s.lookup(h)
	if i == nil {
		return dst
	}
	dst = append(dst, s.magnitudesOf(i).values...)
	if spec := s.specOf(i); slices.ContainsFunc(spec.modifiers, func(m modifier) bool { return spec.varies(&m) }) {
		e := s.effectOf(i)
		for j := range spec.modifiers {
			v, _ := e.amount(j)
			dst = append(dst, v)
		}
	}
	return dst
}

// modifies reports whether a modifier goes by the number at a place.
func (s *program) modifies(place int) bool {
	return slices.ContainsFunc(s.modifiers, func(m modifier) bool { return int(m.value.place) == place && !s.varies(&m) })
}

// newSheetChange is what is told of a buff that changes in some way.
func (s *Set) newSheetChange(t *Turn, at uint16) SheetChange {
	i := s.slot(at)
	return SheetChange{At: t.at, Seen: t.Now, Owner: s.owner, Handle: s.handle(at), Spec: &s.specOf(i).Spec, Hidden: i.flags&hidden != 0, Place: -1}
}

// reportNumber tells of a number that is to be another; NaN stands for none.
func (s *Set) reportNumber(t *Turn, at uint16, place int, was, to float64) {
	if was != to && t.SheetChanged != nil && s.specOf(s.slot(at)).modifies(place) {
		c := s.newSheetChange(t, at)
		c.Place, c.Was = place, was
		t.SheetChanged(c)
	}
}

// reportVarying tells of the value of a modifier that varies, which is to be another; NaN stands for none.
func (s *Set) reportVarying(t *Turn, at uint16, j int, was, to float64) {
	spec := s.specOf(s.slot(at))
	if was == to || !spec.varies(&spec.modifiers[j]) {
		return
	}
	c := s.newSheetChange(t, at)
	c.Place, c.Was, c.Hidden = len(spec.numbers)+j, was, false
	t.SheetChanged(c)
}

// reportNumbers tells of all that are to be others; nil stands for none at all.
func (s *Set) reportNumbers(t *Turn, at uint16, to []float64) {
	if s.specOf(s.slot(at)).uses&usesModifiers == 0 || t.SheetChanged == nil {
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

// reportLastState tells of a buff that ends, or takes another version, what nobody will be able to ask.
func (s *Set) reportLastState(t *Turn, at uint16, version bool) {
	if i := s.slot(at); t.SheetChanged != nil && s.specOf(i).uses&usesModifiers != 0 && (version || i.flags&hidden != 0) {
		t.SheetChanged(s.newSheetChange(t, at))
	}
	s.reportNumbers(t, at, nil)
}
