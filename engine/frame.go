package engine

import (
	"iter"
	"strconv"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
)

// Frame is the result of a Tick. It is valid until the next Tick.
type Frame struct {
	// Number counts the Ticks from 1. Now is the instant that this Tick reached.
	Number uint64
	Now    wheel.Time

	// Behind is the time that later Ticks still have to process, if Options.CatchUp is Carry. Lost
	// is the time that this Tick has dropped, if Options.CatchUp is Dilate.
	Behind, Lost time.Duration

	// Stuck lists the owners whose handlers were still running when the budget was used up.
	// Waiting is the number of other owners with events that are due by Now and that this Tick
	// could not process, because a worker is stuck or Options.Limits.Tick was reached.
	Stuck   []view.Stuck
	Waiting int

	head  []buff.Event   // events of the loop's calls since the last Tick
	turns [][]buff.Event // events of owners' turns, in the order of dispatch: see Frame.add
	tail  []buff.Event   // events of cross-owner commands and the inbox
	spare []buff.Event   // memory of the previous `head`, for reuse
	count int
}

// Events returns the events since the last Tick. First come the events of the loop's calls, then
// the due events owner by owner, in the order in which the owners became due, and then the events
// of cross-owner commands and the Inbox. The events of each owner are in order. While no owner is
// busy, the order of all events does not depend on the number of workers.
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

// String returns the events as the lines of a log. Each line has the owner, the time in ms, and the
// event, as in "7: 3000 pulse venom x2".
//
// Only the loop goroutine may call it.
func (f *Frame) String() string {
	var text []byte
	for e := range f.Events() {
		text = append(strconv.AppendUint(text, uint64(e.Owner), 10), ": "...)
		text = append(e.AppendLog(text, false), '\n')
	}
	return string(text)
}

// Unreported returns the events of the loop's calls since the last Tick. The next Frame will start
// with these events.
//
// Only the loop goroutine may call it.
func (e *Engine) Unreported() iter.Seq[buff.Event] {
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

// start begins a frame with the events of the loop's calls since the last frame.
func (f *Frame) start(number uint64, loop *rules.Turn) {
	f.Number = number
	f.Stuck, f.Waiting = f.Stuck[:0], 0
	clear(f.turns)
	f.turns = f.turns[:0]
	// Swap the lists: the list that the loop has been filling becomes `head`, and the previous
	// `head` becomes `spare`, for reuse.
	f.spare, f.head = f.head, loop.Events
	f.count = len(f.head)
	loop.Events = f.tail[:0]
	f.tail = nil
}

// add adds the events of one turn, which must have at least one event. If they directly follow the
// events of the previous turn in memory, as they usually do, add extends the slice of that turn.
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

// end completes the frame. e.loop.Events has the events of the frame's last commands. After end,
// the loop adds events to another list, for the next frame.
func (f *Frame) end(e *Engine) {
	f.tail = e.loop.Events
	f.count += len(f.tail)
	e.loop.Events, f.spare = f.spare[:0], nil
	f.Now, f.Behind = e.now, timeBetween(e.now, e.target)
	e.high.loop.used(max(len(f.head), len(f.tail)))
	e.high.turns.used(len(f.turns))
	e.stats.Events += uint64(f.count)
	if e.history != nil && (f.count > 0 || f.Number%forgetEvery == 0) {
		f.recordHistory(e.history)
	}
	if s := e.watch.on; s != nil {
		f.countBySpec(s, len(e.counters.lineages))
	}
	f.Waiting = e.turns.waiting.n
	if e.turns.group.Quiet() {
		return
	}
	s := e.turns.group.Stats()
	f.Waiting += s.Staged + s.Ready
	if s.Pending == 0 {
		return
	}
	for i := range e.turns.workers {
		l := &e.turns.workers[i]
		if v := l.current.Load(); v != 0 {
			f.Stuck = append(f.Stuck, e.stuck(i, v, wheel.Time(l.since.Load())))
		}
	}
}

// forgetEvery is the interval, in frames, at which the flight recorder is called if there are no
// events, so that it drops old events.
const forgetEvery = 256

// recordHistory adds the frame's events to the flight recorder.
func (f *Frame) recordHistory(r *history.Recorder) {
	r.Begin(f.Now)
	r.Add(f.head)
	for _, turn := range f.turns {
		r.Add(turn)
	}
	r.Add(f.tail)
	r.End()
}

// History returns the flight recorder, or nil if Options.Trace.History is 0. The flight recorder
// keeps the events of the last minute of game time; if there are more than fit into
// Options.Trace.History bytes, it keeps the newest. Events of calls since the last Tick are added
// by the next Tick.
//
// Any goroutine may call it.
func (e *Engine) History() *history.Recorder { return e.history }

// specCounters counts events by the lineage of their definition. Each event must be added exactly
// once.
type specCounters struct {
	lineages []counted // by buff.Spec.Lineage; entry 0 is unused
	read     int       // number of Engine.loop.Events already counted
}

type counted struct {
	spec   *buff.Spec // the newest version
	live   int        // running instances
	denied uint64     // denied applications
}

// addCatalog adds the definitions of a catalog, which becomes the current one.
func (t *specCounters) addCatalog(c *buff.Catalog) {
	t.lineages = append(t.lineages, make([]counted, c.Lineages()+1-len(t.lineages))...)
	for s := range c.All() {
		t.lineages[s.Lineage()].spec = s
	}
}

// add counts events that were not counted before.
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

// addLoop counts the events that the loop has added since the last call.
func (t *specCounters) addLoop(events []buff.Event) {
	t.add(events[t.read:])
	t.read = len(events)
}

// Stats returns the current statistics.
//
// Only the loop goroutine may call it.
func (e *Engine) Stats() view.Stats {
	e.enter("Stats")
	s, g := e.stats, e.turns.group.Stats()
	s.Owners = e.byID.n
	s.Busy = g.Running + g.Staged + e.turns.waiting.n
	s.Behind = timeBetween(e.now, e.target)
	s.Timers = e.deadlines.countTimers()
	s.Inbox = e.producers.waiting()
	s.InboxRefused = e.producers.refusals()
	s.Dropped = e.loop.Dropped + e.dropped.Load()
	s.Undelivered += e.loop.Failed + e.failed.Load()
	s.PoolRefused = g.Refused
	s.Faults = e.failures.Load()
	return s
}
