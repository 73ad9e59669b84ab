package sheet

import (
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff/stat"
)

// moved is a limiting attribute that may have changed since the last NextCut.
type moved struct {
	limited stat.Attr
	by      stat.Attr // the limiting attribute
	was     float64   // its earlier value
}

// Cut is the effect of a changed limit on the attribute that it limits.
type Cut struct {
	Attr stat.Attr
	Was  float64 // the earlier base
	Fell bool    // if set, the maximum fell below the base, and the base was lowered to it
	Rose bool    // if set, the minimum rose
}

// move records that a, which limits the attribute limited, is about to change. The value of a must
// not be stale.
func (s *Sheet) move(a, limited stat.Attr) {
	if s.moved == nil {
		s.moved = new([]moved)
	}
	for _, m := range *s.moved {
		if m.limited == limited && m.by == a {
			return // already recorded with its value before the first change
		}
	}
	*s.moved = append(*s.moved, moved{limited: limited, by: a, was: s.cells[a].value})
}

// Moved reports whether a limit may have changed since NextCut last returned false.
func (s *Sheet) Moved() bool { return s.moved != nil && len(*s.moved) > 0 }

// MoveAll makes NextCut check all maxima, as if each had just changed. NextCut then reports no
// minimum as risen.
func (s *Sheet) MoveAll() {
	if s.moved != nil {
		*s.moved = (*s.moved)[:0]
	}
	for i := 1; i < len(s.cells); i++ {
		if by := s.layout.attrs[i].loBy; by != 0 {
			s.Value(by) // recompute: a change of a stale attribute would not be noticed
		}
		by := s.layout.attrs[i].hiBy
		if by == 0 || s.cells[i].base <= s.Value(by) {
			continue
		}
		if s.moved == nil {
			s.moved = new([]moved)
		}
		*s.moved = append(*s.moved, moved{limited: stat.Attr(i), by: by, was: math.NaN()})
	}
}

// NextCut finds one attribute with a changed limit. If the maximum has fallen below the base,
// NextCut lowers the base to the maximum and returns the change. If the minimum has risen, NextCut
// returns the attribute. It returns false if no such attribute is left. A base above a maximum
// that has not changed stays.
func (s *Sheet) NextCut() (Cut, bool) {
	for s.Moved() {
		m := (*s.moved)[0]
		*s.moved = slices.Delete(*s.moved, 0, 1)
		now := s.Value(m.by)
		if now == m.was {
			continue
		}
		law, base := &s.layout.attrs[m.limited], s.cells[m.limited].base
		c := Cut{Attr: m.limited, Was: base, Rose: law.loBy == m.by && now > m.was}
		lo, hi := s.limits(m.limited)
		if top := max(lo, hi); law.hiBy == m.by && base > top {
			c.Fell = true
			s.rebase(m.limited, unsigned(top))
		}
		if c.Fell || c.Rose {
			return c, true
		}
	}
	return Cut{}, false
}
