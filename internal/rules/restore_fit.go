package rules

import (
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/internal/state"
)

// comeback is the restored state of one buff.
type comeback struct {
	i     record // the instance before it is placed in a slot
	x     extra
	at    uint16 // the slot of the instance, set by placeBuff
	plain bool   // the instance needs no extra
	young bool   // an earlier Restore has set the buff aside, so it becomes the youngest buff
	saved *state.Buff
	spec  *compile.Program // the definition in Turn.Catalog
	now   clock.BuffTime   // the instant of buff time from which the saved times are counted
	over  clock.BuffTime   // the last instant of buff time that has passed
	away  int64            // how long the owner was away, in ms of the buff's clock
	moved bool             // time has passed for the buff

	age              uint64 // see instance.age
	period, duration int64

	gone   bool  // the buff has ended
	parts  bool  // some stacks, or the running application of the queue, have ended
	pulses int64 // number of pulses during the time away

	// If the buff has ended, with define.TailPartial, its last period was incomplete: tail ms of
	// tailOf ms.
	tail, tailOf int64

	stacks int32 // number of stacks in the last pulse of the time away
	sum    int64 // with TimersEach, the sum of the magnitudes of these stacks

	pulsed  clock.BuffTime // with TimersEach, the instant of the last pulse of the time away
	counted []asyncStack   // the async stacks at pulsed, if they have separate numbers
	ran     int            // 1 + index of the waiting application that runs now; 0 if it has not changed
}

// rounded returns how many ms an end or a boundary may seem to be overdue at the moment of
// saving: owner time is rounded up, and a buff whose rate has just changed may have advanced at
// its previous rate, which a blob does not contain.
func rounded(b *state.Buff) int64 {
	if !b.Scale.Is() {
		return 2
	}
	return 2 + buff.MaxRate
}

// comeback sets c, which is empty, from a saved buff and its present definition, with all
// instants after the time away.
//
// A blob has no instants, only remaining times in ms, because engine time starts from zero in each
// run. comeback subtracts the time that has passed by the buff's clock. Then [comeback.pass]
// handles the instants that are in the past.
func (r *restorer) comeback(c *comeback, b *state.Buff, spec *compile.Program) {
	c.now, c.over, c.young, c.saved, c.spec = clock.BuffTime(r.now), clock.BuffTime(r.now), b.Since != nil, b, spec
	elapsed := r.elapsed(c, b)
	if c.moved = elapsed > 0; !c.moved && (r.own != nil || b.Scale.Is()) {
		c.over = math.MinInt64 // no time has passed: deadlines at the instant of saving have yet to run
	}
	i, x := &c.i, &c.x
	c.age, c.duration = b.Age, b.Duration
	*i = record{
		source: buff.OwnerID(b.Source), def: int32(spec.Compiled().Index) + 1, end: clock.Never, boundary: clock.Never, magnitude: b.Magnitude,
		stacks: int16(b.Stacks), level: int16(b.Level), flags: i.flags, extraIndex: noSlot,
	}
	after := func(left int64) clock.BuffTime {
		if left == state.Farthest {
			return clock.Never
		}
		return c.now.Add(left - elapsed)
	}
	if b.Left.Is {
		i.end = after(max(b.Left.N, -rounded(b)))
	} else if spec.Kind == define.Timed && b.Duration == 0 {
		c.duration = spec.DurationAt(int(b.Level))
		i.end = c.now.Add(c.duration)
	}
	switch {
	case !spec.Pulses():
	case !b.Next.Is:
		c.period = spec.PeriodAt(int(b.Level))
		i.boundary = c.firstBeat()
	default:
		c.period = spec.PeriodAt(int(b.Level))
		if b.Period != 0 {
			c.period = b.Period
		}
		// An Owner never saves an overdue pulse; clamp it, so that a forged blob cannot queue
		// millions of pulses.
		i.boundary = after(min(max(b.Next.N, -rounded(b)), define.MaxDuration.Milliseconds()))
		x.pendingPeriod, x.currentPeriod = b.Wanted, b.Length
		if spec.Uses&compile.UsesCatchup != 0 {
			x.pendingPulses, x.lastPending = int32(b.Owed), c.now
		}
	}
	c.fitCauses(b)
	from := len(r.async)
	for k := range b.Async {
		l := &b.Async[k]
		a := asyncStack{
			end: after(max(l.Left, -rounded(b))), magnitude: l.Magnitude, source: buff.OwnerID(l.Source), age: b.Age + l.Age, stacks: int16(l.Stacks), level: int16(l.Level),
			numbers: uint16(k + 1),
		}
		a.shield, a.charges = usesOf(spec, l.Shield, l.Charges, l.Magnitude)
		r.async = append(r.async, a)
		if b.Next.Is && c.period > 0 {
			r.async[from+k].lag = lagOf(l, b.Next.N, c.period)
		}
	}
	if len(b.Async) > 0 {
		x.async = r.async[from:len(r.async):len(r.async)]
	}
	c.fitStacks(b, r.leftBehind(b))
	c.fitExtra(b)
	c.plain = spec.Uses&compile.UsesExtra == 0 && i.flags&timeScaled == 0 && x.pendingPeriod == 0 && x.currentPeriod == 0 && x.pendingPulses == 0
}

// elapsed returns the buff time that has passed while the owner was away, in ms, and restores the
// time scale.
func (r *restorer) elapsed(c *comeback, b *state.Buff) int64 {
	from := state.Moment{Wall: r.saved.Wall, Uptime: r.saved.Uptime}
	if b.Since != nil {
		from = *b.Since
	}
	switch {
	case b.On(define.Wall):
		c.away = since(r.at.Wall, from.Wall)
	case b.On(define.Uptime):
		c.away = since(r.at.Uptime, from.Uptime)
	}
	elapsed := c.away
	if r.own != nil {
		elapsed = r.own.Elapsed(r.at.Now.Add(c.away))
	}
	elapsed = min(elapsed, 2*state.Farthest)
	if !b.Scale.Is() {
		return elapsed
	}
	c.i.flags |= timeScaled
	start := r.now.Add(b.Scale.Ahead)
	c.now = clock.BuffTime(r.now.Add(b.Scale.Inner))
	p := &c.x.scale
	*p = restoreScale(start, c.now, &b.Scale, define.OfBuff)
	if b.Dead {
		p.Set(start, clock.ByDeath, clock.Cause{Held: true})
		c.i.flags |= deathPaused
	}
	c.over = c.now
	ms := p.Skip(r.now.Add(elapsed), r.now.Add(max(b.Scale.Ahead-elapsed, 0)))
	if p.Start() > r.now {
		c.over = math.MinInt64 // the scale has yet to start, with deadlines at that instant
	}
	return min(ms, 2*state.Farthest)
}

// fitCauses restores the causes for which the buff is hidden, if its definition still has them.
func (c *comeback) fitCauses(b *state.Buff) {
	may := inhibited
	if c.spec.Uses&compile.UsesOngoing != 0 {
		may |= unmet
	}
	if c.spec.Uses&compile.UsesHide != 0 {
		may |= weaker | ineffective
	}
	if c.spec.Immune == define.ImmuneSuppress {
		may |= immune
	}
	for k, f := range causeFlags {
		if b.Hidden&(1<<k) != 0 {
			c.i.flags |= f & may
		}
	}
}

// fitStacks applies the present limit and timers to the stacks, without stacks that belong to
// heads that are not restored. Stacks that need ends and had none get the end of the instance.
// Surplus stacks are removed, the earliest end first.
func (c *comeback) fitStacks(b *state.Buff, leftBehind int64) {
	i, x, spec := &c.i, &c.x, c.spec
	most := min(b.Stacks-leftBehind, int64(spec.Limit))
	i.stacks = int16(most)
	switch spec.Stack.Timers {
	case define.TimersShared:
		x.async = nil
	case define.TimersEach:
		if len(x.async) == 0 {
			l := asyncStack{end: i.end, magnitude: i.magnitude, source: i.source, age: c.age, stacks: i.stacks, level: i.level}
			l.shield, l.charges = usesOf(spec, b.Shield, b.Charges, b.Magnitude)
			x.async = []asyncStack{l}
		}
		slices.SortStableFunc(x.async, compareAsync)
		for over := b.Stacks - most; len(b.Async) > 0 && over > 0; {
			n := min(over, int64(x.async[0].stacks))
			over -= n
			if x.async[0].stacks -= int16(n); x.async[0].stacks == 0 {
				x.async = x.async[1:]
			}
		}
		i.end = x.async[len(x.async)-1].end
	case define.TimersQueue:
		i.stacks, x.running, x.async = 1, b.Age+b.Running, nil
		for k := range b.Waiting {
			l := &b.Waiting[k]
			a := asyncStack{
				left: max(l.Left, 0), magnitude: l.Magnitude, source: buff.OwnerID(l.Source), age: b.Age + l.Age, level: int16(l.Level), numbers: uint16(k + 1),
			}
			a.shield, a.charges = usesOf(spec, l.Shield, l.Charges, l.Magnitude)
			x.async = append(x.async, a)
		}
		for int32(len(x.async)) >= spec.Limit { // at least 1
			x.async = removeUnordered(x.async, weakestOf(x.async))
		}
	}
}

// fitExtra restores the key, the shield and the charges.
func (c *comeback) fitExtra(b *state.Buff) {
	x, spec := &c.x, c.spec
	if spec.Stack.By == define.ByKey {
		x.key = b.Key
	}
	if spec.Stack.Timers != define.TimersEach {
		shield, charges := allUses(b)
		x.shield, x.charges = usesOf(spec, shield, charges, b.Magnitude)
	}
}

// toWorkOut marks a shield that restorer.pools must evaluate.
const toWorkOut = -1

// usesOf returns the restored shield and charges. If none were saved, they are full. Unless charges
// add up, more charges than those of one application are reduced to that number.
func usesOf(s *compile.Program, shield state.Maybe, charges, magnitude int64) (int64, int32) {
	if n := int64(s.Charges.N); charges == 0 || charges > n && s.Charges.Refresh != define.ChargesAdd {
		charges = n
	} else if n == 0 {
		charges = 0
	}
	switch {
	case !s.Shield.On:
		return 0, int32(charges)
	case shield.Is:
		return shield.N, int32(charges)
	case s.PoolBy != nil:
		return toWorkOut, int32(charges)
	}
	return pool(s, nil, &buff.Application{Magnitude: magnitude}), int32(charges)
}

// allUses returns the saved shield and charges of a buff, summed over its async stacks if it has
// any.
func allUses(b *state.Buff) (shield state.Maybe, charges int64) {
	if len(b.Async) == 0 {
		return b.Shield, b.Charges
	}
	for k := range b.Async {
		l := &b.Async[k]
		charges = min(charges+l.Charges, define.MaxStacks)
		if l.Shield.Is {
			shield = state.Some(int64(min(uint64(l.Shield.N)+uint64(shield.N), math.MaxInt64)))
		}
	}
	return shield, charges
}

// lagOf returns the lag of an async stack, if the next pulse is in `next` ms. Instead of the lag, a
// blob of a format before 3 has the last pulse in which the stack counts, which is at the end of
// one of its periods.
func lagOf(l *state.Stack, next, period int64) int64 {
	if l.Lag >= 0 {
		return l.Lag
	}
	return within(l.Last-next, period)
}

// within returns ms modulo the period, at least 0.
func within(ms, period int64) int64 { return ((ms % period) + period) % period }

// pass accounts for the time that the owner was away. It does not simulate pulses one at a time, so
// that a year costs as much as a second. As a consequence, rules that involve other buffs do not
// run: if one buff ends in this time, that does not hide, show, apply or end another buff.
func (c *comeback) pass() {
	switch c.spec.Stack.Timers {
	case define.TimersEach:
		c.passEach()
	case define.TimersQueue:
		c.passQueue()
	default:
		c.passShared()
	}
	if i := &c.i; c.period > 0 && !c.gone && c.moved && c.spec.Align == define.AlignOwner {
		was := i.boundary
		i.boundary = c.firstBeat()
		for k := range c.x.async {
			c.x.async[k].lag = within(int64(was-i.boundary)+c.x.async[k].lag, c.runningPeriod())
		}
	}
}

// runningPeriod returns the length of the running period in ms.
func (c *comeback) runningPeriod() int64 {
	if c.x.currentPeriod > 0 {
		return c.x.currentPeriod
	}
	return c.period
}

// firstBeat returns the first boundary of a period that starts at the first ms of buff time that
// has not passed.
func (c *comeback) firstBeat() clock.BuffTime {
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
func (c *comeback) passShared() {
	i := &c.i
	for i.end <= c.over {
		c.beatUntil(i.end)
		n := c.spec.ExpiringStacks(int(i.stacks))
		if n >= int(i.stacks) {
			c.end()
			return
		}
		i.stacks -= int16(n)
		i.end = endAfter(i.end, c.duration)
		c.parts = true
	}
	c.beatUntil(c.over)
}

// passQueue runs the waiting applications one after the other.
//
// Examples: testdata/stat/queue.txt and testdata/save.
func (c *comeback) passQueue() {
	i, x := &c.i, &c.x
	for i.end <= c.over {
		c.beatUntil(i.end)
		if len(x.async) == 0 {
			c.end()
			return
		}
		best := strongestOf(x.async)
		l := x.async[best]
		x.async = removeUnordered(x.async, best)
		i.magnitude, i.source, x.running, c.ran = l.magnitude, l.source, l.age, int(l.numbers)
		x.shield, x.charges = l.shield, l.charges
		c.setLevel(l.level)
		i.end, c.duration = i.end.Add(l.left), l.left
		c.parts = true
	}
	c.beatUntil(c.over)
}

// end ends the buff, after the boundaries up to its end have been counted.
func (c *comeback) end() {
	c.gone = true
	if c.spec.Tail != define.TailPartial || c.period == 0 {
		return
	}
	c.tailOf = c.runningPeriod()
	c.tail = max(int64(c.i.end-c.i.boundary)+c.tailOf, 0)
}

// setLevel sets the level in the same way as Owner.setLevel for a running buff.
func (c *comeback) setLevel(level int16) {
	i := &c.i
	if was, is := c.spec.PeriodAt(int(i.level)), c.spec.PeriodAt(int(level)); was != is && c.period > 0 {
		if c.x.currentPeriod == 0 {
			c.x.currentPeriod = c.period
		}
		c.period, c.plain = is, false
	}
	i.level = level
}

// passEach ends async stacks. They count in pulses as usual.
func (c *comeback) passEach() {
	i, x := &c.i, &c.x
	last := x.async[0].end.Add(-x.async[0].lag)
	for k := range x.async {
		last = max(last, x.async[k].end.Add(-x.async[k].lag))
	}
	if n := c.boundaries(min(c.over, last)); n > 0 {
		c.pulses = n
		s := &Owner{catalog: c.spec.Catalog, rare: &rareState{extras: []extra{*x}}}
		counted := *i
		counted.extraIndex = 0
		c.pulsed = i.boundary.Add((n - 1) * c.period)
		c.stacks, c.sum = instance{record: &counted, owner: s, slot: noSlot}.countedStacks(c.pulsed)
		if len(c.spec.Numbers) > 0 && c.spec.Save.Offline != define.OfflineNone {
			c.counted = slices.Clone(x.async)
		}
	}
	c.stepOver(c.boundaries(c.over)) // the remaining stacks keep the boundaries, also where no stack counted
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

// beatUntil counts the boundaries up to and including an instant.
func (c *comeback) beatUntil(until clock.BuffTime) {
	if n := c.boundaries(until); n > 0 {
		c.pulses += n
		c.stacks = int32(c.i.stacks)
		c.stepOver(n)
	}
}

// stepOver moves the next boundary by n periods.
func (c *comeback) stepOver(n int64) {
	if n > 0 {
		c.i.boundary, c.x.currentPeriod = c.i.boundary.Add(n*c.period), 0
	}
}

// boundaries returns how many boundaries there are up to and including an instant.
func (c *comeback) boundaries(until clock.BuffTime) int64 {
	if c.period == 0 || until < c.i.boundary {
		return 0
	}
	return int64(until-c.i.boundary)/c.period + 1
}

// told returns the number of events for the whole pulses of the time away, the number of pulses
// in each if above 1, and whether a partial pulse follows.
func (c *comeback) told() (times int64, count int32, tail bool) {
	save := &c.spec.Save
	switch save.Offline {
	case define.OfflineNone:
		return 0, 0, false
	case define.OfflineAll:
		most := int64(save.OfflineCap)
		if most == 0 {
			most = 100
		}
		return min(c.pulses, most), 0, c.tail > 0 && c.pulses < most
	}
	if c.pulses > 1 {
		count = int32(min(c.pulses, math.MaxInt32))
	}
	return min(c.pulses, 1), count, c.tail > 0
}
