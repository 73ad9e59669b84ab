package buff

import (
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff/define"
)

// Definitions that apply one another in a ring multiply without limit if one application leads to
// more than one further application. The search for such cascades follows edges. An edge leads from
// a definition to another one that a single application of the first applies during the life of its
// instance.
//
// A definition whose applications may be denied has no edges, because a chance, a requirement,
// diminishing returns, a slot or a group limits the cascade. If further applications join a running
// instance, the pulses and the end of that instance give no edges either, because there is only one
// instance.

// edge is one action or link of a definition that applies another definition.
type edge struct {
	field string
	to    *program
	times int // times that one application follows the edge: 1, or 2 if more than once
}

// cascades reports rings of definitions that multiply without limit, each ring once.
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
		if inside <= len(ring) { // each application leads to at most one other
			continue
		}
		k.current = of
		k.failf(first.field, "applications of %s multiply without a limit: each leads to more than one; give one of them a stack.by, a slot or a chance", idsOf(ring))
	}
}

// idsOf returns the IDs of the first definitions of a ring.
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

// guarded reports whether an application of the definition may be denied. If it is accepted every
// time, MaxRounds stops the cascade.
func (s *program) guarded() bool {
	g := &s.Group
	return s.Chance != 0 && s.Chance != 1000 || !noTest(&s.Require.Apply) || s.DR.Group != "" || s.Slot.Class != "" || s.PerSource.Limit > 0 ||
		g.Name != "" && g.Rule != define.GroupHide && g.Rule != define.GroupSameSource
}

// applies returns the edges of the definition.
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
	if s.alone() { // each application has its own pulses and its own end
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

// alone reports whether the pulses and the end of an instance belong to a single application. That
// is so if each application of the definition can start its own instance or end the instance that
// it joins.
func (s *program) alone() bool {
	return s.Stack.By == define.ByNone || s.Stack.Overflow == define.OverflowClear ||
		slices.ContainsFunc(s.thresholds, func(t threshold) bool { return t.consume != 0 && int32(s.initial) >= t.at })
}

// endsItself reports whether a pulse of the definition removes an instance of the same definition,
// and returns the reason of that removal.
func (s *program) endsItself() (why Reason, ends bool) {
	k := slices.IndexFunc(s.pulse, func(o op) bool { return o.do == define.DoRemove && o.spec == s && o.to == define.ToOwner })
	if k < 0 || !s.pulses() {
		return NoReason, false
	}
	return s.pulse[k].reason, true
}

// ending calls list with the actions at the end of an instance, for the case that only the rules of
// its own definition end or extend it.
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

// timesPulsed returns how often an instance pulses if only the rules of its own definition end or
// extend it: 0, 1, or 2 for more than once.
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

// components returns the strongly connected components of the definitions, by Tarjan's algorithm.
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
