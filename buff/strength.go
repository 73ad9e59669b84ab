package buff

import (
	"cmp"

	"github.com/bufftick/bufftick/buff/define"
)

// strength is what decides which of several applications is the stronger one: the level, then the magnitude.
// Of equals the age decides: with effective and in a queue the older is the stronger, in a group with rule hide the younger.
type strength struct {
	level     int16
	magnitude int64
}

func (i *instance) strength() strength { return strength{i.level, i.magnitude} }

func (l *asyncStack) strength() strength { return strength{l.level, l.magnitude} }

func (a *Application) strength() strength { return strength{int16(a.Level), a.Magnitude} }

// compare returns a number below zero if s is weaker than o, above zero if it is stronger, and 0 for equals.
func (s strength) compare(o strength) int {
	return cmp.Or(cmp.Compare(s.level, o.level), cmp.Compare(s.magnitude, o.magnitude))
}

// outlevels reports whether an application replaces a live instance by its higher level.
func (a *Application) outlevels(i *instance) bool {
	return a.Spec.Stack.Level == define.LevelHigherWins && a.Level > int(i.level) && !a.rest
}
