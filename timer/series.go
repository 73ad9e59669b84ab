package timer

import (
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// series is the state of a timer that is called repeatedly or follows the wall clock. Its calls
// never overlap: the next one is put on the wheel when the last one is over.
type series struct {
	s    *shard
	f    func()
	fire func() // call, as a method value that is created once

	// At most one of them is set. If neither is, there is a single call.
	period time.Duration // of Every; under mu, because Reset changes it
	next   func(prev time.Time) time.Time

	// Protected by s.mu.
	h       wheel.Handle
	due     int64     // deadline of the call in ns after New: not rounded, to avoid drift
	began   int64     // start of the running or last call, in ns after New
	at      time.Time // the deadline as passed to next, and the date if it follows the wall clock
	wall    bool      // follows the wall clock
	walls   bool      // has followed the wall clock at any time
	live    bool      // another call will come unless the timer is stopped
	running bool
	moved   bool // Reset while running: due is set
}

// At waits until the wall clock shows t or later, and then calls f. It returns a [Timer] that
// can cancel the call. If t is not in the future, f is called immediately, as by AfterFunc. A
// monotonic reading in t is ignored. At panics if f is nil.
//
// The wall clock may be set while At waits. While any timer follows the wall clock, the driver
// compares it with the monotonic clock every second and adjusts the deadlines. So a call is at
// most a second late after the clock was set forward. If a deadline is reached while the wall
// clock still shows an earlier time, the timer continues to wait: a call is never made before
// t. Slewing the clock does not count as setting it and can delay a call by up to ten
// milliseconds.
func (c *Clock) At(t time.Time, f func()) *Timer {
	if f == nil {
		panic("timer: At: nil function")
	}
	r := c.newSeries(f)
	r.begin(t.Round(0), true)
	return &Timer{series: r}
}

// Every calls f after d, and then again each time d has passed: the n-th call is due exactly
// n×d after the start, however late earlier calls were. It returns a [Timer] that can end it.
// Every panics if d is not positive or f is nil.
//
// Calls do not overlap or accumulate. A call is made at the first multiple of
// Options.Resolution after its deadline. If a call starts so late that later deadlines have
// passed when it ends, the latest of these is called at once and the earlier ones are skipped,
// as with a [time.Ticker]; so two calls may follow each other immediately. If f takes d or
// longer, all deadlines that passed while it ran are skipped, and the next call is the first
// one in the future. If d is less than Options.Resolution, there is one call for each
// Resolution. A callback that must catch up on skipped calls can use its own clock;
// [Clock.Schedule] skips nothing.
func (c *Clock) Every(d time.Duration, f func()) *Timer {
	switch {
	case d <= 0:
		panic("timer: Every: period must be positive")
	case f == nil:
		panic("timer: Every: nil function")
	}
	r := c.newSeries(f)
	r.s.mu.Lock()
	r.period, r.live, r.due = d, true, after(c.elapsed(), int64(d))
	r.arm()
	r.s.mu.Unlock()
	return &Timer{series: r}
}

// Schedule calls f at the instants returned by next: first at next(now), then at next of the
// previous instant. A zero time ends it: f is called for the previous instant and not again.
// Schedule returns a [Timer] that can end it too. It panics if next or f is nil.
//
// prev is the requested instant, not the time at which f was called, so there is no drift; and
// next decides how to handle missed instants: f is called at once for an instant in the past.
// prev has a monotonic reading, and so has prev.Add(d): setting the wall clock does not affect
// it. An instant without one, such as the result of [time.Date], Truncate or Round, follows the
// wall clock as in [Clock.At]. (With Options.Clock there are no monotonic readings.)
//
// next is first called in Schedule and then just before each call of f, on the same goroutine.
// If it panics and the pool recovers that, or if it ends its goroutine, there are no more
// calls. Calls do not overlap. If the timer is stopped or reset while next runs, the result of
// next is not used.
func (c *Clock) Schedule(next func(prev time.Time) time.Time, f func()) *Timer {
	switch {
	case next == nil:
		panic("timer: Schedule: nil next")
	case f == nil:
		panic("timer: Schedule: nil function")
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

// begin schedules the first call for t.
func (r *series) begin(t time.Time, wall bool) {
	r.s.mu.Lock()
	r.live = true
	r.set(t, wall)
	r.arm()
	r.s.mu.Unlock()
	r.updateWalls()
}

// set computes the deadline. The caller holds mu.
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
	if r.due > now || r.period > 0 { // round up, so that an Every keeps its distances
		due = max(due, c.dueAt(r.due))
	}
	h, first := r.s.add(now, due, r.fire)
	r.h = h
	if first {
		c.expect(due)
	}
}

// call is the function of the timer on the wheel.
func (r *series) call() {
	if !r.enter() {
		return
	}
	// Schedule the next call even if f panics and the pool keeps the goroutine, or if f ends
	// the goroutine.
	defer r.leave()
	if r.next == nil || r.advance() {
		r.f()
	}
}

// enter reports whether the call is still wanted and due. After the wall clock was set back, a
// timer that follows it is not due and waits again.
func (r *series) enter() bool {
	s := r.s
	s.mu.Lock()
	defer s.mu.Unlock()
	// Since the wheel returned the timer, it may have been stopped or reset; after a reset it
	// waits again.
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

// advance computes the instant after this one, and reports whether the call is still wanted.
func (r *series) advance() bool {
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
		r.live = r.live && r.moved // there is no later instant
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
	r.updateWalls()
}

// following returns the next deadline of an Every after a call has ended: the next one or, if
// that has passed, the latest that has passed. If the call took a whole period, it is the first
// one in the future. A deadline has passed when the tick at which it is called has started;
// deadlines with the same tick are one call. The caller holds mu.
func (r *series) following() int64 {
	c, period := r.s.clock, int64(r.period)
	// the number of periods from the deadline to the last one called at t
	until := func(t wheel.Time) int64 {
		return max(0, int64(t)*c.grain-r.due) / period
	}
	now := c.elapsed()
	called, passed := until(c.dueAt(r.due)), until(c.tick(now))
	if passed <= called || now-r.began >= period {
		passed = max(passed, called) + 1
	}
	return after(r.due, period*passed)
}

// stop implements [Timer.Stop].
func (r *series) stop() bool {
	s := r.s
	s.mu.Lock()
	was := r.live && !s.closed
	r.live = false
	if was {
		s.stop(r.h) // if it runs, r.h is stale
	}
	s.mu.Unlock()
	r.updateWalls()
	return was
}

// reset implements [Timer.Reset].
func (r *series) reset(d time.Duration) bool {
	was := r.rearm(d)
	r.updateWalls()
	return was
}

func (r *series) rearm(d time.Duration) bool {
	s := r.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.period > 0 {
		if d <= 0 {
			panic("timer: Reset of an Every: period must be positive")
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
