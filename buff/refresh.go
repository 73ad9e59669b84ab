package buff

import (
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// refresh sets the end and the beat by the definition's rules, and reports whether
// the end was set. A refresh keeps the instance's age, and with it its place in the order of
// what is due at one instant. FirstEvery pulses if anything came of the application, be it only a stack.
//
// A higher level that wins replaces the end, whatever the rule: it never rides on the time of a lower one.
//
// The phase is kept unless the definition says otherwise: with a beat that began anew, who applies
// again just before each pulse would see none, and loses up to a period with each refresh (clipping).
//
// Stories: testdata/refresh_extend.txt, refresh_pandemic.txt, refresh_residual.txt,
// refresh_max.txt, refresh_none.txt, refresh_restart.txt, phase.txt, level_higher.txt.
func (s *Set) refresh(t *Turn, at uint16, a *Application, d int64, stacked, higher bool, was *visibleState) bool {
	i, spec := s.slot(at), a.Spec.program
	now := s.nowOf(t, i)
	set := spec.Stack.Refresh != define.RefreshNone || higher
	if set {
		if !stacked { // or it has it already
			s.mergeLevel(i, a)
		}
		switch end := s.refreshedEnd(i, now, d); {
		case higher:
			i.end = lasting(now, d)
		case a.stolen: // a steal never shortens what the thief has
			i.end, d = max(end, i.end), longer(d, s.duration(i))
		default:
			i.end = end
		}
		s.storeDuration(i, d)
		i.magnitude = a.Magnitude
		changed := len(spec.refresh) > 0 && (stacked || higher || s.refreshChanges(t, at, a, was))
		if i.extra != noSlot {
			s.refreshNumbers(t, at, a)
		}
		e := s.tell(t, Refreshed, at)
		e.End = s.reportedEnd(i)
		if changed {
			s.queueActionsFrom(t, spec.refresh, a.Source, s.actionMagnitudes(t, i, a))
		}
		if spec.uses&usesLinks != 0 {
			s.applyLinks(t, i)
		}
		s.reranked(spec)
	}
	s.markDirty(t, at)
	phase := spec.Stack.Phase
	if phase != define.PhaseKeep && (s.period(i) != 0 || i.extra != noSlot) {
		s.restartPeriod(i, now)
	}
	if s.period(i) > 0 && (phase == define.PhaseExecute || spec.First == define.FirstEvery && (set || stacked)) {
		s.pulse(t, at)
	}
	return set
}

// refreshChanges reports whether a refresh changes anything, which looked so before the application: on.refresh follows only then.
// A restart does, and so does a phase that begins anew, also if they come to the same instants.
//
// Story: testdata/refresh_nothing.txt.
func (s *Set) refreshChanges(t *Turn, at uint16, a *Application, was *visibleState) bool {
	i, spec := s.slot(at), a.Spec.program
	return spec.Stack.Refresh == define.RefreshRestart || spec.Stack.Phase != define.PhaseKeep || s.visibleStateOf(at) != *was ||
		i.extra != noSlot && s.extraOf(i).pendingPeriod > 0 ||
		spec.uses&usesMagnitudes != 0 && !slices.Equal(s.magnitudesOf(i).values, t.worked.values)
}

// refreshNumbers is what a refresh does to what is not plain about an instance.
func (s *Set) refreshNumbers(t *Turn, at uint16, a *Application) {
	i := s.slot(at)
	if s.updateNumbers(t, at, a); s.specOf(i).uses&usesModifiers != 0 {
		s.updateModifiers(t, at)
	}
}

// updateNumbers gives an instance the numbers of a further application, and the period that waited for one.
func (s *Set) updateNumbers(t *Turn, at uint16, a *Application) {
	i := s.slot(at)
	s.applyPendingPeriod(i)
	if a.Spec.program.uses&usesMagnitudes != 0 {
		s.reportNumbers(t, at, t.worked.values)
		s.storeNumbers(t, i, a)
	}
}

// longer returns the longer of two durations, of which 0 has no end.
func longer(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	return max(a, b)
}

// applyPendingPeriod gives an instance the period that waited for a refresh: with haste snapshot a command
// SetPeriod changes nothing that runs.
func (s *Set) applyPendingPeriod(i *instance) {
	if x := s.extraOf(i); x.pendingPeriod > 0 {
		s.setNextPeriod(i, x.pendingPeriod)
		x.pendingPeriod = 0
	}
}

// refreshedEnd returns the new end of an instance for an application of d ms at now.
//
//	restart    now + d
//	extend     the old end + d, but no further than the cap from now; an end beyond that stays
//	max        the later of the old end and now + d
//	pandemic   now + d + what was left, at most a share of the duration of the definition
//	residual   now + d + what is left until the next pulse, so that no pulse is clipped
//
// What was left counts for pandemic by the duration of the definition, not by that of this application:
// one that was diminished or scaled does not make the share smaller.
func (s *Set) refreshedEnd(i *instance, now wheel.Time, d int64) wheel.Time {
	rule := s.specOf(i).Stack.Refresh
	switch {
	case rule == define.RefreshMax:
		return max(i.end, lasting(now, d))
	case d == 0 || i.end == wheel.Never && rule == define.RefreshExtend:
		return wheel.Never
	case rule == define.RefreshExtend:
		end := i.end.Add(d)
		if s.specOf(i).cap > 0 {
			end = max(i.end, min(end, now.Add(s.specOf(i).cap)))
		}
		return end
	case rule == define.RefreshPandemic:
		return now.Add(d).Add(min(remaining(now, i.end), s.specOf(i).durationAt(int(i.level))*s.specOf(i).carry/100))
	case rule == define.RefreshResidual && i.boundary <= i.end: // behind the last pulse there is nothing to save
		return now.Add(d).Add(remaining(now, i.boundary))
	}
	return now.Add(d)
}
