package timer

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// wallCheck is how often the driver looks at the wall clock while something follows it.
	wallCheck = time.Second

	// wallTolerance is by how much the wall clock may have moved against the monotonic one before
	// deadlines are moved: a clock that is slewed, by half a millisecond a second, would
	// otherwise move them all the time.
	wallTolerance = int64(10 * time.Millisecond)

	unknownOffset = math.MinInt64
)

// walls are the series that follow the wall clock. Its lock is taken before that of a shard.
type walls struct {
	n      atomic.Int64 // len of all
	mu     sync.Mutex
	all    map[*series]struct{}
	offset int64 // the wall clock less the monotonic one, for which all deadlines are right
}

// guarded returns the wall clock of the game for the driver and for callers with a lock, neither of which must end by a
// panic of it. For one that panics stands what it has shown last, and the time since.
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

// wallDue returns when the wall clock will show t, in ns after New, as it is set now.
func (c *Clock) wallDue(t time.Time) int64 {
	left, ns := int64(t.Sub(c.wall())), c.elapsed()
	if left > 0 {
		return after(ns, left)
	}
	return ns
}

// wallOffset returns by how much the wall clock is ahead of the monotonic one.
func (c *Clock) wallOffset() int64 { return c.wall().UnixNano() - c.elapsed() }

// settle sees to it that a series is in walls if and only if it follows the wall clock. It is called
// after each change of that, without a lock.
func (r *series) settle() {
	w := &r.s.clock.walls
	r.s.mu.Lock()
	never := !r.walls
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
	// What was placed while the clock was set to and fro between two looks.
	if moved(r.s.clock.wallOffset(), w.offset) {
		w.offset = unknownOffset
	}
	if w.n.Swap(int64(len(w.all))) == 0 {
		r.s.clock.rouse() // the driver may sleep for longer than a wallCheck
	}
}

// moved reports whether two offsets differ by more than the tolerance.
func moved(a, b int64) bool {
	return b == unknownOffset || a-b > wallTolerance || b-a > wallTolerance
}

// watch looks whether the wall clock was set, each wallCheck, and if so moves all that follows it.
// Only the driver calls it.
func (c *Clock) watch(ns int64) {
	w := &c.walls
	if w.n.Load() == 0 || ns-c.driver.look < int64(wallCheck) {
		return
	}
	c.driver.look = ns
	w.mu.Lock()
	defer w.mu.Unlock()
	if offset := c.wallOffset(); moved(offset, w.offset) {
		w.offset = offset
		for r := range w.all {
			r.follow()
		}
	}
}

// follow moves the deadline to where the wall clock has it now. While a call runs there is none on the wheel yet: the
// next one is put there by what it finds.
func (r *series) follow() {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	if r.live && r.wall {
		r.due = r.s.clock.wallDue(r.at)
		r.s.move(r.h, r.s.clock.dueAt(r.due))
	}
}
