package sheet

import (
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff/stat"
)

// moved records that a limiting attribute may have changed since it was last checked by NextCut.
type moved struct {
	limited stat.Attr
	by      stat.Attr // the limiting attribute
	was     float64   // value of the limiting attribute before the change
}

// Cut says how the change of a limit has affected the limited attribute.
type Cut struct {
	Attr stat.Attr // the attribute that is limited
	Was  float64   // the base before the change
	Fell bool      // if set, the maximum fell below the base, and the base was lowered to the maximum
	Rose bool      // if set, the minimum rose
}

// move records that the attribute `a` is about to change. This attribute limits the attribute
// `limited`. The value of `a` must not be stale.
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

// Moved reports whether any limit may have changed since NextCut last returned false.
func (s *Sheet) Moved() bool { return s.moved != nil && len(*s.moved) > 0 }

// MoveAll makes NextCut check all maxima, as if each of them had just changed. NextCut then
// reports no minimum as risen.
func (s *Sheet) MoveAll() {
	if s.moved != nil {
		*s.moved = (*s.moved)[:0]
	}
	for i := 1; i < len(s.cells); i++ {
		if by := s.layout.attrs[i].loBy; by != 0 {
			s.Value(by) // a change of a stale attribute would not be noticed
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

// NextCut finds an attribute whose limit has changed. If the maximum has fallen below the base,
// NextCut lowers the base to the maximum and returns the change. If the minimum has risen, NextCut
// returns the attribute. If there is no such attribute left, it returns false. A maximum that has
// not changed does not affect the base, even if the base is above it.
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
