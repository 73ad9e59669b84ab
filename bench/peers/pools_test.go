package main

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkPools sends one message to each player and waits until all messages are handled, as in a
// frame. A handler takes 0.1, 1 or 10 µs. Only the mailboxes keep the order of a player's messages
// and never run two handlers of a player at the same time. The other ways would need a lock for
// this, but not in this benchmark, in which each player gets only one message per frame.
//
// All ways use as many workers as there are processors, and take turns frame by frame. The metrics
// are the ns per message of each way, and their ratio to the ns of the mailboxes.
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
