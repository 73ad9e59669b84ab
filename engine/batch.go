package engine

import (
	"github.com/bufftick/bufftick/actor"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
)

// batchedTurn is a turn that processes only due events. The turns of a slice of the Tick are
// batched if all owners were idle at its start; nearly all turns are. A batchedTurn holds all data
// that the loop and the worker exchange, so that the loop need not access the owner. In a large
// game, owners are rarely in cache, but the batch is.
type batchedTurn struct {
	// The loop writes these fields, except that the worker sets used, completed and parked. If a
	// turn is neither completed nor parked, its result is in the owner, as after a turn started by
	// a message.
	owner     *owner      // for prefetching; nil after the turn
	number    uint32      // number of the owner
	place     rules.Place // the only place with a deadline that has been reached; NoPlace if there may be others
	at        wheel.Time
	given     int32 // the allowance: see Engine.dispatch
	used      int32 // used part of the allowance
	wasLate   bool  // an earlier turn of the owner was cut short
	completed bool  // the turn was completed
	parked    bool  // the turn was cut short because its allowance was used up

	// The worker's results.
	hasDeferred bool // handlers were deferred
	hasCommands bool // result has commands for other owners
	result      segment

	_ [24]byte // keeps the turns of two workers on different cache lines
}

// turnBatch holds the batched turns of a slice. Each turn is allocated separately, because workers
// hold pointers to turns and the list may grow.
type turnBatch struct {
	list []*batchedTurn // the first n turns are in use; the others are kept for larger slices
	n    int            // number of turns in this slice

	before highWater // number of entries in use when shrink was last called
}

// batchTurn adds a batched turn of an owner with the given allowance to this slice.
func (e *Engine) batchTurn(number uint32, given int32) {
	v, c := &e.batch, e.owners.marks[number]
	if v.n == len(v.list) {
		v.list = append(v.list, &batchedTurn{})
	}
	if !c.has(markPresent) {
		panic("engine: batched turn for an owner that has left")
	}
	x, o := v.list[v.n], e.owners.place(number)
	e.refreshSources(o)
	x.owner = o
	x.number, x.place, x.at, x.given, x.used, x.wasLate, x.completed, x.parked = number, c.place(), e.now, given, 0, c.has(markLate), false, false
	v.n++
}

// shrink clears the pointers in unused turns, and replaces the list if it is much too long. The
// parameter s is the largest number of turns in a slice since the last call.
func (v *turnBatch) shrink(s highWater) {
	for _, x := range v.list[s:max(s, v.before)] { // later entries were cleared by the previous call
		x.owner, x.result = nil, segment{}
	}
	v.before = s
	if !s.fits(len(v.list)) {
		v.list = append(make([]*batchedTurn, 0, max(minCapacity, 2*int(s))), v.list[:s]...)
	}
}

// endBatch merges the results of the batched turns, in the order of dispatch.
func (e *Engine) endBatch() {
	v := &e.batch
	e.high.batch.used(v.n)
	left, whole := e.group.EndBatch()
	if whole {
		for _, x := range v.list[:v.n] {
			e.finishBatched(x)
		}
	} else {
		e.splitBatch(left)
	}
	v.n = 0
}

// readAhead is the number of turns that are prefetched together.
const readAhead = 32

// finishBatched merges the result of one turn. The owner must be idle.
func (e *Engine) finishBatched(x *batchedTurn) {
	x.owner = nil // an owner that leaves must not be kept alive
	if !x.completed && !x.parked {
		e.rerunFailed(x)
		return
	}
	e.processed += int(x.used)
	e.mergeBatched(x)
	if x.parked {
		o := e.owners.at(x.number)
		e.noteCutShort(o, x.used)
		e.wait(x.number)
	} else if x.wasLate {
		e.markCaughtUp(e.owners.at(x.number))
	}
	if x.hasCommands && e.copies != nil {
		e.copies.turnMerged(e.owners.at(x.number), true, 0)
	}
}

// splitBatch does the work of endBatch if some owners are busy. The parameter `left` has the
// indexes of the turns that no worker has started. They are converted to messages, so that the
// workers can process them later.
func (e *Engine) splitBatch(left []int) {
	v := &e.batch
	e.starts = 0
	for _, k := range left {
		x := v.list[k]
		x.owner = nil
		o := e.owners.at(x.number)
		e.run(o)
		e.grantAllowance(o, int(x.given))
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
		case len(collected) > 0 && collected[0] == &o.box: // it was busy and has just finished
			collected = collected[1:]
			b := o.needRare()
			b.lastRun, b.batched = e.round, x
			e.mergeTurn(o)
		case !o.box.Idle():
			b := o.needRare()
			b.lastRun = e.round
			// No batch starts while an owner is busy, so x is not reused before it is merged.
			b.batched = x
			e.reserveQuota(o, x.given)
		default:
			e.finishBatched(x)
		}
	}
	clear(e.collected)
	// Start only now, because a turn that started earlier would race with the Idle checks above.
	if e.starts > 0 {
		e.group.Start(e.starts)
	}
}

// rerunFailed handles a batched turn that was not completed because the engine's own code or a
// watcher's clock panicked. The owner's due events run in the next Tick.
func (e *Engine) rerunFailed(v *batchedTurn) {
	o := e.owners.at(v.number)
	e.mergeTurn(o)
	if !o.leaving() {
		e.scheduleTurn(o)
	}
}

// mergeBatched merges the result of one turn. The owner must be idle; mergeBatched accesses it only
// in unusual cases.
func (e *Engine) mergeBatched(v *batchedTurn) {
	if e.watch.on != nil {
		o := e.owners.at(v.number)
		e.watch.turnEnded(o)
		e.watch.turnResult(o.id(), &v.result)
	}
	e.mergeEvents(&v.result)
	if v.hasCommands {
		e.outbox = append(e.outbox, v.result.outbox...)
	}
	e.file(v.result.deadlines)
	if v.hasDeferred && !v.parked {
		if o := e.owners.at(v.number); !o.leaving() {
			e.scheduleTurn(o)
		}
	}
}

// mergeEvents merges the events of one turn.
func (e *Engine) mergeEvents(s *segment) {
	if len(s.events) == 0 {
		return
	}
	e.countMerged(s.chunk)
	e.frame.add(s.events)
	if !s.plain {
		e.counters.add(s.events)
		e.index.collect(s.events)
	}
}

// prefetch prefetches the owners of turns that will run soon: see actor.Options. prefetch must not
// read data that belongs to the loop, because the loop may have continued after the budget ran out.
func (l *workerState) prefetch(next []actor.Turn[*owner, message]) {
	l.readOwners(len(next), func(k int) *batchedTurn { return next[k].Arg.(*batchedTurn) })
}

// readOwners reads the data that the turns of n owners need first, so that the cache misses
// overlap. It reads all owners before it reads their slot keys and due entries, whose addresses
// are in the owners.
func (l *workerState) readOwners(n int, turn func(k int) *batchedTurn) {
	seen := uint64(0)
	for k := range n {
		o := turn(k).owner
		seen += o.set.Ahead() + uint64(o.touched)
	}
	for k := range n {
		x := turn(k)
		seen += x.owner.set.AheadPlace(x.place)
	}
	l.prefetchSink = seen
}

// runBatched runs a batched turn on a worker.
func (l *workerState) runBatched(box *mailbox, v *batchedTurn) {
	o := box.Owner
	if o.touched != l.engine.interval.Load() {
		l.copyBeforeTurn(o)
	}
	h := &l.ownProgress
	if left := o.turns(); left != nil {
		h = &left.progress
	} else {
		*h = progress{}
	}
	h.given, h.used = v.given, 0
	t := l.beginTurn(o, h)
	defer func() {
		l.inBatch = false
		l.storeResult(&v.result, &t)
		l.storeBatched(o, v)
		l.endTurn(&t)
	}()
	l.batched, l.inBatch = v, true
	if v.completed = l.run(box, o, v.place, v.at); !v.completed {
		l.requeue(box)
	}
}

// storeBatched stores the result of a batched turn for the loop.
func (l *workerState) storeBatched(o *owner, v *batchedTurn) {
	v.used = l.progress.used
	if !v.completed && o.turns() == nil { // an unfinished turn keeps its progress in the owner
		o.needRare().turns = &turns{progress: l.ownProgress}
	}
	if !v.completed && !v.parked {
		*o.newSegment() = v.result
		v.result = segment{}
		return
	}
	v.hasCommands, v.hasDeferred = len(v.result.outbox) > 0, o.set.Pending() > 0
}
