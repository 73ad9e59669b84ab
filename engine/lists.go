package engine

import (
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// lists are those on which the turns of a worker leave what they bring beside events, of one frame.
type lists struct {
	frame  uint64
	outbox []outgoing
	lent   lent
}

// mostOld is how many lists of earlier frames a worker keeps: those of the frame before, which are
// being read, and one that is free.
const mostOld = 2

// open makes the worker's lists ready for the frame. The lists of an earlier frame
// may still be read: they are left to those who do, until Engine.unread says that nobody does.
func (l *workerState) open() {
	if f := l.engine.frames.Load(); l.frame != f {
		if !l.emptied {
			l.putAway()
			l.emptyRead(f)
		}
		l.frame = f
	}
	l.emptied = false
	l.turn.Now = wheel.Time(l.engine.seen.Load())
	assign(&l.turn.Catalog, l.engine.Catalog())
}

// assign writes a pointer, unless it is there. While the collector marks it looks up what is written, and what stood there: to ask first costs less.
func assign[T any](to **T, p *T) {
	if *to != p {
		*to = p
	}
}

// putAway leaves the lists to those who read them, and takes others.
func (l *workerState) putAway() {
	l.old = append(l.old, lists{l.frame, l.outbox, l.lent})
	o := lists{}
	if l.old[0].frame < l.engine.unread.Load() {
		o = l.old[0]
		clear(o.outbox) // commands may hold functions
		o.lent.empty()
		l.old = slices.Delete(l.old, 0, 1)
	} else if len(l.old) > mostOld {
		l.old = slices.Delete(l.old, 0, 1)
	}
	l.outbox, l.lent = o.outbox[:0], o.lent
}

// empty does the same on the loop, when nobody reads the lists any more.
func (l *workerState) empty(frame uint64) {
	l.frame, l.emptied = frame, true
	clear(l.outbox) // commands may hold functions
	l.emptyAll()
	l.outbox = l.outbox[:0]
	l.lent.empty()
}

// giveBack frees what is far too much, when nobody reads the lists any more.
func (l *workerState) giveBack(s *highWaters) {
	l.old = nil
	l.chunks.giveBack()
	l.outbox = fit(l.outbox, s.events)
	l.owner, l.hand, l.batched = nil, nil, nil // with one owner a whole slab would be kept
}

// passOn carries out what the rules of one owner want of others, after a command of the
// loop: what is stolen is applied to the thief. An owner that is not there any more, or has no room
// in its mailbox, does not get it, and that is counted.
func (e *Engine) passOn() {
	if e.passes {
		return // what follows from one of them is carried out behind it
	}
	e.passes = true
	for i := 0; i < len(e.loop.Outbox); i++ {
		o := e.loop.Outbox[i]
		e.deliverAcross(o.From, &o.Command, &o.Cause)
	}
	clear(e.loop.Outbox)
	e.loop.Outbox = e.loop.Outbox[:0]
	e.passes = false
}

// passLater lets the commands of an owner for others wait for the next Tick: those may be readmitted after it.
func (e *Engine) passLater() {
	for i := range e.loop.Outbox {
		p := &e.loop.Outbox[i]
		e.outbox = append(e.outbox, outgoing{at: p.At, from: p.From, cmd: p.Command, why: p.Cause})
	}
	clear(e.loop.Outbox)
	e.loop.Outbox = e.loop.Outbox[:0]
}

// passOn puts the same, after what the owner did by itself, among the commands for other
// owners. It comes before each one of a handler, so that they stand in the order of
// issue, and at the end of a turn.
func (l *workerState) passOn() {
	if len(l.turn.Outbox) == 0 {
		return
	}
	for i := range l.turn.Outbox {
		p := &l.turn.Outbox[i]
		l.outbox = append(l.outbox, outgoing{at: p.At, from: p.From, cmd: p.Command, why: p.Cause})
	}
	clear(l.turn.Outbox)
	l.turn.Outbox = l.turn.Outbox[:0]
}

// lent is the memory of what a handler's commands point to: copies, so that the handler
// may use its own again. When a list grows, what points into the old one stays good.
type lent struct {
	args     []buff.Arg
	captured []buff.Captured
}

func (l *lent) params(args []buff.Arg) []buff.Arg {
	from := len(l.args)
	l.args = append(l.args, args...)
	return l.args[from:len(l.args):len(l.args)]
}

// empty makes the memory free: no command is left.
func (l *lent) empty() {
	l.args, l.captured = l.args[:0], l.captured[:0]
}

// borrow gives a command that has to wait copies of what it points to.
func borrow(c *buff.Command) {
	c.Application.Params = slices.Clone(c.Application.Params)
	c.Application.Captured = slices.Clone(c.Application.Captured)
}

// highWater is how much of a list was used at most since it was last looked at, so that one
// bad frame does not cost memory for ever.
type highWater int

const (
	// watch is the number of frames after which the lists are looked at: some thirteen
	// seconds. It is odd, for two lists that take turns must both have theirs.
	watch = 255
	// keep is the number of elements for which a list has memory in any case; events are so long
	// that a small game would mostly consist of their lists.
	keep       = 1024
	keepEvents = 16
)

// settled reports whether the lists are looked at after a frame: also soon after the first ones,
// which fill a world. There the lists take turns, too.
func settled(frame uint64) bool { return frame%watch == 0 || frame == 14 || frame == 15 }

// used notes how long a list was.
func (s *highWater) used(n int) { *s = max(*s, highWater(n)) }

// fits reports whether memory for n elements is not far too much.
func (s *highWater) fits(n int) bool { return s.fitsBut(n, keep) }

func (s *highWater) fitsBut(n, keep int) bool { return n <= keep || int(*s) >= n/4 }

// fit returns an empty list that has memory for twice what was used, in the place of one
// that has far more. A steady load does not make it allocate.
func fit[T any](list []T, s highWater) []T {
	if s.fits(cap(list)) {
		return list
	}
	return make([]T, 0, max(keep, 2*int(s)))
}

// fitEvents is fit for a list of events.
func fitEvents(list []buff.Event, s highWater) []buff.Event {
	if s.fitsBut(cap(list), keepEvents) {
		return list
	}
	return make([]buff.Event, 0, max(keepEvents, 2*int(s)))
}

// giveBack looks at the lists of the engine, now and then and between two frames.
func (e *Engine) giveBack(frame uint64) {
	if !settled(frame) || e.group.Stats().Running > 0 {
		return
	}
	s := &e.high
	e.fired, e.collected = fit(e.fired[:0], s.fired), fit(e.collected[:0], s.collected)
	e.due, e.dueSpare = fit(e.due[:0], s.fired), fit(e.dueSpare[:0], s.fired)
	if len(e.outbox) == 0 {
		e.outbox = fit(e.outbox, s.outbox)
	}
	if !s.wanted.fits(cap(e.wanted)) {
		e.wanted = append(make([]ref, 0, max(keep, 2*int(s.wanted))), e.wanted...)
	}
	if b := &e.backlog; b.n == 0 {
		b.queue = fit(b.queue, s.backlog)
	}
	e.group.Shrink(max(keep, 2*int(max(s.collected, s.batch))))
	e.batch.giveBack(s.batch)
	for i := range e.workers {
		e.workers[i].giveBack(s)
	}
	e.spare.giveBack()
	// The frame that was is not valid any more. Its head takes turns with the list that the
	// loop's calls fill now.
	f := &e.frame
	f.head, f.tail, f.turns = fitEvents(f.head[:0], s.loop), fitEvents(f.tail[:0], s.loop), fit(f.turns[:0], s.turns)
	if len(e.loop.Events) == 0 {
		e.loop.Events = fitEvents(e.loop.Events, s.loop)
	}
	*s = highWaters{}
}

// highWaters are those of the engine's lists.
type highWaters struct{ fired, collected, outbox, wanted, batch, events, loop, turns, backlog highWater }

// renew gives back what the wheel, the cross-owner index and the tables of owners have grown to when
// the last owner has gone, so that nobody has a handle of a timer. The numbers of owners
// begin anew, with generations above all that there have been, so that handles of buffs are
// stale for ever.
func (e *Engine) renew() {
	if e.wheel.Len() > 0 || len(e.index.auras.due) > 0 {
		return // an aura that has ended has members to see
	}
	e.lived = false
	e.wheel = wheel.New(e.now)
	e.byID = newIDs()
	e.zones.first().owners = nil
	yield := e.index.auras.yield
	e.index = newCrossIndex(e.Catalog())
	e.index.auras.yield = yield
	// Where a number is used up, or half of the generations are, each number keeps its own:
	// one that has been used much must not use up the others.
	if top := slices.Max(e.bases); len(e.free) == len(e.bases) && top < 1<<31 {
		e.base = top
		e.owners, e.bases, e.free = owners{}, nil, nil
	}
}
