package definition

import (
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
)

// endless finds modifiers of which no file says how they ever go.
func (l *linter) endless(d *definition) {
	s := d.spec
	if s.Kind != define.Infinite || len(s.Modifiers) == 0 || l.ends(d) {
		return
	}
	but := ""
	if s.OnDeath == define.FateDefault || s.OnDeath == define.FateRemove {
		but = " but the death of its owner; if that is enough, say on_death: remove"
	}
	l.warn(d, "duration", "infinite with modifiers, and nothing in the files ends it%s", but)
}

// ends reports whether something in the files ends a buff, or says that something does.
func (l *linter) ends(d *definition) bool {
	s := d.spec
	for _, field := range []string{"on_death", "on_zone", "on_source_gone", "interrupt", "charges", "shield", "require.remove", "group", "slot", "per_source"} {
		if _, ok := d.places.get(field); ok {
			return true
		}
	}
	if s.Dispel.Type != "" && s.Dispel.Grade != define.GradeUndispellable || s.Immune == define.ImmuneRemove {
		return true
	}
	if slices.ContainsFunc(s.Stack.Thresholds, func(t define.Threshold) bool { return t.Consume != 0 }) || s.Stack.Overflow == define.OverflowClear {
		return true
	}
	return l.endedBy()[s.ID]
}

// endedBy returns the definitions that others remove, or take with them when they end.
func (l *linter) endedBy() map[string]bool {
	if l.ended != nil {
		return l.ended
	}
	l.ended = map[string]bool{}
	for _, d := range l.defs {
		for _, id := range d.spec.Links {
			l.ended[id] = true
		}
		if a := d.spec.Aura.Apply; a != "" {
			l.ended[a] = true
		}
		eachAction(d.spec, func(_ string, a *buff.Action) {
			if a.Do == define.DoRemove {
				l.ended[a.Name] = true
			}
		})
	}
	return l.ended
}

// oneStack finds numbers that count for each of stacks of which there is one.
func (l *linter) oneStack(d *definition) {
	s := d.spec
	if s.Stack.Limit > 1 || s.Stack.Timers == define.TimersQueue || s.Kind == define.Instant {
		return
	}
	const text = "there is never more than one stack: say stack.limit, or leave it out"
	for i := range s.Modifiers {
		if s.Modifiers[i].PerStack {
			l.warn(d, element("modifiers", i)+".per_stack", text)
		}
	}
	eachAction(s, func(field string, a *buff.Action) {
		if a.Change != nil && a.Change.PerStack {
			l.warn(d, join(join(field, a.Do.String()), "per_stack"), text)
		}
	})
}
