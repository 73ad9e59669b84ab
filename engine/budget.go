package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// This file has the only clock of the engine. It bounds how long Tick and Close
// wait for handlers, and nothing that is decided by the rules depends on it.

// closeRound is how long Close waits for handlers before it looks at its context,
// and at a pool that had no worker, again.
const closeRound = 10 * time.Millisecond

// budget is what one Tick may wait, in all its slices together.
type budget struct {
	timer *time.Timer
	small *time.Timer // see soon
	runs  bool
	spent bool // a wait of this Tick has come to its end
}

// start returns a channel that delivers once limit, counted from the first start of the
// Tick, is used up; nil for no limit.
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

// soon returns a channel that delivers after a time in which one worker does little work.
func (b *budget) soon() <-chan time.Time {
	if b.small == nil {
		b.small = time.NewTimer(smallWait)
	} else {
		b.small.Reset(smallWait)
	}
	return b.small.C
}

// smallWait is how long a small slice has one worker only. A handler that blocks delays the other owners of the slice
// by so much.
const smallWait = 200 * time.Microsecond

// stop ends the Tick.
func (b *budget) stop() {
	if b.runs {
		b.timer.Stop()
	}
	if b.small != nil {
		b.small.Stop()
	}
	b.runs, b.spent = false, false
}

// CatchUp says what becomes of the time that a Tick has no work left for: see
// [Options].Limits.Tick.
type CatchUp uint8

// What may become of it.
const (
	// Carry keeps it: the following Ticks work it off, in order, beside their own. The
	// engine's time is behind the game's meanwhile, by Frame.Behind.
	Carry CatchUp = iota

	// Dilate drops it: the engine's time goes on from where it has come, and the world
	// has stood still for Frame.Lost. Nothing that was due is lost; it comes later.
	Dilate
)

const (
	// undivided is the longest Tick whose time passes in one piece. In the 50 ms below
	// which no definition may pulse, each buff pulses at most twice.
	undivided = wheel.Time(define.MinPeriod / time.Millisecond)

	// sliceCost is what a slice counts beside its events: about so many of them could be
	// worked off in the time that a hand-over to the workers takes.
	sliceCost = 16

	// maxShare is the most that one owner may work off before the loop sees what it brings.
	maxShare = 4096
)

// pass lets the time pass up to the target, in slices, as far as Limits.Tick allows. A Tick
// with little to do has one slice. What was reached is a frame like any other: the slices
// of a Tick have one end of the frame together, behind the last.
//
// A slice begins where time stands as long as somebody waits whom it must not pass.
func (e *Engine) pass() {
	e.frame.Lost = 0
	e.worked = 0
	if !e.group.Quiet() {
		e.collect()
	}
	for slice := 0; ; slice++ {
		left := e.left() - e.claim - slice*sliceCost
		if slice > 0 && left <= 0 {
			break
		}
		e.round++
		r := region(regionAdvance)
		e.turnWheel(left)
		endRegion(r)
		if len(e.fired)+len(e.wanted)+e.backlog.n == 0 && e.now == e.target && e.group.Quiet() {
			break // nobody has anything to do
		}
		e.findDue()
		e.seen.Store(int64(e.now))
		e.handOut(left)
		e.work()
		if e.budget.spent || e.now == e.target && e.backlog.n+len(e.group.Staged()) == 0 {
			break
		}
	}
	e.budget.stop()
	if e.opts.CatchUp == Dilate && e.now < e.target {
		e.frame.Lost = span(e.now, e.target)
		e.stats.Lost += e.frame.Lost
		e.target = e.now
	}
}

// turnWheel moves the time on, for one slice, to an instant by which no more than left is
// expected: the wheel goes from deadline to deadline, and each that it meets may come
// again after MinPeriod. What is more, because it is due in one millisecond, waits in the
// backlog, and time stands still.
//
// Owners that have something to do apart from the wheel may put deadlines on it that are
// not there yet, and count as one each.
func (e *Engine) turnWheel(left int) {
	e.high.fired.used(len(e.fired))
	e.fired = e.fired[:0]
	target, ok := e.horizon()
	if !ok {
		return
	}
	reach, from := target, e.now
	if target-e.now > undivided {
		due := len(e.wanted) + e.group.Stats().Staged
		reach = until(from, target, due, left)
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
			reach = max(next, until(from, target, due, left))
		}
	}
	e.now = reach
	e.fired = e.wheel.Advance(reach, e.fired)
}

// until returns how far a slice may go in which so much is due from an instant on.
func until(from, target wheel.Time, due, left int) wheel.Time {
	if due == 0 {
		return target
	}
	return min(target, from.Add(int64(undivided)*int64(max(1, left/due))))
}

// span returns the time between two instants, the longest Duration if it is longer.
func span(from, to wheel.Time) time.Duration {
	const most = wheel.Time(1<<63-1) / wheel.Time(time.Millisecond)
	return time.Duration(min(to-from, most)) * time.Millisecond
}

// What the loop does at the end of a frame is bounded by count, as what is due is: the times of
// zones, the commands across owners, the looks of auras and the commands of the Inbox have a part
// of the Tick each, so that neither of them, nor what is due, keeps another waiting. What is left
// waits, in order, and comes before what is new. A command is not divided: the last one of a part
// may cost more than is left of it.

// looksOfUnit is how many looks, as buff.Set.Looked counts them, are as dear as an event.
const looksOfUnit = 16

// work is what the loop has done, by count.
type work struct {
	commands int    // given to an owner
	looked   uint64 // at buffs, for them
}

// part returns what one part of a Tick may cost.
func (e *Engine) part() int { return e.opts.part }

// spent returns what the commands have cost so far that the loop has carried out: one for each,
// one for each event of theirs, and one for so many buffs that they have looked at. It is good
// within one frame.
func (e *Engine) spent() int {
	return e.did.commands + len(e.loop.Events) + int(e.did.looked/looksOfUnit)
}

// deliverCross carries out the commands for other owners, sorted by the time of
// their cause, then by the causing owner; those of one owner are in the order of
// issue. Those that were left of earlier frames come first.
func (e *Engine) deliverCross() {
	slices.SortStableFunc(e.outbox[e.carried:], func(a, b outgoing) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.from, b.from))
	})
	e.high.outbox.used(len(e.outbox))
	k := 0
	for most := e.spent() + e.part(); k < len(e.outbox) && e.spent() < most; k++ {
		if k%aheadCommands == 0 {
			e.lookAheadAcross(e.outbox[k:])
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

// lookAheadAcross looks at the owners of the first of some commands.
func (e *Engine) lookAheadAcross(some []outgoing) {
	e.beginAhead()
	for k := range some[:min(len(some), aheadCommands)] {
		if !some[k].own {
			e.ahead.add(&some[k].cmd)
		}
	}
	e.lookAhead()
	e.ahead.forget()
}

// keepOutbox keeps the commands across owners from the k-th on for the next frame. As many may
// wait as in the Inbox; of those that are too many, which are the last, the ones that somebody has
// asked for are refused.
func (e *Engine) keepOutbox(k int) {
	n, was := 0, e.carried
	for ; k < len(e.outbox); k++ {
		c := e.outbox[k]
		if n >= e.opts.Limits.Inbox && !c.own {
			e.stats.Undelivered++
			continue
		}
		if k >= was {
			borrow(&c.cmd) // what it points to is the worker's
		}
		e.outbox[n] = c
		n++
	}
	clear(e.outbox[n:])
	e.outbox, e.carried = e.outbox[:n], n
}
