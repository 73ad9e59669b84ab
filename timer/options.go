package timer

import "time"

// Options configures a [Clock]. The zero value works.
type Options struct {
	// Resolution is the grain of time: a deadline is rounded up to a whole number of it,
	// counted from New, and what is due in the same grain runs at the same time. A coarser one
	// makes fewer wake-ups. If zero, it is a millisecond; New panics if it is negative.
	Resolution time.Duration

	// Run is what runs the callbacks: [Goroutines], [Inline], or any pool. If nil, it is
	// Goroutines, as in package time.
	Run Pool

	// Clock is the wall clock, which [Clock.At] and [Clock.Schedule] follow. Delays do not
	// depend on it. If nil, it is time.Now. A monotonic reading in what it returns is ignored.
	// It must not call the Clock that it is for, nor end its goroutine. For one that panics stands
	// what it has shown last, and the time since.
	Clock func() time.Time
}

// Pool runs tasks, each once, on whatever goroutine: *ants.Pool is one. Submit returns an error
// if the pool will not run the task. It is called on the driver, one call at a time.
//
// A refusal loses nothing: the timer stays where it is, can still be stopped, and the
// same task is submitted again after a millisecond, then after two, four, up to 64. What falls due
// meanwhile waits behind it, in order; [Stats] counts the refusals. A Submit that blocks
// holds up the other timers in the same way, but no call of Stop, Reset or AfterFunc.
type Pool interface {
	Submit(task func()) error
}

// Two ways to run callbacks without a pool.
var (
	// Goroutines starts a goroutine for each callback, as package time does. Nothing
	// bounds their number.
	Goroutines Pool = goroutines{}

	// Inline runs the callbacks on the driver itself, one after the other, in order of their
	// deadlines. It is the cheapest way and the one with an order, but a callback that
	// takes long makes all others late, and one that never returns ends the Clock.
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
