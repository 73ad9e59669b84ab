package sheet

import (
	"fmt"

	"github.com/bufftick/bufftick/buff/stat"
)

// Layout is a compiled schema: the definitions of the attributes and, for each attribute, the
// attributes that it limits. It is immutable and shared by all sheets of a game.
type Layout struct {
	*stat.Schema

	attrs []attribute // by Attr; entry 0 is unused
}

// attribute is a definition with resolved limits.
type attribute struct {
	stat.Attribute

	lo, hi     float64   // constant limits; MaxValue if the limit is an attribute
	loBy, hiBy stat.Attr // the attributes that are the limits; 0 if the limit is constant

	// limits are the attributes that this attribute limits. There are no cycles, because the
	// schema has none.
	limits []stat.Attr
}

// Compile returns the layout of a schema.
func Compile(s *stat.Schema) *Layout {
	l := &Layout{Schema: s, attrs: make([]attribute, s.Len()+1)}
	for a, d := range s.All() {
		at := &l.attrs[a]
		at.Attribute = d
		at.lo, at.hi, at.loBy, at.hiBy = s.Limits(a)
		for _, by := range []stat.Attr{at.loBy, at.hiBy} {
			if by != 0 {
				l.attrs[by].limits = append(l.attrs[by].limits, a)
			}
		}
	}
	return l
}

func (l *Layout) must(a stat.Attr) {
	if a == 0 || int(a) >= len(l.attrs) {
		panic(fmt.Sprintf("stat: there is no attribute %d in a schema of %d", a, l.Len()))
	}
}
