package timer

import (
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// series is what a timer needs that is called more than once, or that follows the wall clock.
// Its calls never overlap: the next one is put on the wheel when the last one is over.
type series struct {
	s    *shard
	f    func()
	fire func() // call, as a value that is made once

	// One of them, or neither: then there is one call.
	period time.Duration // of Every, under mu, for Reset changes it
	next   func(prev time.Time) time.Time

	// Under s.mu.
	h       wheel.Handle
	due     int64     // the call's deadline in ns after New: not rounded, so that nothing drifts
	began   int64     // when the call that runs, or the last one, began, in ns after New
	at      time.Time // the same for next, and the date if it follows the wall clock
	wall    bool      // follows the wall clock
	walls   bool      // has done so at any time
	live    bool      // there is a call to come, unless it is stopped
	running bool
	moved   bool // by a Reset while it ran: due is set
}

// At waits for the wall clock to show t, or a later time, and then calls f. It returns a
// [Timer] that can cancel the call. If t is not in the future f is called at once, as AfterFunc
// does it. A monotonic reading in t is ignored. At panics if f is nil.
//
// The wall clock may be set while At waits. The driver compares it with the monotonic one each
// second while there is anything that follows the wall clock, and moves the deadlines; so a call
// comes at most a second late when the clock was set forward. When its deadline has come, and the wall
// clock still shows an earlier time, it goes on waiting: a call never comes before t. A
// clock that is slewed is not set: a call is up to ten milliseconds late for that.
func (c *Clock) At(t time.Time, f func()) *Timer {
	if f == nil {
		panic("timer: At without a function")
	}
	r := c.newSeries(f)
	r.begin(t.Round(0), true)
	return &Timer{series: r}
}

// Every calls f when d has passed, and again each time that it has passed once more: the n-th
// call is due exactly n×d after the first instant, however late those before it were. It
// returns a [Timer] that can end it. Every panics if d is not above zero or f is nil.
//
// Calls do not overlap, and they do not pile up. A call is made at the first whole Options.Resolution after
// its deadline. If a call starts so late that later deadlines have passed when it ends, the latest of
// these is called at once and those before it are left out, as with a [time.Ticker]; so two calls may
// follow each other immediately. If f takes d or longer, all deadlines that passed while it
// ran are left out, and the next call is the first in the future. With a d below Options.Resolution there
// is one call for each Resolution. A callback that must make up for what was left out can count by its own
// clock; [Clock.Schedule] leaves nothing out.
func (c *Clock) Every(d time.Duration, f func()) *Timer {
	switch {
	case d <= 0:
		panic("timer: Every without a period above zero")
	case f == nil:
		panic("timer: Every without a function")
	}
	r := c.newSeries(f)
	r.s.mu.Lock()
	r.period, r.live, r.due = d, true, after(c.elapsed(), int64(d))
	r.arm()
	r.s.mu.Unlock()
	return &Timer{series: r}
}

// Schedule calls f at the instants that next gives: first at next(now), then at next of the
// instant before. A zero time ends it: f is called for the instant before it and not again. It
// returns a [Timer] that can end it too. Schedule panics if next or f is nil.
//
// prev is the instant that was asked for, not when f was called, so nothing drifts; and next
// decides what becomes of instants that were missed: one in the past is called at once. A prev
// has a monotonic reading, and so has prev.Add(d): setting the wall clock does not matter to it.
// An instant without one, as [time.Date], Truncate or Round make it, follows the wall clock as [Clock.At]
// does. (With Options.Clock there are no monotonic readings.)
//
// next is first called in Schedule and then just before each call of f, on the same goroutine. If it panics, and
// the pool recovers that, or ends its goroutine, there are no more calls.
// Calls do not overlap. If the timer is stopped or reset while next runs, what next returns is
// not used.
func (c *Clock) Schedule(next func(prev time.Time) time.Time, f func()) *Timer {
	switch {
	case next == nil:
		panic("timer: Schedule without a next")
	case f == nil:
		panic("timer: Schedule without a function")
	}
	r := c.newSeries(f)
	r.next = next
	if t := next(c.wall()); !t.IsZero() {
		r.begin(t, t == t.Round(0))
	}
	return &Timer{series: r}
}

func (c *Clock) newSeries(f func()) *series {
	r := &series{s: c.pick(c.elapsed()), f: f}
	r.fire = r.call
	return r
}

// begin makes the first call due at t.
func (r *series) begin(t time.Time, wall bool) {
	r.s.mu.Lock()
	r.live = true
	r.set(t, wall)
	r.arm()
	r.s.mu.Unlock()
	r.settle()
}

// set works out the deadline. The caller holds mu.
func (r *series) set(t time.Time, wall bool) {
	c := r.s.clock
	r.at, r.wall, r.walls = t, wall, r.walls || wall
	if wall {
		r.due = c.wallDue(t)
	} else {
		r.due = int64(t.Sub(c.start))
	}
}

// arm puts the next call on the wheel. The caller holds mu.
func (r *series) arm() {
	c := r.s.clock
	now := c.elapsed()
	due := c.tick(now)
	if r.due > now || r.period > 0 { // rounded up, so that an Every keeps its distances
		due = max(due, c.dueAt(r.due))
	}
	h, first := r.s.add(now, due, r.fire)
	r.h = h
	if first {
		c.expect(due)
	}
}

// call is what the wheel has for a function.
func (r *series) call() {
	if !r.enter() {
		return
	}
	// The next call is put on the wheel also if f panics, and its goroutine lives on in a
	// pool, or if f ends the goroutine.
	defer r.leave()
	if r.next == nil || r.ask() {
		r.f()
	}
}

// enter reports whether the call is still wanted, and its time has come: not so for what
// follows a wall clock that was set back, which goes on waiting.
func (r *series) enter() bool {
	s := r.s
	s.mu.Lock()
	defer s.mu.Unlock()
	// Since the wheel gave it back it may have been stopped, or reset: then it waits again.
	if !r.live || s.state(r.h) != wheel.Stale {
		return false
	}
	if r.wall {
		if r.due = s.clock.wallDue(r.at); r.due > s.clock.elapsed() {
			r.arm()
			return false
		}
	}
	r.running, r.began = true, s.clock.elapsed()
	r.live = r.period > 0 || r.next != nil
	return true
}

// ask works out the instant after this one, and reports whether the call is still wanted.
func (r *series) ask() bool {
	r.s.mu.Lock()
	prev, moved := r.at, r.moved
	r.s.mu.Unlock()
	if moved {
		return true
	}
	returned := false
	defer func() {
		if returned {
			return
		}
		r.s.mu.Lock()
		r.live = r.live && r.moved // there is no instant after this one
		r.s.mu.Unlock()
	}()
	t := r.next(prev)
	returned = true
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	switch {
	case !r.live:
		return false
	case r.moved:
	case t.IsZero():
		r.live = false
	default:
		r.set(t, t == t.Round(0))
	}
	return true
}

// leave puts the next call on the wheel, if there is one.
func (r *series) leave() {
	r.s.mu.Lock()
	r.running = false
	if r.live {
		if r.period > 0 && !r.moved {
			r.due = r.following()
		}
		r.arm()
	}
	r.moved = false
	r.s.mu.Unlock()
	r.settle()
}

// following returns the deadline of an Every after the call that has just ended: the next one, or, if that has
// passed, the latest that has. If the call took a whole period, it is the first one in the
// future. A deadline has passed when the grain in which it is called has begun; those of one grain are one
// call. The caller holds mu.
func (r *series) following() int64 {
	c, period := r.s.clock, int64(r.period)
	until := func(t wheel.Time) int64 { // periods from the deadline to the last one that is called at t
		return max(0, int64(t)*c.grain-r.due) / period
	}
	now := c.elapsed()
	called, passed := until(c.dueAt(r.due)), until(c.tick(now))
	if passed <= called || now-r.began >= period {
		passed = max(passed, called) + 1
	}
	return after(r.due, period*passed)
}

// stop is [Timer.Stop].
func (r *series) stop() bool {
	s := r.s
	s.mu.Lock()
	was := r.live && !s.closed
	r.live = false
	if was {
		s.stop(r.h) // if it runs, r.h is stale
	}
	s.mu.Unlock()
	r.settle()
	return was
}

// reset is [Timer.Reset].
func (r *series) reset(d time.Duration) bool {
	was := r.again(d)
	r.settle()
	return was
}

func (r *series) again(d time.Duration) bool {
	s := r.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.period > 0 {
		if d <= 0 {
			panic("timer: Reset of an Every without a period above zero")
		}
		r.period = d
	}
	if s.closed {
		return false
	}
	was := r.live
	r.live, r.wall = true, false
	r.due = after(s.clock.elapsed(), max(0, int64(d)))
	r.at = s.clock.start.Add(time.Duration(r.due))
	if r.running {
		r.moved = true
		return was
	}
	if s.state(r.h) != wheel.Stale {
		s.end(r.h)
	}
	r.arm()
	return was
}
