package rules

import (
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/clock"
)

// A further application of a running buff moves its end, and can restart the phase of its pulses.
// Stacking.Refresh and Stacking.Phase say how.

// refresh sets the end and the phase of an instance according to its definition, and reports
// whether it set the end. The instance keeps its age, and so its order among events at one
// instant. With FirstEvery it pulses if the application changed anything, even if only the stacks.
//
// A higher level that wins replaces the end whatever the rule, and does not use the remaining time
// of a lower level.
//
// By default the phase is kept. If it restarted, reapplying just before each pulse would prevent
// all pulses (clipping).
//
// Examples: testdata/refresh_extend.txt, refresh_pandemic.txt, refresh_residual.txt,
// refresh_max.txt, refresh_none.txt, refresh_restart.txt, phase.txt, level_higher.txt.
func refresh(t *Turn, i instance, a *buff.Application, d int64, stacked, higher bool, was *visibleState) bool {
	spec := compile.Of(a.Spec)
	now := i.now(t)
	set := spec.Stack.Refresh != define.RefreshNone || higher
	if set {
		if !stacked { // the level was already merged when stacks were added
			i.mergeLevel(a)
		}
		switch end := i.refreshedEnd(now, d); {
		case higher:
			i.end = endAfter(now, d)
		case a.Origin.Steal: // a steal never shortens the thief's own buff
			i.end, d = max(end, i.end), longer(d, i.duration())
		default:
			i.end = end
		}
		i.storeDuration(d)
		i.magnitude = a.Magnitude
		changed := len(spec.Refresh) > 0 && (stacked || higher || refreshChanges(t, i, a, was))
		if i.extraIndex != noSlot {
			refreshNumbers(t, i, a)
		}
		e := i.emit(t, buff.Refreshed)
		e.End = i.reportedEnd()
		if changed {
			queueActionsFrom(t, i.owner, spec.Refresh, a.Source, actionMagnitudes(t, i, a))
		}
		if spec.Uses&compile.UsesLinks != 0 {
			applyLinks(t, i)
		}
		i.owner.strengthChanged(spec)
	}
	i.markDirty(t)
	phase := spec.Stack.Phase
	if phase != define.PhaseKeep && (i.period() != 0 || i.extraIndex != noSlot) {
		i.restartPeriod(now)
	}
	if i.period() > 0 && (phase == define.PhaseExecute || spec.First == define.FirstEvery && (set || stacked)) {
		pulse(t, i)
	}
	return set
}

// refreshChanges reports whether a refresh changes anything compared with an earlier state;
// on.refresh runs only then. A restart of the end or of the phase counts even if it results in the
// same instants.
//
// Example: testdata/refresh_nothing.txt.
func refreshChanges(t *Turn, i instance, a *buff.Application, was *visibleState) bool {
	spec := compile.Of(a.Spec)
	return spec.Stack.Refresh == define.RefreshRestart || spec.Stack.Phase != define.PhaseKeep || i.visibleState() != *was ||
		i.extraIndex != noSlot && i.extra().pendingPeriod > 0 && i.extra().pendingPeriod != i.period() ||
		spec.Uses&compile.UsesMagnitudes != 0 && !slices.Equal(i.magnitudes().values, t.evaluated.values)
}

// refreshNumbers updates the numbers, the pending period and the modifiers of an instance at a
// refresh.
func refreshNumbers(t *Turn, i instance, a *buff.Application) {
	if updateNumbers(t, i, a); i.program().Uses&compile.UsesModifiers != 0 {
		updateModifiers(t, i)
	}
}

// updateNumbers stores the numbers of a further application, and applies a pending period.
func updateNumbers(t *Turn, i instance, a *buff.Application) {
	i.applyPendingPeriod()
	if compile.Of(a.Spec).Uses&compile.UsesMagnitudes != 0 {
		reportNumbers(t, i, t.evaluated.values)
		storeNumbers(t, i, a)
		i.followNumbers()
	}
}

// longer returns the longer of two durations, where 0 means infinite.
func longer(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	return max(a, b)
}

// applyPendingPeriod sets the period that was waiting for a refresh: with HasteSnapshot, SetPeriod
// does not change the running period.
func (i instance) applyPendingPeriod() {
	if x := i.extra(); x.pendingPeriod > 0 {
		i.setNextPeriod(x.pendingPeriod)
		x.pendingPeriod = 0
	}
}

// refreshedEnd returns the new end of an instance for an application of d ms at now.
//
//	restart    now + d
//	extend     the old end + d, at most now + RefreshCap; a later old end stays
//	max        the later of the old end and now + d
//	pandemic   now + d + min(the remaining time, RefreshPct% of the definition's duration)
//	residual   now + d + the time until the next pulse, so that no pulse is clipped
//
// The share for pandemic does not depend on the duration of this application, which may be scaled
// or diminished.
func (i instance) refreshedEnd(now clock.BuffTime, d int64) clock.BuffTime {
	rule := i.program().Stack.Refresh
	switch {
	case rule == define.RefreshMax:
		return max(i.end, endAfter(now, d))
	case d == 0 || i.end == clock.Never && rule == define.RefreshExtend:
		return clock.Never
	case rule == define.RefreshExtend:
		end := i.end.Add(d)
		if i.program().Cap > 0 {
			end = max(i.end, min(end, now.Add(i.program().Cap)))
		}
		return end
	case rule == define.RefreshPandemic:
		return now.Add(d).Add(min(clock.Until(now, i.end), i.program().DurationAt(int(i.level))*i.program().Carry/100))
	case rule == define.RefreshResidual && i.boundary <= i.end: // else the buff has no pulse left to clip
		return now.Add(d).Add(clock.Until(now, i.boundary))
	}
	return now.Add(d)
}
