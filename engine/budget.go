package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// Decisions of the engine depend on a real clock only in this file. The clock limits how long Tick
// and Close wait for handlers. No decision of the rules depends on it.

// closeRound is how long Close waits for handlers before it checks its context again. If a shared
// pool had no free goroutines for the workers, Close also tries again to get some.
const closeRound = 10 * time.Millisecond

// budget limits the total time that one Tick waits, in all its slices.
type budget struct {
	timer *time.Timer
	small *time.Timer // timer of the method soon
	runs  bool        // timer has been started in this Tick
	spent bool        // a wait of this Tick has timed out
}

// start returns a channel that delivers when the Tick has used up the given limit, counted from the
// first call in that Tick. If the limit is negative, the time is not limited, and start returns
// nil.
func (b *budget) start(limit time.Duration) <-chan time.Time {
	switch {
	case limit < 0:
		return nil
	case b.timer == nil:
		b.timer = time.NewTimer(limit)
	case !b.runs:
		b.timer.Reset(limit)
	}
	b.runs = true
	return b.timer.C
}

// soon returns a channel that delivers after smallWait.
func (b *budget) soon() <-chan time.Time {
	if b.small == nil {
		b.small = time.NewTimer(smallWait)
	} else {
		b.small.Reset(smallWait)
	}
	return b.small.C
}

// smallWait is how long a single worker runs a small slice before further workers are woken. A
// handler that blocks therefore delays the other owners of the slice by at most smallWait.
const smallWait = 200 * time.Microsecond

// stop ends the budget of a Tick.
func (b *budget) stop() {
	if b.runs {
		b.timer.Stop()
	}
	if b.small != nil {
		b.small.Stop()
	}
	b.runs, b.spent = false, false
}

// CatchUp determines what happens to the part of a Tick's time that the Tick could not process
// because it had reached [Options].Limits.Tick.
type CatchUp uint8

// The policies.
const (
	// Carry keeps the time: the following Ticks process it, in order, in addition to their own
	// time. Until they have done so, the engine's time is behind the game's by Frame.Behind.
	Carry CatchUp = iota

	// Dilate drops the time: the engine continues from the instant it has reached, as if the
	// world had been paused for Frame.Lost. No due event is lost; it runs later.
	Dilate
)

const (
	// undivided is the length up to which a Tick is one slice. No definition may pulse faster than
	// every 50 ms, so each buff pulses at most twice in that time.
	undivided = wheel.Time(define.MinPeriod / time.Millisecond)

	// sliceCost is the fixed cost of a slice: dispatching a slice to the workers takes about as
	// long as processing that number of events.
	sliceCost = 16

	// maxShare is the largest number of events that one owner may process before it must return
	// them to the loop.
	maxShare = 4096

	// minShare is the smallest allowance while more owners are due than the Tick can serve. It is
	// not 1 because most owners can process all their due buffs in one turn with this allowance,
	// and a second turn costs more than the few remaining events.
	minShare = 4
)

// runDue advances game time to the target and runs the due events, in slices, as far as Limits.Tick
// allows. A Tick with little to do has one slice. A slice does not advance the time if game time
// must not pass a waiting owner. The end-of-frame work is done once, after the last slice.
func (e *Engine) runDue() {
	e.frame.Lost = 0
	e.turns.processed = 0
	if !e.turns.group.Quiet() {
		e.turns.collect()
	}
	for slice := 0; ; slice++ {
		left := e.turns.quotaLeft() - e.turns.claimed - slice*sliceCost
		if slice > 0 && left <= 0 {
			break
		}
		e.turns.round++
		r := region(regionAdvance)
		e.advanceWheel(left)
		endRegion(r)
		if len(e.deadlines.fired)+len(e.turns.scheduled)+e.turns.waiting.n == 0 && e.now == e.target && e.turns.group.Quiet() {
			break // no work
		}
		e.turns.collectDue()
		e.seen.Store(int64(e.now))
		e.turns.dispatch(left)
		e.turns.work()
		if e.budget.spent || e.now == e.target && e.turns.waiting.n+len(e.turns.group.Staged()) == 0 {
			break
		}
	}
	e.budget.stop()
	if e.opts.CatchUp == Dilate && e.now < e.target {
		e.frame.Lost = timeBetween(e.now, e.target)
		e.stats.Lost += e.frame.Lost
		e.target = e.now
	}
}

// advanceWheel advances the time for one slice. It stops at an instant by which about `left` events
// are expected to become due. It moves the wheel from deadline to deadline, and assumes that each
// deadline repeats every MinPeriod. If more than `left` events are due in a single millisecond, the
// excess events wait in dispatcher.waiting, and time does not advance until they have run.
//
// Owners with scheduled turns or messages may set new deadlines, so each counts as one expected
// event.
func (e *Engine) advanceWheel(left int) {
	e.high.fired.used(len(e.deadlines.fired))
	e.deadlines.fired = e.deadlines.fired[:0]
	target, ok := e.turns.horizon()
	if !ok {
		return
	}
	reach, from := target, e.now
	if target-e.now > undivided {
		due := len(e.turns.scheduled) + e.turns.group.Stats().Staged
		reach = sliceEnd(from, target, due, left)
		for {
			next, ok := e.deadlines.wheel.Next()
			if !ok || next > reach {
				break
			}
			next = max(next, e.deadlines.wheel.Now())
			if due == 0 {
				from = next
			}
			before := len(e.deadlines.fired)
			e.deadlines.fired = e.deadlines.wheel.Advance(next, e.deadlines.fired)
			due += len(e.deadlines.fired) - before
			reach = max(next, sliceEnd(from, target, due, left))
		}
	}
	e.now = reach
	e.deadlines.fired = e.deadlines.wheel.Advance(reach, e.deadlines.fired)
}

// sliceEnd returns the latest instant to which a slice may advance. The slice may process `left`
// events. Starting at the instant `from`, sliceEnd assumes that the given number of due events must
// be processed in every MinPeriod.
func sliceEnd(from, target wheel.Time, due, left int) wheel.Time {
	if due == 0 {
		return target
	}
	return min(target, from.Add(int64(undivided)*int64(max(1, left/due))))
}

// timeBetween returns the time between two instants, at most the longest Duration.
func timeBetween(from, to wheel.Time) time.Duration {
	const most = wheel.Time(1<<63-1) / wheel.Time(time.Millisecond)
	return time.Duration(min(to-from, most)) * time.Millisecond
}

// The cost of the loop's end-of-frame work is limited, like the cost of due events. Changes of area
// times, cross-owner commands, aura searches and Inbox commands each have their own limit in a
// Tick, so that none of them starves the others or due events. Work above its limit waits, in
// order, and comes before new work in the next Tick. A command is not divided, so the last one may
// exceed the limit.

// visitsPerEvent is the number of visited buffs, as counted by rules.Owner.Looked, that cost as
// much as one event.
const visitsPerEvent = 16

// work counts the work of the loop's commands since the engine was made.
type work struct {
	commands int    // commands delivered to owners
	visited  uint64 // buffs visited by these commands
}

// part returns the cost limit for each kind of end-of-frame work: area times, cross-owner commands,
// aura searches and Inbox commands.
func (e *Engine) part() int { return e.opts.part }

// costSoFar returns a running total of the cost of the loop's commands: one for each command, one
// for each event, and one for every visitsPerEvent buffs visited. Only differences within one Tick
// are meaningful, because events are counted for this frame only, and the rest since the engine was
// made.
func (e *Engine) costSoFar() int {
	return e.loopWork.commands + len(e.loop.Events) + int(e.loopWork.visited/visitsPerEvent)
}

// deliverCross executes the commands for other owners. They are sorted by the time of the event
// that caused them, then by the owner that issued them, and then by the order in which they were
// issued. Commands left over from earlier frames come first.
func (e *Engine) deliverCross() {
	slices.SortStableFunc(e.outbox[e.carried:], func(a, b outgoing) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.from, b.from))
	})
	e.high.outbox.used(len(e.outbox))
	k := 0
	for most := e.costSoFar() + e.part(); k < len(e.outbox) && e.costSoFar() < most; k++ {
		if k%prefetchBatch == 0 {
			e.prefetchOutbox(e.outbox[k:])
		}
		c := &e.outbox[k]
		if c.own {
			e.evict(c)
			continue
		}
		e.deliverAcross(c.from, &c.cmd, &c.why)
	}
	e.keepOutbox(k)
}

// prefetchOutbox prefetches the owners of the next commands.
func (e *Engine) prefetchOutbox(some []outgoing) {
	e.resetPrefetch()
	for k := range some[:min(len(some), prefetchBatch)] {
		if !some[k].own {
			e.prefetching.add(&some[k].cmd)
		}
	}
	e.prefetch()
	e.prefetching.reset()
}

// keepOutbox keeps the cross-owner commands from index k on for the next frame. If there are more
// than Limits.Inbox, the last commands are dropped and counted in Stats.Undelivered. Commands of
// the engine itself are never dropped.
func (e *Engine) keepOutbox(k int) {
	n, was := 0, e.carried
	for ; k < len(e.outbox); k++ {
		c := e.outbox[k]
		if n >= e.opts.Limits.Inbox && !c.own {
			e.stats.Undelivered++
			continue
		}
		if k >= was {
			cloneData(&c.cmd) // the data that the command points to belongs to the worker
		}
		e.outbox[n] = c
		n++
	}
	clear(e.outbox[n:])
	e.outbox, e.carried = e.outbox[:n], n
}
