package buff

import (
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/journal"
)

// With [define.OfflineRun] the actions of a buff that ended while its owner was away are done at the return, but a
// buff that they apply starts at that end, if its time passed then too: if it lives by the same clock. So a chain of buffs
// that relieve each other is after the return where it would be if the owner had stayed.

// backdate is how long ago, in ms by a clock, the cause of an application was. The zero one is for what is caused now.
type backdate struct {
	ms    int64
	clock define.Clock
}

// of returns by how much an application of a definition is backdated. An instant one has no time of its own, and hands it on.
func (b backdate) of(spec *Spec) backdate {
	if spec.Kind != define.Instant && spec.Clock != b.clock {
		return backdate{}
	}
	return b
}

// backdateOf returns by how much the applications are backdated that an event sets off.
func (t *Turn) backdateOf(e *Event) backdate {
	switch e.Kind {
	case Removed:
		return t.ended
	case Pulsed, StackEnded, Reacted:
		return backdate{}
	}
	return t.backdate
}

// followBackdated does the actions of a removal that was ms ago.
func (s *Set) followBackdated(t *Turn, spec *Spec, k *magnitudes, ms int64) {
	t.ended = backdate{ms, spec.Clock}
	s.follow(t, spec.remove[Expired], k)
	t.ended = backdate{}
}

// catchUpBackdated lets the time pass for an instance that began back ms ago, as it does in a Restore: its pulses come by
// Saving.Offline, stacks end, and so does the instance if its end has passed. Nothing else has had a look at it meanwhile.
//
// Story: testdata/save/chain.txt.
func (s *Set) catchUpBackdated(t *Turn, at uint16, back int64) {
	i := s.slot(at)
	c := comeback{
		i: *i, at: at, spec: s.specOf(i), now: t.now, over: t.now, away: back, moved: true,
		age: s.age(i), period: s.period(i), duration: s.duration(i),
	}
	if i.extra != noSlot {
		c.x = *s.extraOf(i)
		c.x.async = slices.Clone(c.x.async)
	}
	c.pass()
	i.stacks = c.i.stacks
	if c.gone {
		s.tellPulses(t, &c, s.about(Pulsed, at), at)
		s.endBackdated(t, &c)
		return
	}
	i.end, i.beat = c.i.end, c.i.beat
	if i.extra != noSlot {
		x := s.extraOf(i)
		x.length = c.x.length
		copy(x.async, c.x.async)
	}
	s.mark(at, journal.Stacks|journal.Time)
	s.tune(at)
	s.touch(t, at)
	if c.parts {
		s.tellParts(t, &c)
	}
	if c.pulses > 0 {
		s.tellPulses(t, &c, s.about(Pulsed, at), at)
	}
}

// endBackdated ends an instance whose end has passed already. It is told in any case, as its beginning was.
func (s *Set) endBackdated(t *Turn, c *comeback) {
	spec, k := c.spec, *s.magnitudesOf(s.slot(c.at)) // its lists stay as they are until the extra is used again
	if spec.uses&usesLeave != 0 {
		s.leave(t, c.at)
	}
	ago := int64(c.over - c.i.end)
	e := s.tell(t, Removed, c.at)
	e.Why, e.Offline = Expired, ago
	s.drop(t, c.at)
	if spec.Save.OfflineExpire == define.OfflineRun {
		s.followBackdated(t, spec, &k, ago)
	}
	if spec.uses&usesLinks != 0 || s.beside.gate().brought(c.age) {
		s.sendOff(t, c.age, Expired, "")
	}
}
