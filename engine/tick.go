package engine

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// Tick moves the time on by dt and runs everything that is due by then. What is
// below a millisecond is carried over to the next Tick. Tick(0) runs what was put
// off, and panics like the others if a handler calls it; a negative dt panics.
//
// In order: the wheel turns; what busy players have done since is taken in; what is
// due goes to its players, who run in parallel, each one in order; Tick waits for
// them, up to Options.Budget; commands across owners are carried out, auras look for
// their members, and then the commands of the [Inbox] follow, and some of what a Reload has
// left to do. The result is valid until the next Tick.
//
// A Tick after a long stall has a limit: see [Options].TickLimit. The time that it has
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
	whole := region(regionTick)
	if dt > math.MaxInt64-e.carry {
		dt = math.MaxInt64 - e.carry
	}
	dt += e.carry
	e.carry = dt % time.Millisecond
	e.target = e.target.After(dt)

	e.watch.begin()
	frame := e.frames.Add(1)
	e.stats.Ticks++
	e.emptyLanes(frame)
	e.giveBack(frame)
	e.tally.addLoop(e.loop.Events)
	e.frame.begin(frame, &e.loop)
	e.ledger.read, e.tally.read = 0, 0

	e.pass()
	end := region(regionMerge)
	e.noteFrame()
	if len(e.behind) > 0 {
		e.catchUpZones()
	}
	if len(e.cross) > 0 {
		e.deliverCross()
	}
	if len(e.ledger.auras.due) > 0 {
		e.lookAround()
	}
	taken := e.deliverInbox()
	e.carryOver()
	e.tally.addLoop(e.loop.Events)
	e.frame.end(e)
	if e.record != nil {
		e.record.tick(int64(asked), taken, &e.frame, e.group.Stats().Pending > 0)
	}
	e.ledger.read, e.tally.read = 0, 0
	if e.living == 0 && e.lived {
		e.renew()
	}
	e.watch.end()
	endRegion(end)
	endRegion(whole)
}

// emptyLanes takes the lists of the frame before back, if nobody writes or reads
// them any more: where everybody is at home, a pump that has not ended yet has
// nothing in hand. Otherwise the lanes find that the frame is another and take new
// lists.
func (e *Engine) emptyLanes(frame uint64) {
	if !e.used || e.group.Stats().Away > 0 {
		return
	}
	e.used = false
	for i := range e.lanes {
		e.lanes[i].empty(frame)
	}
}

// wake tells the owners what is due. It comes before collect: in a mailbox the wakes of
// a slice must stand before its run.
func (e *Engine) wake() {
	for _, f := range e.fired {
		if f.ID&auraTimer != 0 {
			e.ledger.auras.fired(int32(f.ID &^ auraTimer))
			continue
		}
		o := e.owners[uint32(f.ID>>16)]
		if o.leaving {
			continue // due after it left
		}
		e.send(o, message{kind: wake, ref: refOf(f)})
		e.want(o)
	}
	e.stats.Fired += uint64(len(e.fired))
}

// handOut gives a turn to the owners that want one.
func (e *Engine) handOut() {
	for _, o := range e.wanted {
		o.wanted = false
		if !o.leaving {
			e.run(o)
		}
	}
	e.forgetWanted()
}

func (e *Engine) forgetWanted() {
	clear(e.wanted)
	e.slack.wanted.used(len(e.wanted))
	e.wanted = e.wanted[:0]
}

// work hands the owners over, waits for the pumps and takes in what they
// bring. Owners who come home with more to do, since they were busy or have had their
// share, get another round while the budget lasts and something of left is left.
func (e *Engine) work(left int) {
	if e.group.Quiet() {
		return
	}
	e.used = true
	defer endRegion(region(regionWork))
	before := e.frame.count
	e.ticking.Store(true)
	limit, wait := e.opts.Budget, e.group.WaitOthers
	if e.closed { // nobody is left behind
		limit, wait = closeRound, e.group.Wait
	}
	var end <-chan time.Time
	if !e.opts.Synchronous { // where all is done inside Start
		end = e.budget.start(limit)
	}
	for behind := true; behind; {
		e.group.Start()
		e.budget.spent = !wait(end)
		behind = e.takeIn() && !e.budget.spent && e.frame.count-before < left
	}
	e.ticking.Store(false)
}

// takeIn takes in what the owners bring whose turns are over. It reports whether one has more
// to do.
func (e *Engine) takeIn() (behind bool) {
	if e.visits.n > 0 {
		return e.endVisits()
	}
	return e.collect()
}

// collect takes in what the owners that have come home bring, in the order in
// which they were handed over. It reports whether one of them has more to do.
func (e *Engine) collect() (behind bool) {
	e.home = e.group.Collect(e.home[:0])
	e.slack.home.used(len(e.home))
	for _, box := range e.home {
		behind = e.comeHome(box.Owner) || behind
	}
	clear(e.home)
	return behind
}

// comeHome takes in what one owner brings, and reports whether it has more to do.
func (e *Engine) comeHome(o *owner) (behind bool) {
	late := false
	if v := o.visit; v != nil {
		o.visit = nil
		late = v.whole && e.takeVisit(v)
	}
	e.watch.home(o)
	for i := range o.segments {
		e.takeEvents(&o.segments[i])
		e.cross = append(e.cross, o.segments[i].cross...)
	}
	clear(o.segments)
	o.segments, o.share = o.segments[:0], 0
	o.handed, o.late = o.late, 0
	late = e.obey(o) || late
	if (late || o.set.Pending() > 0 && !o.leaving) && !o.rests {
		// It is behind: what is due, or what a command that waited has put off,
		// comes before whatever is asked of it from here on. One that rests has a
		// run that is not done, and is asked again after it.
		e.run(o)
	}
	switch {
	case !e.idle(o):
		return true
	case o.leaving:
		e.stats.DroppedOnDespawn += uint64(e.unload(o))
	default:
		e.adopted(o)
	}
	return false
}

// deliverCross carries out the commands for other owners, sorted by the time of
// their cause, then by the causing owner; those of one owner are in the order of
// issue.
func (e *Engine) deliverCross() {
	slices.SortStableFunc(e.cross, func(a, b cross) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.from, b.from))
	})
	for i := range e.cross {
		c := &e.cross[i]
		if c.own {
			e.evict(c)
			continue
		}
		o := e.byID[c.to]
		if c.by {
			o = e.at(c.num)
		}
		e.forward(o, &c.cmd)
	}
	clear(e.cross)
	e.slack.cross.used(len(e.cross))
	e.cross = e.cross[:0]
}

// deliverInbox carries out what other goroutines have asked for.
func (e *Engine) deliverInbox() (taken []posted) {
	taken = e.inbox.take()
	for _, p := range taken {
		o := e.byID[p.to]
		if p.by {
			o = e.at(p.num)
		}
		e.forward(o, &p.cmd) // of a copy: taken goes to the recording as it was asked
	}
	return taken
}

// forward carries out a command for which nobody waits. What the rules refuse is an
// event; that of which nothing would be seen is counted.
func (e *Engine) forward(o *owner, c *buff.Command) {
	if o == nil {
		e.stats.Undelivered++
		return
	}
	if c.Verb == buff.Apply {
		e.capture(o.id, &c.Application)
	}
	if r := e.deliver(o, c); r.Err != nil && r.Kind == 0 {
		e.stats.Undelivered++
	}
}

func refOf(f wheel.Fired) buff.Ref { return buff.Ref(f.ID) }
