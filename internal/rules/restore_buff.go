package rules

import (
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
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
	elapsed    int64            // time that has passed for the buff, in ms
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
	c.elapsed = elapsed
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
	if spec.Recharge > 0 {
		c.restoreRecharge(b, after)
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

// restoreRecharge restores the time until the next charge. A buff that had none, because its
// definition was another one, starts it now if a charge is missing.
func (c *restoredBuff) restoreRecharge(b *state.Buff, after func(int64) clock.BuffTime) {
	x, n, span := &c.x, int32(c.spec.Charges.N), c.spec.Recharge
	for _, v := range b.Numbers.Others {
		if c.spec.Uses&compile.UsesHaste != 0 && v.Name == c.spec.Numbers[c.spec.Rate.Place].Name {
			span = c.spec.HastenBy(span, float64(v.Value))
		}
	}
	if b.Recharge.Is {
		x.charges, x.nextCharge = int32(min(b.Charges, int64(n))), after(min(max(b.Recharge.N, -rounded(b)), define.MaxDuration.Milliseconds()))
	} else {
		x.nextCharge = c.now.Add(span)
	}
	if x.charges == 0 {
		c.i.flags |= spent // until the conditions of the restored buffs are evaluated
	}
	if x.charges < n && x.nextCharge <= c.reached {
		back := min(int64(c.reached-x.nextCharge)/span+1, int64(n-x.charges))
		x.charges += int32(back)
		x.nextCharge = x.nextCharge.Add(back * span)
	}
	if x.charges < n {
		c.i.flags |= recharging
	}
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

// placeBases restores the bases of attributes.
func (r *restorer) placeBases() {
	catalog := r.catalog
	for _, b := range r.saved.Bases {
		a, ok := catalog.Attr(b.Name)
		if !ok {
			r.ensureAside().Bases = append(r.aside.Bases, b)
			continue
		}
		if err := r.set.ensureRare().ensureSheet(catalog).SetBase(a, float64(b.Value)); err != nil {
			panic("rules: a base that was checked: " + err.Error())
		}
	}
}

// restoreNumbers restores the numbers of a buff and of its waiting applications, by name. A number that is
// not saved is evaluated. If an input of the evaluation is missing, the number gets its default, or
// zero: unlike an application, a restore cannot deny a buff.
func (r *restorer) restoreNumbers(c *restoredBuff) {
	spec, b := c.spec, c.saved
	if spec.Uses&compile.UsesLive != 0 {
		defer c.restoreLive() // a variable that was not saved gets its base, which may be one of the numbers
	}
	if spec.Uses&(compile.UsesMagnitudes|compile.UsesNumbers) == 0 {
		c.clearNumbers()
		return
	}
	q := r.evaluator(spec, c.i.source, c.i.level, int32(c.i.stacks), c.i.magnitude)
	had := &b.Numbers
	if c.startedWaiting > 0 { // a waiting application has started during the time away
		had = &b.Waiting[c.startedWaiting-1].Numbers
	}
	q.captured = r.restoreCaptures(spec, had)
	if spec.Rescales() {
		r.set.ensureRare().rescales = true
	}
	if spec.Rereads {
		q.captured = reread(r.turn, r.set, q.captured, spec, c.i.source)
		r.set.ensureRare().rereads = true
	}
	if c.x.shield == unknownShield {
		c.x.shield = wholePool(r.evaluate(spec.PoolBy, &q))
	}
	r.restorePools(c)
	if spec.Uses&compile.UsesMagnitudes == 0 {
		c.clearNumbers()
		return
	}
	k := r.allocMagnitudes(len(spec.Modifiers))
	k.captured, k.values = q.captured, r.restoreValues(spec, had, &q)
	r.restoreWaitingNumbers(c, k)
	c.x.magnitudes = k
}

// restoreLive restores the variables of a buff, its start and the damage absorbed.
func (c *restoredBuff) restoreLive() {
	values, list := c.x.magnitudes, c.saved.Vars
	if values == nil {
		values = &noMagnitudes
	}
	age, _ := findValue(list, savedAge)
	absorbed, _ := findValue(list, savedAbsorbed)
	live := &liveState{started: c.now.Add(-int64(age) - c.elapsed), absorbed: int64(absorbed)}
	for k := range c.spec.Vars {
		v := &c.spec.Vars[k]
		if was, ok := findValue(list, v.Name); ok {
			live.vars[k] = v.Limited(was)
		} else {
			live.vars[k] = v.Start(values.values)
		}
	}
	c.x.live = live
}

// Names of values that are saved with the variables of a buff.
const (
	savedAge      = "/age" // in ms
	savedAbsorbed = "/absorbed"
)

// evaluator returns an evaluator for an application.
func (r *restorer) evaluator(spec *compile.Program, source buff.OwnerID, level int16, stacks int32, magnitude int64) evaluator {
	return evaluator{set: r.set, turn: r.turn, spec: spec, own: source == r.set.id, level: int(level), stacks: stacks, magnitude: magnitude}
}

// ownNumbers returns the numbers of an async stack or a waiting application.
func (r *restorer) ownNumbers(spec *compile.Program, l *asyncStack, had *state.Numbers, stacks int32) waitingNumbers {
	q := r.evaluator(spec, l.source, l.level, stacks, l.magnitude)
	q.captured = r.restoreCaptures(spec, had)
	return waitingNumbers{values: r.restoreValues(spec, had, &q), captured: q.captured, used: true}
}

// restorePools evaluates those shields of async stacks and of waiting applications that are not saved.
func (r *restorer) restorePools(c *restoredBuff) {
	for k := range c.x.async {
		if l := &c.x.async[k]; l.shield == unknownShield {
			q := r.evaluator(c.spec, l.source, l.level, max(int32(l.stacks), 1), l.magnitude)
			l.shield = wholePool(r.evaluate(c.spec.PoolBy, &q))
		}
	}
}

// clearNumbers marks all async stacks and waiting applications as having no separate numbers.
func (c *restoredBuff) clearNumbers() {
	for k := range c.x.async {
		c.x.async[k].numbers = 0
	}
}

// restoreWaitingNumbers restores the numbers of waiting applications.
func (r *restorer) restoreWaitingNumbers(c *restoredBuff, k *magnitudes) {
	switch {
	case c.spec.Stack.Timers == define.TimersEach && len(c.spec.Numbers) > 0:
		r.restoreAsyncNumbers(c, k)
		return
	case c.spec.Stack.Timers != define.TimersQueue, len(c.x.async) == 0:
		c.clearNumbers()
		return
	}
	waiting := make([]waitingNumbers, len(c.x.async))
	for j := range c.x.async {
		l := &c.x.async[j]
		had := &c.saved.Waiting[l.numbers-1].Numbers
		waiting[j] = r.ownNumbers(c.spec, l, had, 1)
		l.numbers = uint16(j + 1)
	}
	k.waiting = &waiting
}

// restoreAsyncNumbers restores the separate numbers of async stacks. A stack without saved numbers uses the
// numbers of the buff.
func (r *restorer) restoreAsyncNumbers(c *restoredBuff, k *magnitudes) {
	if len(c.saved.Async) == 0 {
		c.clearNumbers()
		return
	}
	own := make([]waitingNumbers, len(c.saved.Async))
	// c.countedAsync may also have stacks that have ended and are no longer in c.x.async.
	for _, list := range [][]asyncStack{c.countedAsync, c.x.async} {
		for j := range list {
			l := &list[j]
			if l.numbers == 0 {
				continue
			}
			w, had := &own[l.numbers-1], &c.saved.Async[l.numbers-1].Numbers
			if len(had.Params)+len(had.Others) == 0 {
				l.numbers = 0
				continue
			}
			*w = r.ownNumbers(c.spec, l, had, int32(c.i.stacks))
		}
	}
	k.waiting = &own
}

// restoreValues returns the saved numbers of an application, in the order of the definition.
func (r *restorer) restoreValues(spec *compile.Program, had *state.Numbers, q *evaluator) []float64 {
	from := len(r.values)
	for j := range spec.Numbers {
		n, list := &spec.Numbers[j], had.Others
		if j < len(spec.Params) {
			list = had.Params
		}
		v, ok := findValue(list, n.Name)
		if !ok && n.From != compile.FromLive { // an unsaved FromLive stays 0, so that the formula is not evaluated again
			v = r.evaluate(n, q)
		}
		r.values = append(r.values, v)
	}
	return r.values[from:len(r.values):len(r.values)]
}

// evaluate evaluates a number that was not saved. If that fails, it returns the default of the
// number.
func (r *restorer) evaluate(n *compile.Number, q *evaluator) float64 {
	v, why := q.evaluate(n)
	if why != reason.None {
		return n.Value
	}
	return v
}

// findValue returns the saved value with that name, and reports whether the value exists and is
// finite.
func findValue(list []state.Value, name string) (float64, bool) {
	for k := range list {
		if v := float64(list[k].Value); list[k].Name == name && compile.Finite(v) {
			return v, true
		}
	}
	return 0, false
}

// allocMagnitudes returns the next of the magnitudes that placeMemory has allocated, with room for the
// given number of keys.
func (r *restorer) allocMagnitudes(keys int) *magnitudes {
	r.magnitudes = append(r.magnitudes, magnitudes{keys: r.keys[:0:keys]})
	k := &r.magnitudes[len(r.magnitudes)-1]
	r.keys = r.keys[keys:]
	return k
}

// restoreCaptures returns the saved attributes of the source that the definition reads.
func (r *restorer) restoreCaptures(s *compile.Program, b *state.Numbers) []buff.Captured {
	from := len(r.captured)
	for j := range b.Captures {
		a, when, ok := s.Catalog.CaptureNamed(b.Captures[j].Name)
		if _, twice := findCaptured(r.captured[from:], a, when); ok && !twice && s.Wants(a, when) {
			r.captured = append(r.captured, buff.Captured{Attr: a, When: when, Value: float64(b.Captures[j].Value)})
		}
	}
	return r.captured[from:len(r.captured):len(r.captured)]
}
