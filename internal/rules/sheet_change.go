package rules

import (
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/compile"
)

// OnSheet returns Modifiers[k] as it is on the sheet of an owner, for a number of stacks and the
// numbers that [Owner.Numbers] returns. The result `place` is the index of the number that
// determines the value, or below 0 if there is none. Missing numbers have their defaults.
func OnSheet(s *buff.Spec, k, stacks int, numbers []float64) (m stat.Modifier, place int) {
	p := compile.Of(s)
	c := &p.Modifiers[k]
	m = stat.Modifier{Attr: c.Attr, Op: c.Op, Channel: c.Channel}
	place = int(c.Value.Place)
	if p.Varies(c) { // Numbers has its value, after the numbers
		if place = len(p.Numbers) + k; place < len(numbers) {
			m.Value = numbers[place]
		}
		return m, place
	}
	e := effect{spec: p, k: &magnitudes{values: numbers}, stacks: int16(stacks)}
	m.Value, _ = e.amount(k)
	return m, place
}

// Varies reports whether the value of Modifiers[k] is itself an element of [Owner.Numbers], because
// it cannot be computed from one number and the number of stacks alone.
func Varies(s *buff.Spec, k int) bool { p := compile.Of(s); return p.Varies(&p.Modifiers[k]) }

// Numbers appends to dst the numbers of the buff with the given handle, for [OnSheet], and returns
// the extended slice. For a stale handle it appends none.
func (s *Owner) Numbers(h buff.Handle, dst []float64) []float64 {
	i := s.lookup(h)
	if !i.exists() {
		return dst
	}
	dst = append(dst, i.magnitudes().values...)
	if spec := i.program(); slices.ContainsFunc(spec.Modifiers, func(m compile.Modifier) bool { return spec.Varies(&m) }) {
		e := i.effect()
		for j := range spec.Modifiers {
			v, _ := e.amount(j)
			dst = append(dst, v)
		}
	}
	return dst
}

// newSheetChange returns a SheetChange about the present state of a buff.
func newSheetChange(t *Turn, i instance) buff.SheetChange {
	return buff.SheetChange{At: t.at, Seen: t.Now, Owner: i.owner.id, Handle: i.handle(), Spec: &i.program().Spec, Hidden: i.flags&hidden != 0, Place: -1}
}

// reportNumber reports a number that is about to change; NaN means that it is removed.
func reportNumber(t *Turn, i instance, place int, was, to float64) {
	if was != to && t.SheetChanged != nil && i.program().Modifies(place) {
		c := newSheetChange(t, i)
		c.Place, c.Was = place, was
		t.SheetChanged(c)
	}
}

// reportVarying reports the value of a modifier that varies and is about to change; NaN means that
// it is removed.
func reportVarying(t *Turn, i instance, j int, was, to float64) {
	spec := i.program()
	if was == to || !spec.Varies(&spec.Modifiers[j]) {
		return
	}
	c := newSheetChange(t, i)
	c.Place, c.Was, c.Hidden = len(spec.Numbers)+j, was, false
	t.SheetChanged(c)
}

// reportNumbers reports all numbers that are about to change; nil means that all are removed.
func reportNumbers(t *Turn, i instance, to []float64) {
	if i.program().Uses&compile.UsesModifiers == 0 || t.SheetChanged == nil {
		return
	}
	for place, v := range i.magnitudes().values {
		is := math.NaN()
		if place < len(to) {
			is = to[place]
		}
		reportNumber(t, i, place, v, is)
	}
}

// reportLastState reports the state of a buff that is about to end or to move to another version,
// since it cannot be read later.
func reportLastState(t *Turn, i instance, version bool) {
	if t.SheetChanged != nil && i.program().Uses&compile.UsesModifiers != 0 && (version || i.flags&hidden != 0) {
		t.SheetChanged(newSheetChange(t, i))
	}
	reportNumbers(t, i, nil)
}
