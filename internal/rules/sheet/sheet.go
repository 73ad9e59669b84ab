package sheet

import (
	"fmt"
	"math"

	"github.com/bufftick/bufftick/buff/stat"
)

// Sheet holds the attributes of one owner: a base for each, and the modifiers. Use [New]. A Sheet
// must not be used concurrently, not even for reading.
type Sheet struct {
	layout *Layout
	cells  []cell // one cell for each attribute, by Attr; entry 0 is unused

	slots []slot // modifiers and free slots
	free  uint16 // first free slot, or none
	live  uint16 // number of modifiers
	limit uint16 // maximum number of modifiers

	moved *[]moved  // limits that may have changed: see NextCut; nil before the first change
	spare []operand // buffer for evaluating attributes with more than `few` modifiers
}

// cell is one attribute of one owner.
type cell struct {
	base  float64
	value float64

	// The list of the attribute's modifiers, oldest first. It starts at the slot `head`, ends at
	// the slot `tail`, and is linked by slot.next.
	head, tail uint16
	count      uint16

	// Invariant: if an attribute is stale, all attributes that it limits are stale.
	stale    bool // if set, `value` must be recomputed
	overflow bool // if set, an intermediate result was above MaxValue
}

const none = 1<<16 - 1

// New returns a Sheet with the bases of the layout and no modifiers. It holds at most limit
// modifiers; 0 means [stat.MaxModifiers]. New panics if the limit is negative or above
// stat.MaxModifiers, or if l is nil.
func New(l *Layout, limit int) *Sheet {
	switch {
	case l == nil:
		panic("stat: a sheet needs a schema")
	case limit < 0 || limit > stat.MaxModifiers:
		panic(fmt.Sprintf("stat: a limit of %d modifiers, want at most %d", limit, stat.MaxModifiers))
	case limit == 0:
		limit = stat.MaxModifiers
	}
	s := &Sheet{layout: l, cells: make([]cell, len(l.attrs)), free: none, limit: uint16(limit)}
	s.cells[0].stale = true // attribute 0 does not exist; a stale cell makes reading it fail
	for i := 1; i < len(s.cells); i++ {
		base := l.attrs[i].Base // within its limits, as checked by the schema
		s.cells[i] = cell{base: base, value: base, head: none, tail: none}
	}
	return s
}

// Schema returns the schema that the sheet was created from or has grown to.
func (s *Sheet) Schema() *stat.Schema { return s.layout.Schema }

// Attrs returns the number of attributes of the sheet, 0 if it is nil.
func (s *Sheet) Attrs() int {
	if s == nil {
		return 0
	}
	return len(s.cells) - 1
}

// Value returns the attribute with all its modifiers, within its limits. It costs O(1) unless the
// attribute is stale after a change. It panics if the schema has no such attribute.
func (s *Sheet) Value(a stat.Attr) float64 {
	if int(a) >= len(s.cells) || s.cells[a].stale {
		s.refresh(a) // a separate call, so that Value can be inlined
	}
	return s.cells[a].value
}

// Grow adds the attributes that are in the given layout but not in the sheet, with their bases. The
// layout must begin with the sheet's attributes, unchanged. If it has no further attributes, Grow
// has no effect.
func (s *Sheet) Grow(to *Layout) {
	if len(to.attrs) <= len(s.cells) {
		return
	}
	for i := len(s.cells); i < len(to.attrs); i++ {
		s.cells = append(s.cells, cell{base: to.attrs[i].Base, head: none, tail: none, stale: true})
	}
	s.layout = to
	for i := len(to.attrs) - 1; i > 0; i-- {
		s.Value(stat.Attr(i)) // a change of a stale attribute would not be noticed
	}
}

// ValueIn is like Value, but also accepts an attribute of the given layout that the sheet does not
// have yet; see [Sheet.Grow]. The sheet may be nil: then the value is the base of the layout.
// ValueIn panics if the layout has no such attribute.
func (s *Sheet) ValueIn(of *Layout, a stat.Attr) float64 {
	switch {
	case s == nil:
		return of.At(a).Base
	case int(a) < len(s.cells):
		return s.Value(a)
	}
	of.must(a)
	d := &of.attrs[a]
	lo, hi := d.lo, d.hi
	if d.loBy != 0 {
		lo = s.ValueIn(of, d.loBy)
	}
	if d.hiBy != 0 {
		hi = s.ValueIn(of, d.hiBy)
	}
	return within(d.Base, lo, hi)
}

// Base returns the base of the attribute as last set, without modifiers and limits. It panics if
// the schema has no such attribute.
func (s *Sheet) Base(a stat.Attr) float64 {
	s.layout.must(a)
	return s.cells[a].base
}

// BaseIn is like Base, but also accepts an attribute of the given layout that the sheet does not
// have yet. The sheet may be nil. BaseIn panics if the layout has no such attribute.
func (s *Sheet) BaseIn(of *Layout, a stat.Attr) float64 {
	if s == nil || int(a) >= len(s.cells) {
		return of.At(a).Base
	}
	return s.Base(a)
}

// Limits returns the current minimum and maximum of the attribute. A missing limit is
// [stat.MaxValue] or its negative. Limits panics if the schema has no such attribute.
func (s *Sheet) Limits(a stat.Attr) (lo, hi float64) {
	s.layout.must(a)
	return s.limits(a)
}

// SetBase sets the base to v, bit for bit. Limits are not applied here but in Value, so that a
// saved sheet can be restored in any order. If v is NaN or its absolute value is above
// [stat.MaxValue], SetBase returns [ErrValue] and leaves the sheet unchanged. SetBase panics if the
// schema has no such attribute.
func (s *Sheet) SetBase(a stat.Attr, v float64) error {
	s.layout.must(a)
	v, err := number(v, s.layout.attrs[a].Name)
	if err != nil {
		return err
	}
	s.rebase(a, v)
	return nil
}

// AddBase changes the base by delta, for example for damage or healing, and returns the actual
// change. The base is clamped to the current limits, delta is added, and the sum is clamped again.
// The result is therefore delta unless a limit or [stat.MaxValue] was reached; the difference is
// the overkill or overheal.
//
// If delta is NaN or its absolute value is above [stat.MaxValue], AddBase returns [ErrValue] and
// leaves the sheet unchanged. AddBase panics if the schema has no such attribute.
func (s *Sheet) AddBase(a stat.Attr, delta float64) (float64, error) {
	s.layout.must(a)
	delta, err := number(delta, s.layout.attrs[a].Name)
	if err != nil {
		return 0, err
	}
	lo, hi := s.limits(a)
	from := within(s.cells[a].base, lo, hi)
	sum := from + delta
	to := unsigned(within(sum, lo, hi))
	s.rebase(a, to)
	if to != sum {
		delta = to - from
	}
	return delta, nil
}

func (s *Sheet) rebase(a stat.Attr, v float64) {
	if math.Float64bits(v) != math.Float64bits(s.cells[a].base) {
		s.cells[a].base = v
		s.touch(a)
	}
}

// touch marks the attribute and all attributes that it limits as stale. It stops at attributes
// that are already stale.
func (s *Sheet) touch(a stat.Attr) {
	c := &s.cells[a]
	if c.stale {
		return
	}
	c.stale = true
	for _, limited := range s.layout.attrs[a].limits {
		s.move(a, limited)
		s.touch(limited)
	}
}

// refresh recomputes the attribute.
func (s *Sheet) refresh(a stat.Attr) {
	s.layout.must(a)
	c := &s.cells[a]
	lo, hi := s.limits(a) // refreshes the limiting attributes, as the invariant of `stale` requires
	v := c.base
	c.overflow = false
	if c.count > 0 {
		v, c.overflow = s.evaluate(a)
	}
	c.value = within(v, lo, hi)
	c.stale = false
}

// limits returns the current limits of the attribute.
func (s *Sheet) limits(a stat.Attr) (lo, hi float64) {
	d := &s.layout.attrs[a]
	lo, hi = d.lo, d.hi
	if d.loBy != 0 {
		lo = s.Value(d.loBy)
	}
	if d.hiBy != 0 {
		hi = s.Value(d.hiBy)
	}
	return lo, hi
}

// within clamps v to hi and then to lo. If `lo` is above `hi`, `lo` therefore takes precedence.
func within(v, lo, hi float64) float64 {
	if v > hi {
		v = hi
	}
	if v < lo {
		v = lo
	}
	return v
}
