package engine

import (
	"context"
	"runtime/trace"
	"sync/atomic"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
)

// workerState is the state of one worker: its scratch memory and the lists for the results of its
// turns. While a goroutine runs as this worker, the state belongs to that goroutine; otherwise it
// belongs to the loop.
type workerState struct {
	engine       *Engine
	index        int
	prefetchSink uint64 // keeps the compiler from removing prefetch reads
	turn         rules.Turn
	outbox       []outgoing
	commandData  commandData  // data that the commands of its turns point to
	ctx          Context      // passed to handlers
	owner        *owner       // owner of the current turn
	progress     *progress    // progress of the current turn, in owner.turns or in ownProgress
	ownProgress  progress     // used if owner.turns is nil
	batched      *batchedTurn // the last batched turn
	inBatch      bool         // the current turn is batched
	cutTurn      bool         // the result of the current batched turn is not part of a segment
	turnFrom     lengths      // start of the current turn
	ranBefore    uint64       // value of turn.Ran before the current run
	eventsBefore int          // length of turn.Events before the current run
	region       *trace.Region

	// The results of the batched turns of this slice. The loop takes `segments` at its end.
	segments               []segment
	segment                segment // the last segment
	segmentFrom, segmentTo lengths // the part of the lists that belongs to it
	published              bool    // it is in `segments`
	nextSerial             uint64  // number of the turn with which it may continue; or 0

	ahead      []*batchedTurn // scratch of prefetch
	onLoop     bool           // this worker is the loop itself: see dispatcher.runHere
	frame      uint64         // number of the frame to which the lists belong
	emptied    bool           // the loop has emptied the lists, and they are still empty
	chunks     chunks
	old        []lists            // lists of earlier frames
	issued     int                // commands for other owners, issued by the running handler
	handle     buff.Handle        // buff of the running handler's event, or 0
	timeout    buff.TimeoutHandle // timeout of the running handler's event, or 0
	sampler    sampler            // selects the turns to measure
	calls      sampler            // selects the handlers to measure
	labels     context.Context    // profiler labels of the goroutine; may be nil
	callRegion *trace.Region      // trace region of the running handler

	// The `current` and `since` fields show the loop which handler is running. The upper half of
	// `current` is the owner's number plus one, and the lower half is the lineage of the
	// definition. The time of the frame in which the turn started is in `since`.
	current atomic.Uint64
	since   atomic.Int64
	marked  bool // `current` is not 0

	_ [64]byte // keeps the states of two workers on different cache lines
}

func (l *workerState) init(e *Engine, index int) {
	l.engine, l.index = e, index
	l.ctx = Context{worker: l, over: true}
	l.chunks.spare = &e.turns.spare
	l.turn.Call = l.call
	l.turn.FormulaFailed = func(of *buff.Event, v any) { e.reportPanic(callFormula, e.opts.Synchronous, of, v) }
	l.turn.Seed, l.turn.Memory = e.opts.Seed, &e.memory
	l.turn.TimeChanged, l.turn.SheetChanged = e.loop.TimeChanged, e.loop.SheetChanged
}

// lengths are lengths of the worker's lists.
type lengths struct{ events, outbox, deadlines int }

func (l *workerState) lengths() lengths {
	return lengths{len(l.turn.Events), len(l.outbox), len(l.turn.Deadlines)}
}

// beginTurn starts a turn of an owner. The caller must have prepared the lists and set hand.given,
// the allowance.
//
// beginTurn returns the start time of the turn, or a negative value if the turn is not measured.
func (l *workerState) beginTurn(o *owner, hand *progress) (began time.Duration) {
	assign(&l.owner, o)
	assign(&l.progress, hand)
	hand.parked = false
	if trace.IsEnabled() {
		l.region = region(regionTurn)
	}
	// The time is usually unchanged, and an atomic store would wait for earlier stores.
	if now := int64(l.turn.Now); l.since.Load() != now {
		l.since.Store(now)
	}
	l.turnFrom = l.lengths()
	if l.engine.watch.timing.Load() != nil {
		l.setCurrent(nil) // the game's clock may block
		return l.startClock()
	}
	return -1
}

// fill writes to *s the result of one or several turns: the given part of the worker's lists. It may
// be called again with a larger part.
func (l *workerState) fill(s *segment, from, to lengths) {
	seen := len(s.events)
	s.events, s.deadlines = l.turn.Events[from.events:to.events], l.turn.Deadlines[from.deadlines:to.deadlines]
	if to.outbox > from.outbox {
		s.outbox = l.outbox[from.outbox:to.outbox:to.outbox]
	}
	if seen == 0 && len(s.events) > 0 {
		s.chunk = l.chunks.now
		s.chunk.segments++
	}
	for i := seen; s.plain && i < len(s.events); i++ {
		s.plain = s.events[i].Kind == buff.Pulsed
	}
}

// endTurn ends a turn.
// It must be the last call of the turn, because it reads the game's clock, which may panic.
func (l *workerState) endTurn(began time.Duration) {
	if l.region != nil {
		endRegion(l.region)
		l.region = nil
	}
	if began >= 0 {
		l.endClock(l.owner, began)
	}
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
	l.prepare()
	began := l.beginTurn(o, h)
	defer func() {
		l.flushOutbox()
		l.fill(o.newSegment(), l.turnFrom, l.lengths())
		l.endTurn(began)
	}()
	for m, ok := box.Next(); ok; m, ok = box.Next() {
		switch m.kind {
		case do:
			// An earlier run may be unfinished although there is no run message, because a batched
			// turn that was cut short leaves none.
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

// execute runs a command from the owner's mailbox.
func (l *workerState) execute(o *owner, m *message) {
	l.progress.executed++
	if m.throughSource {
		l.sendFromSource(o, m)
		l.progress.used++
		return
	}
	before := len(l.turn.Events)
	if r := o.set.Obey(&l.turn, m.at, m.cmd); r.Failure != nil && r.Kind == 0 {
		l.turn.Failed++
	}
	l.progress.used += int32(max(1, len(l.turn.Events)-before))
}

// run does the same as runDue. If a handler ends its goroutine, run does not return either. A
// deferred function then executes the pending commands of the turn, and requeues the mailbox for
// another worker.
func (l *workerState) run(box *mailbox, o *owner, until wheel.Time) (done bool) {
	returned := false
	defer func() {
		if !returned {
			l.abortRun(box, o, until)
		}
	}()
	done = l.runDue(o, rules.NoPlace, until)
	returned = true
	return done
}

// abortRun completes a run after a handler has ended its goroutine.
func (l *workerState) abortRun(box *mailbox, o *owner, until wheel.Time) {
	defer l.requeue(box) // runs even if a handler ends the goroutine in finish
	defer l.charge()
	l.finish(o, until)
}

// runDue processes the owner's due events, within its allowance and Limits.Turn, and reports whether
// all events that are due at the instant `until` or earlier are done.
func (l *workerState) runDue(o *owner, place rules.Place, until wheel.Time) (done bool) {
	h := l.progress
	if l.engine.cutOff.Load() {
		h.unfinished = false
		return true
	}
	l.ranBefore, l.eventsBefore = l.turn.Ran, len(l.turn.Events)
	h.until, h.unfinished = until, true
	limit := int(h.given - h.used)
	if !l.onLoop {
		limit = min(l.engine.opts.Limits.Turn, limit)
	}
	if place == rules.NoPlace {
		done = o.set.Run(&l.turn, until, limit)
	} else {
		done = o.set.RunPlace(&l.turn, place, until, limit)
	}
	l.charge()
	h.unfinished = !done
	return done
}

// charge adds the work of a run to the used part of the allowance: the number of due events
// processed or the number of events emitted, whichever is larger.
func (l *workerState) charge() {
	l.progress.used += int32(max(int(l.turn.Ran-l.ranBefore), len(l.turn.Events)-l.eventsBefore))
}

// requeue puts an owner whose turn is unfinished back into the queue. The owner is parked if it has
// used up its allowance, or if its handler was still running when the Tick ended. The loop then
// merges its events and gives it another allowance when possible.
func (l *workerState) requeue(box *mailbox) {
	h := l.progress
	h.parked = l.onLoop || h.used >= h.given || l.frame != l.engine.frames.Load()
	h.reached = l.turn.At()
	switch {
	case l.inBatch:
		if h.parked {
			l.batched.outcome |= turnParked
		} else {
			box.Defer(message{kind: run, at: l.batched.at}, false)
		}
	case h.parked:
		box.Requeue(true)
	default:
		box.Requeue(false)
	}
}

// finish executes the pending commands of the turn after a handler has ended its goroutine. If
// these commands call another handler that also ends the goroutine, the deferred function calls
// finish again.
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

// setCurrent records the owner and the definition of the handler that is about to run. The loop
// itself makes no record: the record could not be read before the handler has returned, and the
// atomic store would wait for all earlier stores.
func (l *workerState) setCurrent(s *buff.Spec) {
	if l.onLoop {
		return
	}
	v := uint64(l.owner.number+1) << 32
	if s != nil {
		v |= uint64(s.Lineage())
	}
	l.current.Store(v)
	l.marked = true
}

// call calls a handler. If the handler ends its goroutine, call does not return.
func (l *workerState) call(_ *rules.Turn, c *rules.Call) (why reason.Reason) {
	l.setCurrent(c.Event.Spec)
	l.ctx.over, l.issued, l.handle, l.timeout = false, 0, c.Event.Handle, c.Timeout
	returned := false
	traced := trace.IsEnabled() || l.engine.opts.Trace.Labels
	if traced {
		l.startTracing(c)
	}
	defer func() {
		if traced {
			l.endTracing()
		}
		l.ctx.over = true
		// There may have been a Reload while the handler was running.
		assign(&l.turn.Catalog, l.engine.Catalog())
		if returned {
			return
		}
		f := view.Fault{Event: *c.Event, Value: recover()}
		if f.Value != nil {
			why = reason.Panic
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
	if began >= 0 {
		l.endCall(c.Event.Spec, began)
	}
	return reason.None
}
