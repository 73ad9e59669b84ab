package engine

import (
	"github.com/bufftick/bufftick/actor"
	"github.com/bufftick/bufftick/wheel"
)

// batchedTurn is a turn that processes only due events, in a slice in which all owners are idle.
// Nearly all turns are of this kind. It holds everything that the loop and the worker exchange,
// so that the loop need not access the owner: in a large game an owner is rarely in cache, but
// the batch is.
type batchedTurn struct {
	// The loop writes these fields; the worker sets used, whole and rests.
	owner  *owner // for prefetching; nil after the turn
	number uint32 // number of the owner
	order  uint32 // see buff.Turn
	at     wheel.Time
	given  int32 // the allowance; 0 means Engine.times
	used   int32 // used part of the allowance
	again  bool  // the owner was in the backlog
	whole  bool  // the turn was completed
	rests  bool  // it was cut short by its allowance; if neither is set, its result is in the owner, as after a mailbox turn

	// The worker's results.
	pending bool       // handlers were deferred
	sends   bool       // brought has commands for other owners
	moved   bool       // the owner's next deadline has changed
	oldest  uint32     // order of the next deadline: see buff.Set.TakeDeadline
	next    wheel.Time // the owner's next deadline
	brought segment

	_ [32]byte // keeps the turns of two workers on different cache lines
}

// turnBatch is the batched turns of the slice. The turns are allocated separately, because
// workers hold pointers to them.
type turnBatch struct {
	list []*batchedTurn // reused; as many as the largest slice had
	n    int            // number of turns in this slice
	seen uint32         // keeps the compiler from removing prefetch reads

	before highWater // list entries in use at the previous shrink
}

// batchDue starts batched turns for due owners and for those that have asked for one. All owners
// are idle.
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

// turnFor returns the owner's batched turn of this slice, and makes one if needed.
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
		panic("engine: batched turn for an owner that has left")
	}
	x, o := v.list[v.n], e.owners.place(number)
	e.refreshSources(o)
	x.owner = o
	x.number, x.order, x.at, x.given, x.used, x.again, x.whole, x.rests = number, e.nextOrder(), e.now, 0, 0, false, false, false
	c.setTurn(v.n)
	v.n++
	return x
}

// shrink clears pointers in unused turns and shrinks a list that is much too long.
func (v *turnBatch) shrink(s highWater) {
	for _, x := range v.list[s:max(s, v.before)] { // later ones were cleared the last time
		x.owner, x.brought = nil, segment{}
	}
	v.before = s
	if !s.fits(len(v.list)) {
		v.list = append(make([]*batchedTurn, 0, max(minCapacity, 2*int(s))), v.list[:s]...)
	}
}

// allowance returns the number of events that the owner may process.
func (v *batchedTurn) allowance(e *Engine) int32 {
	if v.given > 0 {
		return v.given
	}
	return min(e.times, e.share)
}

// endBatch merges the results of the batched turns, in the order of dispatch.
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

// mergeAll merges the results of batched turns. It first reads the loop's data of several owners
// and their timers, so that the cache misses overlap.
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

// readAhead is the number of turns whose data is prefetched at once.
const readAhead = 32

// endBatched merges the result of one turn whose owner is idle.
func (e *Engine) endBatched(x *batchedTurn) {
	x.owner = nil // the owner may leave and must not be kept alive then
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
		e.copies.turnMerged(e.owners.at(x.number), true, 0)
	}
}

// splitBatch is endBatch for the case that some owners are busy. Turns that no worker has started
// are turned into messages, so that the workers can process them later.
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
		case len(collected) > 0 && collected[0] == &o.box: // it was busy, and has just finished
			collected = collected[1:]
			b := o.note()
			b.ran, b.batched = e.round, x
			e.takeBack(o)
		case !o.box.Idle():
			b := o.note()
			b.ran = e.round
			b.batched = x // not reused before the owner is idle: no batch starts while an owner is busy
			e.owe(o, x.allowance(e))
		default:
			e.endBatched(x)
		}
	}
	clear(e.collected)
	if e.starts > 0 { // start only now: otherwise the Idle checks above would race with the workers
		e.group.Start(e.starts)
	}
}

// fail handles a batched turn that did not complete because the engine's own code or a watcher's
// clock panicked. Its due events run in the next Tick.
func (e *Engine) fail(v *batchedTurn) {
	o := e.owners.at(v.number)
	e.takeBack(o)
	if !o.leaving() {
		e.want(o)
	}
}

// takeBatched merges the result of one turn. Its owner is idle, and accessed only in unusual
// cases.
func (e *Engine) takeBatched(v *batchedTurn) {
	if e.watch.on != nil {
		o := e.owners.at(v.number)
		e.watch.turnEnded(o)
		e.watch.turnResult(o.id(), &v.brought)
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

// takeEvents merges the events of one turn.
func (e *Engine) takeEvents(s *segment) {
	if len(s.events) == 0 {
		return
	}
	e.takeFrom(s.chunk)
	e.frame.add(s.events)
	if !s.plain {
		e.counters.add(s.events)
		e.index.collect(s.events)
	}
}

// ahead prefetches the owners of turns that come soon: see actor.Options. It reads all owners
// first, then the keys of their slots and their due entries, which are found through them. It
// must not read data of the loop: if the budget has just run out, the loop has continued.
func (l *workerState) ahead(next []actor.Turn[*owner, message]) {
	l.readOwners(len(next), func(k int) *owner { return next[k].Arg.(*batchedTurn).owner })
}

// readOwners reads the data that turns of n owners start with, so that the cache misses overlap.
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

// runBatched runs a batched turn on a worker.
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

// leave stores the result of a batched turn for the loop.
func (l *workerState) leave(o *owner, v *batchedTurn) {
	v.used = l.hand.used
	if !v.whole && o.turns() == nil { // an unfinished turn is kept by its owner
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
