package engine

import "time"

// This file has the only clock of the engine. It bounds how long Tick and Close
// wait for handlers, and nothing that is decided by the rules depends on it.

// closeRound is how long Close waits for handlers before it looks at its context,
// and at a pool that had no worker, again.
const closeRound = 10 * time.Millisecond

// budget is what one Tick may wait, in all its slices together.
type budget struct {
	timer *time.Timer
	runs  bool
	spent bool // a wait of this Tick has come to its end
}

// start returns a channel that delivers once limit, counted from the first start of the
// Tick, is used up; nil for no limit.
func (b *budget) start(limit time.Duration) <-chan time.Time {
	switch {
	case limit < 0:
		return nil
	case b.timer == nil:
		b.timer = time.NewTimer(limit)
	case !b.runs:
		b.timer.Reset(limit)
	}
	b.runs = true
	return b.timer.C
}

// stop ends the Tick.
func (b *budget) stop() {
	if b.runs {
		b.timer.Stop()
	}
	b.runs, b.spent = false, false
}
