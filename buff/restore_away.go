package buff

import (
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// pass lets the time away pass: what has passed of the buff is over. Nothing is simulated step by step: an owner
// who was away for a year with a pulse each second costs as much as one who was away for a moment. So no rule
// that needs others is asked: nothing is hidden or shown, applied or ended by what happened to another buff meanwhile.
func (c *comeback) pass() {
	switch c.spec.Stack.Timers {
	case define.TimersEach:
		c.passEach()
	case define.TimersQueue:
		c.passQueue()
	default:
		c.passShared()
	}
	if i := &c.i; i.period > 0 && !c.gone && c.moved && c.spec.Align == define.AlignOwner {
		was := i.beat
		i.beat, c.x.length = c.firstBeat(), 0
		for k := range c.x.async {
			c.x.async[k].lag = within(int64(was-i.beat)+c.x.async[k].lag, i.period)
		}
	}
}

// firstBeat is what Set.firstBeat is, from now on.
func (c *comeback) firstBeat() wheel.Time {
	s := Set{catalog: c.spec.catalog, beside: &beside{extras: []extra{c.x}}}
	i := c.i
	i.extra = 0
	return s.firstBeat(&i, c.now)
}

// passShared takes away stacks at each end, as the rule of expiry says: at most as often as there are stacks.
func (c *comeback) passShared() {
	i := &c.i
	for i.end <= c.over {
		c.beatUntil(i.end)
		n := c.spec.expiring(int(i.stacks))
		if n >= int(i.stacks) {
			c.gone = true
			return
		}
		i.stacks -= int16(n)
		i.end = lasting(i.end, i.duration)
		c.parts = true
	}
	c.beatUntil(c.over)
}

// passQueue lets those that wait run, one after the other.
func (c *comeback) passQueue() {
	i, x := &c.i, &c.x
	for i.end <= c.over {
		c.beatUntil(i.end)
		if len(x.async) == 0 {
			c.gone = true
			return
		}
		best := strongestOf(x.async)
		l := x.async[best]
		x.async = remove(x.async, best)
		i.magnitude, i.source, x.running, c.ran = l.magnitude, l.source, l.age, int(l.numbers)
		c.setLevel(l.level)
		i.end, i.duration = i.end.Add(l.left), l.left
		c.parts = true
	}
	c.beatUntil(c.over)
}

// setLevel is what Set.setLevel does.
func (c *comeback) setLevel(level int16) {
	i := &c.i
	if was, is := c.spec.periodAt(int(i.level)), c.spec.periodAt(int(level)); was != is && i.period > 0 {
		if c.x.length == 0 {
			c.x.length = i.period
		}
		i.period, c.plain = is, false
	}
	i.level = level
}

// passEach ends the async stacks whose time is over. They count in the pulses as ever.
func (c *comeback) passEach() {
	i, x := &c.i, &c.x
	last := x.async[0].end.Add(-x.async[0].lag)
	for k := range x.async {
		last = max(last, x.async[k].end.Add(-x.async[k].lag))
	}
	if n := i.boundaries(min(c.over, last)); n > 0 {
		c.pulses = n
		s := Set{catalog: c.spec.catalog, beside: &beside{extras: []extra{*x}}}
		counted := *i
		counted.extra = 0
		c.stacks, c.sum = s.counting(&counted, i.beat.Add((n-1)*i.period))
	}
	c.stepOver(i.boundaries(c.over)) // the beat goes on for those that are left, also where nobody counted in it
	k := slices.IndexFunc(x.async, func(l asyncStack) bool { return l.end > c.over })
	if k < 0 {
		c.gone = true
		return
	}
	c.parts = k > 0
	for _, l := range x.async[:k] {
		i.stacks -= l.stacks
	}
	x.async = x.async[k:]
}

// beatUntil counts the boundaries of the period up to and including an instant.
func (c *comeback) beatUntil(until wheel.Time) {
	if n := c.i.boundaries(until); n > 0 {
		c.pulses += n
		c.stacks = int32(c.i.stacks)
		c.stepOver(n)
	}
}

// stepOver moves the beat on by n boundaries.
func (c *comeback) stepOver(n int64) {
	if n > 0 {
		c.i.beat, c.x.length = c.i.beat.Add(n*c.i.period), 0
	}
}

// boundaries returns how many boundaries of the period come up to and including an instant.
func (i *instance) boundaries(until wheel.Time) int64 {
	if i.period == 0 || until < i.beat {
		return 0
	}
	return int64(until-i.beat)/i.period + 1
}

// told returns how many events there are for the pulses of the time away, and for how many
// pulses each stands if that is more than one.
func (c *comeback) told() (times int64, count int32) {
	save := &c.spec.Save
	switch {
	case c.pulses == 0 || save.Offline == define.OfflineNone:
		return 0, 0
	case save.Offline == define.OfflineAll:
		most := int64(save.OfflineCap)
		if most == 0 {
			most = 100
		}
		return min(c.pulses, most), 0
	case c.pulses > 1:
		return 1, int32(min(c.pulses, math.MaxInt32))
	}
	return 1, 0
}
