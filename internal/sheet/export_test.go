package sheet

import "github.com/bufftick/bufftick/buff/stat"

// Overflowed reports whether the running number went beyond [MaxValue] when the
// attribute's value was worked out, and was set to it. It panics if the schema has no such
// attribute.
func (s *Sheet) Overflowed(a stat.Attr) bool {
	s.Value(a)
	return s.cells[a].overflow
}

// RemoveAll takes off all modifiers that were added with that Of, and returns how many.
// It looks at as many places as the sheet ever had modifiers at once.
func (s *Sheet) RemoveAll(of uint64) int {
	n := 0
	for i := range s.slots {
		if s.slots[i].of == of && s.slots[i].op != vacant {
			s.drop(uint16(i))
			n++
		}
	}
	return n
}
