package timer

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// wallCheck is the interval at which the driver checks the wall clock while timers follow
	// it.
	wallCheck = time.Second

	// wallTolerance is the largest change of the wall clock, relative to the monotonic clock,
	// that is ignored. The operating system slews the clock by up to half a millisecond per
	// second, which would otherwise move deadlines all the time.
	wallTolerance = int64(10 * time.Millisecond)

	unknownOffset = math.MinInt64
)

// walls is the set of series that follow the wall clock. Its lock is taken before the lock of a
// shard.
type walls struct {
	n      atomic.Int64 // len(all)
	mu     sync.Mutex
	all    map[*series]struct{}
	offset int64 // wall clock minus monotonic clock, as used to compute the deadlines
}

// guarded wraps a wall clock so that it does not panic, because the driver reads the clock, and
// other goroutines read it while they hold locks. If clock panics, the wrapper returns the last
// result plus the time since then.
func (c *Clock) guarded(clock func() time.Time) func() time.Time {
	var offset atomic.Int64
	offset.Store(c.start.UnixNano())
	return func() (t time.Time) {
		defer func() {
			if recover() != nil {
				t = time.Unix(0, offset.Load()+c.elapsed())
			}
		}()
		t = clock().Round(0)
		offset.Store(t.UnixNano() - c.elapsed())
		return t
	}
}

// wallDue returns the instant, in ns after New, at which the wall clock will show t if it is not
// set in the meantime.
func (c *Clock) wallDue(t time.Time) int64 {
	left, ns := int64(t.Sub(c.wall())), c.elapsed()
	if left > 0 {
		return after(ns, left)
	}
	return ns
}

// wallOffset returns the difference between the wall clock and the monotonic clock, in ns.
func (c *Clock) wallOffset() int64 { return c.wall().UnixNano() - c.elapsed() }

// updateWalls adds a series to walls, or removes it, depending on whether it follows the wall
// clock. It is called, without a lock, after each change of r.live or r.wall.
func (r *series) updateWalls() {
	w := &r.s.clock.walls
	r.s.mu.Lock()
	never := !r.everWall
	r.s.mu.Unlock()
	if never {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	r.s.mu.Lock()
	follows := r.live && r.wall && !r.s.closed
	r.s.mu.Unlock()
	if !follows {
		delete(w.all, r)
		w.n.Store(int64(len(w.all)))
		return
	}
	if w.all == nil {
		w.all = map[*series]struct{}{}
	}
	w.all[r] = struct{}{}
	// If the clock was set since the last check, make the next check move all deadlines, even if
	// the clock is set back before that check.
	if moved(r.s.clock.wallOffset(), w.offset) {
		w.offset = unknownOffset
	}
	if w.n.Swap(int64(len(w.all))) == 0 {
		r.s.clock.rouse() // the driver may be sleeping for longer than a wallCheck
	}
}

// moved reports whether two offsets differ by more than the tolerance.
func moved(a, b int64) bool {
	return b == unknownOffset || a-b > wallTolerance || b-a > wallTolerance
}

// checkWall checks, at intervals of wallCheck, whether the wall clock was set. If so, it moves all
// timers that follow the wall clock. Only the driver may call it.
func (c *Clock) checkWall(ns int64) {
	w := &c.walls
	if w.n.Load() == 0 || ns-c.driver.wallChecked < int64(wallCheck) {
		return
	}
	c.driver.wallChecked = ns
	w.mu.Lock()
	defer w.mu.Unlock()
	if offset := c.wallOffset(); moved(offset, w.offset) {
		w.offset = offset
		for r := range w.all {
			r.follow()
		}
	}
}

// follow recomputes the deadline after a change of the wall clock. While the function runs, the
// timer is not on the wheel, and shard.move has no effect. The next deadline is then computed when
// the function returns.
func (r *series) follow() {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if r.live && r.wall {
		r.due = r.s.clock.wallDue(r.at)
		r.s.move(r.h, r.s.clock.dueAt(r.due))
	}
}
