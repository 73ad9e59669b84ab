package timer

import (
	"sync"
	"sync/atomic"

	"github.com/bufftick/bufftick/wheel"
)

// shard is a part of a Clock's timers, with its own lock. A timer stays in one shard.
//
// Invariant: fns holds the function of each waiting or resting timer of the wheel, by the index
// in its handle, and nil for all others. A timer rests from the tick at which it became due
// until its function starts; it can be stopped until then.
type shard struct {
	mu    sync.Mutex
	wheel *wheel.Wheel // nil before the first timer and after Close
	fns   []*[fnPage]func()

	// A stopped timer that is still on the wheel, without a function. The next timer that is
	// added replaces it, which is cheaper than removing one and adding another. 0 if there is
	// none. To check a handle, use state instead of calling the wheel. Protected by mu.
	spare wheel.Handle

	// No waiting timer is due before this tick; wheel.Never if none waits. Written under mu,
	// read by the driver without it.
	next atomic.Int64

	// Where to continue an unfinished search for next: only timers added since are due before
	// it. Never if the search is complete. Used only by the driver.
	search wheel.Time
	added  int // timers added and moved since the last search; under mu

	clock   *Clock
	closed  bool
	started uint64
	stopped uint64
	running atomic.Int64 // callbacks that have started and not ended
	_       [16]byte     // padding: the next shard's lock is on another cache line
}

// fnPage is the number of functions in a page of shard.fns. Pages never move.
const fnPage = 1 << 10

// searchPiece is the number of entries of each level of the wheel that the driver visits under
// one lock.
const searchPiece = 512

// add starts a timer, where now is in ns after New, and reports whether it is due before all
// others. After Close it starts nothing. The caller holds mu.
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

// move gives a timer another deadline. ok is false if its function has started or it was
// stopped. The caller holds mu.
func (s *shard) move(h wheel.Handle, due wheel.Time) (ok, first bool) {
	if s.wheel == nil || h == s.spare || !s.wheel.Move(h, due) {
		return false, false
	}
	return true, s.sooner(due)
}

// sooner lowers next to due, and reports whether next was later. The caller holds mu.
func (s *shard) sooner(due wheel.Time) bool {
	s.added++
	if int64(due) >= s.next.Load() {
		return false
	}
	s.next.Store(int64(due))
	return true
}

// stop ends a timer and reports whether its function had not started. The caller holds mu.
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

// end removes a timer from the wheel. It drops the reference to the function, so that its
// memory can be collected, and returns it. The caller holds mu.
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

// call runs the function of a due timer, unless it has been stopped or moved since.
func (s *shard) call(h wheel.Handle) {
	f := s.claim(h)
	if f == nil {
		return
	}
	defer s.ended() // even if f panics or ends the goroutine
	f()
}

// claim ends a due timer and returns its function, which the caller must call. It returns nil
// if the timer was stopped or moved.
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

// take appends the timers due at or before t to dst and recomputes next. If that, or the work
// before t, is too much for one lock, the rest is left to further calls. Only the driver may
// call it.
func (s *shard) take(t wheel.Time, dst []wheel.Fired) []wheel.Fired {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wheel == nil {
		return dst
	}
	if s.spare != 0 { // it must neither fire nor wake the driver
		s.wheel.Remove(s.spare)
		s.spare = 0
	}
	if t >= s.search { // search may be in the future
		s.findNext()
		return dst
	}
	if s.added > searchPiece {
		// They may be in slots that the hands would pass on the way to t.
		t = min(t, s.findNext())
	}
	if t < s.search {
		dst = s.wheel.Advance(max(t, s.wheel.Now()), dst)
		s.findNext()
	}
	return dst
}

// findNext recomputes next, or makes progress on it, and returns the result of the wheel. The
// caller holds mu.
func (s *shard) findNext() wheel.Time {
	next, more := s.wheel.NextWithin(searchPiece)
	s.next.Store(int64(next))
	s.added, s.search = 0, wheel.Never
	if more {
		s.search = next
	}
	return next
}
