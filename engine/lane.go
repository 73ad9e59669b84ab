package engine

import (
	"runtime/debug"
	"runtime/trace"
	"sync/atomic"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// lane is what one pump needs to work: its scratch, and the lists on which it
// leaves what its turns brought. It belongs to the pump while one runs in its
// place, and to the loop while no pump runs at all.
type lane struct {
	engine   *Engine
	turn     buff.Turn
	cross    []cross
	orders   []buff.Order // of visits
	lent     lent         // what the commands of its turns point to
	ctx      Context
	owner    *owner  // whose turn it is
	visiting *visit  // if it is one
	frame    uint64  // the frame that the lists belong to
	issued   int     // commands for others, of the handler that runs
	sampler  sampler // which turns are measured

	// current and since tell the loop who holds the lane up: the owner's number, plus
	// one, with the definition's line behind it, and the frame's time when the turn
	// began.
	current atomic.Uint64
	since   atomic.Int64

	_ [64]byte // the next lane is another pump's
}

func (l *lane) init(e *Engine) {
	l.engine = e
	l.turn.Call = l.call
	l.turn.Seed = e.opts.Seed
}

// turnOf is what is known of a turn at its begin.
type turnOf struct {
	region          *trace.Region
	began           time.Duration
	events, crossed int // the lengths of the lane's lists
}

// begin begins a turn of an owner.
func (l *lane) begin(o *owner) turnOf {
	l.open()
	l.owner, o.rests = o, false
	t := turnOf{region: region(regionTurn)}
	l.since.Store(int64(l.turn.Now))
	l.mark(nil)
	t.began = l.clockIn()
	t.events, t.crossed = len(l.turn.Events), len(l.cross)
	return t
}

// brought returns what a turn has brought. The turn is not over: end must follow, and comes
// last, for it reads a clock that is not ours and may fail.
func (l *lane) brought(t *turnOf) segment {
	endRegion(t.region)
	l.passOn()
	s := segment{
		events: l.turn.Events[t.events:len(l.turn.Events):len(l.turn.Events)],
		cross:  l.cross[t.crossed:len(l.cross):len(l.cross)],
	}
	s.sum()
	return s
}

// end ends a turn.
func (l *lane) end(t *turnOf) {
	l.clockOut(l.owner, t.began)
	l.current.Store(0)
	if n := l.turn.Dropped; n > 0 {
		l.turn.Dropped = 0
		l.engine.dropped.Add(n)
	}
	if n := l.turn.Failed; n > 0 {
		l.turn.Failed = 0
		l.engine.failed.Add(n)
	}
}

// serve is one turn of an owner with messages.
func (l *lane) serve(box *mailbox) {
	o := box.Owner
	t := l.begin(o)
	defer func() {
		o.segments = append(o.segments, l.brought(&t))
		l.end(&t)
	}()
	for m, ok := box.Next(); ok; m, ok = box.Next() {
		switch m.kind {
		case wake:
			o.set.Wake(m.ref)
		case do:
			if r := o.set.Obey(&l.turn, m.at, m.cmd); r.Err != nil && r.Kind == 0 {
				l.turn.Failed++
			}
		case run:
			if !l.run(box, o, m.at) {
				l.giveWay(box)
				return
			}
		}
	}
}

// run works off what the owner has due, and reports whether that is all.
//
// A handler that ends its goroutine ends run too: what it left in the lane is
// finished on the way out, and the mailbox comes to another pump.
func (l *lane) run(box *mailbox, o *owner, until wheel.Time) (done bool) {
	returned := false
	defer func() {
		if !returned {
			defer l.giveWay(box) // also if finish is ended in turn
			l.finish(o, until)
		}
	}()
	done = o.set.Run(&l.turn, until, l.engine.opts.TurnLimit)
	returned = true
	return done
}

// giveWay lets others pass. An owner that has had its share goes home with what is left,
// so that the loop can take its events in, and give it another share when there is time.
func (l *lane) giveWay(box *mailbox) {
	o := l.owner
	o.share += int32(min(l.engine.opts.TurnLimit, maxShare))
	o.rests = o.share >= l.engine.share
	switch {
	case l.visiting != nil:
		box.Keep(message{kind: run, at: l.visiting.at}, o.rests)
	case o.rests:
		box.Rest()
	default:
		box.Again()
	}
}

// finish carries out the commands that wait in the lane, after a handler has ended
// its goroutine; others of them may do the same.
func (l *lane) finish(o *owner, until wheel.Time) {
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

// open makes the lane's lists ready for the frame. The lists of an earlier frame
// may still be read: they are left to those who do.
func (l *lane) open() {
	if f := l.engine.frames.Load(); l.frame != f {
		l.frame = f
		l.turn.Events, l.cross, l.orders, l.lent = nil, nil, nil, lent{}
	}
	l.turn.Now = wheel.Time(l.engine.seen.Load())
	l.turn.Catalog = l.engine.Catalog()
}

// empty does the same on the loop, when nobody reads the lists any more.
func (l *lane) empty(frame uint64) {
	l.frame = frame
	clear(l.cross) // commands may hold functions
	l.engine.slack.events.used(max(len(l.turn.Events), len(l.orders)))
	l.turn.Events, l.cross, l.orders = l.turn.Events[:0], l.cross[:0], l.orders[:0]
	l.lent.empty()
}

// mark says whose handler runs, and for which definition.
func (l *lane) mark(s *buff.Spec) {
	v := uint64(l.owner.number+1) << 32
	if s != nil {
		v |= uint64(s.Line())
	}
	l.current.Store(v)
}

// call calls a handler. If that ends its goroutine, call does not return.
func (l *lane) call(_ *buff.Turn, c *buff.Call) (why buff.Reason) {
	l.mark(c.Event.Spec)
	l.ctx, l.issued = Context{lane: l}, 0
	returned := false
	defer func() {
		l.ctx.lane = nil
		l.turn.Catalog = l.engine.Catalog() // the loop has gone on if the handler was late
		if returned {
			return
		}
		f := Fault{Event: c.Event}
		if v := recover(); v != nil {
			f.Value, f.Stack = v, debug.Stack()
			why = buff.Panic
		}
		l.report(f)
	}()
	if c.Do != nil {
		c.Do.(func(*Context))(&l.ctx)
	} else {
		l.engine.handler(c.Handler)(&l.ctx, c.Event)
	}
	returned = true
	return buff.NoReason
}

// report tells Options.OnFault, which may fail in turn.
func (l *lane) report(f Fault) {
	if l.engine.opts.OnFault == nil {
		return
	}
	defer func() { _ = recover() }()
	l.engine.opts.OnFault(f)
}
