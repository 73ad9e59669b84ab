package engine

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// CatchUp says what becomes of the time that a Tick has no work left for: see
// [Options].TickLimit.
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

// String returns the word for the policy: "carry", "dilate".
func (c CatchUp) String() string {
	if c == Dilate {
		return "dilate"
	}
	return "carry"
}

const (
	// undivided is the longest Tick whose time passes in one piece. In the 50 ms below
	// which no definition may pulse, each buff pulses at most twice.
	undivided = wheel.Time(buff.MinPeriod / time.Millisecond)

	// sliceCost is what a slice counts beside its events: about so many of them could be
	// worked off in the time that a hand-over to the workers takes.
	sliceCost = 16

	// maxShare is the number of events after which an owner that has more goes home
	// with what is left, or TickLimit if that is less. It bounds what one owner can pile
	// up before the loop sees it.
	maxShare = 4096
)

// pass lets the time pass up to the target, in slices, as far as TickLimit allows. A Tick
// with little to do has one slice. What was reached is a frame like any other: the slices
// of a Tick have one end of the frame together, behind the last.
func (e *Engine) pass() {
	e.frame.Lost = 0
	for left := e.opts.TickLimit; ; {
		before := e.frame.count
		e.round++
		r := region(regionAdvance)
		e.turnWheel(left)
		endRegion(r)
		if len(e.fired)+len(e.wanted) == 0 && e.now == e.target && e.group.Quiet() {
			break // nobody has anything to do
		}
		e.seen.Store(int64(e.now))
		if e.group.Quiet() {
			e.visitDue()
		} else {
			e.wake()
			e.collect()
			e.handOut()
		}
		e.work(left)
		if e.now == e.target {
			break
		}
		left -= sliceCost + len(e.fired) + e.frame.count - before
		if left <= 0 || e.budget.spent {
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
// again after MinPeriod. The events of one millisecond are not divided.
//
// Owners that have something to do apart from the wheel may put deadlines on it that are
// not there yet, and count as one each.
func (e *Engine) turnWheel(left int) {
	e.slack.fired.used(len(e.fired))
	e.fired = e.fired[:0]
	reach, from := e.target, e.now
	if e.target-e.now > undivided {
		due := len(e.wanted) + e.group.Stats().Staged
		reach = until(from, e.target, due, left)
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
			reach = max(next, until(from, e.target, due, left))
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
