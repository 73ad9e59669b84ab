package engine

import (
	"context"
	"time"
)

// This file has the only clock of the engine. It bounds how long Tick and Close
// wait for handlers, and nothing that is decided by the rules depends on it.

// budget is what one Tick may wait.
type budget struct {
	limit time.Duration
	timer *time.Timer
}

// start returns a channel that delivers once the budget is used up, nil for no
// limit.
func (b *budget) start() <-chan time.Time {
	if b.limit < 0 {
		return nil
	}
	if b.timer == nil {
		b.timer = time.NewTimer(b.limit)
	} else {
		b.timer.Reset(b.limit)
	}
	return b.timer.C
}

func (b *budget) stop() {
	if b.timer != nil {
		b.timer.Stop()
	}
}

// ending returns a channel that delivers when ctx ends. stop must be called.
func ending(ctx context.Context) (end <-chan time.Time, stop func() bool) {
	c := make(chan time.Time, 1)
	return c, context.AfterFunc(ctx, func() { c <- time.Time{} })
}
