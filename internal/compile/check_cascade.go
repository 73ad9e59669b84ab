package compile

import (
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
)

// Definitions that apply one another in a ring multiply without limit if one application leads to
// more than one further application. The search for such cascades follows edges. An edge leads from
// one definition to another if a single application of the first can apply the second while the
// instance of the first exists.
//
// A definition whose applications may be denied has no edges, because a chance, a requirement,
// diminishing returns, a slot or a group limits the cascade. If further applications join a running
// instance, the pulses and the end of that instance give no edges either, because there is only one
// instance.

// edge is an action or a link by which one definition applies another.
type edge struct {
	field string
	to    *Program
	times int // how often one application follows the edge: 1, or 2 for more than once
}

// cascades reports rings of definitions that multiply without limit, each ring once.
func (k *checker) cascades() {
	edges := make(map[*Program][]edge, len(k.catalog.Programs))
	for _, s := range k.catalog.Programs {
		if !s.guarded() {
			edges[s] = s.applies()
		}
	}
	rings := components(k.catalog.Programs, edges)
	in := make(map[*Program]int, len(k.catalog.Programs))
	for n, ring := range rings {
		for _, s := range ring {
			in[s] = n
		}
	}
	for n, ring := range rings {
		inside, first := 0, (*edge)(nil)
		var of *Program
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
func idsOf(ring []*Program) string {
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

// guarded reports whether an application of the definition may be denied. If all applications are
// accepted nevertheless, MaxRounds stops the cascade.
func (s *Program) guarded() bool {
	g := &s.Spec.Group
	return s.Chance != 0 && s.Chance != 1000 || !noTest(&s.Spec.Require.Apply) || s.Spec.Require.If != nil || s.DR.Group != "" || s.Spec.Slot.Class != "" || s.PerSource.Limit > 0 ||
		g.Name != "" && g.Rule != define.GroupHide && g.Rule != define.GroupSameSource
}

// applies returns the edges of the definition.
func (s *Program) applies() (edges []edge) {
	add := func(field string, to *Program, times int) {
		if to != nil && times > 0 {
			edges = append(edges, edge{field, to, times})
		}
	}
	list := func(field string, ops []Op, times int) {
		for i := range ops {
			if ops[i].Do == define.DoApply {
				add(element(field, i)+".apply", ops[i].Spec, times)
			}
		}
	}
	if s.Kind == define.Instant {
		list("on.exec", s.Exec, 1)
		return edges
	}
	if s.alone() { // each application has its own pulses and its own end
		list("on.apply", s.Apply, 1)
		list("on.pulse", s.Pulse, s.timesPulsed())
		for i, of := range s.Links {
			add(element("links", i), of, 1)
		}
		s.ending(list)
		for i, t := range s.Thresholds {
			if int32(s.Initial) >= t.At {
				add(element("stack.thresholds", i)+".apply", t.Apply, 1)
			}
		}
	}
	if s.Stack.By == define.ByNone {
		return edges
	}
	if (s.Stack.Refresh != define.RefreshNone || s.Stack.Level == define.LevelHigherWins) && s.Stack.Timers != define.TimersQueue {
		list("on.refresh", s.Refresh, 1)
	}
	if s.Pulses() && (s.First == define.FirstEvery || s.Stack.Phase == define.PhaseExecute) {
		list("on.pulse", s.Pulse, 1)
	}
	list("on.overflow", s.Overflow, 1)
	return edges
}

// alone reports whether the pulses and the end of an instance belong to a single application. That
// is so if each application of the definition can start its own instance or end the instance that
// it joins.
func (s *Program) alone() bool {
	return s.Stack.By == define.ByNone || s.Stack.Overflow == define.OverflowClear ||
		slices.ContainsFunc(s.Thresholds, func(t threshold) bool { return t.Consume != 0 && int32(s.Initial) >= t.At })
}

// endsItself reports whether a pulse of the definition removes an instance of the same definition,
// and returns the reason of that removal.
func (s *Program) endsItself() (why reason.Reason, ends bool) {
	k := slices.IndexFunc(s.Pulse, func(o Op) bool { return o.Do == define.DoRemove && o.Spec == s && o.To == define.ToOwner })
	if k < 0 || !s.Pulses() {
		return reason.None, false
	}
	return s.Pulse[k].Reason, true
}

// ending calls `list` with the actions at the end of an instance, for the case that only the rules
// of its own definition end or extend it.
func (s *Program) ending(list func(field string, ops []Op, times int)) {
	why := reason.Expired
	itself, ends := s.endsItself()
	switch {
	case ends:
		why = itself
	case slices.ContainsFunc(s.Thresholds, func(t threshold) bool { return t.Consume != 0 }):
		why = reason.Consumed
	case s.Stack.By != define.ByNone && s.Stack.Overflow == define.OverflowClear:
		why = reason.Overflowed
	case s.Kind == define.Infinite:
		return
	}
	ops, anyway := s.Remove[why], len(s.On.RemoveAny)
	list("on.remove."+why.String(), ops[:len(ops)-anyway], 1)
	list("on.remove.any", ops[len(ops)-anyway:], 1)
}

// timesPulsed returns how often an instance pulses if only the rules of its own definition end or
// extend it: 0, 1, or 2 for more than once.
func (s *Program) timesPulsed() int {
	_, ends := s.endsItself()
	switch {
	case !s.Pulses():
		return 0
	case ends:
		return 1
	case s.Kind == define.Infinite, s.PeriodBy != nil, s.PeriodFrom != nil, s.HasteBy != nil, s.DurationBy != nil:
		return 2
	}
	n := int(s.Duration / max(s.Period, 1))
	if s.First != define.FirstNone {
		n++
	}
	if s.Tail != define.TailNone && s.Duration%max(s.Period, 1) != 0 {
		n++
	}
	return min(n, 2)
}

// components returns the strongly connected components of the definitions, by Tarjan's algorithm.
func components(specs []*Program, edges map[*Program][]edge) (rings [][]*Program) {
	const done = 1 << 30
	at, low := map[*Program]int{}, map[*Program]int{}
	var open []*Program
	var walk func(s *Program)
	walk = func(s *Program) {
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
