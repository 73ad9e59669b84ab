package engine

import (
	"math"
	"time"
)

// Tick advances game time by dt and runs all events that are due by then. A fraction of a
// millisecond is carried over to the next Tick. Tick(0) runs deferred work. Tick panics if dt is
// negative, after Close, and if a handler calls it.
//
// A Tick has these steps. Finished turns of busy owners are collected. The wheel advances. Due
// events are dispatched to their owners, which run in parallel, each in order; Tick waits for the
// owners, up to Options.Budget. Then cross-owner commands are executed, auras search for their
// members, commands of the [Inbox] are executed, and a part of a pending Reload is applied. Each of
// these last steps has its own cost limit, see [Options].Limits.Tick; work above the limit is done
// first in the next Tick. The Frame is valid until the next Tick.
//
// After a long stall, the work of a Tick is limited: see [Options].Limits.Tick. Frame.Now is the
// instant that the Tick has reached. If the Tick could not process all of dt, the remaining time is
// in Frame.Behind or Frame.Lost. With Carry, the following Ticks process the remaining time, even
// if they are Tick(0).
//
// The events of an owner do not depend on how a span of time is divided into Ticks, with one
// exception: commands across owners and from the Inbox wait for the end of the frame.
//
// Only the loop goroutine may call it. It costs O(1) if nothing is due, however many deadlines
// are pending.
func (e *Engine) Tick(dt time.Duration) *Frame {
	e.enter("Tick")
	e.beginExclusive("Tick")
	defer e.endExclusive()
	if dt < 0 {
		panic("engine: Tick with a negative time")
	}
	if e.closed {
		panic("engine: Tick after Close")
	}
	e.tick(dt)
	return &e.frame
}

// tick is Tick for an engine that may be closed.
func (e *Engine) tick(dt time.Duration) {
	defer endRegion(region(regionTick))
	e.given = dt
	if c := e.copies; c != nil {
		c.ticks.start(dt)
		defer c.ticks.end()
	}
	e.startFrame(dt)
	e.runDue()
	r := region(regionMerge)
	e.deliverAll()
	e.endTick(dt)
	endRegion(r)
}

// startFrame adds the time to the target and starts a frame with the events of the loop's calls.
func (e *Engine) startFrame(dt time.Duration) {
	if dt > math.MaxInt64-e.carry {
		dt = math.MaxInt64 - e.carry
	}
	dt += e.carry
	e.carry = dt % time.Millisecond
	e.target = e.target.After(dt)

	e.watch.beforeTick()
	frame := e.frames.Load() + 1
	e.stats.Ticks++
	e.turns.emptyWorkers(frame)
	e.frames.Store(frame)
	e.shrinkLists(frame)
	e.counters.addLoop(e.loop.Events)
	e.frame.start(frame, &e.loop)
	e.index.read, e.counters.read = 0, 0
}

// deliverAll executes the commands that wait for the end of the frame. Each kind has its own limit.
func (e *Engine) deliverAll() {
	e.indexFrameEvents()
	if len(e.areas.pending) > 0 {
		e.retryAreas()
	}
	if len(e.outbox) > 0 {
		e.deliverCross()
	}
	if len(e.index.auras.due) > 0 {
		e.searchAuras()
	}
	if e.producers.waiting() > 0 { // usually there is none
		e.deliverInbox()
	}
}

// endTick is the last part of a Tick. It runs after all callbacks that may end the loop's
// goroutine.
func (e *Engine) endTick(requested time.Duration) {
	if e.sweep.visited = 0; e.sweep.unfinished() {
		e.beforeSweep()
		e.continueSweep()
	}
	e.counters.addLoop(e.loop.Events)
	e.deadlines.sweepWheel()
	e.frame.end(e)
	if e.record != nil {
		e.inCallback = "Options.Trace.Record"
		e.record.tick(int64(requested), &e.frame, e.turns.group.Stats().Pending > 0)
		e.inCallback = ""
	}
	e.index.read, e.counters.read = 0, 0
	if e.ownerCount == 0 && e.hadOwners {
		e.releaseMemory()
	}
	e.watch.end()
	if e.copies != nil {
		e.copies.collectSoonDue()
	}
}

// emptyWorkers clears the workers' lists of the last frame if no owner is busy. A worker goroutine
// may still be active then, but it runs no turn and does not use its lists. If some owner is busy,
// each worker itself replaces its lists when it notices the new frame, with new lists or with old
// ones that are no longer read.
func (d *dispatcher) emptyWorkers(frame uint64) {
	if !d.used {
		return
	}
	d.flushMerged()
	if running := d.group.Running(); len(running) > 0 {
		d.engine.unread.Store(running[0].Owner.readRare().since)
		d.spare.emptyRead(frame, false)
		return
	}
	d.used = false
	for i := range d.workers {
		d.workers[i].empty(frame)
	}
	d.spare.emptyRead(frame, true)
}

func (d *dispatcher) clearScheduled() {
	clear(d.scheduled)
	d.engine.high.scheduled.used(len(d.scheduled))
	d.scheduled = d.scheduled[:0]
}

// work runs the turns of this slice and merges their results.
func (d *dispatcher) work() {
	if d.batch.n == 0 && d.group.Quiet() {
		return
	}
	d.used = true
	defer endRegion(region(regionWork))
	d.engine.ticking.Store(true)
	if d.runsHere() {
		d.runHere(0)
		return
	}
	for _, x := range d.batch.list[:d.batch.n] {
		d.group.Batch(&x.owner.box, x)
	}
	if d.engine.opts.Synchronous { // all turns run inside Start
		d.workHere(func() { d.group.Start(d.starts) })
		return
	}
	limit := d.engine.opts.Budget
	if d.engine.closed { // Close waits for all owners
		limit = closeRound
	}
	end := d.engine.budget.start(limit)
	if n := d.batch.n; n > 0 && n <= smallSlice && d.engine.opts.Workers > 1 {
		d.group.StartOne(d.starts, d.engine.budget.soon())
	} else {
		d.group.Start(d.starts)
	}
	d.endWork(!d.group.Wait(end, d.engine.closed))
}

// workHere calls the function `start`, which runs the turns of the slice on the loop's own
// goroutine. It then merges the results. If a handler ends the goroutine, a deferred function runs
// the remaining turns, recursively if needed. Every owner has then completed its turn, and the next
// caller finds a completed Tick whose remaining time is still pending.
func (d *dispatcher) workHere(start func()) {
	over := false
	defer func() {
		if over {
			return
		}
		if p := recover(); p != nil {
			panic(p) // a bug of the engine
		}
		d.engine.exited = true
		d.workHere(func() {})
		d.engine.indexFrameEvents()
	}()
	start()
	d.endWork(!d.group.Wait(nil, true))
	over = true
}

// endWork merges the results of the workers that are done. The parameter `spent` says whether the
// budget has run out.
func (d *dispatcher) endWork(spent bool) {
	d.engine.budget.spent = spent
	if d.batch.n > 0 {
		d.endBatch()
	} else {
		d.collect()
	}
	if d.engine.budget.spent {
		d.markHeld()
	}
	d.engine.ticking.Store(false)
}

// collect merges the results of the owners whose turns have ended, in the order of dispatch.
func (d *dispatcher) collect() {
	d.claimed = 0
	d.collected = d.group.Collect(d.collected[:0], d.canMerge)
	d.engine.high.collected.used(len(d.collected))
	for _, box := range d.collected {
		d.mergeTurn(box.Owner)
	}
	clear(d.collected)
}

// isLate reports whether events of an idle owner have become due while the owner was busy. Events
// that became due after an owner was dropped do not count, because they are never processed.
func (d *dispatcher) isLate(o *owner) bool {
	if o.leaving() {
		return o.set.WaitsBy(o.since)
	}
	return o.set.WaitsBy(d.engine.now)
}

// mergeTurn merges the results of one owner.
func (d *dispatcher) mergeTurn(o *owner) {
	late, issued, used, executed := false, false, o.used(), int32(0)
	if t := o.turns(); t != nil {
		executed = t.executed
	}
	b := o.needRare()
	if v := b.batched; v != nil {
		b.batched = nil
		if v.outcome&turnParked != 0 {
			// No message resumes a batched turn, so schedule it.
			late, o.turns().parked = true, false
		}
	}
	d.engine.watch.turnEnded(o)
	if t := o.turns(); t != nil {
		for i := range t.segments {
			s := &t.segments[i]
			d.mergeSegment(s)
			issued = issued || len(s.outbox) > 0
		}
		clear(t.segments)
		t.segments, t.executed = t.segments[:0], 0
	}
	d.releaseQuota(o)
	d.processed += int(used)
	o.held = false
	b.dispatched += b.undispatched - executed
	b.undispatched = 0
	if b.revoked.Load() != nil {
		b.forgetRevoked(b.dispatched)
	}
	d.engine.fileDeadlines(o)
	late = d.isLate(o) || late
	if (late || o.set.Pending() > 0 && !o.leaving()) && !o.isParked() && !d.engine.cutOff.Load() {
		// The owner is late: its due events, or handlers that a queued command has deferred, must
		// run before any later command. A parked owner already has a message for its unfinished
		// run.
		d.run(o)
	}
	switch {
	case !d.engine.idle(o):
		d.noteCutShort(o, used)
	case o.leaving():
		d.engine.stats.DroppedOnDespawn += uint64(d.engine.removeOwner(o))
	default:
		d.markCaughtUp(o)
		d.engine.indexAdoptions(o)
	}
	if d.engine.copies != nil && !o.leaving() {
		d.engine.copies.turnMerged(o, issued, executed)
	}
}
