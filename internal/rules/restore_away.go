package rules

import (
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/rules/clock"
)

// This file applies the time away to a restored buff: it moves the boundaries of its periods, ends
// stacks and applications of a queue, and counts the pulses that the buff missed.

// pass accounts for the time that the owner was away. It does not simulate pulses one at a time, so
// that a year costs as much as a second. As a consequence, rules that involve other buffs do not
// run: if one buff ends in this time, that does not hide, show, apply or end another buff.
func (c *restoredBuff) pass() {
	switch c.spec.Stack.Timers {
	case define.TimersEach:
		c.passEach()
	case define.TimersQueue:
		c.passQueue()
	default:
		c.passShared()
	}
	if i := &c.i; c.period > 0 && !c.expired && c.timePassed && c.spec.Align == define.AlignOwner {
		was := i.boundary
		i.boundary = c.firstBoundary()
		for k := range c.x.async {
			c.x.async[k].lag = within(int64(was-i.boundary)+c.x.async[k].lag, c.runningPeriod())
		}
	}
}

// runningPeriod returns the length of the running period in ms.
func (c *restoredBuff) runningPeriod() int64 {
	if c.x.currentPeriod > 0 {
		return c.x.currentPeriod
	}
	return c.period
}

// firstBoundary returns the first boundary of a period that starts at the first ms of buff time that
// has not passed.
func (c *restoredBuff) firstBoundary() clock.BuffTime {
	s := &Owner{catalog: c.spec.Catalog, rare: &rareState{extras: []extra{c.x}}}
	i := c.i
	i.extraIndex = 0
	instance{record: &i, owner: s, slot: noSlot}.storePeriod(c.runningPeriod())
	now := c.now
	if p := &c.x.scale; i.flags&timeScaled != 0 {
		now = p.ToInner(p.Start())
	}
	return instance{record: &i, owner: s, slot: noSlot}.firstBoundary(now)
}

// passShared removes stacks each time that the shared duration ends during the owner's absence, as
// Stacking.Expire says. Each end removes at least one stack, so there are no more ends than stacks.
func (c *restoredBuff) passShared() {
	i := &c.i
	for i.end <= c.reached {
		c.passBoundaries(i.end)
		n := c.spec.ExpiringStacks(int(i.stacks))
		if n >= int(i.stacks) {
			c.expire()
			return
		}
		i.stacks -= int16(n)
		i.end = endAfter(i.end, c.spec.SpanAfterExpiry(c.duration))
		c.partsEnded = true
	}
	c.passBoundaries(c.reached)
}

// passQueue runs the waiting applications one after the other.
//
// Examples: testdata/stat/queue.txt and testdata/save.
func (c *restoredBuff) passQueue() {
	i, x := &c.i, &c.x
	for i.end <= c.reached {
		c.passBoundaries(i.end)
		if len(x.async) == 0 {
			c.expire()
			return
		}
		best := strongestOf(x.async)
		l := x.async[best]
		x.async = removeUnordered(x.async, best)
		i.magnitude, i.source, x.running, c.startedWaiting = l.magnitude, l.source, l.age, int(l.numbers)
		x.shield, x.charges = l.shield, l.charges
		c.setLevel(l.level)
		i.end, c.duration = i.end.Add(l.left), l.left
		c.partsEnded = true
	}
	c.passBoundaries(c.reached)
}

// passEach ends async stacks. They count in pulses as usual.
func (c *restoredBuff) passEach() {
	i, x := &c.i, &c.x
	last := x.async[0].end.Add(-x.async[0].lag)
	for k := range x.async {
		last = max(last, x.async[k].end.Add(-x.async[k].lag))
	}
	if n := c.countBoundaries(min(c.reached, last)); n > 0 {
		c.pulses = n
		s := &Owner{catalog: c.spec.Catalog, rare: &rareState{extras: []extra{*x}}}
		counted := *i
		counted.extraIndex = 0
		c.lastPulse = i.boundary.Add((n - 1) * c.period)
		c.pulseStacks, c.magnitudeSum = instance{record: &counted, owner: s, slot: noSlot}.countedStacks(c.lastPulse)
		if len(c.spec.Numbers) > 0 && c.spec.Save.Offline != define.OfflineNone {
			c.countedAsync = slices.Clone(x.async)
		}
	}
	c.skipPeriods(c.countBoundaries(c.reached)) // the remaining stacks keep the boundaries, also where no stack counted
	k := slices.IndexFunc(x.async, func(l asyncStack) bool { return l.end > c.reached })
	if k < 0 {
		c.expired = true
		return
	}
	c.partsEnded = k > 0
	for _, l := range x.async[:k] {
		i.stacks -= l.stacks
	}
	x.async = x.async[k:]
}

// expire ends the buff, after the boundaries up to its end have been counted.
func (c *restoredBuff) expire() {
	c.expired = true
	if c.spec.Tail != define.TailPartial || c.period == 0 {
		return
	}
	c.tailPeriod = c.runningPeriod()
	c.tailElapsed = max(int64(c.i.end-c.i.boundary)+c.tailPeriod, 0)
}

// setLevel sets the level in the same way as Owner.setLevel for a running buff.
func (c *restoredBuff) setLevel(level int16) {
	i := &c.i
	if was, is := c.spec.PeriodAt(int(i.level)), c.spec.PeriodAt(int(level)); was != is && c.period > 0 {
		if c.x.currentPeriod == 0 {
			c.x.currentPeriod = c.period
		}
		c.period, c.plain = is, false
	}
	i.level = level
}

// passBoundaries counts the boundaries up to and including an instant.
func (c *restoredBuff) passBoundaries(until clock.BuffTime) {
	if n := c.countBoundaries(until); n > 0 {
		c.pulses += n
		c.pulseStacks = int32(c.i.stacks)
		c.skipPeriods(n)
	}
}

// skipPeriods moves the next boundary by n periods.
func (c *restoredBuff) skipPeriods(n int64) {
	if n > 0 {
		c.i.boundary, c.x.currentPeriod = c.i.boundary.Add(n*c.period), 0
	}
}

// countBoundaries returns how many boundaries there are up to and including an instant.
func (c *restoredBuff) countBoundaries(until clock.BuffTime) int64 {
	if c.period == 0 || until < c.i.boundary {
		return 0
	}
	return int64(until-c.i.boundary)/c.period + 1
}

// reportedPulses returns the number of events for the whole pulses of the time away, the number of pulses
// in each if above 1, and whether a partial pulse follows.
func (c *restoredBuff) reportedPulses() (times int64, count int32, tail bool) {
	save := &c.spec.Save
	switch save.Offline {
	case define.OfflineNone:
		return 0, 0, false
	case define.OfflineAll:
		most := int64(save.OfflineCap)
		if most == 0 {
			most = 100
		}
		return min(c.pulses, most), 0, c.tailElapsed > 0 && c.pulses < most
	}
	if c.pulses > 1 {
		count = int32(min(c.pulses, math.MaxInt32))
	}
	return min(c.pulses, 1), count, c.tailElapsed > 0
}
