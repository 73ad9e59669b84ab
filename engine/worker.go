package engine

import (
	"context"
	"runtime/trace"
	"sync/atomic"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/wheel"
)

// workerState is the state of one worker: its scratch memory and the lists for the results of its
// turns. It belongs to the worker while one is running in its place, and to the loop while no
// worker is running.
type workerState struct {
	engine       *Engine
	index        int
	prefetchSink uint64 // sink for prefetch reads; unused
	turn         buff.Turn
	outbox       []outgoing
	commandData  commandData // data that the commands of its turns point to
	ctx          Context
	owner        *owner       // owner of the current turn
	progress     *progress    // progress of the current turn: the owner's, or ownProgress
	ownProgress  progress     // used for owners without turns state
	batched      *batchedTurn // the last batched turn
	inBatch      bool         // the current turn is batched
	onLoop       bool         // its turns run on the loop: see Engine.runHere
	frame        uint64       // the frame of the lists
	emptied      bool         // the loop has emptied the lists, and no turn has written to them since
	chunks       chunks
	old          []lists // lists of earlier frames
	issued       int     // commands for other owners, issued by the running handler
	handle       buff.Handle
	timeout      buff.TimeoutHandle // handle and timeout of the running handler's event
	sampler      sampler            // selects the turns to measure
	calls        sampler            // selects the handlers to measure
	labels       context.Context    // of the goroutine, for profiles; may be nil

	// current and since identify the running handler for the loop: current is the owner's number
	// plus one in the upper half and the definition's lineage in the lower one, since the time of
	// the frame when the turn started.
	current atomic.Uint64
	since   atomic.Int64
	marked  bool // current is not 0

	_ [64]byte // keeps the states of two workers on different cache lines
}

func (l *workerState) init(e *Engine, index int) {
	l.engine, l.index = e, index
	l.ctx = Context{worker: l, over: true}
	l.chunks.spare = &e.spare
	l.turn.Call = l.call
	l.turn.FormulaFailed = func(of *buff.Event, v any) { e.reportPanic(callFormula, e.opts.Synchronous, of, v) }
	l.turn.Seed, l.turn.Memory = e.opts.Seed, &e.memory
	l.turn.TimeChanged, l.turn.SheetChanged = e.loop.TimeChanged, e.loop.SheetChanged
}

// turnOf is the state of a turn at its start.
type turnOf struct {
	region         *trace.Region
	began          time.Duration
	events, outbox int // the lengths of the worker's lists
}

// beginTurn starts a turn of an owner. Its progress has the allowance.
func (l *workerState) beginTurn(o *owner, hand *progress) turnOf {
	l.prepare()
	if n := cap(l.turn.Events); n-len(l.turn.Events) < min(chunkRoom, n/2+1) {
		l.nextChunk()
	}
	assign(&l.owner, o)
	assign(&l.progress, hand)
	hand.parked = false
	t := turnOf{region: region(regionTurn)}
	if now := int64(l.turn.Now); l.since.Load() != now { // avoids a store, which would wait for earlier stores
		l.since.Store(now)
	}
	if l.engine.watch.timing.Load() != nil {
		l.setCurrent(nil) // the game's clock may block
		t.began = l.startClock()
	} else {
		t.began = -1
	}
	t.events, t.outbox = len(l.turn.Events), len(l.outbox)
	return t
}

// storeResult stores the result of a turn in to, because returning the large value would copy it.
// The turn is not over yet: endTurn must follow, and must come last, because it reads the game's
// clock, which may panic.
func (l *workerState) storeResult(to *segment, t *turnOf) {
	endRegion(t.region)
	l.flushOutbox()
	to.events = l.turn.Events[t.events:]
	if len(l.outbox) > t.outbox || len(to.outbox) > 0 {
		to.outbox = l.outbox[t.outbox:len(l.outbox):len(l.outbox)]
	}
	if len(to.events) > 0 {
		assign(&to.chunk, l.chunks.now)
		to.chunk.segments++
	}
	to.sum()
}

// endTurn ends a turn.
func (l *workerState) endTurn(t *turnOf) {
	l.endClock(l.owner, t.began)
	if l.marked {
		l.current.Store(0)
		l.marked = false
	}
	if n := l.turn.Dropped; n > 0 {
		l.turn.Dropped = 0
		l.engine.dropped.Add(n)
	}
	if n := l.turn.Failed; n > 0 {
		l.turn.Failed = 0
		l.engine.failed.Add(n)
	}
}

// runMailbox runs one turn of an owner with messages.
func (l *workerState) runMailbox(box *mailbox) {
	o := box.Owner
	if o.touched != l.engine.interval.Load() {
		l.copyBeforeTurn(o)
	}
	h := &o.needTurns().progress
	l.turn.Order = h.order
	t := l.beginTurn(o, h)
	defer func() {
		l.storeResult(o.newSegment(), &t)
		l.endTurn(&t)
	}()
	for m, ok := box.Next(); ok; m, ok = box.Next() {
		switch m.kind {
		case do:
			// A batched turn that was cut short has left no message.
			if h.unfinished && !l.run(box, o, h.until) || h.used >= h.given {
				l.requeue(box)
				return
			}
			l.execute(o, &m)
		case run:
			if !l.run(box, o, m.at) {
				l.requeue(box)
				return
			}
		}
	}
}

// execute runs a queued command.
func (l *workerState) execute(o *owner, m *message) {
	l.progress.executed++
	if m.throughSource {
		l.sendFromSource(o, m)
		l.progress.used++
		return
	}
	told := len(l.turn.Events)
	if r := o.set.Obey(&l.turn, m.at, m.cmd); r.Err != nil && r.Kind == 0 {
		l.turn.Failed++
	}
	l.progress.used += int32(max(1, len(l.turn.Events)-told))
}

// run processes the owner's due events, within its allowance and Limits.Turn, and reports whether
// all are done.
//
// If a handler ends its goroutine, that ends run too: its commands are executed on the way out,
// and the mailbox is passed to another worker.
func (l *workerState) run(box *mailbox, o *owner, until wheel.Time) (done bool) {
	h := l.progress
	if l.engine.cutOff.Load() {
		h.unfinished = false
		return true
	}
	returned := false
	ran, told := l.turn.Ran, len(l.turn.Events)
	h.until, h.unfinished = until, true
	defer func() {
		if !returned {
			defer l.requeue(box) // even if finish ends the goroutine too
			defer func() { l.charge(ran, told) }()
			l.finish(o, until)
		}
	}()
	limit := int(h.given - h.used)
	if !l.onLoop {
		limit = min(l.engine.opts.Limits.Turn, limit)
	}
	done = o.set.Run(&l.turn, until, limit)
	l.charge(ran, told)
	h.unfinished = !done
	returned = true
	return done
}

// charge counts the work of an owner: the number of due events processed, or of events emitted if
// that is larger.
func (l *workerState) charge(ran uint64, told int) {
	l.progress.used += int32(max(int(l.turn.Ran-ran), len(l.turn.Events)-told))
}

// requeue puts an unfinished owner back into the queue. If it has used up its allowance, or
// its handler was held, it is parked: the loop merges its events and gives it another allowance
// when possible.
func (l *workerState) requeue(box *mailbox) {
	h := l.progress
	h.parked = l.onLoop || h.used >= h.given || l.frame != l.engine.frames.Load()
	h.reached = l.turn.At()
	switch {
	case l.inBatch:
		if l.batched.parked = h.parked; !h.parked {
			box.Defer(message{kind: run, at: l.batched.at}, false)
		}
	case h.parked:
		box.Requeue(true)
	default:
		box.Requeue(false)
	}
}

// finish executes the pending commands of the turn after a handler has ended its goroutine. A
// handler called by them may do so again.
func (l *workerState) finish(o *owner, until wheel.Time) {
	returned := false
	defer func() {
		if !returned {
			l.finish(o, until)
		}
	}()
	o.set.Abort(&l.turn)
	o.set.Run(&l.turn, until, 0)
	returned = true
}

// setCurrent records the owner and the definition of the handler that is about to run.
func (l *workerState) setCurrent(s *buff.Spec) {
	v := uint64(l.owner.number+1) << 32
	if s != nil {
		v |= uint64(s.Lineage())
	}
	l.current.Store(v)
	l.marked = true
}

// call calls a handler. If the handler ends its goroutine, call does not return.
func (l *workerState) call(_ *buff.Turn, c *buff.Call) (why buff.Reason) {
	l.setCurrent(c.Event.Spec)
	l.ctx.over, l.issued, l.handle, l.timeout = false, 0, c.Event.Handle, c.Timeout
	returned := false
	told := l.startTracing(c)
	defer func() {
		told.end(l)
		l.ctx.over = true
		assign(&l.turn.Catalog, l.engine.Catalog()) // a Reload may have happened during a slow handler
		if returned {
			return
		}
		f := view.Fault{Event: *c.Event, Value: recover()}
		if f.Value != nil {
			why = buff.Panic
		}
		l.engine.fault(&f, siteOf(c, f.Value == nil))
	}()
	began := l.startCall()
	if c.Do != nil {
		c.Do.(func(*Context))(&l.ctx)
	} else {
		l.engine.handler(c.Handler).call(&l.ctx, *c.Event)
	}
	returned = true
	l.endCall(c.Event.Spec, began)
	return buff.NoReason
}
