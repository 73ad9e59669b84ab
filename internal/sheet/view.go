package sheet

import (
	"iter"

	"github.com/bufftick/bufftick/buff/stat"
)

// All returns the attributes in the order of the schema. The sheet may be changed during the
// iteration.
func (s *Sheet) All() iter.Seq[stat.View] {
	return func(yield func(stat.View) bool) { s.all(yield) } // lets All be inlined
}

func (s *Sheet) all(yield func(stat.View) bool) {
	for i := 1; i < len(s.cells); i++ {
		a := stat.Attr(i)
		v := stat.View{Attr: a, Name: s.layout.attrs[i].Name, Value: s.Value(a)}
		c := &s.cells[i]
		v.Base, v.Modifiers, v.Overflow = c.base, int(c.count), c.overflow
		if !yield(v) {
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
