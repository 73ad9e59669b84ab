package sheet

import (
	"iter"

	"github.com/bufftick/bufftick/buff/stat"
)

// All returns the attributes of the sheet in the order of the schema, and then the attributes of
// the given layout that the sheet does not have yet. Both the sheet and the layout may be nil. The
// sheet may be changed during the iteration, except by Grow.
func (s *Sheet) All(of *Layout) iter.Seq[stat.View] {
	return func(yield func(stat.View) bool) { s.all(of, yield) } // lets All be inlined
}

func (s *Sheet) all(of *Layout, yield func(stat.View) bool) {
	own := s.Attrs()
	for a := stat.Attr(1); int(a) <= own; a++ {
		v := stat.View{Attr: a, Name: s.layout.attrs[a].Name, Value: s.Value(a)}
		c := &s.cells[a]
		v.Base, v.Modifiers, v.Overflow = c.base, int(c.count), c.overflow
		if !yield(v) {
			return
		}
	}
	for a := stat.Attr(own + 1); of != nil && int(a) <= of.Len(); a++ {
		if !yield(stat.View{Attr: a, Name: of.attrs[a].Name, Base: of.attrs[a].Base, Value: s.ValueIn(of, a)}) {
			return
		}
	}
}

// On returns the modifiers of the attribute, oldest first. Added to another sheet in this order,
// they give the same value. During the iteration, the caller may remove the current modifier, but
// must not remove other modifiers or add any. The iteration panics if the schema has no such
// attribute.
func (s *Sheet) On(a stat.Attr) iter.Seq2[Key, stat.Modifier] {
	return func(yield func(Key, stat.Modifier) bool) { s.on(a, yield) }
}

func (s *Sheet) on(a stat.Attr, yield func(Key, stat.Modifier) bool) {
	s.layout.must(a)
	for i := s.cells[a].head; i != none; {
		next := s.slots[i].next
		if !yield(s.key(i), s.slots[i].modifier()) {
			return
		}
		i = next
	}
}
