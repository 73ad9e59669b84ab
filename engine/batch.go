package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/bufftick/bufftick/actor"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
)

// batchedTurn is a turn that processes only due events. The turns of a slice of the Tick are
// batched if all owners were idle at its start; nearly all turns are. A batchedTurn holds all data
// that the loop and the worker exchange, so that the loop need not access the owner. In a large
// game, owners are rarely in cache, but the batch is.
//
// The results of consecutive turns of a worker are one segment, see workerState.segments.
type batchedTurn struct {
	// The loop writes these fields.
	owner   *owner      // for prefetching; nil after the turn
	place   rules.Place // the only place with a deadline that has been reached; NoPlace if there may be others
	at      wheel.Time
	serial  uint64 // consecutive turns have consecutive numbers
	number  uint32 // number of the owner
	given   int32  // the allowance: see dispatcher.dispatch
	wasLate bool   // an earlier turn of the owner was cut short

	// The worker writes these fields.
	outcome outcome
	used    int32 // used part of the allowance

	_ [16]byte // a turn has a cache line, so that two workers do not share one
}

// outcome says how a batched turn has ended. If it is neither completed nor parked, its result is
// in the owner, as after a turn started by a message.
type outcome uint8

const (
	turnCompleted outcome = 1 << iota // all due events were processed
	turnParked                        // the turn was cut short because its allowance was used up
	turnDeferred                      // handlers were deferred
	turnIssued                        // the turn has issued commands for other owners, and Engine.copies is in use
	turnMeasured                      // the time of the turn was measured
)

// plain reports whether the loop has nothing to do for the turn except to merge its results.
func (x *batchedTurn) plain() bool { return x.outcome == turnCompleted && !x.wasLate }

// turnBatch holds the batched turns of a slice. Each turn is allocated separately, because workers
// hold pointers to turns and the list may grow.
type turnBatch struct {
	list   []*batchedTurn // the first n turns are in use; the others are kept for larger slices
	n      int            // number of turns in this slice
	serial uint64         // number of the next turn

	segments []segment // results of the turns, sorted, while they are merged

	before highWater // number of entries in use when shrink was last called
}

// batchTurn adds a batched turn of an owner with the given mark and allowance to this slice.
func (d *dispatcher) batchTurn(number uint32, c ownerMark, given int32) {
	v := &d.batch
	if v.n == len(v.list) {
		v.list = append(v.list, &batchedTurn{})
	}
	if !c.has(markPresent) {
		panic("engine: batched turn for an owner that has left")
	}
	x, o := v.list[v.n], d.engine.owners.place(number)
	if d.engine.readsSources && o.set.Rereads() && o.set.Next() <= d.engine.now {
		d.engine.refreshSources(o) // not for a stale deadline: nothing happens to the owner then
	}
	x.owner, x.place, x.at, x.number = o, c.place(), d.engine.now, number
	x.serial, x.given, x.wasLate, x.outcome = v.serial, given, c.has(markLate), 0
	v.serial++
	v.n++
}

// shrink clears the pointers in unused turns, and replaces the list if it is much too long. The
// parameter s is the largest number of turns in a slice since the last call.
func (v *turnBatch) shrink(s highWater) {
	for _, x := range v.list[s:max(s, v.before)] { // later entries were cleared by the previous call
		x.owner = nil
	}
	v.before = s
	if !s.fits(len(v.list)) {
		v.list = append(make([]*batchedTurn, 0, max(minCapacity, 2*int(s))), v.list[:s]...)
	}
}

// readAhead is the number of turns that are prefetched together.
const readAhead = 32

// endBatch merges the results of the batched turns, in the order of dispatch.
func (d *dispatcher) endBatch() {
	left, whole := d.group.EndBatch()
	d.starts = 0
	if !whole {
		d.restart(left)
		d.collected = d.group.Collect(d.collected[:0], nil)
		d.engine.high.collected.used(len(d.collected))
	}
	d.mergeBatch(left, whole)
	clear(d.collected)
	d.collected = d.collected[:0]
	// Start only now, because a turn that started earlier would race with the checks of mergeBatch.
	if d.starts > 0 {
		d.group.Start(d.starts)
	}
}

// restart converts batched turns that no worker has started to messages, so that the workers can
// process them later. The parameter `left` has their indexes.
func (d *dispatcher) restart(left []int) {
	for _, k := range left {
		x := d.batch.list[k]
		o := d.engine.owners.at(x.number)
		d.run(o)
		d.grantAllowance(o, int(x.given))
	}
}

// mergeBatch merges the results of the batched turns. Turns with indexes in `left` were not
// started. If `whole` is true, all owners are idle.
func (d *dispatcher) mergeBatch(left []int, whole bool) {
	v := &d.batch
	d.engine.high.batch.used(v.n)
	segments, collected := d.takeSegments(), d.collected
	first := v.serial - uint64(v.n)
	for k, x := range v.list[:v.n] {
		if len(segments) > 0 && segments[0].first == first+uint64(k) {
			d.processed += int(segments[0].used)
			d.mergeSegment(&segments[0])
			segments = segments[1:]
		}
		x.owner = nil // an owner that leaves must not be kept alive
		switch {
		case whole:
			if !x.plain() {
				d.finishBatched(x)
			}
		case len(left) > 0 && left[0] == k:
			left = left[1:]
		default:
			collected = d.finishSplit(x, collected)
		}
	}
	clear(v.segments)
	v.segments = v.segments[:0]
	v.n = 0
	v.serial++ // the segment of a worker must not continue in the next slice
}

// finishSplit finishes a turn of a batch in which some turns did not end normally. The parameter
// `collected` has the mailboxes of such turns that have ended meanwhile, in order.
func (d *dispatcher) finishSplit(x *batchedTurn, collected []*mailbox) []*mailbox {
	o := d.engine.owners.at(x.number)
	switch {
	case len(collected) > 0 && collected[0] == &o.box: // it was busy and has just finished
		b := o.needRare()
		b.lastRun, b.batched = d.round, x
		d.mergeTurn(o)
		return collected[1:]
	case !o.box.Idle():
		b := o.needRare()
		b.lastRun = d.round
		// No batch starts while an owner is busy, so x is not reused before it is merged.
		b.batched = x
		d.reserveQuota(o, x.given)
	case !x.plain():
		d.finishBatched(x)
	}
	return collected
}

// takeSegments returns the segments of all workers, in the order of their turns.
func (d *dispatcher) takeSegments() []segment {
	v := &d.batch
	v.segments = v.segments[:0]
	for i := range d.workers {
		l := &d.workers[i]
		if l.onLoop {
			l.publish()
			l.nextSerial, l.segment, l.segmentTo = 0, segment{}, l.segmentFrom
		}
		v.segments = append(v.segments, l.segments...)
		clear(l.segments)
		l.segments = l.segments[:0]
	}
	d.engine.high.segments.used(len(v.segments))
	slices.SortFunc(v.segments, func(a, b segment) int { return cmp.Compare(a.first, b.first) })
	return v.segments
}

// finishBatched does the loop's work for an unusual turn, whose owner must be idle, after its
// result was merged.
func (d *dispatcher) finishBatched(x *batchedTurn) {
	if x.outcome&(turnCompleted|turnParked) == 0 {
		d.rerunFailed(x)
		return
	}
	o := d.engine.owners.at(x.number)
	if x.outcome&turnMeasured != 0 {
		d.engine.watch.turnEnded(o)
	}
	switch {
	case x.outcome&turnParked != 0:
		d.noteCutShort(o, x.used)
		d.wait(x.number)
	case x.outcome&turnDeferred != 0 && !o.leaving():
		d.scheduleTurn(o)
	}
	if x.wasLate && x.outcome&turnParked == 0 {
		d.markCaughtUp(o)
	}
	if x.outcome&turnIssued != 0 {
		d.engine.copies.turnMerged(o, true, 0)
	}
}

// rerunFailed handles a batched turn that was not completed because the engine's own code or a
// watcher's clock panicked. The owner's due events run in the next Tick.
func (d *dispatcher) rerunFailed(v *batchedTurn) {
	o := d.engine.owners.at(v.number)
	d.mergeTurn(o)
	if !o.leaving() {
		d.scheduleTurn(o)
	}
}

// mergeSegment merges the result of one or several turns.
func (d *dispatcher) mergeSegment(s *segment) {
	d.engine.watch.turnResult(s)
	d.engine.outbox = append(d.engine.outbox, s.outbox...)
	d.engine.deadlines.file(s.deadlines)
	if len(s.events) == 0 {
		return
	}
	d.countMerged(s.chunk)
	d.engine.frame.add(s.events)
	if !s.plain {
		d.engine.counters.add(s.events)
		d.engine.index.collect(s.events)
	}
}

// prefetch prefetches the owners of turns that will run soon: see actor.Options. prefetch must not
// read data that belongs to the loop, because the loop may have continued after the budget ran out.
func (l *workerState) prefetch(next []actor.Turn[*owner, message]) {
	l.ahead = l.ahead[:0]
	for k := range next {
		l.ahead = append(l.ahead, next[k].Arg.(*batchedTurn))
	}
	l.readOwners(l.ahead)
}

// readOwners reads the data that the given turns need first, so that the cache misses
// overlap. It reads all owners before it reads their slot keys and due entries, whose addresses
// are in the owners.
func (l *workerState) readOwners(turns []*batchedTurn) {
	seen := uint64(0)
	for _, x := range turns {
		o := x.owner
		seen += o.set.Ahead() + uint64(o.touched)
	}
	for _, x := range turns {
		seen += x.owner.set.AheadPlace(x.place)
	}
	l.prefetchSink = seen
}

// runBatched runs a batched turn on a worker. The caller must then call endedBatched.
func (l *workerState) runBatched(box *mailbox, x *batchedTurn) {
	o, began, returned := box.Owner, time.Duration(-1), false
	l.cutTurn = true // until the turn has a result
	defer func() {
		if !returned {
			l.abortBatched(box, o, x, began)
		}
	}()
	if o.touched != l.engine.interval.Load() {
		l.copyBeforeTurn(o)
	}
	h := &l.ownProgress
	if left := o.turns(); left != nil {
		h = &left.progress
	} else {
		*h = progress{}
	}
	h.given, h.used = x.given, 0
	l.continueSegment(x.serial)
	began = l.beginTurn(o, h)
	l.batched, l.inBatch = x, true
	if l.runDue(o, x.place, x.at) {
		x.outcome = turnCompleted
	} else {
		l.requeue(box)
	}
	l.storeBatched(o, x)
	returned = true
	l.endBatched(x, began)
}

// endBatched ends a batched turn.
func (l *workerState) endBatched(x *batchedTurn, began time.Duration) {
	l.endTurn(began)
	if began >= 0 {
		x.outcome |= turnMeasured
	}
}

// abortBatched ends a batched turn whose handler has ended the goroutine.
func (l *workerState) abortBatched(box *mailbox, o *owner, x *batchedTurn, began time.Duration) {
	if !l.inBatch {
		return // the turn has not begun
	}
	defer func() {
		l.storeBatched(o, x)
		l.endBatched(x, began)
	}()
	l.abortRun(box, o, x.at)
}

// continueSegment prepares the worker's lists for the result of a turn. The result becomes part of
// the last segment if the turns of that segment precede this turn and the chunk has room.
func (l *workerState) continueSegment(serial uint64) {
	if l.nextSerial != serial || !l.hasRoom() {
		if l.onLoop {
			l.publish()
		}
		l.prepare()
		l.segment = segment{first: serial, plain: true}
		l.segmentFrom = l.lengths()
		l.segmentTo = l.segmentFrom
		l.published = false
	}
	l.nextSerial = serial + 1
}

// storeBatched completes the outcome of a batched turn.
func (l *workerState) storeBatched(o *owner, x *batchedTurn) {
	l.inBatch = false
	l.flushOutbox()
	x.used = l.progress.used
	if x.outcome&turnCompleted == 0 && o.turns() == nil { // an unfinished turn keeps its progress in the owner
		o.needRare().turns = &turns{progress: l.ownProgress}
	}
	if x.outcome&(turnCompleted|turnParked) == 0 {
		l.cut(o)
		return
	}
	l.cutTurn = false
	if o.set.Pending() > 0 {
		x.outcome |= turnDeferred
	}
	if len(l.outbox) > l.turnFrom.outbox && l.engine.interval.Load() != 0 {
		x.outcome |= turnIssued
	}
}

// cut stores the result of the current turn in the owner instead of the segment.
func (l *workerState) cut(o *owner) {
	l.cutTurn = true
	l.fill(o.newSegment(), l.turnFrom, l.lengths())
}

// endedBatched adds the result of the last turn to the segment. If the turn was still running when
// the loop ended the batch (held), the loop has already taken the segment.
func (l *workerState) endedBatched(held bool) {
	if held && !l.cutTurn {
		l.cut(l.owner)
	}
	if l.cutTurn {
		l.nextSerial = 0
		return
	}
	l.segmentTo = l.lengths()
	l.segment.used += l.batched.used
	if !l.onLoop {
		l.publish()
	}
}

// publish makes the segment available to the loop. A worker publishes it after each turn.
func (l *workerState) publish() {
	if l.segmentTo == l.segmentFrom && l.segment.used == 0 {
		return
	}
	l.fill(&l.segment, l.segmentFrom, l.segmentTo)
	if !l.published {
		l.published = true
		l.segments = append(l.segments, l.segment)
		return
	}
	l.segments[len(l.segments)-1] = l.segment
}
