package engine

import (
	"iter"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/wheel"
)

// Frame is what one Tick brought. It is valid until the next Tick.
type Frame struct {
	// Number counts the Ticks; Now is the instant that this one reached.
	Number uint64
	Now    wheel.Time

	// Behind is how much of the time that Ticks have brought is still to be worked off,
	// with Carry; Lost how much of it this Tick has dropped, with Dilate.
	Behind, Lost time.Duration

	// Stuck are the owners whose handlers were still running when the budget was
	// used up, and Waiting is how many others are due by Now and have not been served, or
	// not to the end, because of them or of Options.Limits.Tick.
	Stuck   []view.Stuck
	Waiting int

	head  []buff.Event   // decided on the loop since the Tick before
	turns [][]buff.Event // of the owners, in the order of their hand-over: of one turn, or of some that lie in a row
	tail  []buff.Event   // commands across owners and of the inbox
	spare []buff.Event
	count int
}

// Events returns what happened since the Tick before: first what the loop's calls
// did, then owner by owner what was due, in the order in which the owners came due,
// then what commands across owners and of the Inbox did. The events of one owner
// stand in their order. Their order does not depend on the number of workers, as
// long as nobody is busy.
//
// Only the loop goroutine may call it.
func (f *Frame) Events() iter.Seq[buff.Event] {
	return func(yield func(buff.Event) bool) {
		if !all(f.head, yield) {
			return
		}
		for _, turn := range f.turns {
			if !all(turn, yield) {
				return
			}
		}
		all(f.tail, yield)
	}
}

// Untold returns what calls of the loop have done since the last Tick: the Frame of the next one begins with it.
//
// Only the loop goroutine may call it.
func (e *Engine) Untold() iter.Seq[buff.Event] {
	return func(yield func(buff.Event) bool) { all(e.loop.Events, yield) }
}

func all(events []buff.Event, yield func(buff.Event) bool) bool {
	for i := range events {
		if !yield(events[i]) {
			return false
		}
	}
	return true
}

// Len returns the number of events.
//
// Only the loop goroutine may call it.
func (f *Frame) Len() int { return f.count }

// begin starts a frame with what the loop has decided since the last one.
func (f *Frame) begin(number uint64, loop *buff.Turn) {
	f.Number = number
	f.Stuck, f.Waiting = f.Stuck[:0], 0
	clear(f.turns)
	f.turns = f.turns[:0]
	// The list of the frame before the last is free now, the one that loop has
	// been filling is this frame's.
	f.spare, f.head = f.head, loop.Events
	f.count = len(f.head)
	loop.Events = f.tail[:0]
	f.tail = nil
}

// add takes in what one turn brought, which is something. What lies right behind that of the turn before, as most does, makes one piece with it.
func (f *Frame) add(events []buff.Event) {
	f.count += len(events)
	if k := len(f.turns) - 1; k >= 0 {
		if last := f.turns[k]; cap(last) > len(last) && &last[:len(last)+1][len(last)] == &events[0] {
			f.turns[k] = f.turns[k][:len(last)+len(events)]
			return
		}
	}
	f.turns = append(f.turns, events)
}

// end closes the frame: what loop holds now are the commands at its end. What it
// gets from here on belongs to the next.
func (f *Frame) end(e *Engine) {
	f.tail = e.loop.Events
	f.count += len(f.tail)
	e.loop.Events, f.spare = f.spare[:0], nil
	f.Now, f.Behind = e.now, span(e.now, e.target)
	e.high.loop.used(max(len(f.head), len(f.tail)))
	e.high.turns.used(len(f.turns))
	e.stats.Events += uint64(f.count)
	if e.history != nil && (f.count > 0 || f.Number%forgetEvery == 0) {
		f.remember(e.history)
	}
	if s := e.watch.on; s != nil {
		f.countBySpec(s, len(e.counters.lineages))
	}
	f.Waiting = e.backlog.n
	if e.group.Quiet() {
		return
	}
	s := e.group.Stats()
	f.Waiting += s.Staged + s.Ready
	if s.Pending == 0 {
		return
	}
	for i := range e.workers {
		l := &e.workers[i]
		if v := l.current.Load(); v != 0 {
			f.Stuck = append(f.Stuck, e.stuck(i, v, wheel.Time(l.since.Load())))
		}
	}
}

// forgetEvery is after how many frames without events the flight recorder looks for what is too old.
const forgetEvery = 256

// remember has the flight recorder take in what the frame has.
func (f *Frame) remember(r *history.Recorder) {
	r.Begin(f.Now)
	r.Add(f.head)
	for _, turn := range f.turns {
		r.Add(turn)
	}
	r.Add(f.tail)
	r.End()
}

// History returns the flight recorder, which has the events of the last minute of game time as far as
// Options.Trace.History has room for them; nil if that is zero. What happened after the last Tick is not in it
// before the next one.
//
// Any goroutine may call it.
func (e *Engine) History() *history.Recorder { return e.history }

// specCounters counts what events tell, by the lineages of definitions. It sees each event once.
type specCounters struct {
	lineages []counted // by buff.Spec.Lineage; the first is nobody's
	read     int       // how many of Engine.loop.Events it has seen
}

type counted struct {
	spec   *buff.Spec // the newest version that there has been
	live   int
	denied uint64
}

// know makes room for the definitions of a catalog, which are the newest from here on.
func (t *specCounters) know(c *buff.Catalog) {
	t.lineages = append(t.lineages, make([]counted, c.Lineages()+1-len(t.lineages))...)
	for s := range c.All() {
		t.lineages[s.Lineage()].spec = s
	}
}

// add counts events that it has not seen.
func (t *specCounters) add(events []buff.Event) {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case buff.Applied, buff.Restored:
			t.lineages[e.Spec.Lineage()].live++
		case buff.Removed:
			t.lineages[e.Spec.Lineage()].live--
		case buff.Denied:
			t.lineages[e.Spec.Lineage()].denied++
		}
	}
}

// addLoop counts what the loop has done since it was last asked.
func (t *specCounters) addLoop(events []buff.Event) {
	t.add(events[t.read:])
	t.read = len(events)
}

// Stats returns the present figures.
//
// Only the loop goroutine may call it.
func (e *Engine) Stats() view.Stats {
	e.enter("Stats")
	s, g := e.stats, e.group.Stats()
	s.Owners = e.byID.n
	s.Busy = g.Running + g.Staged + e.backlog.n
	s.Behind = span(e.now, e.target)
	s.Timers = e.wheel.Len()
	s.Inbox = e.producers.waiting()
	s.InboxRefused = e.producers.refusals()
	s.Dropped = e.loop.Dropped + e.dropped.Load()
	s.Undelivered += e.loop.Failed + e.failed.Load()
	s.PoolRefused = g.Refused
	s.Faults = e.failures.Load()
	return s
}
