package main_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
)

// BenchmarkTick is one frame of 50 ms in which the poisons of one player in 60
// pulse. ns/player is the frame's cost over all players, ns/event over those
// pulses.
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

// benchmarkScan is what one would write without the engine: every frame looks at
// every buff of every player.
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

// BenchmarkBuffs calls one verb a thousand times, on random players of ten
// thousand with ten buffs each.
func BenchmarkBuffs(b *testing.B) {
	const players, batch = 10_000, 1000
	w := newWorld(b, players, 0)
	w.fill()
	rng := rand.New(rand.NewPCG(1, 2))
	targets := make([]int, batch)
	handles := make([]buff.Handle, batch)
	draw := func() {
		for i := range targets {
			targets[i] = 1 + rng.IntN(players)
		}
	}
	add := func() {
		for i, p := range targets {
			handles[i] = w.bless(p, blessings+i) // a source that is new to the player
		}
	}
	remove := func() {
		for _, h := range handles {
			w.Remove(h)
		}
	}
	refresh := func() {
		for i, p := range targets {
			w.bless(p, i%blessings)
		}
	}
	nothing := func() {}
	for _, row := range []struct {
		name                  string
		before, timed, behind func()
	}{{"new", nothing, add, remove}, {"refresh", nothing, refresh, nothing}, {"remove", add, remove, nothing}} {
		b.Run("live=100000/call="+row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				draw()
				row.before()
				b.StartTimer()
				row.timed()
				b.StopTimer()
				row.behind()
				w.Tick(0) // takes the events away
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/batch, "ns/call")
		})
	}
}
