package main

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkPools brings one message to each of so many players and waits until all are
// handled, as a frame does; a handler takes 0.1, 1 or 10 µs. The mailboxes keep the order of a
// player's messages and never let two of its handlers meet. The others do not: for them the
// players are different in each frame, so that they need not, and a second message to one
// player would need a lock and come in any order.
//
// All have as many workers as there are processors, and take their turns: a round of the
// benchmark lets each play a frame, and then the next. The metrics are the ns for each
// message, of a row, and how many times those of the mailboxes that is.
func BenchmarkPools(b *testing.B) {
	for _, work := range []time.Duration{100, time.Microsecond, 10 * time.Microsecond} {
		for _, players := range []int{16, 256, 4096} {
			b.Run(fmt.Sprintf("work=%v/players=%d", work, players), func(b *testing.B) {
				inTurn(b, players, turnsFor(work))
			})
		}
	}
}

func inTurn(b *testing.B, players, turns int) {
	ways := newWays(players, handler(players, turns))
	took := make([]time.Duration, len(ways))
	for _, w := range ways {
		b.Cleanup(w.close)
		w.frame()
	}
	b.ResetTimer()
	for range b.N {
		for i, w := range ways {
			start := time.Now()
			w.frame()
			took[i] += time.Since(start)
		}
	}
	for i, w := range ways {
		ns := float64(took[i].Nanoseconds()) / float64(b.N) / float64(players)
		b.ReportMetric(ns, w.name+"-ns/message")
		if i > 0 {
			b.ReportMetric(float64(took[i])/float64(took[0]), w.name+"-times")
		}
	}
}
