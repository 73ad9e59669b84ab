package timer

import "time"

// Options configures a [Clock]. The zero value is valid.
type Options struct {
	// Resolution is the unit of time. A deadline, measured from New, is rounded up to a multiple
	// of Resolution, and timers with the same rounded deadline run together. A coarser resolution
	// causes fewer wake-ups. The default is a millisecond. New panics if Resolution is negative.
	Resolution time.Duration

	// Run runs the callbacks: [Goroutines], [Inline] or any pool. The default is Goroutines, as
	// in package time.
	Run Pool

	// Clock is the wall clock, which [Clock.At] and [Clock.Schedule] follow. Delays do not depend
	// on it. The default is time.Now. Monotonic readings in its results are ignored. It must not
	// call methods of the [Clock] that uses it, and must not call runtime.Goexit. If it panics,
	// its last result plus the time since then is used.
	Clock func() time.Time
}

// Pool runs tasks, each once, on any goroutine; *ants.Pool implements it. Submit returns an
// error if the pool will not run the task. It is called by the driver, one call at a time.
//
// A refusal loses no timer. The timer can still be stopped, and its task is submitted again after
// 1 ms, then after 2, 4, and up to 64 ms. Timers that become due in the meantime wait in order
// until the pool has accepted the task; [Stats] counts the refusals. A Submit that blocks delays
// the other timers in the same way, but does not delay calls to Stop, Reset or AfterFunc.
type Pool interface {
	Submit(task func()) error
}

// Two ways to run callbacks without a pool.
var (
	// Goroutines starts a goroutine for each callback, like package time. The number of goroutines
	// is unbounded.
	Goroutines Pool = goroutines{}

	// Inline runs the callbacks on the driver itself, one after another, in order of their
	// deadlines. It is the cheapest choice and the only pool that keeps the order, but a slow
	// callback delays all others, and a callback that never returns blocks the Clock forever.
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
