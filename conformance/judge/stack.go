package judge

import (
	"cmp"
	"maps"
	"slices"
)

// Section 1.2 of the rules: refresh, phase, expire; async stacks; queues.

// layer is one application of a buff with `timers: each`.
type layer struct {
	stacks int
	end    int64
	own    int64 // end of the application's own current interval; see due
	source string
	rank
	content
}

// wait is an application that waits in a queue.
type wait struct {
	left   int64 // its remaining duration, in ms
	source string
	known  *knowledge
	rank
	content
}

// rank decides which of two applications is stronger: the level, then the magnitude, then the age.
type rank struct {
	level     int
	magnitude int64
	age       int64 // position in the order of applications
}

// compare compares the levels, then the magnitudes. If both are equal, the caller must compare the
// ages.
func (r rank) compare(other rank) int {
	return cmp.Or(cmp.Compare(r.level, other.level), cmp.Compare(r.magnitude, other.magnitude))
}

// content holds the numbers, the shield and the charges of an application. A buff with shared
// timers has one content for all its applications.
type content struct {
	numbers map[*number]amount
	pool    int64 // amount that the shield can still absorb
	charges int
}

// newContent returns the content of an application. The shield is full and no charge is used,
// except that a stolen buff has only the rest of its shield and charges.
func (d *definition) newContent(a application) content {
	c := content{numbers: a.numbers}
	if d.Shield != nil {
		c.pool = d.poolOf(a)
	}
	if d.Charges != nil {
		c.charges = d.Charges.N
	}
	if a.left != nil {
		c.pool, c.charges = a.left.pool, a.left.charges
	}
	return c
}

// refresh moves the end of the buff as `stack.refresh` says, and reports whether it has set a new
// end. The parameter "replaces" is true if an application of a higher level replaces the buff; in
// this case the duration always restarts.
func (o *owner) refresh(b *instance, a application, replaces bool) bool {
	s := b.def.stack()
	if s.Refresh == "none" && !replaces {
		return false
	}
	b.snapshot()
	stolen := a.left != nil
	wasEndless, wasEnd, wasFull := b.endless, b.end, b.full
	if b.endless = b.def.Duration.infinite && !a.override || a.hold != nil || stolen && wasEndless && !replaces; b.endless {
		o.logRefresh(b)
		return true
	}
	b.full = a.duration
	now := b.clock(o.own)
	rule := or(s.Refresh, "restart")
	if replaces {
		rule = "restart"
	}
	switch rule {
	case "restart":
		b.end = now + a.duration
	case "extend":
		end := b.end + a.duration
		if s.RefreshCap != nil { // limit the extension, but never shorten the buff
			end = max(b.end, min(end, now+int64(*s.RefreshCap)))
		}
		b.end = end
	case "pandemic": // keep the remaining time, up to a percentage of the base duration
		part := fraction(300)
		if s.RefreshShare != nil {
			part = *s.RefreshShare
		}
		b.end = now + a.duration + min(b.end-now, b.def.Duration.at(b.level)*int64(part)/1000)
	case "max":
		b.end = max(b.end, now+a.duration)
	case "residual_tick":
		next, ok := b.nextPulse()
		if !ok { // the next pulse would be after the end
			next = now
		}
		b.end = next + a.duration
	}
	if stolen = stolen && !replaces; stolen && !wasEndless && b.end < wasEnd {
		o.all.mark(markStealKeeps)
	}
	if stolen && !wasEndless { // a steal never shortens a buff of the thief
		b.end, b.full = max(b.end, wasEnd), max(b.full, wasFull)
	}
	o.logRefresh(b)
	return true
}

// snapshot applies the new period that `haste: snapshot` has held back until this refresh.
func (b *instance) snapshot() {
	if b.later != 0 {
		b.coming, b.later = b.later, 0
	}
	if (b.def.Haste.rate != nil || b.def.Period.number != nil) && b.period > 0 {
		b.coming = b.def.hastened(b.def.everyMS(b.level, b.numbers), b.numbers)
	}
}

// restartBeat restarts the period if the phase is `reset` or `execute`.
func (o *owner) restartBeat(b *instance) {
	if phase := b.def.stack().Phase; b.period > 0 && (phase == "reset" || phase == "execute") {
		b.period = b.coming
		o.beginBeat(b)
	}
}

// pulseOnJoin runs the pulse that an application causes with `phase: execute`. With `first: every`,
// an application causes a pulse only if it has refreshed the buff or added a stack.
func (o *owner) pulseOnJoin(b *instance, changed bool) {
	if b.period > 0 && (b.def.stack().Phase == "execute" || b.def.First == "every" && changed) {
		o.pulse(b, b.active(), "")
	}
}

// stacksAfterEnd returns the number of stacks that remain when the duration ends. The field
// `stack.expire` says how many stacks end: all, one, a given number, or half (rounded down, but at
// least one).
func (b *instance) stacksAfterEnd() int {
	switch e := b.def.stack().Expire; {
	case e.word == "one":
		return b.stacks - 1
	case e.word == "half":
		return b.stacks - max(b.stacks/2, 1)
	case e.n > 0:
		return max(b.stacks-e.n, 0)
	}
	return 0
}

// spanAfterEnd returns the time from an end that leaves stacks to the next end: the span of `decay`,
// if there is one, or the duration.
func (b *instance) spanAfterEnd() int64 {
	if decay := int64(b.def.stack().Decay); decay > 0 {
		return decay
	}
	return b.full
}

// nextEnd returns the next end of the buff or of one of its applications, with its rank.
func (b *instance) nextEnd() (d due, ok bool) {
	switch {
	case b.endless:
		return due{}, false
	case b.each():
		if l := b.layers[b.firstToEnd()]; len(b.layers) > 1 {
			// If several applications end at once, the oldest ends first.
			return due{at: l.end, rank: rankStackEnd, age: l.age}, true
		}
		return due{at: b.layers[0].end, rank: rankEnd, age: b.age}, true
	case len(b.waiting) > 0, b.stacksAfterEnd() > 0:
		return due{at: b.end, rank: rankStackEnd, age: b.age}, true
	}
	return due{at: b.end, rank: rankEnd, age: b.age}, true
}

// endDue runs the end that nextEnd returned.
func (o *owner) endDue(b *instance) {
	o.catchesUp(b)
	switch {
	case b.each() && len(b.layers) > 1:
		o.dropLayer(b, b.firstToEnd())
		o.say("stackend %s x%d why=expired", b.def.ID, b.count())
	case len(b.waiting) > 0:
		o.runNext(b, b.end)
	case b.stacksAfterEnd() > 0: // restart the duration, or the span of `decay`; keep the phase
		b.stacks = b.stacksAfterEnd()
		b.end += b.spanAfterEnd()
		o.say("stackend %s x%d why=expired%s", b.def.ID, b.stacks, o.endOf(b))
	default:
		o.remove(b, "expired", "")
	}
}

// runNext starts the strongest waiting application of a queue, and logs the start.
func (o *owner) runNext(b *instance, now int64) {
	o.memorize(b.def, b.running())
	o.strongest(b, now)
	o.say("queue %s active=%d%s", b.def.ID, b.magnitude, o.endOf(b))
}

// firstToEnd returns the index of the layer that ends first. If several end at once, it returns the
// index of the oldest.
func (b *instance) firstToEnd() int {
	first := 0
	for i, l := range b.layers {
		if f := b.layers[first]; l.end < f.end || l.end == f.end && l.age < f.age {
			first = i
		}
	}
	return first
}

// dropLayer removes the layer with index i.
func (o *owner) dropLayer(b *instance, i int) {
	o.memorize(b.def, []string{b.layers[i].source})
	b.layers = append(b.layers[:i:i], b.layers[i+1:]...)
}

// counted holds the stacks that take part in a pulse or a modifier.
type counted struct {
	n      int
	layers []*layer // with async stacks: one entry for each stack, the strongest first
	mark   func(rule string)
}

// magnitude returns the sum of the magnitudes of async stacks. Without async stacks, it returns the
// magnitude of the buff.
func (c counted) magnitude(b *instance) (sum int64) {
	if !b.each() {
		return b.magnitude
	}
	for _, l := range c.layers {
		sum += l.magnitude
	}
	return sum
}

// value returns the value of number n or, if perStack is true, the sum for all stacks. Async stacks
// each have their own value. If perStack is false, the value of the strongest stack counts, and
// among equals the youngest.
func (c counted) value(b *instance, n *number, perStack bool) (sum float64, ok bool) {
	if !b.each() || n.Snapshot == "pulse" { // all stacks share one value
		return b.numbers[n].of(c.n, perStack)
	}
	if best := youngestStrongest(c.layers); best != nil && !perStack {
		return best.numbers[n].of(c.n, false)
	}
	for _, l := range c.layers {
		if !l.numbers[n].equal(c.layers[0].numbers[n]) {
			c.mark(markEachNumbers)
		}
		x, ok := l.numbers[n].of(c.n, false)
		if !ok {
			return 0, false
		}
		sum += x
	}
	return sum, true
}

// youngestStrongest returns the strongest layer. If several layers are equally strong, it returns
// the youngest of them. It returns nil if there are no layers.
func youngestStrongest(layers []*layer) (best *layer) {
	for _, l := range layers {
		if best == nil || cmp.Or(l.compare(best.rank), cmp.Compare(l.age, best.age)) > 0 {
			best = l
		}
	}
	return best
}

// due returns the stacks that take part in the due pulse.
//
// With `timers: each` all stacks pulse at the same beats, but each application counts its own
// intervals. The n-th interval of an application belongs to the n-th beat after the application.
// The application takes part in this beat if the interval ends no later than the application.
// Therefore an application of duration D takes part in D / period pulses, rounded down.
func (b *instance) due() counted {
	return b.counting(func(l *layer) bool { return b.endless || max(l.own, b.beat) <= l.end })
}

// active returns the stacks that take part now, in modifiers and in pulses outside of the beat.
func (b *instance) active() counted {
	return b.counting(func(*layer) bool { return true })
}

// counting returns the stacks of the layers for which the function takesPart returns true. If
// `stack.effective` limits their number, it returns only the strongest stacks.
func (b *instance) counting(takesPart func(*layer) bool) counted {
	if !b.each() {
		return counted{n: b.stacks, mark: b.mark}
	}
	var all []*layer
	for i := range b.layers {
		if l := &b.layers[i]; takesPart(l) {
			for range l.stacks {
				all = append(all, l)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y *layer) int { return cmp.Or(y.compare(x.rank), cmp.Compare(x.age, y.age)) })
	if e := b.def.stack().Effective; e > 0 {
		all = all[:min(e, len(all))]
	}
	return counted{len(all), all, b.mark}
}

// joinEach adds an application to a buff with async stacks. If the buff is at its limit,
// `stack.refresh` says whether the stack that ends first gets the new end. With `overflow:
// replace_oldest`, the new stacks replace the oldest stacks.
func (o *owner) joinEach(b *instance, a application, replaces bool) bool {
	s := b.def.stack()
	before, limit := b.count(), s.limit()
	end := b.clock(o.own) + a.duration
	fresh := layer{end: end, source: a.source, rank: rank{a.level, a.magnitude, o.nextAge()}, content: b.def.newContent(a)}
	full := before >= limit
	if full {
		if o.refusesMore(b, a, replaces) {
			return false
		}
		if s.Overflow != "replace_oldest" {
			if s.Refresh == "none" && !replaces {
				o.overflows(b, a, a.stacks)
				return false
			}
			o.restartLayer(b, a, replaces, fresh)
			o.links(b, a, true)
			o.overflows(b, a, a.stacks)
			return true
		}
	}
	room := limit - before
	fresh.stacks = min(a.stacks, limit)
	if s.Overflow != "replace_oldest" {
		fresh.stacks = min(fresh.stacks, room)
	}
	if n := fresh.stacks - room; n > 0 {
		full = true
		if n == before {
			b.layers = nil
			o.say("stackend %s x0 why=overflow", b.def.ID)
		} else {
			o.take(b, n, "overflow")
		}
	}
	left := b.count()
	b.layers = append(b.layers, fresh)
	b.takes(a, true)
	b.snapshot()
	b.layers[len(b.layers)-1].own = b.clock(o.own) + b.coming
	o.say("stack %s x%d%s", b.def.ID, b.count(), o.endAt(b, end))
	o.links(b, a, true)
	o.cross(b, left, b.count(), a)
	o.restartBeat(b)
	o.pulseOnJoin(b, true)
	if full {
		o.overflows(b, a, a.stacks-room)
	}
	return true
}

// restartLayer removes one stack of the layer that ends first, and adds a stack of the application
// instead.
func (o *owner) restartLayer(b *instance, a application, replaces bool, fresh layer) {
	was := b.state()
	first := b.firstToEnd()
	old := b.layers[first]
	if a.left != nil && !replaces { // a steal never shortens a buff of the thief
		fresh.end = max(fresh.end, old.end)
	}
	fresh.stacks, fresh.own = 1, old.own
	b.takes(a, true)
	b.snapshot()
	if b.layers[first].stacks--; b.layers[first].stacks == 0 {
		o.dropLayer(b, first)
	}
	b.layers = append(b.layers, fresh)
	o.say("refresh %s x%d%s", b.def.ID, b.count(), o.endAt(b, fresh.end))
	o.refreshActions(b, a, replaces, was)
}

// joinQueue adds an application to a queue. The strongest application runs, and the others wait
// with their own numbers, shields and charges.
func (o *owner) joinQueue(b *instance, a application) bool {
	full := 1+len(b.waiting) >= b.def.limit()
	if full {
		if o.refusesMore(b, a, false) {
			return false
		}
		i := b.overflowVictim(a)
		if i < 0 {
			o.say("deny %s why=limit", b.def.ID)
			o.overflows(b, a, 1)
			return false
		}
		o.memorize(b.def, []string{b.waiting[i].source})
		b.waiting = append(b.waiting[:i:i], b.waiting[i+1:]...)
	}
	b.snapshot()
	fresh := wait{a.duration, a.source, a.known, rank{a.level, a.magnitude, o.nextAge()}, b.def.newContent(a)}
	b.waiting = append(b.waiting, fresh)
	if running := (rank{b.level, b.magnitude, b.turn}); fresh.compare(running) > 0 {
		now := b.clock(o.own)
		o.memorize(b.def, b.running())
		b.waiting = append(b.waiting, wait{b.end - now, b.source, b.known, running, b.content})
		o.strongest(b, now)
	}
	o.say("queue %s active=%d%s", b.def.ID, b.magnitude, o.endOf(b))
	o.links(b, a, true)
	if full {
		o.overflows(b, a, 1)
	}
	return true
}

// overflowVictim returns the index of the waiting application that a new application replaces in a
// full queue. With `overflow: replace_oldest` this is the application that has waited longest.
// Otherwise it is the weakest waiting application, but only if it is weaker than the new
// application. Of several equally weak applications, it is the application that has waited for the
// shortest time. If the new application gets no place, overflowVictim returns -1.
func (b *instance) overflowVictim(a application) int {
	goes := -1
	for i, w := range b.waiting {
		switch {
		case b.def.stack().Overflow == "replace_oldest":
			if goes < 0 || w.age < b.waiting[goes].age {
				goes = i
			}
		case w.compare(rank{level: a.level, magnitude: a.magnitude}) >= 0:
		case goes < 0 || cmp.Or(w.compare(b.waiting[goes].rank), cmp.Compare(b.waiting[goes].age, w.age)) < 0:
			goes = i
		}
	}
	return goes
}

// strongestOf returns the index of the strongest waiting application. Among equals it returns the
// index of the application that has waited longest.
func strongestOf(waiting []wait) int {
	best := 0
	for i, w := range waiting {
		if cmp.Or(w.compare(waiting[best].rank), cmp.Compare(waiting[best].age, w.age)) > 0 {
			best = i
		}
	}
	return best
}

// strongest removes the strongest waiting application from the queue and lets it run.
func (o *owner) strongest(b *instance, now int64) {
	best := strongestOf(b.waiting)
	w := b.waiting[best]
	b.waiting = append(b.waiting[:best:best], b.waiting[best+1:]...)
	b.leveled(w.level)
	b.magnitude, b.source, b.others = w.magnitude, w.source, []string{w.source}
	b.turn, b.content, b.known = w.age, w.content, w.known
	b.end = now + w.left
	o.changesSource(b, "turn")
}

// state holds the values of a buff that are compared to find out whether an application has changed
// the buff.
type state struct {
	stacks, level, charges    int
	endless                   bool
	end, magnitude, pool      int64
	period, coming, nextPulse int64
	layers                    []layer
	numbers                   map[*number]amount
}

func (b *instance) state() state {
	numbers := maps.Clone(b.numbers) // without those that serve only the application
	delete(numbers, b.def.DurationScale)
	delete(numbers, b.def.Require.Apply.condition())
	if b.def.Shield != nil {
		delete(numbers, b.def.Shield.Pool)
	}
	s := state{
		stacks: b.count(), level: b.level, charges: b.charges, endless: b.endless, end: b.end, magnitude: b.magnitude, pool: b.pool,
		period: b.period, coming: b.coming, nextPulse: b.beat, numbers: numbers, layers: slices.Clone(b.layers),
	}
	if b.endless {
		s.end = 0
	}
	return s
}

// equal reports whether two states have the same values.
func (s state) equal(other state) bool {
	return s.stacks == other.stacks && s.level == other.level && s.charges == other.charges && s.endless == other.endless && s.end == other.end &&
		s.magnitude == other.magnitude && s.pool == other.pool && s.period == other.period && s.coming == other.coming && s.nextPulse == other.nextPulse &&
		maps.EqualFunc(s.numbers, other.numbers, amount.equal) && slices.EqualFunc(s.layers, other.layers, func(a, b layer) bool {
		return a.stacks == b.stacks && a.end == b.end && a.compare(b.rank) == 0 && a.pool == b.pool && a.charges == b.charges && maps.EqualFunc(a.numbers, b.numbers, amount.equal)
	})
}

// refreshActions queues the actions of `on.refresh` if the application has changed the buff. With
// `refresh: restart`, `phase: reset` or `phase: execute`, every application counts as a change. An
// application whose higher level replaces the buff also counts as a change.
func (o *owner) refreshActions(b *instance, a application, replaces bool, was state) {
	phase := b.def.stack().Phase
	always := or(b.def.stack().Refresh, "restart") == "restart" || phase == "reset" || phase == "execute" || replaces
	if always || !b.state().equal(was) {
		e := eventBy(a, b, b.count())
		if b.def.stack().Level == "sum" {
			e.level = b.level
		}
		o.issue(b.def, b.def.on().Refresh, e)
	} else if len(b.def.on().Refresh) > 0 {
		o.all.mark(markRefreshNothing)
	}
}
