package buff

import (
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff/define"
)

// A definition that applies others, which apply it in turn, makes more and more of them if one
// of its applications leads to more than one other, and nothing limits how many there are. A
// cascade is looked for along edges: what one application of a definition applies, by itself,
// as long as it lives. Not counted is what an application may be refused for on the way, as a
// chance, a requirement, diminishing returns, a slot or a group: that limits it. Nor is what
// an instance does as long as it lives, if the next application only joins it: there is one
// instance then, and it does so once more when it has gone.

// edge is one place at which a definition applies another.
type edge struct {
	field string
	to    *program
	times int // how often, of one application: 2 stands for more than once
}

// cascades finds definitions that multiply without a limit, each ring of them once.
func (k *checker) cascades() {
	edges := make(map[*program][]edge, len(k.catalog.programs))
	for _, s := range k.catalog.programs {
		if !s.guarded() {
			edges[s] = s.applies()
		}
	}
	rings := components(k.catalog.programs, edges)
	in := make(map[*program]int, len(k.catalog.programs))
	for n, ring := range rings {
		for _, s := range ring {
			in[s] = n
		}
	}
	for n, ring := range rings {
		inside, first := 0, (*edge)(nil)
		var of *program
		for _, s := range ring {
			for i := range edges[s] {
				e := &edges[s][i]
				if in[e.to] != n {
					continue
				}
				inside += e.times
				if first == nil || e.times > first.times {
					first, of = e, s
				}
			}
		}
		if inside <= len(ring) { // one for one, or no ring at all
			continue
		}
		k.current = of
		k.failf(first.field, "applications of %s multiply without a limit: each leads to more than one; give one of them a stack.by, a slot or a chance", idsOf(ring))
	}
}

// idsOf returns the IDs of definitions, a few of them.
func idsOf(ring []*program) string {
	const most = 6
	var ids []string
	for _, s := range ring[:min(len(ring), most)] {
		ids = append(ids, s.ID)
	}
	if len(ring) > most {
		ids = append(ids, "…")
	}
	return strings.Join(ids, ", ")
}

// guarded reports whether an application may be refused: then its edges do not count. Whether it will be refused in time
// nobody can say here; what runs away all the same, the guard of MaxRounds stops.
func (s *program) guarded() bool {
	g := &s.Group
	return s.Chance != 0 && s.Chance != 1000 || !noTest(&s.Require.Apply) || s.DR.Group != "" || s.Slot.Class != "" || s.PerSource.Limit > 0 ||
		g.Name != "" && g.Rule != define.GroupHide && g.Rule != define.GroupSameSource
}

// applies returns what one application of the definition applies.
func (s *program) applies() (edges []edge) {
	add := func(field string, to *program, times int) {
		if to != nil && times > 0 {
			edges = append(edges, edge{field, to, times})
		}
	}
	list := func(field string, ops []op, times int) {
		for i := range ops {
			if ops[i].do == define.DoApply {
				add(element(field, i)+".apply", ops[i].spec, times)
			}
		}
	}
	if s.Kind == define.Instant {
		list("on.exec", s.exec, 1)
		return edges
	}
	if s.alone() { // each application has a life of its own
		list("on.apply", s.apply, 1)
		list("on.pulse", s.pulse, s.timesPulsed())
		for i, of := range s.links {
			add(element("links", i), of, 1)
		}
		s.ending(list)
		for i, t := range s.thresholds {
			if int32(s.initial) >= t.at {
				add(element("stack.thresholds", i)+".apply", t.apply, 1)
			}
		}
	}
	if s.Stack.By == define.ByNone {
		return edges
	}
	if (s.Stack.Refresh != define.RefreshNone || s.Stack.Level == define.LevelHigherWins) && s.Stack.Timers != define.TimersQueue {
		list("on.refresh", s.refresh, 1)
	}
	if s.pulses() && (s.First == define.FirstEvery || s.Stack.Phase == define.PhaseExecute) {
		list("on.pulse", s.pulse, 1)
	}
	over := len(s.Stack.OverflowApply)
	for i, o := range s.overflow {
		if i < over {
			add(element("stack.overflow_apply", i), o.spec, 1)
		} else if o.do == define.DoApply {
			add(element("on.overflow", i-over)+".apply", o.spec, 1)
		}
	}
	return edges
}

// alone reports whether each application of the definition may be an instance of its own, or
// ends the one that it is: then all of an instance's life follows from each.
func (s *program) alone() bool {
	return s.Stack.By == define.ByNone || s.Stack.Overflow == define.OverflowClear ||
		slices.ContainsFunc(s.thresholds, func(t threshold) bool { return t.consume != 0 && int32(s.initial) >= t.at })
}

// endsItself returns the reason for which the pulses of the definition remove an instance of it, if they do: each pulse
// takes one away then.
func (s *program) endsItself() (why Reason, ends bool) {
	k := slices.IndexFunc(s.pulse, func(o op) bool { return o.do == define.DoRemove && o.spec == s && o.to == define.ToOwner })
	if k < 0 || !s.pulses() {
		return NoReason, false
	}
	return s.pulse[k].reason, true
}

// ending lists what the end of an instance that nobody touches applies.
func (s *program) ending(list func(field string, ops []op, times int)) {
	why := Expired
	itself, ends := s.endsItself()
	switch {
	case ends:
		why = itself
	case slices.ContainsFunc(s.thresholds, func(t threshold) bool { return t.consume != 0 }):
		why = Consumed
	case s.Stack.By != define.ByNone && s.Stack.Overflow == define.OverflowClear:
		why = Overflowed
	case s.Kind == define.Infinite:
		return
	}
	ops, anyway := s.remove[why], len(s.On.RemoveAny)
	list("on.remove."+why.String(), ops[:len(ops)-anyway], 1)
	list("on.remove.any", ops[len(ops)-anyway:], 1)
}

// timesPulsed returns how often an instance pulses that nobody touches; 2 stands for more.
func (s *program) timesPulsed() int {
	_, ends := s.endsItself()
	switch {
	case !s.pulses():
		return 0
	case ends:
		return 1
	case s.Kind == define.Infinite, s.PeriodBy != nil, s.DurationBy != nil:
		return 2
	}
	n := int(s.duration / max(s.period, 1))
	if s.First != define.FirstNone {
		n++
	}
	if s.Tail != define.TailNone && s.duration%max(s.period, 1) != 0 {
		n++
	}
	return min(n, 2)
}

// components returns the rings of definitions that lead to one another, and those that lead
// to themselves (Tarjan).
func components(specs []*program, edges map[*program][]edge) (rings [][]*program) {
	const done = 1 << 30
	at, low := map[*program]int{}, map[*program]int{}
	var open []*program
	var walk func(s *program)
	walk = func(s *program) {
		at[s] = len(at) + 1
		low[s] = at[s]
		open = append(open, s)
		for _, e := range edges[s] {
			if at[e.to] == 0 {
				walk(e.to)
			}
			low[s] = min(low[s], low[e.to])
		}
		if low[s] != at[s] {
			return
		}
		i := len(open) - 1
		for open[i] != s {
			i--
		}
		ring := slices.Clone(open[i:])
		open = open[:i]
		for _, r := range ring {
			low[r] = done
		}
		rings = append(rings, ring)
	}
	for _, s := range specs {
		if at[s] == 0 {
			walk(s)
		}
	}
	return rings
}
