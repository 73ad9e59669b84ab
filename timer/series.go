package timer

import (
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// series is the state of a timer that is called repeatedly or follows the wall clock. Its calls
// never overlap, because a call is scheduled only when the previous call has ended.
type series struct {
	s    *shard
	f    func()
	fire func() // the method value r.call, created once to save allocations

	// At most one of period and next is set. If neither is set, there is a single call.
	period time.Duration // period of an Every; protected by s.mu, because Reset changes it
	next   func(prev time.Time) time.Time

	// Protected by s.mu.
	h     wheel.Handle
	due   int64 // deadline of the next call in ns after New; not rounded, to avoid drift
	began int64 // start of the running or last call, in ns after New
	// the deadline as a time.Time, which is passed to next or compared with the wall clock
	at       time.Time
	wall     bool // the timer follows the wall clock
	everWall bool // the field "wall" has ever been true
	live     bool // there will be another call unless the timer is stopped
	running  bool
	moved    bool // Reset was called while the function ran, and has set r.due
}

// At waits until the wall clock shows t or later, and then calls f. It returns a [Timer] that can
// cancel the call. If t is not in the future, f is called immediately, as if by AfterFunc. A
// monotonic reading in t is ignored. At panics if f is nil.
//
// The wall clock may be set while At waits. While any timer follows the wall clock, the driver
// compares it with the monotonic clock every second and adjusts the deadlines. So after the clock
// was set forward, a call is at most a second late. If a deadline is reached while the wall clock
// still shows an earlier time, the timer continues to wait, so f is never called before t.
// Slewing the clock does not count as setting it and can delay a call by up to ten milliseconds.
func (c *Clock) At(t time.Time, f func()) *Timer {
	if f == nil {
		panic("timer: At: nil function")
	}
	r := c.newSeries(f)
	r.begin(t.Round(0), true)
	return &Timer{series: r}
}

// Every calls f repeatedly, at intervals of d. The n-th call is due exactly n×d after the start,
// however late earlier calls were. Every returns a [Timer] that can end the calls. Every panics if
// d is not positive or f is nil.
//
// Calls do not overlap, and missed calls do not accumulate. A call is made at the first multiple
// of Options.Resolution after its deadline. If a call starts so late that further deadlines have
// passed when it ends, f is called at once for the latest of these deadlines, and the earlier
// deadlines are skipped, as with a [time.Ticker]. Two calls may therefore follow each other
// immediately. If f takes d or longer, all deadlines that passed while it ran are skipped, and the
// next call is for the first deadline in the future. If d is less than Options.Resolution, there
// is one call for each Resolution. A callback that must catch up on skipped calls can read a clock
// itself, or use [Clock.Schedule], which skips nothing.
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

// Schedule calls f at the instants returned by next. The first instant is next(now), and each
// further instant is next(prev), where prev is the previous instant. If next returns the zero
// time, f is called for prev and not again. Schedule returns a [Timer] that can also end the
// calls. It panics if next or f is nil.
//
// prev is the requested instant, not the time at which f was called, so there is no drift. If next
// returns an instant in the past, f is called for it at once. So next decides whether missed
// instants are made up for or skipped. prev has a monotonic reading. Therefore prev.Add(d) also has
// a monotonic reading, and setting the wall clock does not affect that instant. An instant without
// a monotonic reading, such as the result of [time.Date], Truncate or Round, follows the wall clock
// as in [Clock.At]. (With Options.Clock there are no monotonic readings.)
//
// next is first called in Schedule and then just before each call to f, on the same goroutine. If
// next panics and the pool recovers the panic, or if next ends its goroutine, there are no more
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

// set sets the deadline to t. If "wall" is true, the timer follows the wall clock. The caller holds
// mu.
func (r *series) set(t time.Time, wall bool) {
	c := r.s.clock
	r.at, r.wall, r.everWall = t, wall, r.everWall || wall
	if wall {
		r.due = c.wallDue(t)
	} else {
		r.due = int64(t.Sub(c.start))
	}
}

// arm schedules the next call at r.due. The caller holds mu.
func (r *series) arm() {
	c := r.s.clock
	now := c.elapsed()
	due := c.tick(now)
	if r.due > now || r.period > 0 { // Round up, so that the calls of an Every keep their intervals.
		due = max(due, c.dueAt(r.due))
	}
	h, first := r.s.add(now, due, r.fire)
	r.h = h
	if first {
		c.expect(due)
	}
}

// call makes one call to f. It is the function that the shard stores for the timer.
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

// enter reports whether the call should still be made now. If the wall clock was set back, a timer
// that follows it is perhaps not due yet. In this case enter makes it wait again.
func (r *series) enter() bool {
	s := r.s
	s.mu.Lock()
	defer s.mu.Unlock()
	// The timer may have been stopped or reset since the wheel returned it. After a reset the
	// timer waits again, so its handle is not stale.
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

// advance computes the instant of the following call, and reports whether the current call should
// still be made.
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
		r.live = r.live && r.moved // next has failed, so there is no further instant
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

// leave ends a call and schedules the next call, if there is one.
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

// following returns the next deadline of an Every after a call has ended. The next deadline is
// usually one period after the last deadline. If that instant has already passed, it is the
// latest deadline that has passed or, if the call took a whole period, the first deadline in the
// future. A deadline counts as passed once its tick has started; deadlines within the same tick
// share one call. The caller holds mu.
func (r *series) following() int64 {
	c, period := r.s.clock, int64(r.period)
	// the number of periods from due to the last deadline within tick t
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
		s.stop(r.h) // has no effect while the function runs, because r.h is stale then
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
