package main_test

import (
	"fmt"
	"runtime"
	"testing"
)

// BenchmarkMemory builds a world and measures its memory: first without buffs, then with ten buffs
// on each player, or with 22 as in profile B. The memory of a buff includes its record in the
// owner's state, its timer and the lists of the frames. The metric B/buff-all-in is the memory of
// the whole world divided by the number of buffs, so it also includes the players.
func BenchmarkMemory(b *testing.B) {
	for _, row := range []struct{ players, each int }{{10_000, carried}, {100_000, carried}, {1_000_000 / 22, 22}} {
		players, each := row.players, row.each
		b.Run(fmt.Sprintf("live=%d/each=%d", players*each, each), func(b *testing.B) {
			var player, perBuff, allIn float64
			for b.Loop() {
				before := heapBytes()
				w := newWorld(b, players, 0)
				empty := heapBytes()
				w.fill()
				for p := range players {
					for source := blessings; source < each-poisons; source++ {
						w.bless(p+1, source)
					}
					if p%(players/frames) == 0 {
						w.Tick(frame)
					}
				}
				for range frames {
					w.Tick(frame)
				}
				full := heapBytes()
				player = float64(empty-before) / float64(players)
				perBuff = float64(full-empty) / float64(players*each)
				allIn = float64(full-before) / float64(players*each)
				runtime.KeepAlive(w)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(player, "B/player")
			b.ReportMetric(perBuff, "B/buff")
			b.ReportMetric(allIn, "B/buff-all-in")
			b.ReportMetric(220, "target")
		})
	}
}
