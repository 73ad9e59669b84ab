package timer

import "time"

// Options configures a [Clock]. The zero value is valid.
type Options struct {
	// Resolution is the unit of time: a deadline is rounded up to a multiple of it, counted
	// from New, and timers due in the same unit run together. A coarser resolution causes fewer
	// wake-ups. The default is a millisecond; New panics if it is negative.
	Resolution time.Duration

	// Run runs the callbacks: [Goroutines], [Inline] or any pool. The default is Goroutines, as
	// in package time.
	Run Pool

	// Clock is the wall clock, which [Clock.At] and [Clock.Schedule] follow. Delays do not
	// depend on it. The default is time.Now. Monotonic readings in its results are ignored. It
	// must not call the Clock that it is for, nor end its goroutine. If it panics, its last
	// result plus the time since then is used.
	Clock func() time.Time
}

// Pool runs tasks, each once, on any goroutine; *ants.Pool implements it. Submit returns an
// error if the pool will not run the task. It is called by the driver, one call at a time.
//
// A refusal loses nothing: the timer can still be stopped, and the same task is submitted again
// after 1 ms, then 2, 4, up to 64 ms. Timers that become due in the meantime wait behind it, in
// order; [Stats] counts the refusals. A Submit that blocks delays the other timers in the same
// way, but no call of Stop, Reset or AfterFunc.
type Pool interface {
	Submit(task func()) error
}

// Two ways to run callbacks without a pool.
var (
	// Goroutines starts a goroutine for each callback, like package time. Their number is
	// unbounded.
	Goroutines Pool = goroutines{}

	// Inline runs the callbacks on the driver itself, one after another, in order of their
	// deadlines. It is the cheapest choice and the only ordered one, but a slow callback delays
	// all others, and a callback that never returns blocks the Clock forever.
	Inline Pool = inline{}
)

type goroutines struct{}

func (goroutines) Submit(task func()) error {
	go task()
	return nil
}

type inline struct{}

func (inline) Submit(task func()) error {
	task()
	return nil
}
