package floor_test

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkPause is what the collector adds to the frames of a game of a million buffs, 4,000 pulses a frame: frames by the wall clock, with no
// collection and with one after the other beside them, in turns, and how long the collector stopped everything. Each program has a heap for itself.
func BenchmarkPause(b *testing.B) {
	const players = 100_000
	b.Run("engine", func(b *testing.B) {
		p := &pair{newOurs(b, players, 0), nil}
		p.fill(players)
		pauses(b, p.engine.tick)
	})
	b.Run("floor", func(b *testing.B) {
		p := &pair{nil, newTheirs(players)}
		p.fill(players)
		pauses(b, p.floor.tick)
	})
}

func pauses(b *testing.B, tick func()) {
	quiet(b)
	var none, beside []time.Duration
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for b.Loop() {
		none = frameTimes(none, tick)
		stop := collecting()
		beside = frameTimes(beside, tick)
		stop()
	}
	runtime.ReadMemStats(&after)
	stops := []uint64{}
	for n := before.NumGC; n < after.NumGC && len(stops) < len(after.PauseNs); n++ {
		stops = append(stops, after.PauseNs[(after.NumGC-1-(n-before.NumGC))%uint32(len(after.PauseNs))])
	}
	require.NotEmpty(b, stops)
	slices.Sort(stops)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(stops[len(stops)/2])/1e3, "stop-p50-us")
	b.ReportMetric(float64(stops[len(stops)-1])/1e3, "stop-longest-us")
	for name, all := range map[string][]time.Duration{"none": none, "beside": beside} {
		slices.Sort(all)
		b.ReportMetric(float64(all[len(all)/2])/1e3, name+"-p50-us")
		b.ReportMetric(float64(all[len(all)*99/100])/1e3, name+"-p99-us")
	}
}

// frameTimes appends how long each frame of a period takes.
func frameTimes(dst []time.Duration, tick func()) []time.Duration {
	for range period {
		began := time.Now()
		tick()
		dst = append(dst, time.Since(began))
	}
	return dst
}

// collecting has one collection follow the other until stop is called.
func collecting() (stop func()) {
	over, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		for {
			select {
			case <-over:
				return
			default:
				runtime.GC()
			}
		}
	}()
	return func() { close(over); <-gone }
}
