package engine

import "time"

// This file has the only clock of the engine. It bounds how long Tick and Close
// wait for handlers, and nothing that is decided by the rules depends on it.

// closeRound is how long Close waits for handlers before it looks at its context,
// and at a pool that had no worker, again.
const closeRound = 10 * time.Millisecond

// budget is what one Tick may wait.
type budget struct{ timer *time.Timer }

// start returns a channel that delivers once limit is used up, nil for no limit.
func (b *budget) start(limit time.Duration) <-chan time.Time {
	if limit < 0 {
		return nil
	}
	if b.timer == nil {
		b.timer = time.NewTimer(limit)
	} else {
		b.timer.Reset(limit)
	}
	return b.timer.C
}

func (b *budget) stop() {
	if b.timer != nil {
		b.timer.Stop()
	}
}
