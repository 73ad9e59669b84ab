package timer

import (
	"sync"
	"sync/atomic"

	"github.com/bufftick/bufftick/wheel"
)

// shard is a part of a Clock's timers, with its own lock. A timer stays in the shard in which it
// was created.
//
// Invariant: fns holds the function of each waiting or resting timer of the wheel, by the index
// in the timer's handle, and nil for every other index. A due timer is resting until its function
// starts, so that it can still be stopped.
type shard struct {
	mu    sync.Mutex
	wheel *wheel.Wheel // nil before the first timer and after Close
	fns   []*[fnPage]func()

	// A stopped timer that is still on the wheel, without a function, or 0 if there is none. The
	// next added timer replaces it, which is cheaper than removing one timer and adding another.
	// Because the wheel regards this timer as waiting, use shard.state instead of Wheel.State.
	// Protected by mu.
	spare wheel.Handle

	// No waiting timer is due before this tick; wheel.Never if no timer waits. Written under mu,
	// read by the driver without it.
	next atomic.Int64

	// If the search for the next deadline is unfinished, the instant that it has reached; otherwise
	// wheel.Never. Only timers added since the search was interrupted can be due before this
	// instant. Used only by the driver.
	search wheel.Time
	added  int // timers added and moved since the last search; protected by mu

	clock   *Clock
	closed  bool
	started uint64
	stopped uint64
	running atomic.Int64 // callbacks that have started and not ended
	_       [16]byte     // padding: the next shard's lock is on another cache line
}

// fnPage is the number of functions in a page of shard.fns. Pages never move.
const fnPage = 1 << 10

// searchPiece is the maximum number of entries that the driver visits on each level of the wheel
// before it releases the lock.
const searchPiece = 512

// add starts a timer and reports whether it is due before all other timers of the shard. The
// parameter "now" is in ns after New. After Close, add starts nothing and returns 0. The caller
// holds mu.
func (s *shard) add(now int64, due wheel.Time, f func()) (h wheel.Handle, first bool) {
	if s.wheel == nil {
		if s.closed {
			return 0, false
		}
		s.wheel = wheel.New(s.clock.tick(now))
	}
	if s.spare != 0 {
		h, s.spare = s.wheel.ReplaceSelf(s.spare, due), 0
	} else {
		h = s.wheel.AddSelf(due)
	}
	i := uint32(h)
	if int(i/fnPage) == len(s.fns) {
		s.fns = append(s.fns, new([fnPage]func()))
		if len(s.fns) > 1 {
			s.clock.spread.Store(s.clock.mask)
		}
	}
	s.fns[i/fnPage][i%fnPage] = f
	return h, s.sooner(due)
}

// state returns the state of a handle, which is Stale for a stopped timer. The caller holds mu.
func (s *shard) state(h wheel.Handle) wheel.State {
	if s.wheel == nil || h == s.spare {
		return wheel.Stale
	}
	return s.wheel.State(h)
}

// move gives a timer another deadline. ok is false if the timer was stopped or its function has
// started. The result "first" is true if the timer is now due before all other timers of the shard.
// The caller holds mu.
func (s *shard) move(h wheel.Handle, due wheel.Time) (ok, first bool) {
	if s.wheel == nil || h == s.spare || !s.wheel.Move(h, due) {
		return false, false
	}
	return true, s.sooner(due)
}

// sooner sets s.next to the given tick (due) if s.next is later, and reports whether it did. The
// caller holds mu.
func (s *shard) sooner(due wheel.Time) bool {
	s.added++
	if int64(due) >= s.next.Load() {
		return false
	}
	s.next.Store(int64(due))
	return true
}

// stop ends a timer. It returns false if the timer's function has already started or the timer was
// stopped before. The caller holds mu.
func (s *shard) stop(h wheel.Handle) bool {
	switch state := s.state(h); {
	case state == wheel.Stale:
		return false
	case state == wheel.Waiting && s.spare == 0:
		s.takeFunc(h)
		s.spare = h
	default:
		s.end(h)
	}
	s.stopped++
	return true
}

// end removes a timer from the wheel and its function from the table, so that the function's
// memory can be collected. It returns the function. The caller holds mu.
func (s *shard) end(h wheel.Handle) (f func()) {
	s.wheel.Remove(h)
	return s.takeFunc(h)
}

// takeFunc removes the function of a timer from the table and returns it. The caller holds mu.
func (s *shard) takeFunc(h wheel.Handle) (f func()) {
	p := &s.fns[uint32(h)/fnPage][uint32(h)%fnPage]
	f, *p = *p, nil
	return f
}

// call runs the function of a due timer, unless the timer was stopped or moved after it became
// due.
func (s *shard) call(h wheel.Handle) {
	f := s.claim(h)
	if f == nil {
		return
	}
	defer s.ended() // even if f panics or ends the goroutine
	f()
}

// claim ends a due timer and returns its function, which the caller must call. It returns nil if
// the timer was stopped or moved after it became due.
func (s *shard) claim(h wheel.Handle) func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.state(h) != wheel.Resting {
		return nil
	}
	s.started++
	s.running.Add(1)
	return s.end(h)
}

func (s *shard) ended() {
	if s.running.Add(-1) == 0 && s.clock.closed.Load() {
		s.clock.checkFinished()
	}
}

// take appends to dst the timers due at or before t, and recomputes s.next. To hold the lock only
// briefly, one call may do only part of this work, and the next calls do the rest. Only the driver
// may call it.
func (s *shard) take(t wheel.Time, dst []wheel.Fired) []wheel.Fired {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wheel == nil {
		return dst
	}
	if s.spare != 0 { // the spare timer must neither fire nor wake the driver
		s.wheel.Remove(s.spare)
		s.spare = 0
	}
	if t >= s.search { // continue the search, whose instant may be later than the current tick
		s.findNext()
		return dst
	}
	if s.added > searchPiece {
		// Many timers were added. Advancing to t might have to empty the slots of all these
		// timers. NextWithin bounds this work, but may return an instant before t.
		t = min(t, s.findNext())
	}
	if t < s.search {
		dst = s.wheel.Advance(max(t, s.wheel.Now()), dst)
		s.findNext()
	}
	return dst
}

// findNext sets s.next to the earliest deadline or, if the search is not finished, to a lower
// bound of it. It returns the new value. The caller holds mu.
func (s *shard) findNext() wheel.Time {
	next, more := s.wheel.NextWithin(searchPiece)
	s.next.Store(int64(next))
	s.added, s.search = 0, wheel.Never
	if more {
		s.search = next
	}
	return next
}
