package rules

import (
	"math"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/internal/stolen"
)

// A buff has variables, which actions set and read, and values that formulas of actions can read: its
// remaining time, its age, and the damage that its shield has absorbed. Refreshes, saves and steals
// keep the variables.
//
// Examples: testdata/stat/vars.txt, running.txt.

// liveState has the variables of a buff, its start and the damage absorbed. Buffs whose definition
// uses none of these do not have it.
type liveState struct {
	started  clock.BuffTime
	absorbed int64
	vars     [define.MaxVars]float64 // in the order of Program.Vars
}

// initLive sets the live state of a new instance.
func initLive(t *Turn, i instance, a *buff.Application) {
	x, spec := i.extra(), i.program()
	if x.live == nil {
		x.live = &liveState{}
	}
	*x.live = liveState{started: i.now(t)}
	taken := stolen.Of(a.Origin.Stolen)
	for k := range spec.Vars {
		v := &spec.Vars[k]
		x.live.vars[k] = v.Start(t.evaluated.values)
		if taken == nil {
			continue
		}
		if was, ok := varOf(taken.Spec, &taken.Vars, v.Name); ok {
			x.live.vars[k] = v.Limited(was)
		}
	}
}

// varOf returns the value of the variable with a name, and reports whether the definition has it.
func varOf(spec *compile.Program, vars *[define.MaxVars]float64, name string) (float64, bool) {
	for k := range spec.Vars {
		if spec.Vars[k].Name == name {
			return vars[k], true
		}
	}
	return 0, false
}

// switchLive adapts the live state of an instance that switches from an old version to another. A
// variable that the old version did not have gets its base.
func switchLive(t *Turn, i instance, old *compile.Program, values []float64) {
	x, spec := i.ensureExtra(), i.program()
	was := x.live
	x.live = &liveState{started: i.now(t)}
	if was != nil && old.Uses&compile.UsesLive != 0 {
		x.live.started, x.live.absorbed = was.started, was.absorbed
	}
	for k := range spec.Vars {
		v := &spec.Vars[k]
		x.live.vars[k] = v.Start(values)
		if was == nil {
			continue
		}
		if before, ok := varOf(old, &was.vars, v.Name); ok {
			x.live.vars[k] = v.Limited(before)
		}
	}
}

// assign executes an action that sets a variable or adds to it. A change to a limit queues the
// actions of the definition for that limit, with the source and the share of the action. If the buff
// has ended, the action has no effect.
func (l *lateAction) assign(t *Turn, s *Owner) {
	i := s.lookup(l.handle)
	if !i.exists() || i.program() != compile.Of(l.of.Spec) {
		return
	}
	spec := i.program()
	v, value := &spec.Vars[l.op.Var], &i.extra().live.vars[l.op.Var]
	was, is := *value, l.values[0]
	if l.op.Do == define.DoAdd {
		is += was
	}
	is = v.Limited(is)
	*value = is
	i.mark(journal.Power)
	e := i.newEvent(buff.Refreshed)
	e.Name = v.Name
	share := t.share
	t.share = l.share
	k := &magnitudes{values: i.magnitudes().values, captured: l.captured}
	if was < v.Max && is == v.Max {
		queueEventActions(t, s, v.AtMax, &e, l.source, k)
	}
	if was > v.Min && is == v.Min {
		queueEventActions(t, s, v.AtMin, &e, l.source, k)
	}
	t.share = share
}

// buffView has the values of a buff that a formula can read when an action runs.
type buffView struct {
	left, age, absorbed float64 // times in seconds
	known, ends         bool    // known: there was such a buff; ends: it has an end
	magnitude           int64   // only of a buff that ended while its owner was away
	vars                [define.MaxVars]float64
}

// view returns the present values of an instance.
func (i instance) view(t *Turn) buffView {
	now := i.now(t)
	v := buffView{known: true, ends: i.end != clock.Never}
	if v.ends {
		v.left = float64(max(clock.Until(now, i.end), 0)) / 1000
	}
	if i.program().Uses&compile.UsesLive != 0 {
		v.addLive(i.extra().live, now)
	}
	return v
}

func (v *buffView) addLive(live *liveState, now clock.BuffTime) {
	v.age, v.absorbed, v.vars = float64(now-live.started)/1000, float64(live.absorbed), live.vars
}

// read returns an input of a formula.
func (v *buffView) read(kind define.ReadKind, at int) (float64, bool) {
	switch kind {
	case define.ReadLeft:
		return v.left, v.known && v.ends
	case define.ReadAge:
		return v.age, v.known
	case define.ReadAbsorbed:
		return v.absorbed, v.known
	}
	return v.vars[at], v.known
}

// look stores the present values of the buff whose action this is, and reports whether the buff still
// runs. If it has switched to another version of its definition, which may have other variables, the
// action keeps the values that it knows.
func (l *lateAction) look(t *Turn, s *Owner) bool {
	i := s.lookup(l.handle)
	if i.exists() && i.program() == compile.Of(l.of.Spec) {
		l.view = i.view(t)
	}
	return i.exists()
}

// keepView stores the last values of an instance that ends, for the actions that read them: queued
// ones, and those for its removal.
func (i instance) keepView(t *Turn) {
	t.endedView = i.view(t)
	for k := range t.late {
		if l := &t.late[k]; l.op != nil && l.op.ReadsBuff && l.handle == i.handle() {
			l.view = t.endedView
		}
	}
}

// addAbsorbed counts damage that the shield of an instance has absorbed.
func (x *extra) addAbsorbed(points int64) {
	if x.live != nil {
		x.live.absorbed = min(x.live.absorbed, math.MaxInt64-points) + points
	}
}
