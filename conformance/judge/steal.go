package judge

import "slices"

// Section 1.3 of the rules: steals. The thief gets the buff with its remaining shield and charges.
// Async stacks keep their own ends, and the waiting applications of a queue keep their order.

// loot holds the remaining shield and charges of a stolen application.
type loot struct {
	content
	vars map[string]float64
	rest bool // the buff is stolen in several parts, and this is a later part
}

// steal takes portions of the buffs that match a query, and gives them to another owner. A portion
// is a whole buff, or the number of stacks that the command names. Links and buffs of an aura are
// never stolen.
func (o *owner) steal(q query, to *owner, atMost *span, stacks int) {
	strength := rankOf(q.Grade)
	takes := func(b *instance) bool {
		ok := b.stealable() && b.grade() <= strength
		if ok && b.isLink() {
			o.all.mark(markStolenHead)
		}
		if ok && b.ofAura {
			o.all.mark(markStolenAura)
		}
		return ok && !b.isLink() && !b.ofAura
	}
	take := func(b *instance) { o.stealOne(b, to, atMost, stacks) }
	if q.one != "" {
		strength = rankOf("death")
		for _, b := range o.carried() { // find the oldest buff that can be stolen
			if b.def.ID == q.one && takes(b) {
				take(b)
				return
			}
		}
		return
	}
	found := o.found(q, takes)
	if q.Most > 0 {
		o.portions(found, q.Most, take)
		return
	}
	for _, b := range found {
		if !b.gone {
			take(b)
		}
	}
}

func (b *instance) stealable() bool {
	d := b.def.Dispel
	return d == nil || d.Stealable == nil || *d.Stealable
}

// stealOne takes one portion of a buff, unless the buff resists.
func (o *owner) stealOne(b *instance, to *owner, atMost *span, stacks int) {
	if d := b.def.Dispel; d != nil && d.Resist == 1000 {
		o.all.mark(markStealResist)
		o.say("deny %s why=resist", b.def.ID)
		return
	}
	if b.def.Shield != nil || b.def.Charges != nil || b.def.queued() || stacks >= b.count() {
		stacks = 0 // this buff can only be stolen as a whole
	}
	parts := b.parts(o.own, to.name, atMost, stacks)
	if stacks > 0 {
		o.all.mark(markStealStacks)
		o.take(b, stacks, "stolen")
	} else {
		o.remove(b, "stolen", "")
	}
	o.post(to, func() {
		known := o.all.knows(to.name)
		for i, a := range parts {
			a.left.rest, a.known = i > 0, known
			if !to.apply(a) && i == 0 {
				return
			}
		}
	})
}

// parts returns the applications that give the thief a buff: the running and the waiting
// applications, each with its remaining duration. If the parameter "stacks" is not 0, "parts"
// returns only this number of stacks in total, namely the stacks that end first.
func (b *instance) parts(own int64, thief string, atMost *span, stacks int) (parts []application) {
	now := b.clock(own)
	part := func(stacks int, end int64, r rank, c content) {
		a := application{id: b.def.ID, source: thief, stacks: stacks, magnitude: r.magnitude, level: r.level, key: b.key, left: &loot{content: c, vars: b.vars}}
		if a.override = !b.endless || atMost != nil; a.override {
			if a.duration = end - now; atMost != nil && (b.endless || a.duration > int64(*atMost)) {
				a.duration = int64(*atMost)
			}
		}
		if !a.override || a.duration > 0 { // an application that ends now is not stolen
			parts = append(parts, a)
		}
	}
	whole := rank{level: b.level, magnitude: b.magnitude}
	if !b.each() {
		part(or0(stacks, b.stacks), b.end, whole, b.content)
	}
	takes := map[*layer]int{}
	rest := or0(stacks, b.count())
	for _, l := range b.byEnd() {
		takes[l] = min(rest, l.stacks)
		rest -= takes[l]
	}
	for i := range b.layers { // the oldest first
		if l := &b.layers[i]; takes[l] > 0 {
			part(takes[l], l.end, l.rank, l.content)
		}
	}
	for rest := slices.Clone(b.waiting); len(rest) > 0; {
		best := strongestOf(rest)
		part(1, now+rest[best].left, rest[best].rank, rest[best].content)
		rest = slices.Delete(rest, best, best+1)
	}
	return parts
}
