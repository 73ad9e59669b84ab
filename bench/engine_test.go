package main_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkTick measures a frame of 50 ms in which the poisons of one player in 60 pulse. The
// metric ns/player is the time of the frame divided by the number of players. The metric ns/event
// is the time of the frame divided by the number of pulses.
func BenchmarkTick(b *testing.B) {
	for _, players := range []int{1000, 10_000, 100_000} {
		for _, row := range []struct {
			name    string
			workers int
		}{{"sync", 0}, {"ants", runtime.GOMAXPROCS(0)}} {
			b.Run(fmt.Sprintf("players=%d/by=%s", players, row.name), func(b *testing.B) {
				w := newWorld(b, players, row.workers)
				w.fill()
				events := 0
				b.ReportAllocs()
				for b.Loop() {
					events += w.Tick(frame).Len()
				}
				require.NotZero(b, events)
				perFrame(b, players, events)
			})
		}
		b.Run(fmt.Sprintf("players=%d/by=scan", players), func(b *testing.B) { benchmarkScan(b, players) })
	}
}

func perFrame(b *testing.B, players, events int) {
	ns := float64(b.Elapsed().Nanoseconds())
	b.ReportMetric(ns/float64(b.N)/float64(players), "ns/player")
	b.ReportMetric(ns/float64(events), "ns/event")
}

// benchmarkScan is a simple solution without the engine: every frame visits every buff of every
// player.
func benchmarkScan(b *testing.B, players int) {
	type carriedBuff struct {
		next, period, end time.Duration
	}
	type player struct {
		health int64
		buffs  []*carriedBuff
	}
	all := make([]*player, players)
	for i := range all {
		all[i] = &player{buffs: make([]*carriedBuff, carried)}
		for j := range all[i].buffs {
			c := &carriedBuff{end: 1 << 62, next: 1 << 62}
			if j < poisons {
				c.period, c.next = period, frame*time.Duration(1+i%frames)
			}
			all[i].buffs[j] = c
		}
	}
	now, events := time.Duration(0), 0
	b.ReportAllocs()
	for b.Loop() {
		now += frame
		for _, p := range all {
			for _, c := range p.buffs {
				if c.next <= now {
					c.next += c.period
					p.health--
					events++
				}
				if c.end <= now {
					b.Fatal("no buff of these ends")
				}
			}
		}
	}
	perFrame(b, players, events)
}
