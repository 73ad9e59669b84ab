package buff

import (
	"math"
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/state"
	"github.com/bufftick/bufftick/wheel"
)

// comeback is what becomes of one buff.
type comeback struct {
	i     instance // without its place in the Set
	x     extra
	at    uint16 // its slot, once it is placed
	plain bool   // it needs no extra
	young bool   // it was kept aside
	saved *state.Buff
	spec  *program   // of the catalog that the Set will have
	now   wheel.Time // in its own time, or where that begins
	over  wheel.Time // the last instant of its own time that has passed
	away  int64      // ms by its clock
	moved bool       // time has passed for it

	age              uint64 // of the instance, as Set.age has it
	period, duration int64  // the same

	gone   bool  // it has ended meanwhile
	parts  bool  // some of its stacks have, or what ran in its queue
	pulses int64 // that fell into the time away
	tail   int64 // of one that has gone: the ms from its last boundary to its end, of a period of tailOf, for define.TailPartial
	tailOf int64
	stacks int32 // of the last of them
	sum    int64 // of the magnitudes of those, with TimersEach

	pulsed  wheel.Time   // the last of them, with TimersEach
	counted []asyncStack // the async stacks then, if they have numbers of their own
	ran     int          // of those that waited in its queue, from 1, the one that runs now; 0: what ran still does
}

// rounded returns by how many ms an end or a boundary may seem to have passed at the moment of
// saving: the time of an owner is rounded up, and where that of a buff began to pass at another rate,
// it had gone on to there at the one before, which a blob does not say.
func rounded(b *state.Buff) int64 {
	if !b.Scale.Is() {
		return 2
	}
	return 2 + MaxRate
}

// comeback makes c, which is empty, an instance of what was saved of it and of its definition
// of now, with all its instants where they are after the time away.
//
// A blob has no instants: what it says of an end or a pulse is how many ms were left, and engine time begins
// anew with each run. What has passed meanwhile, by the clock of the buff, is taken off that here; where the result is in
// the past, pass says what became of it.
func (r *restorer) comeback(c *comeback, b *state.Buff, spec *program) {
	c.now, c.over, c.young, c.saved, c.spec = r.now, r.now, b.Since != nil, b, spec
	elapsed := r.elapsed(c, b)
	if c.moved = elapsed > 0; !c.moved && (r.own != nil || b.Scale.Is()) {
		c.over = math.MinInt64 // no time has passed: what was due in the instant of the save has yet to come
	}
	i, x := &c.i, &c.x
	c.age, c.duration = b.Age, b.Duration
	*i = instance{
		source: OwnerID(b.Source), def: int32(spec.index) + 1, end: wheel.Never, boundary: wheel.Never, magnitude: b.Magnitude,
		stacks: int16(b.Stacks), level: int16(b.Level), flags: i.flags, extra: noSlot,
	}
	after := func(left int64) wheel.Time {
		if left == state.Farthest {
			return wheel.Never
		}
		return c.now.Add(left - elapsed)
	}
	if b.Left.Is {
		i.end = after(max(b.Left.N, -rounded(b)))
	} else if spec.Kind == define.Timed && b.Duration == 0 {
		c.duration = spec.durationAt(int(b.Level))
		i.end = c.now.Add(c.duration)
	}
	switch {
	case !spec.pulses():
	case !b.Next.Is:
		c.period = spec.periodAt(int(b.Level))
		i.boundary = c.firstBeat()
	default:
		c.period = spec.periodAt(int(b.Level))
		if b.Period != 0 {
			c.period = b.Period
		}
		// Of a Set none has passed, and a long time of them would be pulses to do.
		i.boundary = after(min(max(b.Next.N, -rounded(b)), define.MaxDuration.Milliseconds()))
		x.pendingPeriod, x.currentPeriod = b.Wanted, b.Length
		if spec.uses&usesCatchup != 0 {
			x.pendingPulses, x.lastPending = int32(b.Owed), c.now
		}
	}
	c.fitCauses(b)
	from := len(r.async)
	for k := range b.Async {
		l := &b.Async[k]
		a := asyncStack{
			end: after(max(l.Left, -rounded(b))), magnitude: l.Magnitude, source: OwnerID(l.Source), age: b.Age + l.Age, stacks: int16(l.Stacks), level: int16(l.Level),
			numbers: uint16(k + 1),
		}
		a.shield, a.charges = spec.usesOf(l.Shield, l.Charges, l.Magnitude)
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
	c.plain = spec.uses&usesExtra == 0 && i.flags&timeScaled == 0 && x.pendingPeriod == 0 && x.currentPeriod == 0 && x.pendingPulses == 0
}

// elapsed returns the ms of its own time for which the buff was away, and gives it that
// time.
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
		elapsed, _ = r.own.elapsed(r.own.at.Add(c.away))
	}
	elapsed = min(elapsed, 2*state.Farthest)
	if !b.Scale.Is() {
		return elapsed
	}
	c.i.flags |= timeScaled
	p := &c.x.scale
	*p = newTimeScale(r.now.Add(b.Scale.Ahead))
	p.inner = r.now.Add(b.Scale.Inner)
	p.restore(&b.Scale, define.OfBuff)
	if b.Dead {
		p.change(p.at, byDeath, true, Ratio{})
		c.i.flags |= deathPaused
	}
	c.now, c.over = p.inner, p.inner
	ms, rest := p.elapsed(r.now.Add(elapsed))
	p.rest = rest
	if p.num > 0 { // while it stands still it keeps in mind since when
		p.at = r.now.Add(max(b.Scale.Ahead-elapsed, 0))
	}
	if p.at > r.now {
		c.over = math.MinInt64 // it has yet to begin, with what comes at once
	}
	return min(ms, 2*state.Farthest)
}

// fitCauses sets for which of the causes that the definition still has the buff is hidden.
func (c *comeback) fitCauses(b *state.Buff) {
	may := inhibited
	if c.spec.uses&usesOngoing != 0 {
		may |= unmet
	}
	if c.spec.uses&usesHide != 0 {
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

// fitStacks brings the stacks within the limit and under the rule of timers of now, without those that belong to heads left
// behind. Stacks that had no ends
// of their own, and need them now, have that of the instance; those that are too many go, and of those with ends of
// their own they are the ones that would end first.
func (c *comeback) fitStacks(b *state.Buff, leftBehind int64) {
	i, x, spec := &c.i, &c.x, c.spec
	most := min(b.Stacks-leftBehind, int64(spec.limit))
	i.stacks = int16(most)
	switch spec.Stack.Timers {
	case define.TimersShared:
		x.async = nil
	case define.TimersEach:
		if len(x.async) == 0 {
			l := asyncStack{end: i.end, magnitude: i.magnitude, source: i.source, age: c.age, stacks: i.stacks, level: i.level}
			l.shield, l.charges = spec.usesOf(b.Shield, b.Charges, b.Magnitude)
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
				left: max(l.Left, 0), magnitude: l.Magnitude, source: OwnerID(l.Source), age: b.Age + l.Age, level: int16(l.Level), numbers: uint16(k + 1),
			}
			a.shield, a.charges = spec.usesOf(l.Shield, l.Charges, l.Magnitude)
			x.async = append(x.async, a)
		}
		for int32(len(x.async)) >= spec.limit { // which is 1 or more
			x.async = removeUnordered(x.async, weakestOf(x.async))
		}
	}
}

// fitExtra gives it what else is not plain about it.
func (c *comeback) fitExtra(b *state.Buff) {
	x, spec := &c.x, c.spec
	if spec.Stack.By == define.ByKey {
		x.key = b.Key
	}
	if spec.Stack.Timers != define.TimersEach {
		shield, charges := allUses(b)
		x.shield, x.charges = spec.usesOf(shield, charges, b.Magnitude)
	}
}

// toWorkOut stands for the pool of a shield that a number says: see restorer.pools.
const toWorkOut = -1

// usesOf returns what is left of a shield and of charges that were saved. What had none then has all that it brings now, and
// no more charges fit than an application brings, unless they add up.
func (s *program) usesOf(shield state.Maybe, charges, magnitude int64) (int64, int32) {
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
	case s.poolBy != nil:
		return toWorkOut, int32(charges)
	}
	return s.pool(nil, &Application{Magnitude: magnitude}), int32(charges)
}

// allUses returns what a blob says of the shield and the charges of a buff: of stacks with ends of their own, all together.
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

// lag returns how far an async stack is behind the beat, which is next ms away. Before format 3 a
// blob said up to when an async stack counts, which is the end of one of its own periods.
func lagOf(l *state.Stack, next, period int64) int64 {
	if l.Lag >= 0 {
		return l.Lag
	}
	return within(l.Last-next, period)
}

// within returns ms less as many whole periods as leave it at least zero and below one.
func within(ms, period int64) int64 { return ((ms % period) + period) % period }

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
	if i := &c.i; c.period > 0 && !c.gone && c.moved && c.spec.Align == define.AlignOwner {
		was := i.boundary
		i.boundary, c.x.currentPeriod = c.firstBeat(), 0
		for k := range c.x.async {
			c.x.async[k].lag = within(int64(was-i.boundary)+c.x.async[k].lag, c.period)
		}
	}
}

// firstBeat is what Set.firstBoundary is, from now on.
func (c *comeback) firstBeat() wheel.Time {
	s := Set{catalog: c.spec.catalog, rare: &rareState{extras: []extra{c.x}}}
	i := c.i
	i.extra = 0
	s.storePeriod(&i, c.period)
	return s.firstBoundary(&i, c.now)
}

// passShared takes away stacks at each end, as the rule of expiry says: at most as often as there are stacks.
func (c *comeback) passShared() {
	i := &c.i
	for i.end <= c.over {
		c.beatUntil(i.end)
		n := c.spec.expiringStacks(int(i.stacks))
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

// passQueue lets those that wait run, one after the other.
//
// Story: testdata/stat/queue.txt, and those of testdata/save.
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

// end ends the buff at its end, the boundaries up to which have been counted.
func (c *comeback) end() {
	c.gone = true
	if c.spec.Tail != define.TailPartial || c.period == 0 {
		return
	}
	c.tailOf = c.period
	if c.x.currentPeriod > 0 {
		c.tailOf = c.x.currentPeriod
	}
	c.tail = max(int64(c.i.end-c.i.boundary)+c.tailOf, 0)
}

// setLevel is what Set.setLevel does.
func (c *comeback) setLevel(level int16) {
	i := &c.i
	if was, is := c.spec.periodAt(int(i.level)), c.spec.periodAt(int(level)); was != is && c.period > 0 {
		if c.x.currentPeriod == 0 {
			c.x.currentPeriod = c.period
		}
		c.period, c.plain = is, false
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
	if n := c.boundaries(min(c.over, last)); n > 0 {
		c.pulses = n
		s := Set{catalog: c.spec.catalog, rare: &rareState{extras: []extra{*x}}}
		counted := *i
		counted.extra = 0
		c.pulsed = i.boundary.Add((n - 1) * c.period)
		c.stacks, c.sum = s.countedStacks(&counted, c.pulsed)
		if len(c.spec.numbers) > 0 && c.spec.Save.Offline != define.OfflineNone {
			c.counted = slices.Clone(x.async)
		}
	}
	c.stepOver(c.boundaries(c.over)) // the beat goes on for those that are left, also where nobody counted in it
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
	if n := c.boundaries(until); n > 0 {
		c.pulses += n
		c.stacks = int32(c.i.stacks)
		c.stepOver(n)
	}
}

// stepOver moves the beat on by n boundaries.
func (c *comeback) stepOver(n int64) {
	if n > 0 {
		c.i.boundary, c.x.currentPeriod = c.i.boundary.Add(n*c.period), 0
	}
}

// boundaries returns how many boundaries of the period come up to and including an instant.
func (c *comeback) boundaries(until wheel.Time) int64 {
	if c.period == 0 || until < c.i.boundary {
		return 0
	}
	return int64(until-c.i.boundary)/c.period + 1
}

// told returns how many events there are for the whole pulses of the time away, for how many
// pulses each stands if that is more than one, and whether a partial one follows.
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
