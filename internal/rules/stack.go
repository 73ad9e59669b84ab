package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/wheel"
)

// reapply executes an application with a duration of d ms that joins a live instance. It adds
// stacks up to the limit, and then applies the refresh and phase rules. If the instance is already
// at the limit, the overflow rule is applied first.
//
// Examples: testdata/stack_by.txt, overflow.txt, level.txt, thresholds.txt.
func (s *Owner) reapply(t *Turn, at uint16, a *buff.Application, d int64) outcome {
	if s.journal() == nil {
		return s.joinInstance(t, at, a, d)
	}
	was := s.visibleStateOf(at)
	r := s.joinInstance(t, at, a, d)
	s.markDifferences(at, &was)
	return r
}

// joinInstance does the same as reapply, but does not record changes in the journal.
//
// The order matters. The level comes first, because it may refuse the application. Then come the
// version, the separate rules for TimersEach and TimersQueue, and the overflow rule, which may
// refuse the application or end the instance. Then stacks are added. The refresh is last, so that
// its pulse has all stacks.
func (s *Owner) joinInstance(t *Turn, at uint16, a *buff.Application, d int64) outcome {
	i, spec := s.slot(at), compile.Of(a.Spec)
	if spec.Stack.Level == define.LevelHigherWins && a.Level < int(i.level) && !a.Origin.Rest {
		return s.deny(t, a, reason.LowerLevel, nil)
	}
	// Pending pulses run with the state before the change.
	if i.extra != noSlot {
		s.flushPulses(t, at)
	}
	if s.programOf(i).Stack.Timers != spec.Stack.Timers {
		spec = s.programOf(i) // keep the old version, because two kinds of timers cannot be mixed
		a.Spec = &spec.Spec
		if why := s.evaluateNumbers(t, a); why != reason.None {
			return s.deny(t, a, why, nil)
		}
	}
	if s.programOf(i) != spec && !s.modifiersFit(spec, len(s.programOf(i).Modifiers)) {
		return s.denyFull(t, a) // the modifiers of the new version do not fit
	}
	switch spec.Stack.Timers {
	case define.TimersEach:
		return s.reapplyAsync(t, at, a, d)
	case define.TimersQueue:
		return s.reapplyQueued(t, at, a, d)
	}
	r := outcome{handle: s.handle(at)}
	full, higher := int32(i.stacks) >= spec.Limit, replacesByLevel(a, i)
	if full && spec.Refuses(higher) {
		return s.refuse(t, at, a)
	}
	revised := s.programOf(i).Compiled().Revision != spec.Compiled().Revision
	var looked visibleState
	if len(spec.Refresh) > 0 {
		looked = s.visibleStateOf(at)
	}
	s.updateVersion(t, at, a)
	if i.extra != noSlot {
		s.refreshUses(t, i, a, higher)
	}
	switch {
	case !full:
		was := i.stacks
		i.stacks = int16(min(int32(i.stacks)+stacksOf(spec, a), spec.Limit))
		s.updateModifiers(t, at)
		s.mergeLevel(i, a)
		i.magnitude = a.Magnitude
		s.strengthChanged(spec)
		s.newInstanceEvent(t, buff.Stacked, at)
		s.crossThresholds(t, at, was, a.Source, a.Captured)
		r.kind = buff.Stacked
	case revised && spec.Stack.Refresh == define.RefreshNone && !higher:
		s.emitVersion(t, at) // no other event reports the new version
		r.kind = buff.Refreshed
	}
	if s.refresh(t, at, a, d, r.kind == buff.Stacked, higher, &looked) && r.kind == 0 {
		r.kind = buff.Refreshed
	}
	if full && len(compile.Of(a.Spec).Overflow) > 0 {
		s.overflow(t, a)
	}
	return r
}

// refuse executes the overflow rules "deny" and "clear".
func (s *Owner) refuse(t *Turn, at uint16, a *buff.Application) outcome {
	var r outcome
	if a.Spec.Stack.Overflow == define.OverflowClear {
		s.end(t, at, reason.Overflowed)
		r = outcome{kind: buff.Removed, why: reason.Overflowed}
	} else {
		r = s.deny(t, a, reason.Limit, nil)
	}
	s.overflow(t, a)
	return r
}

// overflow queues the actions for an application at the stack limit, with its source, level and
// magnitude. These values are passed in a temporary event, which is not emitted.
//
// Examples: testdata/overflow.txt, handed_on.txt, source_actions.txt.
func (s *Owner) overflow(t *Turn, a *buff.Application) {
	e := &buff.Event{At: t.at, Owner: s.id, Spec: a.Spec, Source: a.Source, Magnitude: a.Magnitude, Level: int16(a.Level), Kind: buff.Denied, Why: reason.Limit, End: wheel.Never}
	s.queueEventActions(t, compile.Of(a.Spec).Overflow, e, a.Source, &magnitudes{values: t.evaluated.values, captured: a.Captured})
}

// stacksOf returns the number of stacks of an application.
func stacksOf(s *compile.Program, a *buff.Application) int32 {
	if a.Stacks == 0 {
		return s.Initial
	}
	return int32(min(a.Stacks, define.MaxStacks))
}

// crossThresholds issues the commands of the thresholds that an instance has reached from below.
// The parameter `was` is the number of stacks before the change. A threshold that has been reached
// counts again only after the stacks have been below it. The applications that crossThresholds
// issues have the source and the captured attributes of the application that added the stacks.
//
// Examples: testdata/thresholds.txt, thresholds_magnitude.txt, source_actions.txt.
func (s *Owner) crossThresholds(t *Turn, at uint16, was int16, source buff.OwnerID, known []buff.Captured) {
	i := s.slot(at)
	for _, h := range s.programOf(i).Thresholds {
		if int32(was) >= h.At || int32(i.stacks) < h.At {
			continue
		}
		if h.Apply != nil {
			t.Issue(s, &buff.Command{Verb: verb.Apply, Application: buff.Application{
				Spec: &t.compiled().Newest(h.Apply).Spec, Source: source, Magnitude: i.magnitude, Level: int(i.level), Captured: t.inherit(known), Origin: buff.Origin{Share: t.share, Backdate: t.backdate},
			}})
		}
		if h.Consume != 0 {
			t.Issue(s, &buff.Command{Verb: verb.Remove, Handle: s.handle(at), Stacks: int(max(h.Consume, 0)), Reason: reason.Consumed})
		}
	}
}

// mergeLevel sets the level of an instance that a further application has joined. With
// LevelSegregate, the application always has the level of the instance.
//
// Example: testdata/level.txt.
func (s *Owner) mergeLevel(i *instance, a *buff.Application) {
	switch a.Spec.Stack.Level {
	case define.LevelSum:
		s.setLevel(i, int16(min(int(i.level)+a.Level, define.MaxLevel)))
	default:
		s.setLevel(i, int16(a.Level)) // with LevelHigherWins a lower level was refused before
	}
}

// setLevel sets the level. If the period depends on the level, the new period starts after the next
// pulse.
func (s *Owner) setLevel(i *instance, level int16) {
	was := i.level
	if i.level = level; s.programOf(i).PeriodBy == nil || s.period(i) == 0 {
		return
	}
	if is := s.programOf(i).PeriodAt(int(level)); is != s.programOf(i).PeriodAt(int(was)) {
		s.setNextPeriod(i, is)
	}
}
