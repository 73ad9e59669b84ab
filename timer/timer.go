package timer

import (
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// Timer is a function that is to be called. Make one with [Clock.AfterFunc], [Clock.At],
// [Clock.Every] or [Clock.Schedule]. Any goroutine may call its methods.
//
// A timer that waits does not need it: it costs nothing to drop the Timer. It keeps the
// function, and what that refers to, for a Reset.
type Timer struct {
	s      *shard
	f      func()
	series *series // nil if it is of AfterFunc

	h wheel.Handle // under s.mu
}

// AfterFunc waits for d to pass and then calls f, in the way that Options.Run says. It returns a
// [Timer] that can cancel the call. If d is not above zero f is called at once, but never
// inside AfterFunc. AfterFunc panics if f is nil.
//
// d is measured by the monotonic clock: to set the wall clock changes nothing. f is not called
// before d has passed, and as a rule less than Options.Resolution and a millisecond later. After
// Close nothing is started: the Timer is one that was stopped.
//
// The Timer is not allocated if it does not outlive the caller's frame.
func (c *Clock) AfterFunc(d time.Duration, f func()) *Timer {
	t := &Timer{f: f}
	c.after(t, d) // so small, AfterFunc is inlined, and the caller's compiler sees where t goes
	return t
}

func (c *Clock) after(t *Timer, d time.Duration) {
	if t.f == nil {
		panic("timer: AfterFunc without a function")
	}
	now, due := c.dueIn(d)
	s := c.pick(now)
	s.mu.Lock()
	h, first := s.add(now, due, t.f)
	s.mu.Unlock()
	t.s, t.h = s, h
	if first {
		c.expect(due)
	}
}

// Stop prevents the call of the function. It returns true if the call stops the timer, false
// if it has expired or been stopped already. After true the function does not start any more.
// After false it may be running; Stop does not wait for it.
//
// A timer of [Clock.Every] or [Clock.Schedule] is stopped for good, also while its function
// runs, and then true says that there is no other call. Stop panics if the Timer was not
// made by a Clock.
func (t *Timer) Stop() bool {
	if t.series != nil {
		return t.series.stop()
	}
	s := t.shard("Stop")
	s.mu.Lock()
	stopped := s.stop(t.h)
	s.mu.Unlock()
	return stopped
}

// Reset changes the timer so that its function is called after d, whether it had been active or
// not. It returns true if the timer had been active, false if it had expired or been stopped. If
// it was running, it is called again and may run twice at the same time; of a timer of Every or
// Schedule it is called when the running call is over.
//
// For a timer of [Clock.Every] d is the new period as well, and must be above zero. One of
// [Clock.Schedule] goes on from the new instant. One of [Clock.At] does not follow the wall
// clock any more. After Close, Reset does nothing and returns false. It panics if the Timer was
// not made by a Clock.
func (t *Timer) Reset(d time.Duration) bool {
	if t.series != nil {
		return t.series.reset(d)
	}
	s := t.shard("Reset")
	now, due := s.clock.dueIn(d)
	s.mu.Lock()
	active, first := s.move(t.h, due)
	if !active {
		t.h, first = s.add(now, due, t.f)
	}
	s.mu.Unlock()
	if first {
		s.clock.expect(due)
	}
	return active
}

func (t *Timer) shard(method string) *shard {
	if t.s == nil {
		panic("timer: " + method + " of a Timer that no Clock has made")
	}
	return t.s
}
