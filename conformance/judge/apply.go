package judge

// Section 1.2 of the rules: applications.

import (
	"math/big"
	"slices"
)

// application is one application of a buff to an owner.
type application struct {
	id, source string
	stacks     int      // 0 means the initial stacks of the definition
	override   bool     // the application's duration replaces the duration of the definition
	duration   int64    // in ms
	scale      *big.Rat // factor that multiplies the duration; nil means 1
	magnitude  int64
	level      int
	key        int64
	head       *instance // if the buff is applied as a link: the buff that has the link
	params     map[string]float64
	numbers    map[*number]amount
	hold       *hold // if an aura applies the buff: its tie to the aura's bearer
	left       *loot // if the buff was stolen: its remaining shield and charges
	chain
}

// apply executes an application, and reports whether it was accepted. A refused application has no
// effect.
func (o *owner) apply(a application) bool {
	d := o.defs[a.id]
	if a.override && (a.duration <= 0 || d.Duration.instant) { // the duration is not above 0, or the buff is an instant
		o.say("error %s why=duration", d.ID)
		return false
	}
	if a.source == o.name && a.known != nil && a.known.cast == nil { // the owner itself is the source
		a.known = &knowledge{cast: o.values(), last: a.known.last}
	}
	if a.stacks == 0 {
		a.stacks = max(d.stack().Initial, 1)
	}
	if !d.Duration.instant && (d.clockWord() != a.clock || a.clock == "online") {
		a.ago, a.clock = 0, ""
	}
	for name := range a.params {
		if !d.asks(name) { // an unknown parameter
			o.say("deny %s why=param", d.ID)
			return false
		}
	}
	var why string
	if a.numbers, why = o.asks(d, a); why != "" {
		o.say("deny %s why=%s", d.ID, why)
		return false
	}
	// A later part of a stolen buff, for which the conditions are not tested again.
	rest := a.left != nil && a.left.rest
	if why := o.refuses(d, a); why != "" && !rest {
		o.say("deny %s why=%s", d.ID, why)
		return false
	}
	if d.Duration.instant { // an instant runs its actions and adds no buff to the owner
		o.all.markShare(d, a)
		o.say("exec %s x1", d.ID) // an instant always has one stack
		o.issue(d, d.on().Exec, eventBy(a, nil, max(a.share.stacks, 1)))
		return true
	}
	return o.carries(d, a, rest)
}

// carries executes an application of a definition with a duration.
func (o *owner) carries(d *definition, a application, rest bool) bool {
	joined := o.joins(d, a)
	percent := o.percent(d, a.source)
	if percent == 0 && !rest {
		o.say("deny %s why=dr", d.ID)
		return false
	}
	level := a.level
	if joined != nil && d.stack().Level == "sum" && !joined.def.queued() {
		level = sumOfLevels(level, joined.level)
	}
	if !a.override {
		a.duration = d.Duration.at(level)
	}
	if a.left == nil {
		resisted := d.DurationScale != nil && a.numbers[d.DurationScale].x <= 0
		if !resisted && (!d.Duration.infinite || a.override) && a.hold == nil {
			period := joined.periodAfter(d, level, a.numbers)
			if d.Tail == "fit" && period != d.Period.at(level) {
				o.all.mark(markFitHaste)
			}
			if a.scale != nil {
				o.all.mark(markScale)
			}
			a.duration = d.fixed(a, percent, period, level)
			resisted = a.duration == 0
		}
		if resisted && d.Duration.infinite {
			o.all.mark(markInfiniteScale)
		}
		if resisted {
			o.say("deny %s why=resist", d.ID)
			return false
		}
	}
	if joined == nil {
		if !o.begin(d, a) {
			return false
		}
		o.counts(d, a.source)
		return true
	}
	if d.stack().Level == "higher_wins" && a.level < joined.level && !rest {
		o.say("deny %s why=level", d.ID)
		return false
	}
	// If ago is above 0, this part of the duration has already passed.
	if a.ago > 0 && !(d.Duration.infinite && !a.override) {
		o.all.mark(markChainJoins)
		if a.duration -= a.ago; a.duration <= 0 {
			return false
		}
	}
	o.catchesUp(joined)
	before, had := len(o.log), joined.count()
	joined.held(a.hold, 0)
	taken := o.join(joined, a)
	switch {
	case a.hold == nil:
	case (taken || len(o.log) == before) && !joined.gone:
		a.hold.stacks = joined.count() - had
	default:
		joined.holds = slices.DeleteFunc(joined.holds, func(h *hold) bool { return h == a.hold })
	}
	if !taken || len(o.log) == before {
		// The application had no effect. It counts as accepted if no line was logged.
		return len(o.log) == before
	}
	if !rest {
		o.counts(d, a.source)
	}
	joined.tie(a.head, joined.count()-had)
	return true
}

// joins returns the buff that an application joins, or nil if the application starts a new buff.
// With `stack.by: none` every application starts a new buff. With `stack.level: segregate` an
// application joins only a buff of the same level.
func (o *owner) joins(d *definition, a application) *instance {
	s := d.stack()
	for _, b := range o.buffs {
		switch {
		case b.def != d, b.ofAura != (a.hold != nil), s.By == "none", s.By == "source" && b.source != a.source, s.By == "key" && b.key != a.key:
		case s.Level == "segregate" && b.level != a.level:
		default:
			return b
		}
	}
	return nil
}

// mostBuffs is the largest number of buffs that an owner may have. A scenario that exceeds it
// counts as undecided. Without this limit, definitions that keep applying buffs would make the
// interpreter run for minutes.
const mostBuffs = 150

// begin starts a new instance if the groups and slots allow it, and reports whether they allow it.
func (o *owner) begin(d *definition, a application) bool {
	goes, why := o.room(d, a)
	if why != "" {
		o.say("deny %s why=%s", d.ID, why)
		return false
	}
	for _, g := range goes {
		o.remove(g.b, g.why, "")
	}
	b := o.newInstance(d, a)
	b.tie(a.head, b.count())
	b.failed = !o.holds(&d.Require.Ongoing) // tested before the buff itself has any effect
	b.hidden, b.shaded = b.failed, b.failed
	o.rearm(b) // a stolen buff may have fewer charges
	o.buffs = append(o.buffs, b)
	if !b.failed && !b.isSpent() && !o.overshadowed(b) {
		o.catchesUpWith(b)
	}
	o.undecided = o.undecided || len(o.buffs) > mostBuffs
	o.changesSource(b, "begin")
	if a.ago > 0 {
		b.move(-a.ago)
	}
	o.say("apply %s x%d%s", d.ID, b.count(), o.endOf(b))
	o.issue(d, d.on().Apply, eventBy(a, b, b.count()))
	o.links(b, a, false)
	o.cross(b, 0, b.count(), a)
	o.all.markShare(d, a)
	if !b.hidden && (b.isSpent() || o.overshadowed(b)) {
		b.hidden, b.shaded = true, true
	}
	if b.hidden {
		o.say("hide %s", d.ID)
	}
	o.settleBuffs()
	if !b.gone && (d.First == "start" || d.First == "every") { // pulse right after the application
		o.pulse(b, b.active(), "")
	}
	if a.ago > 0 && !b.gone {
		o.all.mark(markChain)
		o.catchUpChain(b, a.ago)
	}
	return true
}

// newInstance returns a new instance for an application that joins no buff.
func (o *owner) newInstance(d *definition, a application) *instance {
	o.sequence++
	s := d.stack()
	n := min(a.stacks, s.limit())
	if s.queue() {
		n = 1
	}
	b := &instance{
		age: o.sequence, def: d, source: a.source, others: []string{a.source}, key: a.key, level: a.level, magnitude: a.magnitude, stacks: n,
		endless: d.Duration.infinite && !a.override || a.hold != nil, ofAura: a.hold != nil, look: o.stamp, born: o.all.birth(), started: o.own, end: o.own + a.duration, full: a.duration,
		period: d.hastened(d.everyMS(a.level, a.numbers), a.numbers), coming: d.hastened(d.everyMS(a.level, a.numbers), a.numbers), content: d.newContent(a), known: a.known, given: o.nextGiven(), turn: o.sequence,
	}
	b.mark = o.all.mark
	b.vars = d.newVars(a)
	b.held(a.hold, n)
	if s.each() {
		b.layers = []layer{{stacks: n, end: b.end, source: a.source, rank: rank{a.level, a.magnitude, b.age}, content: b.content}}
	}
	o.beginBeat(b)
	return b
}

// links queues the applications of a buff's links. The links end when the buff ends. The parameter
// "again" is true if the buff was already running.
func (o *owner) links(b *instance, a application, again bool) {
	chain := a.chain
	chain.known = b.known
	for _, id := range b.def.Links {
		o.todo = append(o.todo, command{
			action: action{Apply: applied{ID: id}}, source: b.source, magnitude: b.magnitude, level: b.level, round: o.running + 1, head: b, chain: chain, again: again,
		})
	}
}

// join adds an application to a running buff, and reports whether anything changed.
func (o *owner) join(b *instance, a application) bool {
	s := b.def.stack()
	o.catchesUp(b)
	replaces := s.Level == "higher_wins" && a.level > b.level
	switch {
	case s.each():
		return o.joinEach(b, a, replaces)
	case s.queue():
		return o.joinQueue(b, a)
	}
	before := b.stacks
	full := before >= s.limit()
	if full && o.refusesMore(b, a, replaces) {
		return false
	}
	was := b.state()
	b.stacks = max(before, min(before+a.stacks, s.limit()))
	grown := b.stacks > before
	if refreshes := s.Refresh != "none" || replaces; grown || refreshes {
		b.takes(a, refreshes)
	}
	if replaces {
		o.all.mark(markReplaces)
		b.content = b.def.newContent(a)
	} else {
		b.topUp(a)
	}
	o.rearm(b)
	if grown {
		o.say("stack %s x%d", b.def.ID, b.stacks)
		o.cross(b, before, b.stacks, a)
	}
	refreshed := o.refresh(b, a, replaces)
	o.restartBeat(b)
	if refreshed {
		o.refreshActions(b, a, replaces, was)
		o.links(b, a, true)
	}
	o.pulseOnJoin(b, refreshed || grown)
	if full {
		o.overflows(b, a, a.stacks)
	}
	return refreshed || grown
}

// takes gives the buff the magnitude and level of a further application. If the application
// refreshes the buff, the buff also gets the application's numbers and the attributes of its
// source.
func (b *instance) takes(a application, refreshes bool) {
	b.others = append(b.others, a.source)
	b.magnitude = a.magnitude
	if refreshes {
		b.numbers = a.numbers
		if a.source == b.source {
			b.known = a.known
		}
	}
	s := b.def.stack()
	if s.Level == "sum" {
		b.leveled(sumOfLevels(b.level, a.level))
	} else {
		b.leveled(a.level)
	}
}

// topUp changes the shield pool of a buff with shared timers as `shield.on_refresh` says: without it,
// the pool is raised to the pool of the application, if that is larger. It resets, keeps or increases the charges, as
// `charges.on_refresh` says. A stolen buff has only its remaining charges, and never lowers the
// number of charges.
func (b *instance) topUp(a application) {
	fresh := b.def.newContent(a)
	if s := b.def.Shield; s != nil {
		switch or(s.OnRefresh, "fill") {
		case "fill":
			b.pool = max(b.pool, fresh.pool)
		case "add":
			b.pool += fresh.pool
		case "reset":
			b.pool = fresh.pool
		}
	}
	if c := b.def.Charges; c != nil {
		if a.left != nil {
			b.mark(markStealCharges)
		}
		switch or(c.OnRefresh, "reset") {
		case "reset":
			if a.left != nil {
				fresh.charges = max(b.charges, fresh.charges)
			}
			b.charges = fresh.charges
		case "add":
			b.charges += fresh.charges
		}
	}
}

func (d *definition) queued() bool { s := d.stack(); return s.queue() }

// sumOfLevels returns the level of a buff with `stack.level: sum`. No level is above 32,767.
func sumOfLevels(a, b int) int { return min(a+b, 1<<15-1) }

// leveled sets the level of a buff. If the period depends on the level, the new period starts after
// the next pulse.
func (b *instance) leveled(to int) {
	if p := &b.def.Period; p.at(b.level) != p.at(to) {
		b.coming = b.def.hastened(p.at(to), b.numbers)
	}
	b.level = to
}

// periodAfter returns the period that a buff will have after an application with the given level,
// for `tail: fit`. The instance b is nil if the application starts a new buff.
func (b *instance) periodAfter(d *definition, level int, of map[*number]amount) int64 {
	switch {
	case d.Haste.rate != nil || d.Period.number != nil:
		return d.hastened(d.everyMS(level, of), of)
	case b == nil:
		return d.Period.at(level)
	case b.later != 0:
		return b.later
	case d.Period.at(b.level) != d.Period.at(level):
		return d.Period.at(level)
	}
	return b.coming
}

// refusesMore reports whether `stack.overflow` refuses an application at the limit. With `deny` the
// application is refused, unless it has a higher level and therefore replaces the buff. With
// `clear` the buff is removed.
func (o *owner) refusesMore(b *instance, a application, replaces bool) bool {
	switch overflow := b.def.stack().Overflow; {
	case overflow == "deny" && !replaces:
		o.say("deny %s why=limit", b.def.ID)
	case overflow == "clear":
		o.remove(b, "overflow", "")
	default:
		if overflow == "deny" {
			o.all.mark(markReplacesDeny)
		}
		return false
	}
	over := a.stacks
	if b.def.queued() {
		over = 1
	}
	o.overflows(b, a, over)
	return true
}

// markShare marks an application caused by a special pulse: a partial pulse, a pulse that combines
// several pulses, or a pulse of several stacks.
func (w *world) markShare(d *definition, a application) {
	s := a.share
	if s.stacks > 1 && d.Duration.instant && slices.ContainsFunc(d.on().Exec, func(a action) bool { return a.perStack() }) {
		w.mark(markShareStacks)
	}
	if s.period == 0 && s.count < 2 {
		return
	}
	changes := func(a action) bool { return a.Change != nil || a.Damage != nil }
	if slices.ContainsFunc(d.on().Exec, changes) {
		w.mark(markShare)
	}
	if slices.ContainsFunc(d.on().Apply, changes) {
		w.mark(markShareTimed)
	}
}

// overflows queues the actions in `on.overflow`, for an application at the limit. They run whatever
// the value of `stack.overflow` is. The parameter "over" is the number of stacks of the application for which the buff had no room.
func (o *owner) overflows(b *instance, a application, over int) {
	e := eventBy(a, b, b.def.limit())
	amount := float64(over)
	e.amount = &amount
	o.issue(b.def, b.def.on().Overflow, e)
}

// logRefresh logs that an application has set a new end for a buff.
func (o *owner) logRefresh(b *instance) {
	o.say("refresh %s x%d%s", b.def.ID, b.count(), o.endOf(b))
}

// cross queues the actions of each threshold that the number of stacks has crossed upwards.
func (o *owner) cross(b *instance, from, to int, a application) {
	for _, t := range b.def.stack().Thresholds {
		if from >= t.At || to < t.At {
			continue
		}
		o.todo = append(o.todo, command{
			action: action{Apply: applied{ID: t.Apply}}, source: a.source, magnitude: b.magnitude, level: b.level, round: o.running + 1, chain: a.chain,
		})
		if n := t.Consume.n; t.Consume.word == "all" {
			o.todo = append(o.todo, command{uses: b, n: b.def.limit(), round: o.running + 1, chain: chain{reaction: a.reaction}})
		} else if n > 0 {
			o.todo = append(o.todo, command{uses: b, n: n, round: o.running + 1, chain: chain{reaction: a.reaction}})
		}
	}
}

// take removes n stacks of a buff. If the stacks are async, it removes the stacks that end first
// or, if the reason is "overflow", the oldest stacks. The timers of the remaining stacks do not
// change.
func (o *owner) take(b *instance, n int, why string) {
	if b.gone {
		return
	}
	if n >= b.count() {
		o.remove(b, why, "")
		return
	}
	if o.catchesUp(b); b.gone {
		return
	}
	o.takeQuietly(b, n, why == "overflow")
	o.say("stackend %s x%d why=%s", b.def.ID, b.count(), why)
}

// takeQuietly is like "take", but logs nothing. The buff must have more than n stacks. If the
// parameter "oldest" is true, takeQuietly removes the oldest async stacks.
func (o *owner) takeQuietly(b *instance, n int, oldest bool) {
	if !b.each() {
		b.stacks -= n
		return
	}
	for n > 0 {
		first := b.firstToEnd()
		if oldest {
			first = 0
		}
		l := &b.layers[first]
		k := min(n, l.stacks)
		l.stacks -= k
		n -= k
		if l.stacks == 0 {
			o.dropLayer(b, first)
		}
	}
}
