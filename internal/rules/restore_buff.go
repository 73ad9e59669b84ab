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

// This file rebuilds one saved buff with the present definition: its instants, stacks, shield and
// charges. The result is a restoredBuff, which is not part of the Owner yet.

// restoredBuff is the restored state of one buff.
type restoredBuff struct {
	i          record // the instance before it is placed in a slot
	x          extra
	at         uint16 // the slot of the instance, set by placeBuff
	plain      bool   // the instance needs no extra
	wasAside   bool   // an earlier Restore has set the buff aside, so it becomes the youngest buff
	saved      *state.Buff
	spec       *compile.Program // the definition in Turn.Catalog
	now        clock.BuffTime   // the instant of buff time from which the saved times are counted
	reached    clock.BuffTime   // the last instant of buff time that has passed
	away       int64            // how long the owner was away, in ms of the buff's clock
	timePassed bool             // time has passed for the buff

	age              uint64 // see instance.age
	period, duration int64

	expired    bool  // the buff has ended
	partsEnded bool  // some stacks, or the running application of the queue, have ended
	pulses     int64 // number of pulses during the time away

	// If the buff has ended, with define.TailPartial, its last period was incomplete: tailElapsed ms
	// of tailPeriod ms.
	tailElapsed, tailPeriod int64

	pulseStacks  int32 // number of stacks in the last pulse of the time away
	magnitudeSum int64 // with TimersEach, the sum of the magnitudes of these stacks

	lastPulse      clock.BuffTime // with TimersEach, the instant of the last pulse of the time away
	countedAsync   []asyncStack   // the async stacks at lastPulse, if they have separate numbers
	startedWaiting int            // 1 + index of the waiting application that runs now; 0 if it has not changed
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

// rebuild sets c, which is empty, from a saved buff and its present definition, with all
// instants after the time away.
//
// A blob has no instants, only remaining times in ms, because engine time starts from zero in each
// run. rebuild subtracts the time that has passed by the buff's clock. Then [restoredBuff.pass]
// handles the instants that are in the past.
func (r *restorer) rebuild(c *restoredBuff, b *state.Buff, spec *compile.Program) {
	c.now, c.reached, c.wasAside, c.saved, c.spec = clock.BuffTime(r.now), clock.BuffTime(r.now), b.Since != nil, b, spec
	elapsed := r.elapsed(c, b)
	if c.timePassed = elapsed > 0; !c.timePassed && (r.ownerScale != nil || b.Scale.Is()) {
		c.reached = math.MinInt64 // no time has passed: deadlines at the instant of saving have yet to run
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
		i.boundary = c.firstBoundary()
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
	c.restoreCauses(b)
	from := len(r.async)
	for k := range b.Async {
		l := &b.Async[k]
		a := restoreStack(spec, b, l, k)
		a.end, a.stacks = after(max(l.Left, -rounded(b))), int16(l.Stacks)
		if b.Next.Is && c.period > 0 {
			a.lag = lagOf(l, b.Next.N, c.period)
		}
		r.async = append(r.async, a)
	}
	if len(b.Async) > 0 {
		x.async = r.async[from:len(r.async):len(r.async)]
	}
	c.restoreStacks(b, r.lostStacks(b))
	if spec.Stack.By == define.ByKey {
		x.key = b.Key
	}
	if spec.Stack.Timers != define.TimersEach {
		shield, charges := totalUses(b)
		x.shield, x.charges = restoreUses(spec, shield, charges, b.Magnitude)
	}
	c.plain = spec.Uses&compile.UsesExtra == 0 && i.flags&timeScaled == 0 && x.pendingPeriod == 0 && x.currentPeriod == 0 && x.pendingPulses == 0
}

// elapsed returns the buff time that has passed while the owner was away, in ms, and restores the
// time scale.
func (r *restorer) elapsed(c *restoredBuff, b *state.Buff) int64 {
	from := r.savedAt(b)
	switch {
	case b.On(define.Wall):
		c.away = elapsedSince(r.at.Wall, from.Wall)
	case b.On(define.Uptime):
		c.away = elapsedSince(r.at.Uptime, from.Uptime)
	}
	elapsed := c.away
	if r.ownerScale != nil {
		elapsed = r.ownerScale.Elapsed(r.at.Now.Add(c.away))
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
	c.reached = c.now
	ms := p.Skip(r.now.Add(elapsed), r.now.Add(max(b.Scale.Ahead-elapsed, 0)))
	if p.Start() > r.now {
		c.reached = math.MinInt64 // the scale has yet to start, with deadlines at that instant
	}
	return min(ms, 2*state.Farthest)
}

// restoreCauses restores the causes for which the buff is hidden, if its definition still has them.
func (c *restoredBuff) restoreCauses(b *state.Buff) {
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

// restoreStacks applies the present limit and timers to the stacks, without stacks that belong to
// heads that are not restored. Stacks that need ends and had none get the end of the instance.
// Surplus stacks are removed, the earliest end first.
func (c *restoredBuff) restoreStacks(b *state.Buff, lostStacks int64) {
	i, x, spec := &c.i, &c.x, c.spec
	most := min(b.Stacks-lostStacks, int64(spec.Limit))
	i.stacks = int16(most)
	switch spec.Stack.Timers {
	case define.TimersShared:
		x.async = nil
	case define.TimersEach:
		if len(x.async) == 0 {
			l := asyncStack{end: i.end, magnitude: i.magnitude, source: i.source, age: c.age, stacks: i.stacks, level: i.level}
			l.shield, l.charges = restoreUses(spec, b.Shield, b.Charges, b.Magnitude)
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
			a := restoreStack(spec, b, &b.Waiting[k], k)
			a.left = max(b.Waiting[k].Left, 0)
			x.async = append(x.async, a)
		}
		for int32(len(x.async)) >= spec.Limit { // at least 1
			x.async = removeUnordered(x.async, weakestOf(x.async))
		}
	}
}

// restoreStack returns the k-th async stack or waiting application of a saved buff, without its
// times and stacks.
func restoreStack(spec *compile.Program, b *state.Buff, l *state.Stack, k int) asyncStack {
	a := asyncStack{magnitude: l.Magnitude, source: buff.OwnerID(l.Source), age: b.Age + l.Age, level: int16(l.Level), numbers: uint16(k + 1)}
	a.shield, a.charges = restoreUses(spec, l.Shield, l.Charges, l.Magnitude)
	return a
}

// unknownShield marks a shield that restorer.restorePools must evaluate.
const unknownShield = -1

// restoreUses returns the restored shield and charges. If none were saved, they are full. Unless charges
// add up, more charges than those of one application are reduced to that number.
func restoreUses(s *compile.Program, shield state.Maybe, charges, magnitude int64) (int64, int32) {
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
		return unknownShield, int32(charges)
	}
	return pool(s, nil, &buff.Application{Magnitude: magnitude}), int32(charges)
}

// totalUses returns the saved shield and charges of a buff, summed over its async stacks if it has
// any.
func totalUses(b *state.Buff) (shield state.Maybe, charges int64) {
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
