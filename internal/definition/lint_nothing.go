package definition

import (
	"slices"

	"github.com/bufftick/bufftick/buff/define"
)

// lostLevel finds buffs that add up the levels of their applications, but no longer do so once the
// stack limit is reached.
func (l *linter) lostLevel(d *definition) {
	if st := &d.spec.Stack; st.Level == define.LevelSum && st.Refresh == define.RefreshNone && st.Limit < define.MaxStacks {
		l.warn(d, "stack.level", "sum with refresh none: at the limit of stacks (%d) an application adds nothing to the level; use another refresh, or a higher limit",
			max(st.Limit, 1))
	}
}

// noDamage finds damage that has no effect because it is below half a point.
func (l *linter) noDamage(d *definition) {
	stacks := float64(max(d.spec.Stack.Limit, 1))
	eachAction(d.spec, func(field string, a *define.Action) {
		if a.Do != define.DoDamage || a.Change == nil || a.Change.By.From > define.FromCurve {
			return
		}
		most := slices.Max(l.valuesOf(&a.Change.By))
		if a.Change.PerStack {
			most *= stacks
		}
		switch field = join(join(field, "damage"), "by"); {
		case most < 0:
			l.warn(d, field, "negative damage does nothing; to heal, use change")
		case most < 0.5:
			l.warn(d, field, "damage is rounded to whole points: %v rounds to zero", most)
		}
	})
}
