package rules

import (
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/compile"
)

// of returns the backdate b for an application of a definition, or zero if the definition has
// another clock. Instant buffs have no clock, so they pass the backdate on to the applications that
// they cause.
func of(b buff.Backdate, spec *compile.Program) buff.Backdate {
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
func (s *Owner) followBackdated(t *Turn, spec *compile.Program, k *magnitudes, ms int64) {
	t.ended = buff.Backdate{Ms: ms, Clock: spec.Clock}
	s.queueActions(t, spec.Remove[reason.Expired], k)
	t.ended = buff.Backdate{}
}

// catchUpBackdated applies the time since an instance started, `back` ms ago, in the same way as a
// Restore: pulses follow Saving.Offline, stacks end, and the instance ends if its end has passed.
//
// Example: testdata/save/chain.txt.
func (s *Owner) catchUpBackdated(t *Turn, at uint16, back int64) {
	i := s.slot(at)
	c := comeback{
		i: *i, at: at, spec: s.programOf(i), now: t.now, over: t.now, away: back, moved: true,
		age: s.age(i), period: s.period(i), duration: s.duration(i),
	}
	if i.extra != noSlot {
		c.x = *s.extraOf(i)
		c.x.async = slices.Clone(c.x.async)
	}
	c.pass()
	i.stacks = c.i.stacks
	if c.gone {
		s.tellPulses(t, &c, s.instanceEvent(buff.Pulsed, at), at)
		s.endBackdated(t, &c)
		return
	}
	i.end, i.boundary = c.i.end, c.i.boundary
	if i.extra != noSlot {
		x := s.extraOf(i)
		x.currentPeriod = c.x.currentPeriod
		copy(x.async, c.x.async)
	}
	s.mark(at, journal.Stacks|journal.Time)
	s.updateModifiers(t, at)
	s.markDirty(t, at)
	if c.parts {
		s.tellParts(t, &c)
	}
	if c.pulses > 0 {
		s.tellPulses(t, &c, s.instanceEvent(buff.Pulsed, at), at)
	}
}

// endBackdated ends an instance at an end in the past. It always emits Removed, whatever
// Saving.OfflineExpire is, since Applied was emitted.
func (s *Owner) endBackdated(t *Turn, c *comeback) {
	spec := c.spec
	if spec.Uses&compile.UsesLeave != 0 {
		s.endEffects(t, c.at)
	}
	ago := int64(c.over - c.i.end)
	e := s.newInstanceEvent(t, buff.Removed, c.at)
	e.Why, e.Offline = reason.Expired, ago
	k := s.numbersAtEnd(t, s.slot(c.at))
	s.freeInstance(t, c.at)
	if spec.Save.OfflineExpire == define.OfflineRun {
		s.followBackdated(t, spec, k, ago)
	}
	if spec.Uses&compile.UsesLinks != 0 || s.gates().isHead(c.age) {
		s.issueUnlink(t, c.age, reason.Expired, "")
	}
}
