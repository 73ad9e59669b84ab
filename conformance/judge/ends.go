package judge

import "math/big"

// Section 1.1 of the rules: commands that move the end of a buff, and commands that pause a buff or
// change the rate of its time.

// extend moves the end of a buff by the given number of ms, and keeps its phase. If no time is
// left, the buff expires at once and without a pulse.
func (o *owner) extend(id string, by int64, atMost *span) {
	if b := o.oldest(id); b != nil && b.ends() {
		o.extendOne(b, by, atMost)
	}
}

// extendOne extends one buff, which must have an end.
func (o *owner) extendOne(b *instance, by int64, atMost *span) {
	now := b.clock(o.own)
	if atMost != nil && by > 0 { // limit the extension, but never shorten the buff
		by = max(0, min(by, now+int64(*atMost)-b.last()))
	}
	o.moveEnds(b, func(end int64) int64 { return end + by }) // all stacks move by the same time
}

// ends reports whether the buff has an end that can be moved.
func (b *instance) ends() bool {
	_, yes := b.lingers()
	return yes || !b.endless
}

// setRemaining sets the remaining time of a buff. If it is 0 or less, the buff expires at once.
func (o *owner) setRemaining(id string, to int64) {
	b := o.oldest(id)
	if b == nil {
		return
	}
	now := b.clock(o.own)
	if _, lingers := b.lingers(); !lingers {
		b.endless = false
	}
	o.moveEnds(b, func(int64) int64 { return now + to })
}

// moveEnds changes the end of a buff and the ends of all its stacks. The given function maps an old
// end to the new end.
func (o *owner) moveEnds(b *instance, to func(int64) int64) {
	if o.catchesUp(b); b.gone {
		return
	}
	if b.end = to(b.end); b.ofAura {
		for _, h := range b.holds {
			h.ends = to(h.ends)
		}
	}
	for i := range b.layers {
		b.layers[i].end = to(b.layers[i].end)
	}
	if b.last() <= b.clock(o.own) {
		o.remove(b, "expired", "")
		return
	}
	o.logRefresh(b)
	for b.each() && len(b.layers) > 0 && b.layers[b.firstToEnd()].end <= b.clock(o.own) {
		o.dropLayer(b, b.firstToEnd())
		o.say("stackend %s x%d why=expired", b.def.ID, b.count())
	}
}

// pauseBuff pauses or resumes the time of a buff, and so its end and its phase.
func (o *owner) pauseBuff(id string, on bool) {
	if b := o.oldest(id); b != nil {
		o.setPauseCause(b, &b.halted, on)
	}
}

// setPauseCause sets or clears one of the two causes of a pause, which are the fields "halted" and
// "stoppedByDeath". It then updates the buff's clock.
func (o *owner) setPauseCause(b *instance, cause *bool, on bool) {
	if *cause == on {
		return
	}
	*cause = on
	o.catchesUp(b)
	o.pace(b, nil)
}

// rateBuff sets the rate of a buff's time.
func (o *owner) rateBuff(id string, to *big.Rat) {
	if b := o.oldest(id); b != nil {
		o.pace(b, to)
	}
}

// pace sets the rate of a buff's clock, unless the given rate is nil. It stops the clock if one of
// the causes of a pause is set, and otherwise lets it run.
func (o *owner) pace(b *instance, rate *big.Rat) {
	if b.local == nil {
		b.local = newClock(o.own)
	}
	if rate == nil {
		rate = b.local.rate
	}
	b.local.change(o.own, rate, b.halted || b.stoppedByDeath)
}

// move moves all deadlines of the buff by the given number of ms.
func (b *instance) move(by int64) {
	b.end += by
	b.charged += by
	b.started += by
	b.from += by
	b.beat += by
	for i := range b.layers {
		b.layers[i].end += by
		b.layers[i].own += by
	}
}
