package judge

// Section 1.6 of the rules: logout and return.

import (
	"fmt"
	"math"
	"math/big"
	"slices"
)

// save logs the owner out: its state is saved, its time stops, and no action runs.
func (o *owner) save() {
	saved := o.saved()
	for _, b := range o.buffs {
		if b.isLink() && b.kept(o.own) && !b.ofAura && !slices.Contains(saved, b) {
			o.all.mark(markUnsavedHead)
		}
	}
	for _, b := range o.buffs {
		o.say("unload %s", b.def.ID)
	}
	o.store = saved
	for _, b := range o.buffs {
		if !slices.Contains(saved, b) {
			b.gone = true
		}
	}
	for _, b := range saved {
		o.cutTies(b)
	}
	for _, b := range o.buffs {
		o.auraEnds(b)
		o.changesSource(b, "end")
		b.look = 0
	}
	o.buffs, o.away, o.left = nil, true, o.world
	o.clock.change(o.world, o.mine.rate, o.mine.held)
}

// saved returns the buffs that are saved. Buffs from an aura are never saved, and a link is saved
// only if at least one of its heads is saved.
func (o *owner) saved() []*instance {
	saved := slices.DeleteFunc(o.carried(), func(b *instance) bool { return !b.kept(o.own) || b.ofAura })
	for {
		n := len(saved)
		saved = slices.DeleteFunc(saved, func(b *instance) bool {
			return len(b.ties) > 0 && !slices.ContainsFunc(b.ties, func(t tie) bool { return slices.Contains(saved, t.head) })
		})
		if len(saved) == n {
			return saved
		}
	}
}

// cutTies removes the ties between a saved link and heads that are not saved. It also removes the
// stacks that these heads have added.
func (o *owner) cutTies(b *instance) {
	for _, t := range slices.Clone(b.ties) {
		if !slices.Contains(o.store, t.head) {
			if n := min(t.stacks, b.count()-1); n > 0 && !b.def.queued() {
				o.all.mark(markUnsavedStacks)
				o.takeQuietly(b, n, false)
			}
			b.ties = slices.DeleteFunc(b.ties, func(other tie) bool { return other == t })
		}
	}
}

// kept reports whether the buff is saved. It is saved always, never, or only if it has enough time
// left, as `save.mode` says.
func (b *instance) kept(now int64) bool {
	s := b.def.Save
	if s == nil {
		return true
	}
	switch s.Mode {
	case "never":
		return false
	case "if_remaining":
		return b.endless || b.last()-b.clock(now) >= int64(s.IfRemaining)
	}
	return true
}

// load restores the owner in the area that it left. The time away counts for buffs with a wall
// clock, but not for buffs with an online clock. A negative time away counts as 0.
func (o *owner) load() {
	o.away = false
	gone := o.world - o.left
	o.stamp = o.world
	if gone > 0 { // the owner's time was stopped while it was away
		o.clock.outer = o.world
	}
	o.buffs, o.store = o.store, nil
	o.reread()
	back := o.carried()
	for _, b := range back {
		b.tested = false
	}
	past := make([]int64, len(back))
	for i, b := range back {
		if or(b.def.Clock, "online") != "online" {
			past[i] = o.passes(b, gone)
		}
	}
	if o.area != 0 {
		o.all.mark(markAreaSaved)
	}
	o.repace() // the pace of the area applies again
	all := make([]returned, len(back))
	for i, b := range back {
		if all[i] = o.ages(b, past[i]); all[i].gone {
			o.buffs = without(o.buffs, b)
		}
	}
	// Backward, so that the oldest buff counts as the oldest of its source.
	for i, b := range slices.Backward(back) {
		if !all[i].gone {
			o.changesSource(b, "return")
		}
	}
	for i, b := range back {
		if all[i].gone {
			o.expireAway(b, gone, all[i])
		} else {
			o.restore(b, gone, all[i])
		}
	}
	// A minimum that is higher because of the restored buffs does not count as risen.
	for _, name := range o.all.bounded {
		o.moved(o.all.attributes[name].Min, o.minima, name)
	}
	o.settle()
	for _, name := range o.all.bounded { // a base above its maximum is lowered on return
		o.cut(name)
	}
	o.rounds()
}

// passes lets a buff's clock run for the given time of the world, at the present rates. It returns
// the passed time in ms of the buff's own time.
func (o *owner) passes(b *instance, gone int64) int64 {
	from := down(o.clock.inner)
	to := from
	if !o.clock.held {
		x := new(big.Rat).Mul(big.NewRat(gone, 1), o.clock.rate)
		to = down(x.Add(x, o.clock.inner))
	}
	l := b.local
	if l == nil {
		return to - from
	}
	after := l.at(to) // the buff's clock runs by whole ms of its owner's clock
	passed := down(after) - down(l.at(from))
	if !l.held {
		l.outer = from + max(l.outer-to, 0) // above 0 if the clock has not started yet
		l.inner = after.Sub(after, big.NewRat(passed, 1))
	}
	return passed
}

// realign recomputes the next pulse of a buff with `align: owner` after the owner was away. The
// owner's time was stopped at the given instant while the owner was away, so it has passed no
// multiple of the period. The intervals of an application keep their distance from the beats; an
// interval that ended before its beat then ends at the beat.
func (o *owner) realign(b *instance, own int64) {
	was := b.beat
	b.beat = o.boundary(b, b.clock(own))
	for i := range b.layers {
		l := &b.layers[i]
		l.own = b.beat + ((max(l.own, was)-b.beat)%b.period+b.period)%b.period
	}
}

// returned is the effect of the time away on a buff.
type returned struct {
	gone   bool  // the buff ended while the owner was away
	late   int64 // if gone is set: how long ago the buff ended, in ms
	taken  int   // number of waiting applications that started to run
	fallen int   // number of times that stacks ended
	missed missing
}

// ages advances a buff after its owner was away, by the given number of ms of the buff's own time.
func (o *owner) ages(b *instance, past int64) (r returned) {
	b.move(-past)
	own := down(o.clock.at(o.world)) // a multiple of the period within the running ms is still due
	over := int64(math.MinInt64)     // the latest instant of the buff's own time that has passed
	if past > 0 {
		if over = own; b.local != nil {
			over = down(b.local.at(own))
		}
	}
	r = o.age(b, over)
	if b.period > 0 && b.def.Align == "owner" && past > 0 && !r.gone {
		o.realign(b, own)
	}
	return r
}

// age advances a buff to an instant of the buff's own time. It logs no line and runs no action; its
// result has the pulses and ends that were due. No event is due while the buff is paused.
func (o *owner) age(b *instance, until int64) (r returned) {
	if b.standing() {
		return r
	}
	for !b.endless && b.end <= until && len(b.waiting) > 0 {
		o.ageBeat(b, b.end, &r.missed)
		o.memorize(b.def, b.running())
		o.strongest(b, b.end)
		r.taken++
	}
	for !b.endless && !b.each() && b.end <= until && b.stacksAfterEnd() > 0 {
		o.ageBeat(b, b.end, &r.missed)
		b.stacks = b.stacksAfterEnd()
		b.end += b.spanAfterEnd()
		r.fallen++
	}
	for b.recharging && b.charged <= until {
		b.charges++
		b.charged += b.def.hastened(b.recharge(), b.numbers)
		b.recharging = b.charges < b.def.Charges.N
	}
	o.ageBeat(b, until, &r.missed)
	if !b.endless && b.last() <= until {
		if _, partial := b.nextPartial(); partial {
			r.missed.part = share{elapsed: b.period - (b.beat - b.last()), period: b.period}
		}
		r.gone, r.late = true, until-b.last()
		return r
	}
	for i := 0; i < len(b.layers); {
		if !b.endless && b.layers[i].end <= until {
			o.dropLayer(b, i)
			r.fallen++
			continue
		}
		i++
	}
	return r
}

// restore logs that a buff has returned with its owner.
func (o *owner) restore(b *instance, gone int64, r returned) {
	b.look, b.born = o.world, o.all.birth()
	o.say("restore %s x%d%s%s", b.def.ID, b.count(), o.endOf(b), o.nextOf(b))
	o.tellAged(b, gone, r)
}

// tellAged logs the effect of the time away on a running buff, and runs the pulses of this time.
func (o *owner) tellAged(b *instance, gone int64, r returned) {
	if r.taken > 0 {
		o.say("queue %s active=%d%s offline=%d", b.def.ID, b.magnitude, o.endOf(b), gone)
	}
	if r.fallen > 0 {
		end := o.endOf(b)
		if b.each() {
			end = "" // each remaining stack has its own end
		}
		o.say("stackend %s x%d why=expired%s offline=%d", b.def.ID, b.count(), end, gone)
	}
	o.catchUp(b, b.saving().OfflinePulses, r.missed)
}

func (b *instance) saving() saving {
	if b.def.Save != nil {
		return *b.def.Save
	}
	return saving{}
}

// missing holds the pulses that did not run when they were due.
type missing struct {
	n    int
	last counted // the stacks that take part in the last of these pulses
	part share   // the partial pulse at the end of the buff, if any
}

// ageBeat advances the beat of a buff to the given instant, and counts the pulses that were due by
// then.
func (o *owner) ageBeat(b *instance, until int64, missed *missing) {
	for b.period > 0 && b.beat <= until && (b.endless || b.beat <= b.last()) {
		if c := b.due(); c.n > 0 {
			missed.n++
			missed.last = c
		}
		b.from, b.period = b.beat, b.coming
		b.beat += b.period
		for i := range b.layers {
			b.layers[i].own += b.period
		}
	}
}

// catchUp runs the pulses of the time away, as `save.offline_pulses` says. By default it runs none.
// It may also run one pulse that represents all of them, or all pulses up to a limit. The partial
// pulse at the end is the last pulse, and counts towards the limit. The pulses are suppressed if the
// owner is immune on its return; an immunity that ended in between does not suppress them.
func (o *owner) catchUp(b *instance, c count, missed missing) {
	was := b.silenced
	b.silenced = o.suppresses(b)
	defer func() { b.silenced = was }()
	limit := math.MaxInt
	switch {
	case c.word == "coalesce":
		more := ""
		if missed.n > 1 {
			more = fmt.Sprintf(" count=%d", missed.n)
		}
		if missed.n > 0 {
			o.pulseFor(b, missed.last, more, share{count: missed.n})
		}
	case c.word == "all":
		if limit = 100; c.n > 0 {
			limit = c.n
		}
		for range min(missed.n, limit) {
			o.pulse(b, missed.last, "")
		}
	default:
		return
	}
	if p := missed.part; p.period > 0 && missed.n < limit {
		o.all.mark(markPartialAway)
		o.pulseFor(b, b.active(), fmt.Sprintf(" fraction=%d/%d", p.elapsed, p.period), p)
	}
}

// expireAway removes a buff that ended while its owner was away, as `save.offline_expire` says:
// `notify`, the default, logs the end; `silent` does not; `run` also runs the actions of
// `on.remove`.
func (o *owner) expireAway(b *instance, gone int64, r returned) {
	how := or(b.saving().OfflineExpire, "notify")
	o.pulsesAway(b, r)
	b.gone = true
	o.memorize(b.def, b.sources())
	switch how {
	case "notify":
		o.say("remove %s why=expired%s", b.def.ID, offline(gone))
	case "run":
		o.say("remove %s why=expired%s", b.def.ID, offline(r.late))
	}
	o.endAway(b, how, r)
}

// endAway queues the actions of a buff that ended while its owner was away, and the end of its
// links. Buffs that these actions apply start at the time when the buff ended.
func (o *owner) endAway(b *instance, how string, r returned) {
	if how == "run" {
		o.endActions(b, "expired", chain{known: b.known, ago: r.late, clock: b.def.clockWord()})
	} else if len(b.def.Links) > 0 { // even while the owner is away
		o.todo = append(o.todo, command{ends: b, action: action{Reason: "expired"}, round: o.running + 1})
	}
}

// pulsesAway runs the pulses of a buff that ended while its owner was away. The pulses were due
// before the end, so the buff is in effect while they run.
func (o *owner) pulsesAway(b *instance, r returned) {
	there := o.buffs
	if !slices.Contains(there, b) {
		older := slices.IndexFunc(there, func(c *instance) bool { return c.age > b.age })
		if older < 0 {
			older = len(there)
		}
		o.buffs = slices.Insert(slices.Clone(there), older, b)
	}
	o.catchUp(b, b.saving().OfflinePulses, r.missed)
	o.buffs = without(o.buffs, b)
}

// catchUpChain advances a buff that started ago ms before the owner's return, because another buff
// ended then. If the new buff has also ended since, its end is always logged.
func (o *owner) catchUpChain(b *instance, ago int64) {
	r := o.age(b, b.clock(o.own)) // exactly ago ms after its start
	if !r.gone {
		if b.period > 0 && b.def.Align == "owner" {
			o.realign(b, o.own)
		}
		o.tellAged(b, ago, r)
		return
	}
	o.all.mark(markChainEnds)
	o.pulsesAway(b, r)
	b.gone = true
	o.auraEnds(b)
	o.memorize(b.def, b.sources())
	o.say("remove %s why=expired%s", b.def.ID, offline(r.late))
	o.endAway(b, or(b.saving().OfflineExpire, "notify"), r)
}

// offline returns the log field " offline=" with the given time, or "" if the time is 0.
func offline(ms int64) string {
	if ms == 0 {
		return ""
	}
	return fmt.Sprintf(" offline=%d", ms)
}

func without(list []*instance, b *instance) []*instance {
	var rest []*instance
	for _, c := range list {
		if c != b {
			rest = append(rest, c)
		}
	}
	return rest
}
