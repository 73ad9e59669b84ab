package engine

import (
	"math"
	"time"
)

// Tick moves the time on by dt and runs everything that is due by then. What is
// below a millisecond is carried over to the next Tick. Tick(0) runs what was put
// off, and panics like the others if a handler calls it; a negative dt panics.
//
// In order: the wheel turns; what busy players have done since is taken in; what is
// due goes to its players, who run in parallel, each one in order; Tick waits for
// them, up to Options.Budget; commands across owners are carried out, auras look for
// their members, and then the commands of the [Inbox] follow, and some of what a Reload has
// left to do. Each of these has a part of the Tick, see [Options].Limits.Tick, and what is left of it
// comes first in the next one. The result is valid until the next Tick.
//
// A Tick after a long stall has a limit: see [Options].Limits.Tick. The time that it has
// reached is Frame.Now, and what is left of dt is Frame.Behind or Frame.Lost; with Carry,
// the following Ticks work it off, those of Tick(0) among them.
//
// How a span of time is split into Ticks makes no difference to the events of an
// owner, except where commands cross between owners or come through the Inbox: they
// wait for the end of the frame.
//
// Only the loop goroutine may call it. It costs O(1) if nothing is due, whatever
// waits.
func (e *Engine) Tick(dt time.Duration) *Frame {
	e.enter("Tick")
	e.occupy("Tick")
	defer e.vacate()
	if dt < 0 {
		panic("engine: Tick with a negative time")
	}
	if e.closed {
		panic("engine: Tick after Close")
	}
	e.tick(dt)
	return &e.frame
}

// tick is Tick, also for Close.
func (e *Engine) tick(dt time.Duration) {
	asked := dt
	e.given = dt
	whole := region(regionTick)
	if dt > math.MaxInt64-e.carry {
		dt = math.MaxInt64 - e.carry
	}
	dt += e.carry
	e.carry = dt % time.Millisecond
	e.target = e.target.After(dt)

	if c := e.copies; c != nil {
		c.ticks.begin(asked)
		defer c.ticks.end()
	}
	e.watch.begin()
	frame := e.frames.Load() + 1
	e.stats.Ticks++
	e.emptyWorkers(frame)
	e.frames.Store(frame)
	e.giveBack(frame)
	e.counters.addLoop(e.loop.Events)
	e.frame.begin(frame, &e.loop)
	e.index.read, e.counters.read = 0, 0

	e.pass()
	end := region(regionMerge)
	e.noteFrame()
	if len(e.zones.behind) > 0 {
		e.catchUpZones()
	}
	if len(e.outbox) > 0 {
		e.deliverCross()
	}
	if len(e.index.auras.due) > 0 {
		e.searchAuras()
	}
	if e.producers.waiting() > 0 { // most Ticks find nothing
		e.deliverInbox()
	}
	e.endTick(asked)
	endRegion(end)
	endRegion(whole)
}

// endTick is the last part of a Tick, behind everything that may call a function of the game that
// ends the loop's goroutine.
func (e *Engine) endTick(asked time.Duration) {
	if e.sweep.looked = 0; e.sweep.goesOn() {
		e.alterSwept()
		e.carryOver()
	}
	e.counters.addLoop(e.loop.Events)
	e.frame.end(e)
	if e.record != nil {
		e.asking = "Options.Trace.Record"
		e.record.tick(int64(asked), &e.frame, e.group.Stats().Pending > 0)
		e.asking = ""
	}
	e.index.read, e.counters.read = 0, 0
	if e.living == 0 && e.lived {
		e.renew()
	}
	e.watch.end()
	if e.copies != nil {
		e.copies.lookAhead()
	}
}

// emptyWorkers takes the lists of the frame before back, if nobody writes or reads
// them any more: where everybody is idle, a worker that has not ended yet has
// nothing in hand. Otherwise the workers find that the frame is another and take new
// lists, or those of a frame that is long over.
func (e *Engine) emptyWorkers(frame uint64) {
	if !e.used {
		return
	}
	e.takenIn()
	if running := e.group.Running(); len(running) > 0 {
		e.unread.Store(running[0].Owner.noted().since)
		e.spare.emptyRead(frame, false)
		return
	}
	e.used = false
	for i := range e.workers {
		e.workers[i].empty(frame)
	}
	e.spare.emptyRead(frame, true)
}

// wantDue notes that the owners that are due want a turn.
func (e *Engine) wantDue() {
	for _, d := range e.due {
		if o := e.owners.at(d.number()); !o.leaving() { // otherwise it is due after it left
			e.want(o)
		}
	}
}

// runWanted gives a turn to the owners that want one.
func (e *Engine) runWanted() {
	for _, r := range e.wanted {
		if o := r.alive(); o != nil {
			o.wanted = false
			e.run(o)
		}
	}
	e.forgetWanted()
}

func (e *Engine) forgetWanted() {
	clear(e.wanted)
	e.high.wanted.used(len(e.wanted))
	e.wanted = e.wanted[:0]
}

// work runs the turns of this slice and merges their results.
func (e *Engine) work() {
	if e.batch.n == 0 && e.group.Quiet() {
		return
	}
	e.used = true
	defer endRegion(region(regionWork))
	e.ticking.Store(true)
	if e.runsHere() {
		e.runHere(0)
		return
	}
	for _, x := range e.batch.list[:e.batch.n] {
		e.group.Batch(&x.owner.box, x)
	}
	if e.opts.Synchronous { // all is done inside Start
		e.workHere(func() { e.group.Start(e.starts) })
		return
	}
	limit := e.opts.Budget
	if e.closed { // nobody is left behind
		limit = closeRound
	}
	end := e.budget.start(limit)
	if n := e.batch.n; n > 0 && n <= smallSlice && e.opts.Workers > 1 {
		e.group.StartOne(e.starts, e.budget.soon())
	} else {
		e.group.Start(e.starts)
	}
	e.endWork(!e.group.Wait(end, e.closed))
}

// workHere is work on the loop's own goroutine. A handler that ends it, which nothing can prevent,
// has its worker's place taken on the way out, as often as it takes: no owner is left in hand, and
// whoever goes on finds a Tick that has come to its end, with the rest of its time still to come.
func (e *Engine) workHere(start func()) {
	over := false
	defer func() {
		if over {
			return
		}
		if p := recover(); p != nil {
			panic(p) // the engine's own
		}
		e.exited = true
		e.workHere(func() {})
		e.noteFrame()
	}()
	start()
	e.endWork(!e.group.Wait(nil, true))
	over = true
}

// endWork takes in what the workers bring who are done, or whose time is spent.
func (e *Engine) endWork(spent bool) {
	e.budget.spent = spent
	if e.batch.n > 0 {
		e.endBatch()
	} else {
		e.collect()
	}
	if e.budget.spent {
		e.hold()
	}
	e.ticking.Store(false)
}

// collect takes in what the owners whose turns are over bring, in the order in which they were
// handed over.
func (e *Engine) collect() {
	e.claim = 0
	e.collected = e.group.Collect(e.collected[:0], e.affordable)
	e.high.collected.used(len(e.collected))
	for _, box := range e.collected {
		e.takeBack(box.Owner)
	}
	clear(e.collected)
}

// takeBack takes in what one owner brings.
func (e *Engine) takeBack(o *owner) {
	late, gave, used, obeyed := false, false, o.used(), int32(0)
	if t := o.turns(); t != nil {
		obeyed = t.obeyed
	}
	b := o.note()
	if v := b.batched; v != nil {
		b.batched, v.owner = nil, nil
		if v.whole || v.rests {
			e.takeBatched(v)
			gave = v.sends
		}
		if v.rests {
			late, o.turns().rests = true, false // it has no message that says so
		}
	}
	e.watch.turnOver(o)
	if t := o.turns(); t != nil {
		for i := range t.segments {
			s := &t.segments[i]
			e.watch.brought(o.id(), s)
			e.takeEvents(s)
			e.outbox = append(e.outbox, s.outbox...)
			gave = gave || len(s.outbox) > 0
		}
		clear(t.segments)
		t.segments, t.obeyed = t.segments[:0], 0
	}
	e.settle(o)
	e.worked += int(used)
	o.held = false
	b.handed += b.late - obeyed
	b.late = 0
	if b.revoked.Load() != nil {
		b.forgetRevoked(b.handed)
	}
	late = e.obey(o) || late
	if (late || o.set.Pending() > 0 && !o.leaving()) && !o.rests() && !e.cutOff.Load() {
		// It is behind: what is due, or what a command that waited has put off,
		// comes before whatever is asked of it from here on. One that rests has a
		// run that is not done, and is asked again after it.
		e.run(o)
	}
	switch {
	case !e.idle(o):
		e.cut(o, used)
	case o.leaving():
		e.stats.DroppedOnDespawn += uint64(e.unload(o))
	default:
		o.caughtUp()
		e.adopted(o)
	}
	if e.copies != nil && !o.leaving() {
		e.copies.home(o, gave, obeyed)
	}
}
