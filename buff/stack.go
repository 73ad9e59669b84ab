package buff

import (
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/wheel"
)

// reapply executes an application with a duration of d ms that joins a live instance. It adds
// stacks up to the limit, and then applies the refresh and phase rules. If the instance is already
// at the limit, the overflow rule is applied first.
//
// Examples: testdata/stack_by.txt, overflow.txt, level.txt, thresholds.txt.
func (s *Set) reapply(t *Turn, at uint16, a *Application, d int64) outcome {
	if s.journal() == nil {
		return s.joinInstance(t, at, a, d)
	}
	was := s.visibleStateOf(at)
	r := s.joinInstance(t, at, a, d)
	s.markDifferences(at, &was)
	return r
}

// joinInstance is reapply without recording changes in the journal.
//
// The order matters. The level comes first, because it may refuse the application. Then come the
// version, the separate rules for TimersEach and TimersQueue, and the overflow rule, which may
// refuse the application or end the instance. Then stacks are added. The refresh is last, so that
// its pulse has all stacks.
func (s *Set) joinInstance(t *Turn, at uint16, a *Application, d int64) outcome {
	i, spec := s.slot(at), programFor(a.Spec)
	if spec.Stack.Level == define.LevelHigherWins && a.Level < int(i.level) && !a.Origin.Rest {
		return s.deny(t, a, LowerLevel, nil)
	}
	// Pending pulses run with the state before the change.
	if i.extra != noSlot {
		s.flushPulses(t, at)
	}
	if s.programOf(i).Stack.Timers != spec.Stack.Timers {
		spec = s.programOf(i) // keep the old version, because two kinds of timers cannot be mixed
		a.Spec = &spec.Spec
		if why := s.evaluateNumbers(t, a); why != NoReason {
			return s.deny(t, a, why, nil)
		}
	}
	if s.programOf(i) != spec && !s.modifiersFit(spec, len(s.programOf(i).modifiers)) {
		return s.denyFull(t, a) // the modifiers of the new version do not fit
	}
	switch spec.Stack.Timers {
	case define.TimersEach:
		return s.reapplyAsync(t, at, a, d)
	case define.TimersQueue:
		return s.reapplyQueued(t, at, a, d)
	}
	r := outcome{handle: s.handle(at)}
	full, higher := int32(i.stacks) >= spec.limit, a.replacesByLevel(i)
	if full && spec.refuses(higher) {
		return s.refuse(t, at, a)
	}
	revised := s.programOf(i).Compiled().Revision != spec.Compiled().Revision
	var looked visibleState
	if len(spec.refresh) > 0 {
		looked = s.visibleStateOf(at)
	}
	s.updateVersion(t, at, a)
	if i.extra != noSlot {
		s.refreshUses(t, i, a, higher)
	}
	switch {
	case !full:
		was := i.stacks
		i.stacks = int16(min(int32(i.stacks)+spec.stacksOf(a), spec.limit))
		s.updateModifiers(t, at)
		s.mergeLevel(i, a)
		i.magnitude = a.Magnitude
		s.strengthChanged(spec)
		s.newInstanceEvent(t, Stacked, at)
		s.crossThresholds(t, at, was, a.Source, a.Captured)
		r.kind = Stacked
	case revised && spec.Stack.Refresh == define.RefreshNone && !higher:
		s.emitVersion(t, at) // no other event reports the new version
		r.kind = Refreshed
	}
	if s.refresh(t, at, a, d, r.kind == Stacked, higher, &looked) && r.kind == 0 {
		r.kind = Refreshed
	}
	if full && len(programFor(a.Spec).overflow) > 0 {
		s.overflow(t, a)
	}
	return r
}

// refuses reports whether the overflow rule refuses an application at the stack limit. The
// parameter higher means that the application replaces the instance because of its higher level;
// the rule deny does not refuse such an application.
func (s *program) refuses(higher bool) bool {
	return s.Stack.Overflow == define.OverflowClear || s.Stack.Overflow == define.OverflowDeny && !higher
}

// refuse executes the overflow rules deny and clear.
func (s *Set) refuse(t *Turn, at uint16, a *Application) outcome {
	var r outcome
	if a.Spec.Stack.Overflow == define.OverflowClear {
		s.end(t, at, Overflowed)
		r = outcome{kind: Removed, why: Overflowed}
	} else {
		r = s.deny(t, a, Limit, nil)
	}
	s.overflow(t, a)
	return r
}

// overflow queues the actions for an application at the stack limit, with its source, level and
// magnitude. These values are passed in a temporary event, which is not emitted.
//
// Examples: testdata/overflow.txt, handed_on.txt, source_actions.txt.
func (s *Set) overflow(t *Turn, a *Application) {
	e := &Event{At: t.at, Owner: s.owner, Spec: a.Spec, Source: a.Source, Magnitude: a.Magnitude, Level: int16(a.Level), Kind: Denied, Why: Limit, End: wheel.Never}
	s.queueEventActions(t, programFor(a.Spec).overflow, e, a.Source, &magnitudes{values: t.evaluated.values, captured: a.Captured})
}

// stacksOf returns the number of stacks of an application.
func (s *program) stacksOf(a *Application) int32 {
	if a.Stacks == 0 {
		return s.initial
	}
	return int32(min(a.Stacks, define.MaxStacks))
}

// crossThresholds issues the commands of the thresholds that an instance has reached from below.
// The parameter was is its number of stacks before the change. A threshold that has been reached
// counts again only after the stacks have been below it. The applications that crossThresholds
// issues have the source and the captured attributes of the application that added the stacks.
//
// Examples: testdata/thresholds.txt, thresholds_magnitude.txt, source_actions.txt.
func (s *Set) crossThresholds(t *Turn, at uint16, was int16, source OwnerID, known []Captured) {
	i := s.slot(at)
	for _, h := range s.programOf(i).thresholds {
		if int32(was) >= h.at || int32(i.stacks) < h.at {
			continue
		}
		if h.apply != nil {
			t.Issue(s, &Command{Verb: verb.Apply, Application: Application{
				Spec: &t.compiled().newest(h.apply).Spec, Source: source, Magnitude: i.magnitude, Level: int(i.level), Captured: t.inherit(known), Origin: Origin{Share: t.share, Backdate: t.backdate},
			}})
		}
		if h.consume != 0 {
			t.Issue(s, &Command{Verb: verb.Remove, Handle: s.handle(at), Stacks: int(max(h.consume, 0)), Reason: Consumed})
		}
	}
}

// mergeLevel sets the level of an instance that a further application has joined. With
// LevelSegregate, the application always has the level of the instance.
//
// Example: testdata/level.txt.
func (s *Set) mergeLevel(i *instance, a *Application) {
	switch a.Spec.Stack.Level {
	case define.LevelSum:
		s.setLevel(i, int16(min(int(i.level)+a.Level, define.MaxLevel)))
	default:
		s.setLevel(i, int16(a.Level)) // with LevelHigherWins a lower level was refused before
	}
}

// setLevel sets the level. If the period depends on the level, the new period starts after the next
// pulse.
func (s *Set) setLevel(i *instance, level int16) {
	was := i.level
	if i.level = level; s.programOf(i).PeriodBy == nil || s.period(i) == 0 {
		return
	}
	if is := s.programOf(i).periodAt(int(level)); is != s.programOf(i).periodAt(int(was)) {
		s.setNextPeriod(i, is)
	}
}
