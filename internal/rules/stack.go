package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/wheel"
)

// A further application of a running buff adds stacks up to the limit. At the limit the overflow
// rule says whether it is accepted.

// reapply executes an application with a duration of d ms that joins a live instance. It adds
// stacks up to the limit, and then applies the refresh and phase rules. If the instance is already
// at the limit, the overflow rule is applied first.
//
// Examples: testdata/stack_by.txt, overflow.txt, level.txt, thresholds.txt.
func reapply(t *Turn, i instance, a *buff.Application, d int64) outcome {
	if i.owner.journal() == nil {
		return join(t, i, a, d)
	}
	was := i.visibleState()
	r := join(t, i, a, d)
	i.markDifferences(&was)
	return r
}

// join does the same as reapply, but does not record changes in the journal.
//
// The order matters. The level comes first, because it may refuse the application. Then come the
// version, the separate rules for TimersEach and TimersQueue, and the overflow rule, which may
// refuse the application or end the instance. Then stacks are added. The refresh is last, so that
// its pulse has all stacks.
func join(t *Turn, i instance, a *buff.Application, d int64) outcome {
	s := i.owner
	spec := compile.Of(a.Spec)
	if spec.Stack.Level == define.LevelHigherWins && a.Level < int(i.level) && !a.Origin.Rest {
		return deny(t, s, a, reason.LowerLevel, nil)
	}
	// Pending pulses run with the state before the change.
	if i.extraIndex != noSlot {
		flushPulses(t, i)
	}
	if i.program().Stack.Timers != spec.Stack.Timers {
		spec = i.program() // keep the old version, because two kinds of timers cannot be mixed
		a.Spec = &spec.Spec
		if why := evaluateNumbers(t, s, a); why != reason.None {
			return deny(t, s, a, why, nil)
		}
	}
	if i.program() != spec && !s.modifiersFit(spec, len(i.program().Modifiers)) {
		return denyFull(t, s, a) // the modifiers of the new version do not fit
	}
	switch spec.Stack.Timers {
	case define.TimersEach:
		return reapplyAsync(t, i, a, d)
	case define.TimersQueue:
		return reapplyQueued(t, i, a, d)
	}
	r := outcome{handle: i.handle()}
	full, higher := int32(i.stacks) >= spec.Limit, replacesByLevel(a, i)
	if full && spec.Refuses(higher) {
		return refuse(t, i, a)
	}
	revised := i.program().Compiled().Revision != spec.Compiled().Revision
	var looked visibleState
	if len(spec.Refresh) > 0 {
		looked = i.visibleState()
	}
	updateVersion(t, i, a)
	if i.extraIndex != noSlot {
		refreshUses(t, i, a, higher)
	}
	switch {
	case !full:
		was := i.stacks
		i.stacks = int16(min(int32(i.stacks)+stacksOf(spec, a), spec.Limit))
		updateModifiers(t, i)
		i.mergeLevel(a)
		i.magnitude = a.Magnitude
		s.strengthChanged(spec)
		i.emit(t, buff.Stacked)
		crossThresholds(t, i, was, a.Source, a.Captured)
		r.kind = buff.Stacked
	case revised && spec.Stack.Refresh == define.RefreshNone && !higher:
		emitVersion(t, i) // no other event reports the new version
		r.kind = buff.Refreshed
	}
	if refresh(t, i, a, d, r.kind == buff.Stacked, higher, &looked) && r.kind == 0 {
		r.kind = buff.Refreshed
	}
	if full && len(compile.Of(a.Spec).Overflow) > 0 {
		overflow(t, i, a, stacksOf(spec, a))
	}
	return r
}

// refuse executes the overflow rules "deny" and "clear".
func refuse(t *Turn, i instance, a *buff.Application) outcome {
	var r outcome
	if a.Spec.Stack.Overflow == define.OverflowClear {
		end(t, i, reason.Overflowed)
		r = outcome{kind: buff.Removed, why: reason.Overflowed}
	} else {
		r = deny(t, i.owner, a, reason.Limit, nil)
	}
	over := stacksOf(compile.Of(a.Spec), a)
	if a.Spec.Stack.Timers == define.TimersQueue {
		over = 1
	}
	overflow(t, i, a, over)
	return r
}

// overflow queues the actions for an application at the stack limit of an instance, with the source,
// level and magnitude of the application. The parameter "over" is the number of stacks without room.
// These values are passed in a temporary event, which is not emitted. The instance may have ended.
//
// Examples: testdata/overflow.txt, handed_on.txt, source_actions.txt.
func overflow(t *Turn, i instance, a *buff.Application, over int32) {
	e := &buff.Event{
		At: t.at, Owner: i.owner.id, Spec: a.Spec, Source: a.Source, Magnitude: a.Magnitude, Level: int16(a.Level), Kind: buff.Denied, Why: reason.Limit, End: wheel.Never,
	}
	t.overflowing, t.over = 0, over
	if i.def != 0 {
		t.overflowing = i.handle()
	}
	queueEventActions(t, i.owner, compile.Of(a.Spec).Overflow, e, a.Source, &magnitudes{values: t.evaluated.values, captured: a.Captured})
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
func crossThresholds(t *Turn, i instance, was int16, source buff.OwnerID, known []buff.Captured) {
	for _, h := range i.program().Thresholds {
		if int32(was) >= h.At || int32(i.stacks) < h.At {
			continue
		}
		if h.Apply != nil {
			t.Issue(i.owner, &buff.Command{Verb: verb.Apply, Application: buff.Application{
				Spec: &t.compiled().Newest(h.Apply).Spec, Source: source, Magnitude: i.magnitude, Level: int(i.level), Captured: t.inherit(known), Origin: buff.Origin{Share: t.share, Backdate: t.backdate},
			}})
		}
		if h.Consume != 0 {
			t.Issue(i.owner, &buff.Command{Verb: verb.Remove, Handle: i.handle(), Stacks: int(max(h.Consume, 0)), Reason: reason.Consumed})
		}
	}
}

// mergeLevel sets the level of an instance that a further application has joined. With
// LevelSegregate, the application always has the level of the instance.
//
// Example: testdata/level.txt.
func (i instance) mergeLevel(a *buff.Application) {
	switch a.Spec.Stack.Level {
	case define.LevelSum:
		i.setLevel(int16(min(int(i.level)+a.Level, define.MaxLevel)))
	default:
		i.setLevel(int16(a.Level)) // with LevelHigherWins a lower level was refused before
	}
}

// setLevel sets the level. If the period depends on the level, the new period starts after the next
// pulse.
func (i instance) setLevel(level int16) {
	was := i.level
	if i.level = level; i.program().PeriodBy == nil || i.period() == 0 {
		return
	}
	if spec := i.program(); spec.PeriodAt(int(level)) != spec.PeriodAt(int(was)) {
		i.setNextPeriod(spec.PeriodFor(int(level), i.magnitudes().values))
	}
}
