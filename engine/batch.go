package engine

import (
	"github.com/bufftick/bufftick/actor"
	"github.com/bufftick/bufftick/wheel"
)

// batchedTurn is a turn of an owner for nothing but what is due, in a slice in which everybody is
// idle: nearly every turn there is. All that passes between the loop and the worker stands in
// it. The loop does not look at the owner, neither when it hands the turn over nor when it
// takes it back: the owners of a large game are in no cache, and the batch is.
type batchedTurn struct {
	// The loop writes these, and the worker the last ones.
	owner  *owner // for ahead; nil once it is over
	number uint32 // of the owner
	order  uint32 // see buff.Turn
	at     wheel.Time
	given  int32 // the allowance; 0: Engine.times
	used   int32 // of it
	again  bool  // the owner was in the backlog
	whole  bool  // the turn came to its end
	rests  bool  // it was cut short, since the allowance is used up; if neither, what there was is where those of a mailbox leave it

	// What the worker leaves.
	pending bool       // handlers were put off
	sends   bool       // brought has commands for others
	moved   bool       // the owner wants its next turn at another instant than before
	oldest  uint32     // the order of that: see buff.Set.TakeDeadline
	next    wheel.Time // that instant
	brought segment

	_ [32]byte // two workers do not write to one cache line
}

// turnBatch is the batched turns of the slice. One stays where it is: workers have pointers to them.
type turnBatch struct {
	list []*batchedTurn // as many as there ever were
	n    int            // of this slice
	seen uint32         // keeps reads ahead of use from being optimised away

	before highWater // when giveBack came last
}

// batchDue gives a turn to the owners that are due, and to those that want one. Everybody is idle.
func (e *Engine) batchDue() {
	for _, d := range e.due {
		e.turnFor(d.number())
	}
	for _, r := range e.wanted {
		if o := r.alive(); o != nil {
			o.wanted = false
			e.turnFor(o.number)
		}
	}
	e.forgetWanted()
}

// turnFor returns the batched turn of an owner in this slice.
func (e *Engine) turnFor(number uint32) *batchedTurn {
	v := &e.batch
	c := &e.owners.filings[number]
	if k := c.turn(); k < v.n && v.list[k].number == number {
		return v.list[k]
	}
	if v.n == len(v.list) {
		v.list = append(v.list, &batchedTurn{})
	}
	if !c.is(here) {
		panic("engine: a turn of nobody")
	}
	x, o := v.list[v.n], e.owners.place(number)
	x.owner = o
	x.number, x.order, x.at, x.given, x.used, x.again, x.whole, x.rests = number, e.nextOrder(), e.now, 0, 0, false, false, false
	c.setTurn(v.n)
	v.n++
	return x
}

// giveBack makes batched turns free if there are far too many, and what the others point to.
func (v *turnBatch) giveBack(s highWater) {
	for _, x := range v.list[s:max(s, v.before)] { // those behind it were made free then
		x.owner, x.brought = nil, segment{}
	}
	v.before = s
	if !s.fits(len(v.list)) {
		v.list = append(make([]*batchedTurn, 0, max(keep, 2*int(s))), v.list[:s]...)
	}
}

// allowance returns how much the owner may work off.
func (v *batchedTurn) allowance(e *Engine) int32 {
	if v.given > 0 {
		return v.given
	}
	return min(e.times, e.share)
}

// endBatch merges the results of the batched turns that were handed over, in that order.
func (e *Engine) endBatch() {
	v := &e.batch
	e.high.batch.used(v.n)
	left, whole := e.group.EndBatch()
	if whole {
		e.mergeAll(v.list[:v.n])
	} else {
		e.splitBatch(left)
	}
	v.n = 0
}

// mergeAll merges the results of batched turns. It first reads what the loop knows of some owners and their timers, so
// that the cache misses of many overlap.
func (e *Engine) mergeAll(turns []*batchedTurn) {
	for len(turns) > 0 {
		some := turns[:min(len(turns), readAhead)]
		turns = turns[len(some):]
		seen := uint32(0)
		for _, x := range some {
			seen += e.owners.filings[x.number].order
		}
		for _, x := range some {
			seen += e.wheel.Touch(e.owners.filings[x.number].timer)
		}
		e.batch.seen = seen
		for _, x := range some {
			e.endBatched(x)
		}
	}
}

// readAhead is the number of turns whose data is read ahead of use at once.
const readAhead = 32

// endBatched takes in what one turn has brought whose owner is idle.
func (e *Engine) endBatched(x *batchedTurn) {
	x.owner = nil // it may leave, and must not be kept then
	if !x.whole && !x.rests {
		e.fail(x)
		return
	}
	e.worked += int(x.used)
	e.takeBatched(x)
	if x.rests {
		o := e.owners.at(x.number)
		e.cut(o, x.used)
		e.postpone(x.number)
	} else if x.again {
		e.owners.at(x.number).caughtUp()
	}
	if x.sends && e.copies != nil {
		e.copies.home(e.owners.at(x.number), true, 0)
	}
}

// splitBatch is endBatch where some owners are busy. Those whose turn nobody has begun, since
// the time was over, get what is due as messages, so that the workers may go on with them.
func (e *Engine) splitBatch(left []int) {
	v := &e.batch
	e.starts = 0
	for _, k := range left {
		x := v.list[k]
		x.owner = nil
		o := e.owners.at(x.number)
		e.run(o)
		e.allow(o, int(x.allowance(e)))
	}
	e.collected = e.group.Collect(e.collected[:0], nil)
	e.high.collected.used(len(e.collected))
	collected := e.collected
	for k, x := range v.list[:v.n] {
		if len(left) > 0 && left[0] == k {
			left = left[1:]
			continue
		}
		o := e.owners.at(x.number)
		switch {
		case len(collected) > 0 && collected[0] == &o.box: // it was moved or held, and has come to its end
			collected = collected[1:]
			b := o.note()
			b.ran, b.batched = e.round, x
			e.takeBack(o)
		case !o.box.Idle():
			b := o.note()
			b.ran = e.round
			b.batched = x // not used again before it is idle: as long as one is busy, there is no batch
			e.owe(o, x.allowance(e))
		default:
			e.endBatched(x)
		}
	}
	clear(e.collected)
	if e.starts > 0 { // not before: who is idle would be up to the workers
		e.group.Start(e.starts)
	}
}

// fail takes in a batched turn that did not come to its end and has kept nothing: the engine's own
// code has failed, or the clock of those who watch. What is due comes in the next Tick.
func (e *Engine) fail(v *batchedTurn) {
	o := e.owners.at(v.number)
	e.takeBack(o)
	if !o.leaving() {
		e.want(o)
	}
}

// takeBatched takes in what one turn has brought. The owner is idle, and only looked at if
// something is unusual.
func (e *Engine) takeBatched(v *batchedTurn) {
	if e.watch.on != nil {
		o := e.owners.at(v.number)
		e.watch.turnOver(o)
		e.watch.brought(o.id(), &v.brought)
	}
	e.takeEvents(&v.brought)
	if v.sends {
		e.outbox = append(e.outbox, v.brought.outbox...)
	}
	if v.moved {
		e.file(v.number, v.next, v.oldest)
	}
	if v.pending && !v.rests {
		if o := e.owners.at(v.number); !o.leaving() {
			e.want(o)
		}
	}
}

// takeEvents takes in the events of one turn.
func (e *Engine) takeEvents(s *segment) {
	if len(s.events) == 0 {
		return
	}
	e.takeFrom(s.chunk)
	e.frame.add(s.events)
	if !s.plain {
		e.counters.add(s.events)
		e.index.note(s.events)
	}
}

// ahead looks at the owners of turns that come soon, and does nothing with them: see actor.Options. First at
// all owners, then at the keys of their slots and at what is due of each, which are found through them.
// At what is the loop's it does not look: should the budget be over just now, the loop has gone on.
func (l *workerState) ahead(next []actor.Turn[*owner, message]) {
	l.readOwners(len(next), func(k int) *owner { return next[k].Arg.(*batchedTurn).owner })
}

// readOwners reads what turns of n owners begin with, and does nothing with it, so that the cache misses overlap.
func (l *workerState) readOwners(n int, owner func(k int) *owner) {
	seen := uint64(0)
	for k := range n {
		o := owner(k)
		seen += o.set.Ahead() + uint64(o.touched)
	}
	for k := range n {
		o := owner(k)
		seen += o.set.AheadKeys() + o.set.AheadFirst()
	}
	l.looked = seen
}

// runBatched is the worker's side of a batched turn.
func (l *workerState) runBatched(box *mailbox, v *batchedTurn) {
	o := box.Owner
	if o.touched != l.engine.interval.Load() {
		l.beforeTurn(o)
	}
	h := &l.own
	if left := o.turns(); left != nil {
		h = &left.progress
	} else {
		*h = progress{}
	}
	h.order, l.turn.Order = v.order, v.order
	h.given, h.used = v.allowance(l.engine), 0
	t := l.begin(o, h)
	defer func() {
		l.inBatch = false
		l.bring(&v.brought, &t)
		l.leave(o, v)
		l.end(&t)
	}()
	l.batched, l.inBatch = v, true
	if v.whole = l.run(box, o, v.at); !v.whole {
		l.giveWay(box)
	}
}

// leave leaves what a batched turn has brought where the loop looks for it.
func (l *workerState) leave(o *owner, v *batchedTurn) {
	v.used = l.hand.used
	if !v.whole && o.turns() == nil { // what is not done is the owner's
		o.note().turns = &turns{progress: l.own}
	}
	if !v.whole && !v.rests {
		*o.keep() = v.brought
		v.brought = segment{}
		return
	}
	v.next, v.oldest, v.moved = o.set.TakeDeadline(&l.turn)
	v.sends, v.pending = len(v.brought.outbox) > 0, o.set.Pending() > 0
}
