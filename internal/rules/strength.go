package rules

import (
	"cmp"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
)

// strength decides which of two applications is stronger: by level, then by magnitude. If both are
// equal, the older application is stronger for Stacking.Effective and in a queue, and the younger
// application is stronger in a group with the rule "hide".
type strength struct {
	level     int16
	magnitude int64
}

func (i *record) strength() strength { return strength{i.level, i.magnitude} }

func (l *asyncStack) strength() strength { return strength{l.level, l.magnitude} }

func strengthOf(a *buff.Application) strength { return strength{int16(a.Level), a.Magnitude} }

// compare returns a negative number if s is weaker than o, a positive one if it is stronger, and 0
// if they are equal.
func (s strength) compare(o strength) int {
	return cmp.Or(cmp.Compare(s.level, o.level), cmp.Compare(s.magnitude, o.magnitude))
}

// replacesByLevel reports whether an application replaces a live instance because of its higher
// level.
func replacesByLevel(a *buff.Application, i instance) bool {
	return a.Spec.Stack.Level == define.LevelHigherWins && a.Level > int(i.level) && !a.Origin.Rest
}
