package sheet

import "github.com/bufftick/bufftick/buff/stat"

// Overflowed reports whether an intermediate result exceeded [MaxValue] when the attribute's value
// was evaluated, and was limited to it. It panics if the schema has no such attribute.
func (s *Sheet) Overflowed(a stat.Attr) bool {
	s.Value(a)
	return s.cells[a].overflow
}

// RemoveAll removes all modifiers that were added with that Of, and returns their number. Its time
// is proportional to the largest number of modifiers that the sheet ever had at once.
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
