package timer

import (
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// Timer is a scheduled function call. Use [Clock.AfterFunc], [Clock.At], [Clock.Every] or
// [Clock.Schedule] to create one. Any goroutine may call its methods.
//
// A caller that needs neither Stop nor Reset may drop the Timer. Its function is called
// nevertheless. The Timer keeps a reference to the function, for Reset.
type Timer struct {
	s      *shard
	f      func()
	series *series // nil for AfterFunc

	h wheel.Handle // protected by s.mu
}

// AfterFunc waits for d to elapse and then calls f. Options.Run determines on which goroutine. It
// returns a [Timer] that can cancel the call. If d is not positive, f is called immediately, but
// never inside AfterFunc. AfterFunc panics if f is nil.
//
// d is measured on the monotonic clock, so setting the wall clock has no effect. f is not called
// before d has elapsed. Usually it is called less than Options.Resolution plus a millisecond
// later. After Close, AfterFunc starts nothing, and the returned Timer is already stopped.
//
// The Timer is not allocated on the heap if it does not escape from the caller.
func (c *Clock) AfterFunc(d time.Duration, f func()) *Timer {
	t := &Timer{f: f}
	c.after(t, d) // a separate function, so that AfterFunc can be inlined and t need not escape
	return t
}

func (c *Clock) after(t *Timer, d time.Duration) {
	if t.f == nil {
		panic("timer: AfterFunc: nil function")
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

// Stop prevents the function from being called. It returns true if it stops the timer, and false if
// the timer has expired or was already stopped. If Stop returns true, the function will not start.
// If it returns false, the function may still be running; Stop does not wait for it.
//
// Stop ends a timer of [Clock.Every] or [Clock.Schedule] even while its function runs. A result
// of true then means that there are no further calls. Stop panics if the Timer was not created by
// a Clock.
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

// Reset changes the timer so that its function is called after d, whether it was active or not. It
// returns true if the timer was active, and false if it had expired or been stopped. If the
// function is running, it is called again, possibly before the running call has ended. The
// function of an Every or Schedule is called only after the running call has ended.
//
// For a timer of [Clock.Every], d is also the new period and must be positive. A timer of
// [Clock.Schedule] continues from the new instant. A timer of [Clock.At] no longer follows the
// wall clock. After Close, Reset does nothing and returns false. It panics if the Timer was not
// created by a Clock.
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
		panic("timer: " + method + " of a Timer not created by a Clock")
	}
	return t.s
}
