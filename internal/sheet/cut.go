package sheet

import (
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff/stat"
)

// moved is a limit of an attribute that may have changed since the last NextCut.
type moved struct {
	limited stat.Attr
	by      stat.Attr // the attribute that is the limit
	was     float64   // its value before
}

// Cut is what a change of a limit means for the attribute that it limits.
type Cut struct {
	Attr stat.Attr
	Was  float64 // its base
	Fell bool    // its maximum fell below its base, which now is the maximum
	Rose bool    // its minimum rose
}

// move notes that an attribute that limits others changes. It is fresh.
func (s *Sheet) move(a, limited stat.Attr) {
	if s.moved == nil {
		s.moved = new([]moved)
	}
	for _, m := range *s.moved {
		if m.limited == limited && m.by == a {
			return // what counts is the value before the first change
		}
	}
	*s.moved = append(*s.moved, moved{limited: limited, by: a, was: s.cells[a].value})
}

// Moved reports whether a limit may have changed since NextCut last returned false.
func (s *Sheet) Moved() bool { return s.moved != nil && len(*s.moved) > 0 }

// MoveAll lets NextCut look at all maxima, as if each had just changed. No minimum counts as risen.
func (s *Sheet) MoveAll() {
	if s.moved != nil {
		*s.moved = (*s.moved)[:0]
	}
	for i := 1; i < len(s.cells); i++ {
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

// NextCut brings the base of one attribute down to its maximum, if that has fallen below it, and says so;
// or says of one that its minimum has risen. It returns false if there is none left. A base that was above
// a maximum which has not changed stays.
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
