package judge

// §1.6 Persistence.

import (
	"fmt"
	"math"
	"math/big"
	"slices"
)

// save: "engine continues until Unload(owner); Unload is the only thing that stops time." "Unload: nothing fires, no OnExpire;
// state saved."
func (o *owner) save() {
	o.store = nil
	for _, b := range o.buffs {
		o.say("unload %s", b.def.ID)
		if b.kept(o.own) && !b.ofAura { // "passive and aura-granted never"
			o.store = append(o.store, b)
		}
	}
	for _, b := range o.buffs {
		o.auraEnds(b)
		b.look = 0
	}
	o.buffs, o.away, o.left, o.zone = nil, true, o.world, 0 // the zone is not saved
	o.clock.change(o.world, o.mine.rate, o.mine.held)
}

// kept: "save: always / never / ifRemaining(≥)".
func (b *instance) kept(now int64) bool {
	s := b.def.Save
	if s == nil {
		return true
	}
	switch s.Mode {
	case "never":
		return false
	case "ifRemaining":
		return b.endless || b.last()-b.clock(now) >= int64(s.IfRemaining)
	}
	return true
}

// load: "wall keeps running, online frozen". "negative offline time counts as 0".
func (o *owner) load() {
	o.away = false
	gone := o.world - o.left
	o.stamp = o.world
	if gone > 0 { // his time stood still
		o.clock.outer = o.world
	}
	o.buffs, o.store = o.store, nil
	back := o.carried()
	past := make([]int64, len(back))
	for i, b := range back {
		if or(b.def.Clock, "online") != "online" {
			past[i] = o.passes(b, gone)
		}
	}
	o.repace() // he is in a zone again
	all := make([]returned, len(back))
	for i, b := range back {
		if all[i] = o.ages(b, past[i]); all[i].gone {
			o.buffs = without(o.buffs, b)
		}
	}
	for i, b := range back {
		if all[i].gone {
			o.expireAway(b, gone, all[i].missed)
		} else {
			o.restore(b, gone, all[i])
		}
	}
	o.settle()
	o.rounds()
}

// passes is how many ms of its own time pass for a buff in so many of the world's, at the rates that there are.
func (o *owner) passes(b *instance, gone int64) int64 {
	after := func(c *clock, outer int64) int64 {
		if c.held {
			return 0
		}
		x := new(big.Rat).Mul(big.NewRat(outer, 1), c.rate)
		return down(x.Add(x, c.inner)) - down(c.inner)
	}
	gone = after(o.clock, gone)
	if b.local == nil {
		return gone
	}
	b.local.change(o.own, b.local.rate, b.local.held)
	passed := after(b.local, gone)
	if !b.local.held {
		x := new(big.Rat).Mul(big.NewRat(gone, 1), b.local.rate)
		b.local.inner = x.Sub(x.Add(x, b.local.inner), big.NewRat(passed, 1))
	}
	return passed
}

// realign brings a beat back to the owner's time, which stood still: no beat of it has passed.
func (o *owner) realign(b *instance) {
	b.beat = o.boundary(b, b.clock(o.own))
	for i := range b.layers {
		l := &b.layers[i]
		l.own = b.beat + ((l.own-b.beat)%b.period+b.period)%b.period
	}
}

// floor is the last whole ms of its own time that has passed.
func (b *instance) floor(o *owner) int64 {
	if b.local == nil {
		return down(o.clock.at(o.world))
	}
	return down(b.local.at(o.own))
}

// returned is what the time away has made of a buff.
type returned struct {
	gone   bool // "Removed{Expired, Offline: d} at load"
	taken  int  // of a queue
	fallen int  // stacks
	missed missing
}

// ages lets past of its own time go by for a buff.
func (o *owner) ages(b *instance, past int64) (r returned) {
	o.all.back--
	b.number = o.all.back
	b.move(-past)
	over := int64(math.MinInt64) // the last instant of its own time that has passed
	if past > 0 {
		over = b.floor(o)
	}
	for !b.endless && !b.standing() && b.end <= over && len(b.waiting) > 0 { // what stands still does not end
		o.age(b, b.end, &r.missed)
		o.memorize(b.def, b.running())
		o.strongest(b, b.end)
		r.taken++
	}
	for !b.endless && !b.standing() && !b.each() && b.end <= over && b.stacksAfterEnd() > 0 {
		o.age(b, b.end, &r.missed)
		b.stacks = b.stacksAfterEnd()
		b.end += b.full
		r.fallen++
	}
	if !b.standing() {
		o.age(b, over, &r.missed)
	}
	if b.period > 0 && b.def.Align == "owner" && past > 0 {
		o.realign(b)
	}
	if !b.endless && !b.standing() && b.last() <= over {
		r.gone = true
		return r
	}
	for i := 0; i < len(b.layers); {
		if !b.endless && !b.standing() && b.layers[i].end <= over {
			o.dropLayer(b, i)
			r.fallen++
			continue
		}
		i++
	}
	return r
}

// restore tells of a buff that is back.
func (o *owner) restore(b *instance, gone int64, r returned) {
	o.all.share(b, b.source)
	b.look, b.born = o.world, o.all.birth()
	o.say("restore %s x%d%s%s", b.def.ID, b.count(), o.endOf(b), o.nextOf(b))
	if r.taken > 0 {
		o.say("queue %s active=%d%s offline=%d", b.def.ID, b.magnitude, o.endOf(b), gone)
	}
	if r.fallen > 0 {
		end := o.endOf(b)
		if b.each() {
			end = "" // each of those that are left has its own
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

// missing are the pulses of the time away.
type missing struct {
	n      int
	stacks int   // of the last of them
	sum    int64 // of their magnitudes
}

// age lets the beat of a buff go on to an instant, and counts the pulses that it would have had. Those who are aligned keep
// to the owner's time, which stood still.
func (o *owner) age(b *instance, until int64, missed *missing) {
	for b.period > 0 && b.beat <= until && (b.endless || b.beat <= b.last()) {
		if n, sum := b.counting(); n > 0 {
			missed.n++
			missed.stacks, missed.sum = n, sum
		}
		b.from, b.period = b.beat, b.coming
		b.beat += b.period
		for i := range b.layers {
			b.layers[i].own += b.period
		}
	}
}

// catchUp: "offline_pulses: none (default) / coalesce / all(cap)".
func (o *owner) catchUp(b *instance, c count, missed missing) {
	switch {
	case missed.n == 0:
	case c.word == "coalesce":
		more := ""
		if missed.n > 1 {
			more = fmt.Sprintf(" count=%d", missed.n)
		}
		o.pulse(b, missed.stacks, missed.sum, more, int64(missed.n))
	case c.word == "all":
		limit := 100
		if c.n > 0 {
			limit = c.n
		}
		for range min(missed.n, limit) {
			o.pulse(b, missed.stacks, missed.sum, "")
		}
	}
}

// expireAway ends a buff that ended while its owner was away: "notify (default) / silent / run". Its pulses come before its
// end ("expire and tick coincide: tick first"), so that it has its effect in them.
func (o *owner) expireAway(b *instance, gone int64, missed missing) {
	there := o.buffs
	older := slices.IndexFunc(there, func(c *instance) bool { return c.age > b.age })
	if older < 0 {
		older = len(there)
	}
	o.buffs = slices.Insert(slices.Clone(there), older, b)
	o.catchUp(b, b.saving().OfflinePulses, missed)
	o.buffs = there
	b.gone = true
	o.memorize(b.def, b.sources())
	how := or(b.saving().OfflineExpire, "notify")
	if how != "silent" {
		o.say("remove %s why=expired offline=%d", b.def.ID, gone)
	}
	if how == "run" {
		on := b.def.on().Remove
		o.issue(b, on["expired"], b.source, share{n: b.count()})
		o.issue(b, on["any"], b.source, share{n: b.count()})
	}
	if len(b.def.Links) > 0 { // "removed with it", wherever its owner was
		o.todo = append(o.todo, command{ends: b, action: action{Reason: "expired"}, round: o.running + 1})
	}
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
