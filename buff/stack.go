package buff

import (
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/wheel"
)

// reapply joins a live instance: more stacks up to the limit, then the rules of
// refresh and phase; at the limit, the rule of overflow first.
//
// Stories: testdata/stack_by.txt, overflow.txt, level.txt, thresholds.txt.
func (s *Set) reapply(t *Turn, at uint16, a *Application, d int64) outcome {
	if s.journal() == nil {
		return s.joinInstance(t, at, a, d)
	}
	was := s.visibleStateOf(at)
	r := s.joinInstance(t, at, a, d)
	s.markDifferences(at, &was)
	return r
}

// joinInstance is again without a note of what changes.
//
// The order: the level, by which it may be refused; the version, since two of them may be at odds; the rule of
// timers, which has ways of its own for each and for queue; then overflow, which can refuse or end
// everything; then stacks, and the refresh last, whose pulse has all of them.
func (s *Set) joinInstance(t *Turn, at uint16, a *Application, d int64) outcome {
	i, spec := s.slot(at), a.Spec.program
	if spec.Stack.Level == define.LevelHigherWins && a.Level < int(i.level) && !a.rest {
		return s.deny(t, a, LowerLevel, nil)
	}
	// Pulses that catchup has put off are of the buff as it was.
	if i.extra != noSlot {
		s.flush(t, at)
	}
	if s.specOf(i).Stack.Timers != spec.Stack.Timers {
		spec = s.specOf(i) // two versions, which cannot be mixed: the old one stays
		a.Spec = &spec.Spec
		if why := s.work(t, a); why != NoReason {
			return s.deny(t, a, why, nil)
		}
	}
	if s.specOf(i) != spec && !s.modifiersFit(spec, len(s.specOf(i).modifiers)) {
		return s.denyFull(t, a) // the new version has more modifiers than fit, and half of it is not to be had
	}
	switch spec.Stack.Timers {
	case define.TimersEach:
		return s.againEach(t, at, a, d)
	case define.TimersQueue:
		return s.reapplyQueued(t, at, a, d)
	}
	r := outcome{handle: s.handle(at)}
	full, higher := int32(i.stacks) >= spec.limit, a.outlevels(i)
	if full && spec.refuses(higher) {
		return s.refuse(t, at, a)
	}
	revised := s.specOf(i).revision != spec.revision
	var looked visibleState
	if len(spec.refresh) > 0 {
		looked = s.visibleStateOf(at)
	}
	s.updateVersion(t, at, a)
	if i.extra != noSlot {
		s.topUp(t, i, a, higher)
	}
	switch {
	case !full:
		was := i.stacks
		i.stacks = int16(min(int32(i.stacks)+spec.stacksOf(a), spec.limit))
		s.updateModifiers(t, at)
		s.mergeLevel(i, a)
		i.magnitude = a.Magnitude
		s.reranked(spec)
		s.tell(t, Stacked, at)
		s.crossThresholds(t, at, was, a.Source, s.actionMagnitudes(t, i, a))
		r.kind = Stacked
	case revised && spec.Stack.Refresh == define.RefreshNone && !higher:
		s.emitVersion(t, at) // nothing else would say that it is of another version now
		r.kind = Refreshed
	}
	if s.refresh(t, at, a, d, r.kind == Stacked, higher, &looked) && r.kind == 0 {
		r.kind = Refreshed
	}
	if full && len(a.Spec.program.overflow) > 0 {
		s.overflow(t, a)
	}
	return r
}

// refuses reports whether the overflow rule takes no application at the limit. A higher level that wins is not one too many.
func (s *program) refuses(higher bool) bool {
	return s.Stack.Overflow == define.OverflowClear || s.Stack.Overflow == define.OverflowDeny && !higher
}

// refuse is what the overflow rules deny and clear do with an application too many.
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

// overflow queues what the definition applies when its stack limit is met, in the
// name of the application's source.
//
// The event that it follows is told nowhere: it says whose level and magnitude what is applied gets, those of the application
// that was one too many. Stories: testdata/overflow.txt, handed_on.txt, source_actions.txt.
func (s *Set) overflow(t *Turn, a *Application) {
	e := &Event{At: t.at, Owner: s.owner, Spec: a.Spec, Source: a.Source, Magnitude: a.Magnitude, Level: int16(a.Level), Kind: Denied, Why: Limit, End: wheel.Never}
	s.queueEventActions(t, a.Spec.program.overflow, e, a.Source, &magnitudes{values: t.worked.values, captured: a.Captured})
}

// stacksOf returns how many stacks the application brings.
func (s *program) stacksOf(a *Application) int32 {
	if a.Stacks == 0 {
		return s.initial
	}
	return int32(min(a.Stacks, define.MaxStacks))
}

// crossThresholds does the thresholds that the stacks of an instance have reached from below, since
// they were that many: once for each crossing, so that five stacks that stay five set nothing off
// again, and five that were consumed do when they come back. What they apply is of the source whose application it was, and knows of
// that what the application does.
//
// Stories: testdata/thresholds.txt, thresholds_magnitude.txt, source_actions.txt.
func (s *Set) crossThresholds(t *Turn, at uint16, was int16, source OwnerID, k *magnitudes) {
	i := s.slot(at)
	for _, h := range s.specOf(i).thresholds {
		if int32(was) >= h.at || int32(i.stacks) < h.at {
			continue
		}
		if h.apply != nil {
			t.Issue(s, &Command{Verb: verb.Apply, Application: Application{
				Spec: &t.Catalog.newest(h.apply).Spec, Source: source, Magnitude: i.magnitude, Level: int(i.level), Captured: t.inherit(k), share: t.share, backdate: t.backdate,
			}})
		}
		if h.consume != 0 {
			t.Issue(s, &Command{Verb: verb.Remove, Handle: s.handle(at), Stacks: int(max(h.consume, 0)), Reason: Consumed})
		}
	}
}

// mergeLevel gives the instance the level of a further application, by its rule. Where levels segregate, what
// joins has the same one.
//
// Story: testdata/level.txt.
func (s *Set) mergeLevel(i *instance, a *Application) {
	switch a.Spec.Stack.Level {
	case define.LevelSum:
		s.setLevel(i, int16(min(int(i.level)+a.Level, define.MaxLevel)))
	default:
		s.setLevel(i, int16(a.Level)) // not a lower one where the higher wins
	}
}

// setLevel gives the instance a level. A period that goes by the level changes after the
// pulse to come.
func (s *Set) setLevel(i *instance, level int16) {
	was := i.level
	if i.level = level; s.specOf(i).PeriodBy == nil || s.period(i) == 0 {
		return
	}
	if is := s.specOf(i).periodAt(int(level)); is != s.specOf(i).periodAt(int(was)) {
		s.setNextPeriod(i, is)
	}
}
