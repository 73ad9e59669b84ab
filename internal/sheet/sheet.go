package sheet

import (
	"fmt"
	"math"

	"github.com/bufftick/bufftick/buff/stat"
)

// Sheet is the attributes of one owner: a base for each, and the modifiers that lie on
// them. Use [New]. One goroutine at a time may use a Sheet, also to read it.
type Sheet struct {
	layout *Layout
	cells  []cell // one for each attribute

	slots []slot // the modifiers, and places where some have been
	free  uint16 // first of the places that can be used again, or none
	live  uint16
	limit uint16

	moved *[]moved  // limits that may have changed, see NextCut; nil: none ever has
	spare []operand // room to work out an attribute with more than a few modifiers
}

// cell is one attribute of one owner.
type cell struct {
	base  float64
	value float64

	// The attribute's modifiers, oldest first, are a list from head to tail by
	// slot.next.
	head, tail uint16
	count      uint16

	// Invariant: where an attribute is stale, all those that it limits are stale.
	stale    bool // value has to be worked out
	overflow bool // the running number went beyond MaxValue on the way to value
}

const none = 1<<16 - 1

// New returns a Sheet with the bases of the layout and no modifiers. It will hold at
// most limit modifiers; 0 stands for [stat.MaxModifiers]. It panics if the limit is negative
// or above that, or if there is no layout.
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
	s.cells[0].stale = true // of no attribute: whoever reads it fails
	for i := 1; i < len(s.cells); i++ {
		base := l.attrs[i].Base // within its limits: the schema saw to it
		s.cells[i] = cell{base: base, value: base, head: none, tail: none}
	}
	return s
}

// Schema returns the schema that the sheet was made from, or has grown to.
func (s *Sheet) Schema() *stat.Schema { return s.layout.Schema }

// Attrs returns the number of attributes of the sheet.
func (s *Sheet) Attrs() int { return len(s.cells) - 1 }

// Value returns the attribute with all that lies on it, within its limits. O(1) unless a
// change made it stale. It panics if the schema has no such attribute.
func (s *Sheet) Value(a stat.Attr) float64 {
	if int(a) >= len(s.cells) || s.cells[a].stale {
		s.refresh(a) // so written, Value is small enough to be inlined
	}
	return s.cells[a].value
}

// Grow gives the sheet the attributes that a greater layout has beside the sheet's own, with their
// bases. The layout must begin with the attributes of the sheet's, as they are there. One that is not
// greater changes nothing.
func (s *Sheet) Grow(to *Layout) {
	if len(to.attrs) <= len(s.cells) {
		return
	}
	for i := len(s.cells); i < len(to.attrs); i++ {
		s.cells = append(s.cells, cell{base: to.attrs[i].Base, head: none, tail: none, stale: true})
	}
	s.layout = to
	for i := len(to.attrs) - 1; i > 0; i-- {
		s.Value(stat.Attr(i)) // what is stale is not noticed when it moves
	}
}

// ValueIn is Value for an attribute of a greater layout, as [Sheet.Grow] takes it, to which the sheet
// has not grown. It panics if the schema has no such attribute.
func (s *Sheet) ValueIn(of *Layout, a stat.Attr) float64 {
	if int(a) < len(s.cells) {
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

// Base returns the attribute as it is without modifiers and without its limits, as it was
// last set. It panics if the schema has no such attribute.
func (s *Sheet) Base(a stat.Attr) float64 {
	s.layout.must(a)
	return s.cells[a].base
}

// Limits returns the least and the greatest that the attribute can be now. Where there is no
// limit it is [stat.MaxValue] or its negative. It panics if the schema has no such attribute.
func (s *Sheet) Limits(a stat.Attr) (lo, hi float64) {
	s.layout.must(a)
	return s.limits(a)
}

// SetBase sets the base to v, bit for bit, for good. Limits do not change it: they are
// for Value to apply, so that a saved sheet can be set in any order. It refuses what is
// no number of at most [stat.MaxValue] with [ErrValue], and then changes nothing. It panics if
// the schema has no such attribute.
func (s *Sheet) SetBase(a stat.Attr, v float64) error {
	s.layout.must(a)
	v, err := number(v, s.layout.attrs[a].Name)
	if err != nil {
		return err
	}
	s.rebase(a, v)
	return nil
}

// AddBase changes the base for good, as damage and healing do, and returns by how much it
// could be: the base is brought within the limits as they are now, delta is added, and
// the sum is brought within them too. What is returned is delta itself unless a limit,
// or [stat.MaxValue], cut it off; delta minus that is the overkill or the overheal.
//
// It refuses a delta that is no number of at most [stat.MaxValue] with [ErrValue], and then
// changes nothing. It panics if the schema has no such attribute.
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

// touch makes the attribute stale, and those whose limits hang on it. Those that were
// stale before are not gone through again, nor what hangs on them.
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

// refresh works the attribute out.
func (s *Sheet) refresh(a stat.Attr) {
	s.layout.must(a)
	c := &s.cells[a]
	lo, hi := s.limits(a) // no longer stale after this, so that a may be fresh
	v := c.base
	c.overflow = false
	if c.count > 0 {
		v, c.overflow = s.evaluate(a)
	}
	c.value = within(v, lo, hi)
	c.stale = false
}

// limits returns the attribute's limits as they are now.
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

// within brings v down to hi and then up to lo, so that lo wins.
func within(v, lo, hi float64) float64 {
	if v > hi {
		v = hi
	}
	if v < lo {
		v = lo
	}
	return v
}
