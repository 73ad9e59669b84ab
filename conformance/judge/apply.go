package judge

// §1.2: what an application does.

import "slices"

// application is one AddBuff.
type application struct {
	id, source string
	stacks     int // 0: what the definition says
	override   bool
	duration   int64
	magnitude  int64
	level      int
	key        int64
	parent     *instance // whose link it is
	params     map[string]float64
	numbers    map[*number]float64
	indirect   bool  // another buff caused it: of a source only that knows what that buff knows
	hold       *hold // an aura gives it
	left       *loot // it was stolen: it lasts as long as it says, whatever scales durations
}

// apply decides about an application, and reports whether it was taken. What is refused changes nothing.
func (o *owner) apply(a application) bool {
	d := o.defs[a.id]
	if a.override && (a.duration <= 0 || d.Duration.instant) { // "0 and negative are definition errors at load and ErrDuration at run time"
		o.say("error %s why=duration", d.ID)
		return false
	}
	if a.stacks == 0 {
		a.stacks = max(d.stack().Initial, 1)
	}
	var missing bool
	if a.numbers, missing = o.asks(d, a); missing {
		o.say("deny %s why=param", d.ID)
		return false
	}
	rest := a.left != nil && a.left.rest // "what that was asked they are not asked again"
	for name := range a.params {
		if !d.asks(name) { // "unknown params are refused"
			o.say("deny %s why=param", d.ID)
			return false
		}
	}
	if why := o.refuses(d); why != "" && !rest {
		o.say("deny %s why=%s", d.ID, why)
		return false
	}
	if d.Duration.instant { // "Instant runs the handler once, inline, no handle"
		o.say("exec %s x1", d.ID) // "no stack given: limit 1: stacks: 3 gives one"
		o.issue(&instance{def: d, magnitude: a.magnitude, level: a.level, numbers: a.numbers}, d.on().Exec, a.source, share{n: 1})
		return true
	}
	return o.carries(d, a, rest)
}

// carries is an application of what is carried.
func (o *owner) carries(d *definition, a application, rest bool) bool {
	joined := o.joins(d, a)
	percent := o.percent(d, a.source)
	if percent == 0 && !rest {
		o.say("deny %s why=dr", d.ID)
		return false
	}
	level := a.level
	if joined != nil && d.stack().Level == "sum" && !joined.def.queued() {
		level += joined.level
	}
	if !a.override {
		a.duration = d.Duration.at(level)
	}
	if (!d.Duration.infinite || a.override) && a.hold == nil {
		if a.left == nil {
			a.duration = d.fixed(a.duration, percent, level, a.numbers)
		}
		if a.duration == 0 {
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
	if d.stack().Level == "higherWins" && a.level < joined.level && !rest {
		o.say("deny %s why=level", d.ID)
		return false
	}
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
		return !joined.gone // what changed nothing was not applied
	}
	if !rest {
		o.counts(d, a.source)
	}
	joined.link(a)
	return true
}

// joins returns the buff that an application joins: "stack.by: none / source / target / key(expr); none = every
// application is its own instance"; "level: segregate: each is a buff of its own".
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

// begin makes a new instance, if the groups and slots allow it, and reports whether they did.
func (o *owner) begin(d *definition, a application) bool {
	goes, why := o.room(d, a)
	if why != "" {
		o.say("deny %s why=%s", d.ID, why)
		return false
	}
	for _, g := range goes {
		o.remove(g.b, g.why, "")
	}
	o.sequence++
	s := d.stack()
	n := min(a.stacks, s.limit())
	if s.queue() {
		n = 1
	}
	b := &instance{
		age: o.sequence, def: d, source: a.source, others: []string{a.source}, key: a.key, level: a.level, magnitude: a.magnitude, stacks: n,
		endless: d.Duration.infinite && !a.override || a.hold != nil, ofAura: a.hold != nil, look: o.stamp, born: o.all.birth(), end: o.own + a.duration, full: a.duration,
		period: d.Period.at(a.level), coming: d.Period.at(a.level), numbers: a.numbers, given: o.nextGiven(),
	}
	b.link(a)
	b.held(a.hold, n)
	if s.each() {
		b.layers = []layer{{stacks: n, end: b.end, source: a.source, magnitude: a.magnitude, level: a.level, age: b.age}}
	}
	if d.Charges != nil {
		b.charges = d.Charges.N
		if a.left != nil {
			b.charges = a.left.charges
		}
	}
	b.fill(a)
	o.beginBeat(b)
	b.failed = !o.holds(&d.Require.Ongoing) // before it has an effect of its own
	b.hidden, b.shaded = b.failed, b.failed
	o.buffs = append(o.buffs, b)
	o.all.number++
	b.number = o.all.number
	o.all.share(b, b.source)
	o.say("apply %s x%d%s", d.ID, n, o.endOf(b))
	o.issue(b, d.on().Apply, a.source, share{n: b.count()})
	o.links(b, a)
	o.cross(b, 0, n, a.source)
	if !b.hidden && o.overshadowed(b) {
		b.hidden, b.shaded = true, true
	}
	if b.hidden {
		o.say("hide %s", d.ID)
	}
	o.settle()
	if !b.gone && (d.First == "start" || d.First == "every") { // "Fires inline right after Applied, at the same logical time"
		n, sum := b.pulsingNow()
		o.pulse(b, n, sum, "")
	}
	return true
}

// links are applied with a buff, by its source, at each application, and removed with it.
func (o *owner) links(b *instance, a application) {
	for _, id := range b.def.Links {
		o.todo = append(o.todo, command{action: action{Apply: id}, source: b.source, magnitude: b.magnitude, level: b.level, round: o.running + 1, parent: b})
	}
}

// link notes that an application is a link of another buff, with which it ends.
func (b *instance) link(a application) {
	if a.parent != nil {
		b.parents = append(b.parents, a.parent)
	}
}

// join is an application to a buff that runs. It reports whether anything changed.
func (o *owner) join(b *instance, a application) bool {
	s := b.def.stack()
	o.catchesUp(b)
	switch {
	case s.each():
		return o.joinEach(b, a)
	case s.queue():
		return o.joinQueue(b, a)
	}
	before := b.stacks
	full := before >= s.limit()
	if full && o.refusesMore(b, a) {
		return false
	}
	b.stacks = max(before, min(before+a.stacks, s.limit()))
	grown := b.stacks > before
	if grown || s.Refresh != "none" {
		b.takes(a)
	}
	b.topUp(a)
	if grown {
		o.say("stack %s x%d", b.def.ID, b.stacks)
		o.cross(b, before, b.stacks, a.source)
	}
	refreshed := o.refresh(b, a)
	if refreshed {
		o.links(b, a)
	}
	o.phase(b, refreshed || grown)
	if full {
		o.overflows(b, a)
	}
	return refreshed || grown
}

// takes is what a further application changes besides stacks and end.
func (b *instance) takes(a application) {
	b.others = append(b.others, a.source)
	b.magnitude = a.magnitude
	if s := b.def.stack(); s.each() || s.Refresh != "none" { // "amount … refreshed on recast"
		b.numbers = a.numbers
	}
	if b.def.stack().Level == "sum" {
		b.leveled(b.level + a.level)
	} else {
		b.leveled(a.level)
	}
}

// topUp is what a further application does to shield and charges: "onRefresh: reset/keep/add".
func (b *instance) topUp(a application) {
	b.fill(a)
	if c := b.def.Charges; c != nil { // "onRefresh: reset/keep/add"
		switch or(c.OnRefresh, "reset") {
		case "reset":
			b.charges = c.N
		case "add":
			b.charges += c.N
		}
	}
}

func (d *definition) queued() bool { s := d.stack(); return s.queue() }

// leveled gives a buff another level. A period by a curve is that of the level from the pulse to come on.
func (b *instance) leveled(to int) {
	if p := &b.def.Period; p.at(b.level) != p.at(to) {
		b.coming = p.at(to)
	}
	b.level = to
}

// refusesMore is an application at the limit: "overflow: allow / deny / clear / replace-oldest; deny refreshes nothing". It
// reports whether the application is refused.
func (o *owner) refusesMore(b *instance, a application) bool {
	switch b.def.stack().Overflow {
	case "deny":
		o.say("deny %s why=limit", b.def.ID)
	case "clear":
		o.remove(b, "overflow", "")
	default:
		return false
	}
	o.overflows(b, a)
	return true
}

// overflows: "overflow_apply[] run in all four cases". What is applied has the level and magnitude of the application.
func (o *owner) overflows(b *instance, a application) {
	with := &instance{def: b.def, magnitude: a.magnitude, level: a.level, numbers: a.numbers}
	for _, id := range b.def.stack().OverflowApply {
		o.issue(with, []action{{Apply: id}}, a.source, share{})
	}
	o.issue(with, b.def.on().Overflow, a.source, share{n: b.def.limit()})
}

// refreshed says that the end of a buff was decided anew.
func (o *owner) refreshed(b *instance, source string) {
	o.sayRefresh(b)
	o.issue(b, b.def.on().Refresh, source, share{n: b.count()})
}

// sayRefresh is the line alone: the end moved, but by no application.
func (o *owner) sayRefresh(b *instance) {
	o.say("refresh %s x%d%s", b.def.ID, b.count(), o.endOf(b))
}

// cross: "thresholds: {5: apply X, consume: true} crossed upwards once per crossing".
func (o *owner) cross(b *instance, from, to int, source string) {
	for _, t := range b.def.stack().Thresholds {
		if from >= t.At || to < t.At {
			continue
		}
		o.todo = append(o.todo, command{action: action{Apply: t.Apply}, source: source, magnitude: b.magnitude, level: b.level, round: o.running + 1})
		if n := t.Consume.n; t.Consume.word == "all" {
			o.todo = append(o.todo, command{uses: b, n: b.def.limit(), round: o.running + 1})
		} else if n > 0 {
			o.todo = append(o.todo, command{uses: b, n: n, round: o.running + 1})
		}
	}
}

// take takes stacks off a buff: of those with their own timers the one that ends first, or for new ones the oldest. "Dispel of a stack keeps both timers."
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
	if !b.each() {
		b.stacks -= n
		o.say("stackend %s x%d why=%s", b.def.ID, b.stacks, why)
		return
	}
	for n > 0 {
		first := b.firstToEnd()
		if why == "overflow" {
			first = 0 // the oldest
		}
		l := &b.layers[first]
		k := min(n, l.stacks)
		l.stacks -= k
		n -= k
		if l.stacks == 0 {
			o.dropLayer(b, first)
		}
	}
	o.say("stackend %s x%d why=%s", b.def.ID, b.count(), why)
}
