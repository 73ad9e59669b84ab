package engine

import (
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// lists are those on which the turns of a worker leave what they bring, of one frame.
type lists struct {
	frame    uint64
	chunks   [][]buff.Event
	outbox   []outgoing
	requests []buff.TimerRequest
	lent     lent
}

// Events lie in chunks: a list of all that a frame brings would be copied again and again while
// it grows. A turn that begins has room for chunkRoom of them, or for half a chunk as long as those
// are small; what is more makes its chunk grow. A game of ten players has small ones for good.
const (
	firstChunk = 4
	chunkSize  = 1024
	chunkRoom  = 64 // as many as defaultTurnLimit
)

// nextChunk makes room for the events of a turn.
func (l *workerState) nextChunk() {
	if l.turn.Events != nil {
		l.chunks[l.chunk] = l.turn.Events
		l.chunk++
	}
	if l.chunk == len(l.chunks) {
		l.chunks = append(l.chunks, make([]buff.Event, 0, min(chunkSize, firstChunk<<min(l.chunk, 8))))
	}
	l.turn.Events = l.chunks[l.chunk][:0]
}

// firstOf begins with the first of some chunks, or none.
func (l *workerState) firstOf(chunks [][]buff.Event) {
	l.chunks, l.chunk, l.turn.Events = chunks, 0, nil
	if len(chunks) > 0 {
		l.turn.Events = chunks[0][:0]
	}
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
		}
		l.frame = f
	}
	l.emptied = false
	l.turn.Now = wheel.Time(l.engine.seen.Load())
	l.turn.Catalog = l.engine.Catalog()
}

// putAway leaves the lists to those who read them, and takes others.
func (l *workerState) putAway() {
	l.store()
	l.old = append(l.old, lists{l.frame, l.chunks, l.outbox, l.requests, l.lent})
	o := lists{}
	if l.old[0].frame < l.engine.unread.Load() {
		o = l.old[0]
		clear(o.outbox) // commands may hold functions
		o.lent.empty()
		l.old = slices.Delete(l.old, 0, 1)
	} else if len(l.old) > mostOld {
		l.old = slices.Delete(l.old, 0, 1)
	}
	l.firstOf(o.chunks)
	l.outbox, l.requests, l.lent = o.outbox[:0], o.requests[:0], o.lent
}

// store puts the chunk that is being filled back among the others: it may have grown.
func (l *workerState) store() {
	if l.turn.Events != nil {
		l.chunks[l.chunk] = l.turn.Events
	}
}

// empty does the same on the loop, when nobody reads the lists any more.
func (l *workerState) empty(frame uint64) {
	l.frame, l.emptied = frame, true
	clear(l.outbox) // commands may hold functions
	l.engine.high.events.used(len(l.requests))
	l.engine.high.chunks.used(l.chunk + 1)
	l.store()
	l.firstOf(l.chunks)
	l.outbox, l.requests = l.outbox[:0], l.requests[:0]
	l.lent.empty()
}

// giveBack frees what is far too much, when nobody reads the lists any more.
func (l *workerState) giveBack(s *highWaters) {
	l.old = nil
	if most := max(1, int(s.chunks)); len(l.chunks) > most {
		l.firstOf(slices.Clone(l.chunks[:most]))
	}
	for i, c := range l.chunks {
		if cap(c) > 4*chunkSize { // one turn has brought very much
			l.chunks[i] = make([]buff.Event, 0, chunkSize)
		}
	}
	l.firstOf(l.chunks)
	l.outbox, l.requests = fit(l.outbox, s.events), fit(l.requests, s.events)
}

// passOn carries out what the rules of one owner want of others, after a command of the
// loop: what is stolen is applied to the thief. Who is not there any more, or has no room
// in his mailbox, does not get it, and it is counted.
func (e *Engine) passOn() {
	if e.passes {
		return // what follows from one of them is carried out behind it
	}
	e.passes = true
	for i := 0; i < len(e.loop.Outbox); i++ {
		c := e.loop.Outbox[i].Command
		e.forward(&c)
	}
	clear(e.loop.Outbox)
	e.loop.Outbox = e.loop.Outbox[:0]
	e.passes = false
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
		l.outbox = append(l.outbox, outgoing{at: p.At, from: l.owner.id, cmd: p.Command})
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
