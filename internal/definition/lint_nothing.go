package definition

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
)

// lostLevel finds levels that add up until there are as many stacks as there may be, and then no more.
func (l *linter) lostLevel(d *definition) {
	if st := &d.spec.Stack; st.Level == define.LevelSum && st.Refresh == define.RefreshNone && st.Limit < define.MaxStacks {
		l.warn(d, "stack.level", "sum with refresh none: at the limit of stacks (%d) an application adds nothing to the level; say another refresh, or a higher limit",
			max(st.Limit, 1))
	}
}

// noDamage finds damage that comes to nothing: it is whole points, half up, and there is no negative damage.
func (l *linter) noDamage(d *definition) {
	stacks := float64(max(d.spec.Stack.Limit, 1))
	eachAction(d.spec, func(field string, a *buff.Action) {
		if a.Do != define.DoDamage || a.Change == nil || a.Change.By.From != define.FromConst {
			return
		}
		most := a.Change.By.Const
		if a.Change.PerStack {
			most *= stacks
		}
		switch field = join(join(field, "damage"), "by"); {
		case most < 0:
			l.warn(d, field, "damage below zero does nothing; to heal, say change")
		case most < 0.5:
			l.warn(d, field, "damage is in whole points, half up: %v is none", most)
		}
	})
}
