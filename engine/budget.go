package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// This file has the only clock of the engine. It bounds how long Tick and Close wait for
// handlers. No decision of the rules depends on it.

// closeRound is how long Close waits for handlers before it checks its context and retries a pool
// without a free worker.
const closeRound = 10 * time.Millisecond

// budget limits the total wait of one Tick, in all its slices.
type budget struct {
	timer *time.Timer
	small *time.Timer // for soon
	runs  bool
	spent bool // a wait of this Tick has timed out
}

// start returns a channel that delivers when limit, counted from the first start of the Tick, is
// used up. It returns nil if limit is negative.
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

// smallWait is how long a small slice is left to a single worker. A handler that blocks delays
// the other owners of the slice by that time.
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

// CatchUp says what happens to elapsed time for which a Tick has no quota left: see
// [Options].Limits.Tick.
type CatchUp uint8

// The policies.
const (
	// Carry keeps the time: the following Ticks process it, in order, in addition to their own.
	// Until then the engine's time is behind the game's by Frame.Behind.
	Carry CatchUp = iota

	// Dilate drops the time: the engine continues from the instant it has reached, as if the
	// world had been paused for Frame.Lost. No due event is lost; it runs later.
	Dilate
)

const (
	// undivided is the length up to which a Tick is one slice. No definition may pulse faster than
	// every 50 ms, so in that time each buff pulses at most twice.
	undivided = wheel.Time(define.MinPeriod / time.Millisecond)

	// sliceCost is the cost of a slice in addition to its events: dispatching to the workers
	// takes about as long as processing that many events.
	sliceCost = 16

	// maxShare is the largest number of events that one owner may process before the loop sees
	// them.
	maxShare = 4096

	// minShare is the smallest allowance while more owners are due than the Tick can serve. Most
	// owners then end all their due buffs in one turn. A turn that is cut short costs more than
	// the few events that it leaves.
	minShare = 4
)

// advance advances game time to the target, in slices, as far as Limits.Tick allows. A Tick with
// little to do has one slice. The end-of-frame work is done once, after the last slice.
//
// A slice starts without advancing time if it must not pass a waiting owner.
func (e *Engine) advance() {
	e.frame.Lost = 0
	e.processed = 0
	if !e.group.Quiet() {
		e.collect()
	}
	for slice := 0; ; slice++ {
		left := e.quotaLeft() - e.claimed - slice*sliceCost
		if slice > 0 && left <= 0 {
			break
		}
		e.round++
		r := region(regionAdvance)
		e.advanceWheel(left)
		endRegion(r)
		if len(e.fired)+len(e.scheduled)+e.backlog.n == 0 && e.now == e.target && e.group.Quiet() {
			break // no work
		}
		e.findDue()
		e.seen.Store(int64(e.now))
		e.dispatch(left)
		e.work()
		if e.budget.spent || e.now == e.target && e.backlog.n+len(e.group.Staged()) == 0 {
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

// advanceWheel advances the time, for one slice, to an instant by which at most left events are
// expected. The wheel advances from deadline to deadline, and assumes that each repeats after
// MinPeriod. If more events are due in a single millisecond, they wait in the backlog, and time
// does not advance.
//
// Owners with work apart from the wheel may add deadlines, and count as one event each.
func (e *Engine) advanceWheel(left int) {
	e.high.fired.used(len(e.fired))
	e.fired = e.fired[:0]
	target, ok := e.horizon()
	if !ok {
		return
	}
	reach, from := target, e.now
	if target-e.now > undivided {
		due := len(e.scheduled) + e.group.Stats().Staged
		reach = sliceEnd(from, target, due, left)
		for {
			next, ok := e.wheel.Next()
			if !ok || next > reach {
				break
			}
			next = max(next, e.wheel.Now())
			if due == 0 {
				from = next
			}
			before := len(e.fired)
			e.fired = e.wheel.Advance(next, e.fired)
			due += len(e.fired) - before
			reach = max(next, sliceEnd(from, target, due, left))
		}
	}
	e.now = reach
	e.fired = e.wheel.Advance(reach, e.fired)
}

// sliceEnd returns how far a slice may advance if due events are expected from an instant on and
// left may be processed.
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

// The end-of-frame work of the loop is bounded by count, like due events. Zone times, cross-owner
// commands, aura searches and Inbox commands each have their own part of the Tick, so that none
// of them starves the others or due events. The rest waits, in order, and precedes new work.
// A command is not divided: the last one of a part may cost more than is left.

// visitsPerEvent is the number of visited buffs, as counted by buff.Set.Looked, that cost as much
// as one event.
const visitsPerEvent = 16

// work counts the loop's work.
type work struct {
	commands int    // commands delivered to owners
	visited  uint64 // buffs visited by them
}

// part returns the limit of one part of a Tick.
func (e *Engine) part() int { return e.opts.part }

// costSoFar returns the cost of the commands that the loop has executed in this frame: one for each
// command, one for each event, and one for each visitsPerEvent buffs visited.
func (e *Engine) costSoFar() int {
	return e.loopWork.commands + len(e.loop.Events) + int(e.loopWork.visited/visitsPerEvent)
}

// deliverCross executes the commands for other owners, sorted by the time of their cause, then by
// the owner that caused them, then by issue. Commands left over from earlier frames come first.
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

// keepOutbox keeps the cross-owner commands from the k-th on for the next frame, at most
// Limits.Inbox of them. The last ones that exceed the limit are dropped and counted, except
// commands of the engine itself.
func (e *Engine) keepOutbox(k int) {
	n, was := 0, e.carried
	for ; k < len(e.outbox); k++ {
		c := e.outbox[k]
		if n >= e.opts.Limits.Inbox && !c.own {
			e.stats.Undelivered++
			continue
		}
		if k >= was {
			cloneData(&c.cmd) // its data belongs to the worker
		}
		e.outbox[n] = c
		n++
	}
	clear(e.outbox[n:])
	e.outbox, e.carried = e.outbox[:n], n
}
