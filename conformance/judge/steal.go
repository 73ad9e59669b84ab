package judge

// §1.3: "Steal(query, maxDuration); removed with reason Stolen". The ruling: "the thief gets what was left: of the shield, of the
// charges, each stack with its own end, waiting applications of a queue in order".

// loot is what was left of a shield and of charges, and the numbers that were worked out.
type loot struct {
	numbers map[*number]float64
	pool    int64
	charges int
	rest    bool // of several parts not the first
}

// steal takes what is meant from one owner and gives it to another.
func (o *owner) steal(q query, to *owner, atMost *span) {
	strength := rankOf(q.Grade)
	all := o.carried()
	if q.one != "" {
		all, strength, q.Most = nil, rankOf("death"), 1
		if b := o.oldest(q.one); b != nil {
			all = []*instance{b}
		}
	}
	if q.Newest {
		for i, j := 0, len(all)-1; i < j; i, j = i+1, j-1 {
			all[i], all[j] = all[j], all[i]
		}
	}
	n := 0
	for _, b := range all {
		d := dispel{}
		if b.def.Dispel != nil {
			d = *b.def.Dispel
		}
		if b.gone || q.one == "" && !q.matches(b) || d.Stealable != nil && !*d.Stealable || rankOf(d.Grade) > strength || q.Most > 0 && n == q.Most {
			continue
		}
		n++
		parts := b.parts(o.own, to.name, atMost)
		o.remove(b, "stolen", "")
		o.all.post(to, func() {
			for i, a := range parts {
				a.left.rest = i > 0
				if !to.apply(a) && i == 0 {
					return
				}
			}
		})
	}
}

// parts are the applications that are in effect in a buff, or wait in it, with what is left of each.
func (b *instance) parts(own int64, thief string, atMost *span) (parts []application) {
	now := b.clock(own)
	part := func(stacks int, end, magnitude int64, level int, numbers map[*number]float64) {
		a := application{id: b.def.ID, source: thief, stacks: stacks, magnitude: magnitude, level: level, key: b.key, left: &loot{numbers, b.pool, b.charges, false}}
		if a.override = !b.endless || atMost != nil; a.override {
			if a.duration = end - now; atMost != nil && (b.endless || a.duration > int64(*atMost)) {
				a.duration = int64(*atMost)
			}
		}
		if !a.override || a.duration > 0 { // what would have ended now is not stolen
			parts = append(parts, a)
		}
	}
	if end, yes := b.lingers(); yes {
		b.endless = false
		part(b.count(), end, b.magnitude, b.level, b.numbers)
		return parts
	}
	if !b.each() {
		part(b.stacks, b.end, b.magnitude, b.level, b.numbers)
	}
	for _, l := range b.layers {
		part(l.stacks, l.end, l.magnitude, l.level, b.numbers)
	}
	for rest := append([]wait{}, b.waiting...); len(rest) > 0; {
		best := strongestOf(rest)
		part(1, now+rest[best].left, rest[best].magnitude, rest[best].level, rest[best].numbers)
		rest = append(rest[:best:best], rest[best+1:]...)
	}
	return parts
}
