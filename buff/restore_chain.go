package buff

import (
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
)

// With [define.OfflineRun] the actions of a buff that ended while its owner was away run on Restore.
// A buff that is applied by these actions starts at the moment when the first buff ended, if both
// buffs use the same clock. So a chain of such buffs is in the same state as if the owner had
// stayed.

// backdate is how far in the past an application starts, in ms of a clock. With the zero backdate
// an application starts now.
type backdate struct {
	ms    int64
	clock define.Clock
}

// of returns the backdate of an application of a definition. Instant buffs have no clock, so they
// pass the backdate on to the applications that they cause.
func (b backdate) of(spec *program) backdate {
	if spec.Kind != define.Instant && spec.Clock != b.clock {
		return backdate{}
	}
	return b
}

// backdateOf returns the backdate of the applications that follow from an event.
func (t *Turn) backdateOf(e *Event) backdate {
	switch e.Kind {
	case Removed:
		return t.ended
	case Pulsed, StackEnded, Reacted:
		return backdate{}
	}
	return t.backdate
}

// followBackdated queues the actions of a buff that ended ms ago.
func (s *Set) followBackdated(t *Turn, spec *program, k *magnitudes, ms int64) {
	t.ended = backdate{ms, spec.Clock}
	s.queueActions(t, spec.remove[Expired], k)
	t.ended = backdate{}
}

// catchUpBackdated applies the time since an instance started, back ms ago, like a Restore:
// pulses follow Saving.Offline, stacks end, and the instance ends if its end has passed.
//
// Example: testdata/save/chain.txt.
func (s *Set) catchUpBackdated(t *Turn, at uint16, back int64) {
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
		s.tellPulses(t, &c, s.instanceEvent(Pulsed, at), at)
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
		s.tellPulses(t, &c, s.instanceEvent(Pulsed, at), at)
	}
}

// endBackdated ends an instance at an end in the past. It always emits Removed, whatever
// Saving.OfflineExpire is, since Applied was emitted.
func (s *Set) endBackdated(t *Turn, c *comeback) {
	spec := c.spec
	if spec.uses&usesLeave != 0 {
		s.endEffects(t, c.at)
	}
	ago := int64(c.over - c.i.end)
	e := s.newInstanceEvent(t, Removed, c.at)
	e.Why, e.Offline = Expired, ago
	k := s.numbersAtEnd(t, s.slot(c.at))
	s.freeInstance(t, c.at)
	if spec.Save.OfflineExpire == define.OfflineRun {
		s.followBackdated(t, spec, k, ago)
	}
	if spec.uses&usesLinks != 0 || s.gates().isHead(c.age) {
		s.issueUnlink(t, c.age, Expired, "")
	}
}
