package rules

import (
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/clock"
)

// backdateFor returns the backdate b for an application of a definition, or zero if the definition has
// another clock. Instant buffs have no clock, so they pass the backdate on to the applications that
// they cause.
func backdateFor(b buff.Backdate, spec *compile.Program) buff.Backdate {
	if spec.Kind != define.Instant && spec.Clock != b.Clock {
		return buff.Backdate{}
	}
	return b
}

// backdateOf returns the backdate of the applications that follow from an event.
func (t *Turn) backdateOf(e *buff.Event) buff.Backdate {
	switch e.Kind {
	case buff.Removed:
		return t.ended
	case buff.Pulsed, buff.StackEnded, buff.Reacted:
		return buff.Backdate{}
	}
	return t.backdate
}

// followBackdated queues the actions of a buff that ended `ms` milliseconds ago.
func followBackdated(t *Turn, s *Owner, spec *compile.Program, k *magnitudes, ms int64) {
	t.ended = buff.Backdate{Ms: ms, Clock: spec.Clock}
	queueActions(t, s, spec.Remove[reason.Expired], k)
	t.ended = buff.Backdate{}
}

// catchUpBackdated applies the time since an instance started, `back` ms ago, in the same way as a
// Restore: pulses follow Saving.Offline, stacks end, and the instance ends if its end has passed.
//
// Example: testdata/save/chain.txt.
func catchUpBackdated(t *Turn, i instance, back int64) {
	s := i.owner
	c := restoredBuff{
		i: *i.record, at: i.slot, spec: i.program(), now: clock.BuffTime(t.now), reached: clock.BuffTime(t.now), away: back, timePassed: true,
		age: i.age(), period: i.period(), duration: i.duration(),
	}
	if i.extraIndex != noSlot {
		c.x = *i.extra()
		c.x.async = slices.Clone(c.x.async)
	}
	c.pass()
	i.stacks = c.i.stacks
	if c.expired {
		reportPulses(t, i, &c, i.newEvent(buff.Pulsed))
		endBackdated(t, s, &c)
		return
	}
	i.end, i.boundary = c.i.end, c.i.boundary
	if i.extraIndex != noSlot {
		x := i.extra()
		x.currentPeriod = c.x.currentPeriod
		copy(x.async, c.x.async)
	}
	i.mark(journal.Stacks | journal.Time)
	updateModifiers(t, i)
	i.markDirty(t)
	if c.partsEnded {
		reportParts(t, s, &c)
	}
	if c.pulses > 0 {
		reportPulses(t, i, &c, i.newEvent(buff.Pulsed))
	}
}

// endBackdated ends an instance at an end in the past. It always emits Removed, whatever
// Saving.OfflineExpire is, since Applied was emitted.
func endBackdated(t *Turn, s *Owner, c *restoredBuff) {
	spec := c.spec
	if spec.Uses&compile.UsesLeave != 0 {
		endEffects(t, s.slot(c.at))
	}
	ago := int64(c.reached - c.i.end)
	e := s.slot(c.at).emit(t, buff.Removed)
	e.Why, e.Offline = reason.Expired, ago
	k := numbersAtEnd(t, s.slot(c.at))
	free(t, s.slot(c.at))
	if spec.Save.OfflineExpire == define.OfflineRun {
		followBackdated(t, s, spec, k, ago)
	}
	if spec.Uses&compile.UsesLinks != 0 || s.gates().isHead(c.age) {
		issueUnlink(t, s, c.age, reason.Expired, "")
	}
}
