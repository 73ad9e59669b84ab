package main_test

import (
	"fmt"
	"runtime"
	"testing"
)

// BenchmarkMemory builds a world and weighs it, without buffs and with ten on each player. A
// buff's weight has everything in it: its place on the player, its timer, the lists of the
// frames. all-in is the world by its buffs, so that the players are in it too.
func BenchmarkMemory(b *testing.B) {
	for _, players := range []int{10_000, 100_000} {
		b.Run(fmt.Sprintf("live=%d", players*carried), func(b *testing.B) {
			var player, perBuff, allIn float64
			for b.Loop() {
				before := heapBytes()
				w := newWorld(b, players, 0)
				empty := heapBytes()
				w.fill()
				full := heapBytes()
				player = float64(empty-before) / float64(players)
				perBuff = float64(full-empty) / float64(players*carried)
				allIn = float64(full-before) / float64(players*carried)
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
