package main_test

import (
	"runtime"
	"testing"
)

// BenchmarkMemory builds a world of ten thousand players and weighs it, without
// buffs and with ten on each. A buff's weight has everything in it: its place on
// the player, its timer, the lists of the frames.
func BenchmarkMemory(b *testing.B) {
	const players = 10_000
	var player, perBuff float64
	for b.Loop() {
		before := heapBytes()
		w := newWorld(b, players, 0)
		empty := heapBytes()
		w.fill()
		full := heapBytes()
		player = float64(empty-before) / players
		perBuff = float64(full-empty) / (players * carried)
		runtime.KeepAlive(w)
	}
	b.ReportMetric(player, "B/player")
	b.ReportMetric(perBuff, "B/buff")
}
