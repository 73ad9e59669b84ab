package buff

import (
	"math"
	"slices"

	"github.com/bufftick/bufftick/wheel"
)

// comeback is what becomes of one buff.
type comeback struct {
	i     instance // without its place in the Set
	x     extra
	at    uint16     // its slot, once it is placed
	plain bool       // it needs no extra
	young bool       // it was kept aside
	saved *savedBuff //
	now   wheel.Time // in its own time, or where that begins
	over  wheel.Time // the last instant of its own time that has passed
	away  int64      // ms by its clock
	moved bool       // time has passed for it

	gone   bool  // it has ended meanwhile
	parts  bool  // some of its stacks have, or what ran in its queue
	pulses int64 // that fell into the time away
	stacks int32 // of the last of them
	sum    int64 // of the magnitudes of those, with TimersEach
}

// comeback makes an instance of what was saved of it and of its definition of now, with all
// its instants where they are after the time away.
func (r *restorer) comeback(b *savedBuff, spec *Spec) comeback {
	c := comeback{now: r.now, young: b.Since != nil, saved: b}
	c.over = c.now
	elapsed := r.elapsed(&c, b)
	c.moved = elapsed > 0
	i, x := &c.i, &c.x
	*i = instance{
		spec: spec, source: b.Source, age: b.Age, end: wheel.Never, beat: wheel.Never, duration: b.Duration, magnitude: b.Magnitude,
		stacks: int16(b.Stacks), level: int16(b.Level), flags: i.flags, extra: noSlot,
	}
	x.next = noSlot
	after := func(left int64) wheel.Time {
		if left == farthest {
			return wheel.Never
		}
		return c.now.Add(left - elapsed)
	}
	if b.Left != nil {
		i.end = after(*b.Left)
	} else if spec.Kind == Timed && b.Duration == 0 {
		i.duration = spec.lastsAt(int(b.Level))
		i.end = c.now.Add(i.duration)
	}
	switch {
	case !spec.pulses():
	case b.Next == nil:
		i.period = spec.periodAt(int(b.Level))
		i.beat = i.firstBeat(c.now)
	default:
		i.period = spec.periodAt(int(b.Level))
		if b.Period != 0 {
			i.period = max(b.Period, MinPeriod.Milliseconds())
		}
		i.beat = after(*b.Next)
		x.wanted, x.length, x.owed = b.Wanted, b.Length, int32(b.Owed)
	}
	c.fitCauses(b)
	for k := range b.Layers {
		l := &b.Layers[k]
		x.layers = append(x.layers, layer{
			end: after(l.Left), last: after(l.Last), magnitude: l.Magnitude, source: l.Source, age: b.Age + l.Age, stacks: int16(l.Stacks), level: int16(l.Level),
		})
		if b.Next == nil {
			x.layers[k].last = x.layers[k].end
		}
	}
	c.fitStacks(b)
	c.fitExtra(b)
	c.plain = spec.uses&usesExtra == 0 && i.flags&paced == 0 && x.wanted == 0 && x.length == 0 && x.owed == 0
	return c
}

// elapsed returns the ms of its own time for which the buff was away, and gives it that
// time.
func (r *restorer) elapsed(c *comeback, b *savedBuff) int64 {
	from := savedMoment{Wall: r.saved.Wall, Uptime: r.saved.Uptime}
	if b.Since != nil {
		from = *b.Since
	}
	switch b.Clock {
	case clockWords[Wall]:
		c.away = since(r.at.Wall, from.Wall)
	case clockWords[Uptime]:
		c.away = since(r.at.Uptime, from.Uptime)
	}
	elapsed := c.away
	if r.own != nil {
		elapsed, _ = r.own.passed(r.own.at.Add(c.away))
	}
	elapsed = min(elapsed, 2*farthest)
	if b.Pace == nil {
		return elapsed
	}
	c.i.flags |= paced
	p := &c.x.pace
	*p = newPace(r.now.Add(b.Pace.Ahead))
	p.inner = r.now.Add(b.Pace.Inner)
	b.Pace.restore(p, OfBuff)
	if b.Dead {
		p.change(p.at, byDeath, true, Ratio{})
		c.i.flags |= deathPaused
	}
	c.now, c.over = p.inner, p.inner
	ms, rest := p.passed(r.now.Add(elapsed))
	p.at, p.rest = r.now.Add(max(b.Pace.Ahead-elapsed, 0)), rest
	if p.at > r.now {
		c.over = math.MinInt64 // it has yet to begin, with what comes at once
	}
	return min(ms, 2*farthest)
}

// fitCauses sets for which of the causes that the definition still has the buff is hidden.
func (c *comeback) fitCauses(b *savedBuff) {
	may := inhibited
	if c.i.spec.uses&usesOngoing != 0 {
		may |= unmet
	}
	if c.i.spec.uses&usesHide != 0 {
		may |= weaker | ineffective
	}
	for k, f := range causeFlags {
		if b.causes&(1<<k) != 0 {
			c.i.flags |= f & may
		}
	}
}

// fitStacks brings the stacks within the limit and under the rule of timers of now.
func (c *comeback) fitStacks(b *savedBuff) {
	i, x, spec := &c.i, &c.x, c.i.spec
	i.stacks = int16(min(int32(i.stacks), spec.limit))
	switch spec.Stack.Timers {
	case TimersShared:
		x.layers = nil
	case TimersEach:
		if len(x.layers) == 0 {
			x.layers = []layer{{end: i.end, last: i.end, magnitude: i.magnitude, source: i.source, age: i.age, stacks: i.stacks, level: i.level}}
		}
		slices.SortStableFunc(x.layers, layerOrder)
		for over := b.Stacks - int64(spec.limit); len(b.Layers) > 0 && over > 0; {
			n := min(over, int64(x.layers[0].stacks))
			over -= n
			if x.layers[0].stacks -= int16(n); x.layers[0].stacks == 0 {
				x.layers = x.layers[1:]
			}
		}
		i.end = x.layers[len(x.layers)-1].end
	case TimersQueue:
		i.stacks, x.running, x.layers = 1, b.Age+b.Running, nil
		for k := range b.Waiting {
			l := &b.Waiting[k]
			x.layers = append(x.layers, layer{left: l.Left, magnitude: l.Magnitude, source: l.Source, age: b.Age + l.Age, level: int16(l.Level)})
		}
		for len(x.layers) > 0 && int32(len(x.layers)) >= spec.limit {
			x.layers = remove(x.layers, weakestOf(x.layers))
		}
	}
}

// fitExtra gives it what else is not plain about it.
func (c *comeback) fitExtra(b *savedBuff) {
	x, spec := &c.x, c.i.spec
	if spec.Stack.By == ByKey {
		x.key = b.Key
	}
	if n := int64(spec.Charges.N); n > 0 {
		x.charges = int32(b.Charges)
		if b.Charges == 0 || b.Charges > n && spec.Charges.Refresh != ChargesAdd {
			x.charges = int32(n)
		}
	}
	if spec.Shield.On {
		switch {
		case b.Shield != nil:
			x.shield = *b.Shield
		case spec.poolBy == nil: // see restorer.numbers
			x.shield = spec.pool(nil, &Application{Magnitude: b.Magnitude})
		}
	}
}
