package sheet

import (
	"fmt"

	"github.com/bufftick/bufftick/buff/stat"
)

// check checks the structure of a sheet: every slot is either in the list of its attribute, or
// free, or retired, and attributes that depend on a stale attribute are stale.
func check(s *Sheet) error {
	seen := make([]bool, len(s.slots))
	live := 0
	for a := 1; a < len(s.cells); a++ {
		c := &s.cells[a]
		n, prev := 0, uint16(none)
		for i := c.head; i != none; prev, i = i, s.slots[i].next {
			sl := &s.slots[i]
			switch {
			case seen[i]:
				return fmt.Errorf("place %d is in two lists", i)
			case sl.prev != prev:
				return fmt.Errorf("before place %d comes %d, it says %d", i, prev, sl.prev)
			case int(sl.attr) != a || sl.op > stat.Override:
				return fmt.Errorf("place %d is in the list of %d: %+v", i, a, *sl)
			}
			seen[i] = true
			n++
		}
		if c.tail != prev || int(c.count) != n {
			return fmt.Errorf("attribute %d: tail %d, count %d; want %d, %d", a, c.tail, c.count, prev, n)
		}
		live += n
		for _, limited := range s.layout.attrs[a].limits {
			if c.stale && !s.cells[limited].stale {
				return fmt.Errorf("%d is stale and %d, which it limits, is not", a, limited)
			}
		}
	}
	if live != int(s.live) || live > int(s.limit) {
		return fmt.Errorf("%d modifiers in the lists, %d counted, limit %d", live, s.live, s.limit)
	}
	for i := s.free; i != none; i = s.slots[i].next {
		if seen[i] || s.slots[i].op != vacant {
			return fmt.Errorf("place %d is free and in a list", i)
		}
		seen[i] = true
	}
	for i, ok := range seen {
		if !ok && (s.slots[i].op != vacant || s.slots[i].gen != lastGeneration) {
			return fmt.Errorf("place %d is lost: %+v", i, s.slots[i])
		}
	}
	return nil
}
