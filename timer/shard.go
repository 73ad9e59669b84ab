package timer

import (
	"sync"
	"sync/atomic"

	"github.com/bufftick/bufftick/wheel"
)

// shard is a part of a Clock's timers, under a lock of its own. Each timer is in one for all its
// life.
//
// Invariant: fns has the function of each timer of the wheel that waits or rests, by the index in
// its handle, and nil for all others. A timer rests from the tick at which it fell due to
// when its function starts: it can be stopped until then.
type shard struct {
	mu    sync.Mutex
	wheel *wheel.Wheel // nil before the first timer and after Close
	fns   []*[fnPage]func()

	// A timer that was stopped and is still on the wheel, without a function: the next one that is added
	// takes its place there, which is cheaper than to take one off and put one on. 0 if there is none.
	// No other method may ask the wheel for the state of a handle: see state. Under mu.
	spare wheel.Handle

	// No timer that waits is due before this tick; wheel.Never if none waits. Written under mu,
	// read by the driver without it.
	next atomic.Int64

	// Where the search for next is to go on: there is nothing due before it but what has been added since. Never
	// if it is at its end. Only the driver reads and writes it.
	search wheel.Time
	added  int // how many were added and moved since it was last asked for; under mu

	clock   *Clock
	closed  bool
	started uint64
	stopped uint64
	running atomic.Int64 // callbacks that have started and not ended
	_       [16]byte     // the next shard's lock is on another cache line
}

// fnPage is how many functions a page of shard.fns has. Pages stay where they are.
const fnPage = 1 << 10

// searchPiece is how many entries of each level of the wheel the driver looks at under one lock.
const searchPiece = 512

// add starts a timer, now being ns after New, and reports whether it is due before all others. Nothing
// is started after Close. The caller holds mu.
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

// state is what a handle stands for: nothing, if its timer was stopped. The caller holds mu.
func (s *shard) state(h wheel.Handle) wheel.State {
	if s.wheel == nil || h == s.spare {
		return wheel.Stale
	}
	return s.wheel.State(h)
}

// move gives a timer another deadline, or reports that it is none any more: its function has
// started, or it was stopped. The caller holds mu.
func (s *shard) move(h wheel.Handle, due wheel.Time) (ok, first bool) {
	if s.wheel == nil || h == s.spare || !s.wheel.Move(h, due) {
		return false, false
	}
	return true, s.sooner(due)
}

// sooner lowers next to due, and reports whether it was later. The caller holds mu.
func (s *shard) sooner(due wheel.Time) bool {
	s.added++
	if int64(due) >= s.next.Load() {
		return false
	}
	s.next.Store(int64(due))
	return true
}

// stop ends a timer and reports whether its function was still to start. The caller holds
// mu.
func (s *shard) stop(h wheel.Handle) bool {
	switch state := s.state(h); {
	case state == wheel.Stale:
		return false
	case state == wheel.Waiting && s.spare == 0:
		s.letGo(h)
		s.spare = h
	default:
		s.end(h)
	}
	s.stopped++
	return true
}

// end takes a timer off the wheel. Its function is let go, so that what it refers to can
// be collected. The caller holds mu.
func (s *shard) end(h wheel.Handle) (f func()) {
	s.wheel.Remove(h)
	return s.letGo(h)
}

// letGo forgets the function of a timer and returns it. The caller holds mu.
func (s *shard) letGo(h wheel.Handle) (f func()) {
	p := &s.fns[uint32(h)/fnPage][uint32(h)%fnPage]
	f, *p = *p, nil
	return f
}

// call runs the function of a timer that fell due, unless it has been stopped or moved since.
func (s *shard) call(h wheel.Handle) {
	f := s.claim(h)
	if f == nil {
		return
	}
	defer s.ended() // also if f panics or ends the goroutine
	f()
}

// claim ends a timer that fell due and returns its function, which is to be called now; nil
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

// take appends to dst what is due at t or before it, and works out next. If that, or what has to be
// brought down before t, is more than one lock is for, it is left to further calls. Only the
// driver calls it.
func (s *shard) take(t wheel.Time, dst []wheel.Fired) []wheel.Fired {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wheel == nil {
		return dst
	}
	if s.spare != 0 { // it must neither fall due nor be what the driver wakes for
		s.wheel.Remove(s.spare)
		s.spare = 0
	}
	if t >= s.search { // which may be in the future
		s.ask()
		return dst
	}
	if s.added > searchPiece {
		// They may be in slots that the hands would pass on the way to t.
		t = min(t, s.ask())
	}
	if t < s.search {
		dst = s.wheel.Advance(max(t, s.wheel.Now()), dst)
		s.ask()
	}
	return dst
}

// ask works out next, or a part of it, and returns the wheel's answer. The caller holds mu.
func (s *shard) ask() wheel.Time {
	next, more := s.wheel.NextWithin(searchPiece)
	s.next.Store(int64(next))
	s.added, s.search = 0, wheel.Never
	if more {
		s.search = next
	}
	return next
}
