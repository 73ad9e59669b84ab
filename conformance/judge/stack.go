package judge

import "slices"

// §1.2: refresh, phase, expire; stacks with timers of their own; queues.

// layer is what one application has brought, where each has its own timer.
type layer struct {
	stacks    int
	end       int64
	own       int64 // the end of its own interval: it takes part in the pulse before it if this is ≤ end
	source    string
	magnitude int64
	level     int
	age       int64
}

// wait is an application in a queue.
type wait struct {
	left      int64
	magnitude int64
	level     int
	source    string
	age       int64
	numbers   map[*number]float64
}

// refresh: "refresh: restart (default) / none / extend (cap) / pandemic (pct=30) / max / residual-tick". It reports whether the
// end was decided anew.
func (o *owner) refresh(b *instance, a application) bool {
	s := b.def.stack()
	if s.Refresh == "none" {
		return false
	}
	b.snapshot()
	if b.endless = b.def.Duration.infinite && !a.override || a.hold != nil; b.endless {
		o.refreshed(b, a.source)
		return true
	}
	b.full = a.duration
	now := b.clock(o.own)
	switch or(s.Refresh, "restart") {
	case "restart":
		b.end = now + a.duration
	case "extend":
		end := b.end + a.duration
		if s.RefreshCap != nil { // it bounds what is added, and takes nothing away
			end = max(b.end, min(end, now+int64(*s.RefreshCap)))
		}
		b.end = end
	case "pandemic": // "carry = min(left, base×pct/100) integer ms"
		pct := 30
		if s.RefreshPct != nil {
			pct = *s.RefreshPct
		}
		b.end = now + a.duration + min(b.end-now, b.def.Duration.at(b.level)*int64(pct)/100)
	case "max":
		b.end = max(b.end, now+a.duration)
	case "residual-tick":
		next, ok := b.nextPulse()
		if !ok { // it would have been behind the end
			next = now
		}
		b.end = next + a.duration
	}
	o.refreshed(b, a.source)
	return true
}

// snapshot: "haste waits for the next refresh".
func (b *instance) snapshot() {
	if b.later != 0 {
		b.coming, b.later = b.later, 0
	}
}

// phase: "phase: keep (default) / reset / execute+reset", and "first: every = also on refresh/restack".
func (o *owner) phase(b *instance, changed bool) {
	if b.period == 0 {
		return
	}
	phase := b.def.stack().Phase
	if phase == "reset" || phase == "execute" {
		b.period = b.coming
		o.beginBeat(b)
	}
	if phase == "execute" || b.def.First == "every" && changed {
		n, sum := b.pulsingNow()
		o.pulse(b, n, sum, "")
	}
}

// stacksAfterEnd is how many stacks its end leaves: "expire: all (default) / one / half / n"; "removed = floor(n/2), at
// least 1".
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

// nextEnd is the end of the buff, or of a stack of it, and its rank.
func (b *instance) nextEnd() (d due, ok bool) {
	switch {
	case b.endless:
		return due{}, false
	case b.each():
		if l := b.layers[b.firstToEnd()]; len(b.layers) > 1 {
			return due{at: l.end, rank: rankStackEnd, age: l.age}, true // "older application first"
		}
		return due{at: b.layers[0].end, rank: rankEnd, age: b.age}, true
	case len(b.waiting) > 0, b.stacksAfterEnd() > 0:
		return due{at: b.end, rank: rankStackEnd, age: b.age}, true
	}
	return due{at: b.end, rank: rankEnd, age: b.age}, true
}

// endDue is that end.
func (o *owner) endDue(b *instance) {
	o.catchesUp(b)
	switch {
	case b.each() && len(b.layers) > 1:
		o.dropLayer(b, b.firstToEnd())
		o.say("stackend %s x%d why=expired", b.def.ID, b.count())
	case len(b.waiting) > 0:
		o.memorize(b.def, b.running())
		o.strongest(b, b.end)
		o.say("queue %s active=%d%s", b.def.ID, b.magnitude, o.endOf(b))
	case b.stacksAfterEnd() > 0: // "one restarts the full duration, keeps phase, is not a re-application"
		b.stacks = b.stacksAfterEnd()
		b.end += b.full
		o.say("stackend %s x%d why=expired%s", b.def.ID, b.stacks, o.endOf(b))
	default:
		o.remove(b, "expired", "")
	}
}

// firstToEnd is the layer that ends first, the older of two.
func (b *instance) firstToEnd() int {
	first := 0
	for i, l := range b.layers {
		if l.end < b.layers[first].end {
			first = i
		}
	}
	return first
}

// dropLayer takes a layer away.
func (o *owner) dropLayer(b *instance, i int) {
	o.memorize(b.def, []string{b.layers[i].source})
	b.layers = append(b.layers[:i:i], b.layers[i+1:]...)
}

// counting is how many stacks take part in the pulse that is due, and the sum of their magnitudes: of stacks with timers
// of their own the strongest, "effective: n by magnitude, all keep running".
//
// With timers each: "an application of D with period P contributes exactly floor(D/P) stack-ticks", "decided at each
// boundary ≤ its own end". All stacks share the beat, and each has boundaries of its own, of which the n-th is the n-th
// beat after its application: it takes part in that beat if that boundary is not behind its end.
func (b *instance) counting() (n int, sum int64) {
	if !b.each() {
		return b.stacks, 0
	}
	var all []int64
	for _, l := range b.layers {
		if b.endless || max(l.own, b.beat) <= l.end {
			for range l.stacks {
				all = append(all, l.magnitude)
			}
		}
	}
	slices.Sort(all)
	n = b.effective(len(all))
	for _, m := range all[len(all)-n:] {
		sum += m
	}
	return n, sum
}

// pulsingNow is how many take part in a pulse out of turn, and the sum of their magnitudes.
func (b *instance) pulsingNow() (n int, sum int64) {
	n = b.effective(b.count())
	var all []int64
	for _, l := range b.layers {
		for range l.stacks {
			all = append(all, l.magnitude)
		}
	}
	slices.Sort(all)
	for _, m := range all[len(all)-min(n, len(all)):] {
		sum += m
	}
	return n, sum
}

// effective: "effective: n by magnitude, all keep running".
func (b *instance) effective(n int) int {
	if e := b.def.stack().Effective; b.each() && e > 0 {
		return min(n, e)
	}
	return n
}

// joinEach is an application to a buff whose stacks have their own timers.
//
// "At the limit, refresh says what happens to the stack that ends first: none → nothing; restart → its new end.
// overflow: replace-oldest replaces as many as are applied."
func (o *owner) joinEach(b *instance, a application) bool {
	s := b.def.stack()
	before, limit := b.count(), s.limit()
	end := b.clock(o.own) + a.duration
	fresh := layer{end: end, source: a.source, magnitude: a.magnitude, level: a.level, age: o.nextAge()}
	full := before >= limit
	if full {
		if o.refusesMore(b, a) {
			return false
		}
		if s.Overflow != "replace-oldest" {
			if s.Refresh == "none" {
				o.overflows(b, a)
				return false
			}
			b.takes(a)
			b.topUp(a)
			b.snapshot()
			first := b.firstToEnd() // one stack of it begins anew
			anew := layer{stacks: 1, end: end, own: b.layers[first].own, source: a.source, magnitude: a.magnitude, level: a.level, age: fresh.age}
			if b.layers[first].stacks--; b.layers[first].stacks == 0 {
				o.dropLayer(b, first)
			}
			b.layers = append(b.layers, anew)
			o.say("refresh %s x%d%s", b.def.ID, b.count(), o.endAt(b, end))
			o.issue(b, b.def.on().Refresh, a.source, share{n: b.count()})
			o.links(b, a)
			o.overflows(b, a)
			return true
		}
	}
	room := limit - before
	fresh.stacks = min(a.stacks, limit)
	if s.Overflow != "replace-oldest" {
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
	b.takes(a)
	b.topUp(a)
	b.snapshot()
	b.layers[len(b.layers)-1].own = b.clock(o.own) + b.coming
	o.say("stack %s x%d%s", b.def.ID, b.count(), o.endAt(b, end))
	o.links(b, a)
	o.cross(b, left, b.count(), a.source)
	o.phase(b, true)
	if full {
		o.overflows(b, a)
	}
	return true
}

// joinQueue: "Duration queue: GW2: strongest first, others wait". Each is an application with numbers of its own.
func (o *owner) joinQueue(b *instance, a application) bool {
	full := 1+len(b.waiting) >= b.queueLimit()
	if full {
		if o.refusesMore(b, a) {
			return false
		}
		i := b.givesWay(a)
		if i < 0 {
			o.say("deny %s why=limit", b.def.ID)
			o.overflows(b, a)
			return false
		}
		o.memorize(b.def, []string{b.waiting[i].source})
		b.waiting = append(b.waiting[:i:i], b.waiting[i+1:]...)
	}
	b.snapshot()
	b.topUp(a)
	b.waiting = append(b.waiting, wait{a.duration, a.magnitude, a.level, a.source, o.nextAge(), a.numbers})
	if a.magnitude > b.magnitude {
		now := b.clock(o.own)
		b.waiting = append(b.waiting, wait{b.end - now, b.magnitude, b.level, b.active(), b.turn, b.numbers})
		o.strongest(b, now)
	}
	o.say("queue %s active=%d%s", b.def.ID, b.magnitude, o.endOf(b))
	o.links(b, a)
	if full {
		o.overflows(b, a)
	}
	return true
}

// givesWay is the place of the one in a full queue that a new one takes the place of: with replace-oldest the one that has
// waited longest, otherwise the weakest, and of those the last that came, if it is weaker than the new one. Negative: there is none.
func (b *instance) givesWay(a application) int {
	goes := -1
	for i, w := range b.waiting {
		switch {
		case b.def.stack().Overflow == "replace-oldest":
			if goes < 0 || w.age < b.waiting[goes].age {
				goes = i
			}
		case w.magnitude >= a.magnitude:
		case goes < 0 || w.magnitude < b.waiting[goes].magnitude || w.magnitude == b.waiting[goes].magnitude && w.age > b.waiting[goes].age:
			goes = i
		}
	}
	return goes
}

func (b *instance) queueLimit() int { return b.def.limit() }

// active is the source of the application that runs.
func (b *instance) active() string { return b.others[0] }

// strongestOf is the place of the strongest of those who wait; of equal ones of the one that has waited longest.
func strongestOf(waiting []wait) int {
	best := 0
	for i, w := range waiting {
		if m := waiting[best].magnitude; w.magnitude > m || w.magnitude == m && w.age < waiting[best].age {
			best = i
		}
	}
	return best
}

// strongest lets the strongest of those who wait run from then on; of equal ones the one that has waited longest.
func (o *owner) strongest(b *instance, now int64) {
	best := strongestOf(b.waiting)
	w := b.waiting[best]
	b.waiting = append(b.waiting[:best:best], b.waiting[best+1:]...)
	b.leveled(w.level)
	b.magnitude, b.source, b.others = w.magnitude, w.source, []string{w.source}
	b.turn, b.numbers = w.age, w.numbers
	b.end = now + w.left
}
