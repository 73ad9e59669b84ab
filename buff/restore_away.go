package buff

import (
	"slices"

	"github.com/bufftick/bufftick/wheel"
)

// pass lets the time away pass: what has passed of the buff is over.
func (c *comeback) pass() {
	switch c.i.spec.Stack.Timers {
	case TimersEach:
		c.passEach()
	case TimersQueue:
		c.passQueue()
	default:
		c.passShared()
	}
	if c.i.period > 0 && !c.gone && c.moved && c.i.spec.Align == AlignOwner {
		c.i.beat, c.x.length = c.i.firstBeat(c.now), 0
	}
}

// passShared takes away stacks at each end, as the rule of expiry says.
func (c *comeback) passShared() {
	i := &c.i
	for i.end <= c.over {
		c.beatToEnd()
		n := i.spec.expiring(int(i.stacks))
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
		c.beatToEnd()
		if len(x.layers) == 0 {
			c.gone = true
			return
		}
		best := strongestOf(x.layers)
		l := x.layers[best]
		x.layers = remove(x.layers, best)
		i.magnitude, i.source, x.running = l.magnitude, l.source, l.age
		c.setLevel(l.level)
		i.end, i.duration = i.end.Add(l.left), l.left
		c.parts = true
	}
	c.beatUntil(c.over)
}

// setLevel is what Set.setLevel does.
func (c *comeback) setLevel(level int16) {
	i := &c.i
	if was, is := i.spec.periodAt(int(i.level)), i.spec.periodAt(int(level)); was != is && i.period > 0 {
		if c.x.length == 0 {
			c.x.length = i.period
		}
		i.period, c.plain = is, false
	}
	i.level = level
}

// passEach ends the layers whose time is over. They count in the pulses as ever.
func (c *comeback) passEach() {
	i, x := &c.i, &c.x
	last := x.layers[0].last
	for k := range x.layers {
		last = max(last, x.layers[k].last)
	}
	if n := i.boundaries(min(c.over, last)); n > 0 {
		c.pulses = n
		s := Set{extras: []extra{*x}}
		counted := *i
		counted.extra = 0
		c.stacks, c.sum = s.counting(&counted, i.beat.Add((n-1)*i.period))
	}
	c.stepOver(i.boundaries(c.over))
	k := slices.IndexFunc(x.layers, func(l layer) bool { return l.end > c.over })
	if k < 0 {
		c.gone = true
		return
	}
	c.parts = k > 0
	for _, l := range x.layers[:k] {
		i.stacks -= l.stacks
	}
	x.layers = x.layers[k:]
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

// beatToEnd is beatUntil the end. A partial tail there, though lost, begins a period.
func (c *comeback) beatToEnd() {
	i := &c.i
	c.beatUntil(i.end)
	length := i.period
	if c.x.length > 0 {
		length = c.x.length
	}
	if i.period > 0 && i.spec.Tail == TailPartial && int64(i.end-i.beat)+length > 0 {
		i.beat, c.x.length = i.end.Add(i.period), 0
	}
}

// boundaries returns how many boundaries of the period come up to and including an instant.
func (i *instance) boundaries(until wheel.Time) int64 {
	if i.period == 0 || until < i.beat {
		return 0
	}
	return int64(until-i.beat)/i.period + 1
}
