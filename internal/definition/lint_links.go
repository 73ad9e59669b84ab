package definition

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
)

// use is a place where a definition applies another definition.
type use struct {
	by    *definition
	field string
	to    string
	every time.Duration // shortest time between two such applications; 0 if unknown

	// again reports whether every application of the definition `by` is followed by an application
	// of the definition `to`, at least after the stack limit is reached. Two definitions that apply
	// each other in this way form an endless loop.
	again bool
}

// findUses records in l.uses each place where a definition applies another, in the order of the
// fields.
func (l *linter) findUses() {
	l.uses = map[string][]use{}
	for _, d := range l.defs {
		s := d.spec
		add := func(field, to string, every time.Duration, again bool) {
			l.uses[s.ID] = append(l.uses[s.ID], use{d, field, to, every, again})
		}
		list := func(field string, actions []define.Action, every time.Duration, again bool) {
			for i, a := range actions {
				if a.Do == define.DoApply {
					add(element(field, i)+".apply", a.Name, every, again)
				}
			}
		}
		// If `alone` is false, applying a buff that is already active is a refresh, and never
		// starts a new buff.
		alone := s.Stack.By == define.ByNone
		list("on.exec", s.On.Exec, 0, true)
		list("on.apply", s.On.Apply, 0, alone)
		list("on.refresh", s.On.Refresh, 0, !alone && s.Stack.Refresh != define.RefreshNone && s.Stack.Overflow != define.OverflowDeny)
		list("on.pulse", s.On.Pulse, s.Period, s.First == define.FirstEvery || alone && s.First == define.FirstStart)
		list("on.overflow", s.On.Overflow, 0, !alone)
		list("on.death", s.On.Death, 0, false)
		list("on.absorb", s.On.Absorb, 0, false)
		if s.On.When != nil {
			list("on.when.do", s.On.When.Do, 0, false)
		}
		for _, act := range slices.Sorted(maps.Keys(s.On.Act)) {
			list("on.act."+act, s.On.Act[act], 0, false)
		}
		for r := reason.None + 1; r.Removes(); r++ {
			list("on.remove."+r.String(), s.On.Remove[r], 0, false)
		}
		list("on.remove.any", s.On.RemoveAny, 0, false)
		for i, t := range s.Stack.Thresholds {
			if t.Apply != "" {
				add(element("stack.thresholds", i)+".apply", t.Apply, 0, alone && t.At <= max(s.Stack.Initial, 1))
			}
		}
		for i, id := range s.Links {
			add(element("links", i), id, 0, false) // a ring of links is an error anyway
		}
		if a := &s.Aura; a.Apply != "" {
			add("aura.apply", a.Apply, a.Interval, false)
		}
	}
}

// limitUnreached finds stack limits that no application can reach.
func (l *linter) limitUnreached() {
	// Shortest time between two applications of each definition; 0 if unknown.
	known := map[string]time.Duration{}
	note := func(id string, every time.Duration) {
		if before, ok := known[id]; !ok || every < before {
			known[id] = every
		}
	}
	for _, d := range l.defs {
		for _, u := range l.uses[d.spec.ID] {
			note(u.to, u.every)
		}
		if l.Every > 0 && l.Applied == nil {
			note(d.spec.ID, l.Every)
		}
	}
	for _, id := range l.Applied {
		note(id, l.Every)
	}
	for _, d := range l.defs {
		st := &d.spec.Stack
		each := max(st.Initial, 1)
		every := known[d.spec.ID]
		switch {
		case st.Limit <= each || st.Timers == define.TimersQueue:
		case st.By == define.ByNone:
			l.warn(d, "stack.limit", "with by: none each application is a separate buff, so none adds a stack; use by: source or target")
		case every == 0 || d.spec.Kind != define.Timed || lengthens(d.spec):
		default:
			if most := each * applications(d.spec, every); most < min(st.Limit, define.MaxStacks) {
				l.warn(d, "stack.limit", "with one application every %s and a duration of %s there are never more than %d", short(every), short(longest(d.spec)), most)
			}
		}
	}
}

// applications returns the largest number of applications that can join one buff, if applications
// are at least `every` apart.
func applications(s *buff.Spec, every time.Duration) int {
	// Add one, because an application exactly at the end is still in time.
	within := int(longest(s)/every) + 1
	if s.Stack.Timers == define.TimersShared && s.Stack.Refresh != define.RefreshNone && within > 1 {
		// Each application moves the end of all stacks, so there is no limit.
		return define.MaxStacks
	}
	return min(within, define.MaxStacks)
}

// tie finds buffs of one group with the same priority.
func (l *linter) tie() {
	type rank struct {
		group    string
		priority int
	}
	first := map[rank]*definition{}
	for _, d := range l.defs {
		g := d.spec.Group
		r := rank{g.Name, g.Priority}
		switch g.Rule {
		// In groups with other rules, the priority is not used, or the rule decides between equal
		// priorities.
		case define.GroupHigher, define.GroupHide:
		default:
			continue
		}
		if g.Name == "" {
			continue
		}
		other := first[r]
		if other == nil {
			first[r] = d
			continue
		}
		l.warn(d, "group.priority", "is %d in group %s for %s too: which of them is in effect depends on the order of application",
			g.Priority, quote(g.Name), quote(other.spec.ID))
	}
}

// unused finds definitions that are never applied.
func (l *linter) unused() {
	if l.Applied == nil {
		return
	}
	reached := map[string]bool{}
	next := slices.Clone(l.Applied)
	for len(next) > 0 {
		id := next[len(next)-1]
		next = next[:len(next)-1]
		if reached[id] {
			continue
		}
		reached[id] = true
		for _, u := range l.uses[id] {
			next = append(next, u.to)
		}
	}
	for _, d := range l.defs {
		if !reached[d.spec.ID] {
			l.warn(d, "", "neither the game nor a definition in use applies it")
		}
	}
}

// loop finds definitions that apply each other endlessly at one instant. There is no loop if the
// application of one of them may be refused.
func (l *linter) loop() {
	w := walk{linter: l, over: map[string]bool{}, on: map[string]int{}, said: map[string]bool{}}
	for _, d := range l.defs {
		w.from(d.spec.ID)
	}
}

// walk visits each definition once. It follows the applications that happen at the same instant.
type walk struct {
	*linter
	path []use           // applications from the first definition of the walk to the current one
	on   map[string]int  // index of each definition on the path
	over map[string]bool // definitions that have been visited completely
	said map[string]bool // definitions that belong to a reported loop
}

func (w *walk) from(id string) {
	if w.over[id] || w.guarded(id) {
		return
	}
	w.on[id] = len(w.path)
	for _, u := range w.uses[id] {
		if !u.again {
			continue
		}
		w.path = append(w.path, u)
		if at, back := w.on[u.to]; !back {
			w.from(u.to)
		} else if !w.said[u.to] {
			w.report(w.path[at:])
		}
		w.path = w.path[:len(w.path)-1]
	}
	delete(w.on, id)
	w.over[id] = true
}

// report adds a warning about a loop, at the loop's first definition.
func (w *walk) report(loop []use) {
	const most = 8
	ids := []string{brief(loop[0].by.spec.ID)}
	for _, u := range loop {
		w.said[u.to] = true
		ids = append(ids, brief(u.to))
	}
	if n := len(ids); n > most {
		ids = slices.Concat(ids[:most-2], []string{"…"}, ids[n-1:])
	}
	w.warn(loop[0].by, loop[0].field, "applies itself in the same instant, endlessly: %s; the engine stops it with a fault", strings.Join(ids, " → "))
}

// guarded reports whether an application of a definition may be refused, which would end a loop.
func (l *linter) guarded(id string) bool {
	s := l.byID[id].spec
	r := &s.Require.Apply
	return cmp.Or(s.Chance, 1000) != 1000 || len(r.All)+len(r.Any)+len(r.None) > 0 || s.Require.If != nil || len(s.DR.Steps) > 0 || s.Slot.Limit > 0 ||
		s.Group.Name != "" && s.Group.Rule != define.GroupAlways && s.Group.Rule != define.GroupHide
}
