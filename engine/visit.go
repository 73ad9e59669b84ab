package engine

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// visit is a turn of an owner for nothing but what is due, in a slice in which everybody is
// home: nearly every turn there is. All that passes between the loop and the worker stands in
// it. The loop does not look at the owner, neither on the way out nor on the way home: the
// owners of a large game are in no cache, and the visits are.
type visit struct {
	// The loop writes these, and the worker the last ones.
	number  uint32 // of the owner
	n       int32  // of its timers that have fired
	at      wheel.Time
	near    [nearRefs]buff.Ref
	far     []buff.Ref // those for which near has no room
	whole   bool       // the turn came to its end; if not, what there was is where those of a mailbox leave it
	pending bool       // handlers were put off
	crosses bool       // brought has commands for others

	// What the worker leaves.
	orders  []buff.Order
	brought segment

	_ [48]byte // two workers do not write to one cache line
}

const nearRefs = 8

// visits are those of the slice. A visit stays where it is: workers have pointers to them.
type visits struct {
	list []*visit // as many as there ever were
	n    int      // of this slice
	of   []called // by owner number
	seen uint32   // see fetch
}

// called is what is to be known of an owner to visit it.
type called struct {
	box *mailbox // nil: there is none. To take its address from the owner would be a look at the owner
	at  uint32   // the place in visits.list, if the visit there is this owner's
}

// visitDue tells the owners what is due, and gives a turn to those that want one. Everybody
// is home.
func (e *Engine) visitDue() {
	for k := range e.fired {
		if k%lookAhead == 0 {
			e.visits.fetch(e.fired[k:min(k+lookAhead, len(e.fired))])
		}
		f := e.fired[k]
		if f.ID&auraTimer != 0 {
			e.ledger.auras.fired(int32(f.ID &^ auraTimer))
			continue
		}
		e.visitor(uint32(f.ID >> 16)).add(refOf(f))
	}
	e.stats.Fired += uint64(len(e.fired))
	for _, o := range e.wanted {
		o.wanted = false
		if !o.leaving {
			e.visitor(o.number)
		}
	}
	e.forgetWanted()
}

// lookAhead is how many timers fetch looks at.
const lookAhead = 32

// fetch looks at what is known of some owners, and does nothing with it: in so short a loop
// the processor fetches it for many at once, and without it would wait for one after the other.
func (v *visits) fetch(some []wheel.Fired) {
	seen := uint32(0)
	for _, f := range some {
		if f.ID&auraTimer == 0 {
			seen |= v.of[uint32(f.ID>>16)].at
		}
	}
	v.seen = seen
}

// visitor returns the visit of an owner in this slice.
func (e *Engine) visitor(number uint32) *visit {
	v := &e.visits
	c := &v.of[number]
	if k := int(c.at); k < v.n && v.list[k].number == number {
		return v.list[k]
	}
	if v.n == len(v.list) {
		v.list = append(v.list, &visit{})
	}
	x := v.list[v.n]
	x.number, x.at, x.n, x.whole = number, e.now, 0, false
	c.at = uint32(v.n)
	v.n++
	e.group.Visit(c.box, x)
	return x
}

// add notes a timer that has fired.
func (v *visit) add(ref buff.Ref) {
	if v.n < nearRefs {
		v.near[v.n] = ref
	} else {
		v.far = append(v.far[:v.n-nearRefs], ref)
	}
	v.n++
}

// refs calls f for each of the timers.
func (v *visit) refs(f func(buff.Ref)) {
	for _, ref := range v.near[:min(v.n, nearRefs)] {
		f(ref)
	}
	for _, ref := range v.far[:max(v.n-nearRefs, 0)] {
		f(ref)
	}
}

// giveBack makes visits free if there are far too many, and what the others point to.
func (v *visits) giveBack(s slack) {
	for _, x := range v.list[s:] {
		x.orders, x.brought, x.far = nil, segment{}, nil
	}
	if !s.fits(len(v.list)) {
		v.list = append(make([]*visit, 0, max(keep, 2*int(s))), v.list[:s]...)
	}
}

// endVisits takes in what the visits have brought, in the order in which they were handed
// over, if all are over as usual.
func (e *Engine) endVisits() (behind bool) {
	v := &e.visits
	e.slack.visits.used(v.n)
	begun, whole := e.group.EndVisits()
	if whole {
		for _, x := range v.list[:v.n] {
			if x.whole {
				e.takeVisit(x)
			} else {
				e.fail(x)
			}
		}
		v.n = 0
		return false
	}
	behind = e.splitVisits(begun)
	v.n = 0
	return behind
}

// splitVisits is endVisits where some owners are away. Those whom nobody has visited, since
// the time was over, get what is due as messages, so that the pumps may go on with them.
func (e *Engine) splitVisits(begun int) (behind bool) {
	v := &e.visits
	for _, x := range v.list[begun:v.n] {
		o := e.owners[x.number]
		x.refs(func(ref buff.Ref) { e.send(o, message{kind: wake, ref: ref}) })
		e.run(o)
	}
	e.home = e.group.Collect(e.home[:0])
	e.slack.home.used(len(e.home))
	home := e.home
	for _, x := range v.list[:begun] {
		o := e.owners[x.number]
		switch {
		case len(home) > 0 && home[0] == &o.box: // it was moved or held, and has come to its end
			home = home[1:]
			o.ran, o.visit = e.round, x
			behind = e.comeHome(o) || behind
		case !o.box.Home():
			o.ran = e.round
			o.visit = x // not used again before it is home: as long as one is away, there are no visits
		case x.whole:
			e.takeVisit(x)
		default:
			e.fail(x)
		}
	}
	clear(e.home)
	if begun < v.n { // not before: who is home would be up to the pumps
		e.group.Start()
	}
	return behind
}

// fail takes in a visit that did not come to its end and has kept nothing: the engine's own
// code has failed, or the clock of those who watch. What is due comes in the next Tick.
func (e *Engine) fail(v *visit) {
	o := e.owners[v.number]
	e.comeHome(o)
	if !o.leaving {
		e.want(o)
	}
}

// takeVisit takes in what one visit has brought, and reports whether something came due
// meanwhile, as can be only if the owner was held. The owner is home, and only looked at if
// something is unusual.
func (e *Engine) takeVisit(v *visit) (late bool) {
	if e.watch.on != nil {
		o := e.owners[v.number]
		o.segments = append(o.segments[:0], v.brought)
		e.watch.home(o)
		clear(o.segments)
		o.segments = o.segments[:0]
	}
	e.takeEvents(&v.brought)
	if v.crosses {
		e.cross = append(e.cross, v.brought.cross...)
	}
	for i := range v.orders {
		w := &v.orders[i]
		if w.Timer != 0 && w.Due > e.now && w.Due != wheel.Never {
			e.wheel.Move(w.Timer, w.Due)
		} else {
			late = e.meet(e.owners[v.number], *w) || late
		}
	}
	if v.pending {
		if o := e.owners[v.number]; !o.leaving {
			e.want(o)
		}
	}
	return late
}

// takeEvents takes in the events of one turn.
func (e *Engine) takeEvents(s *segment) {
	if len(s.events) == 0 {
		return
	}
	e.frame.add(s.events)
	if !s.plain {
		e.tally.add(s.events)
		e.ledger.note(s.events)
	}
}

// visit is the worker's side of a visit.
func (l *lane) visit(box *mailbox, v *visit) {
	o := box.Owner
	v.refs(o.set.Wake) // first: should anything fail, the owner still knows what is due
	t := l.begin(o)
	defer func() {
		l.visiting = nil
		l.leave(o, v, l.brought(&t))
		l.end(&t)
	}()
	l.visiting = v
	if v.whole = l.run(box, o, v.at); !v.whole {
		l.giveWay(box)
	}
}

// leave leaves what a visit has brought where the loop looks for it.
func (l *lane) leave(o *owner, v *visit, brought segment) {
	if !v.whole {
		o.segments = append(o.segments, brought)
		return
	}
	from := len(l.orders)
	l.orders = append(l.orders, o.set.Orders()...)
	o.set.ClearOrders()
	v.brought, v.orders = brought, l.orders[from:len(l.orders):len(l.orders)]
	v.crosses, v.pending = len(brought.cross) > 0, o.set.Pending() > 0
}
