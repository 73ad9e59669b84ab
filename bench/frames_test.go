package bench

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// BenchmarkWheelFrames turns a wheel with a million timers, due within 12 h on a grid of
// a millisecond, through 24 h in frames of 50 and of 16 ms. What fires is moved on by up
// to 12 h, so that an hour is as full as another. The same day is run several times
// and each frame counts with its shortest time: what the machine does beside is not in
// it, what the wheel does is.
//
// The metrics: the median and the longest frame; the longest in a second that begins
// an hour, and the median frame of that second; how many frames of the day are longer
// than three times the median frame of their second, and the most entries that fired
// in one frame.
func BenchmarkWheelFrames(b *testing.B) {
	const timers, runs = 1_000_000, 5
	for _, frame := range []int{50, 16} {
		b.Run(fmt.Sprintf("frame=%dms", frame), func(b *testing.B) {
			n := 2 * halfDay / frame
			best := make([]uint32, n)
			for range b.N {
				for i := range best {
					best[i] = 1<<32 - 1
				}
				for range runs {
					day(best, timers, frame)
				}
			}
			reportFrames(b, best, frame)
		})
	}
}

// day runs 24 h and lowers each best to the ns that the frame took.
func day(best []uint32, timers, frame int) {
	rng := rand.New(rand.NewPCG(1, 2))
	k := newRivalWheel(timers).(*rivalWheel)
	for i := range timers {
		k.add(i, 1+rng.Int64N(halfDay))
	}
	// Half a day first: the slabs are as large as they get.
	fired := make([]wheel.Fired, 0, 4096)
	for now := -halfDay; now < 0; now += 1000 {
		fired = k.wheel.Advance(wheel.Time(now+halfDay+1000), fired[:0])
		for _, f := range fired {
			k.move(int(f.ID), int64(f.Due)+1+rng.Int64N(halfDay))
		}
	}
	start := k.wheel.Now()
	runtime.GC()
	old := debug.SetGCPercent(-1)
	for i := range best {
		now := start.Add(int64(i+1) * int64(frame))
		before := time.Now()
		fired = k.wheel.Advance(now, fired[:0])
		best[i] = min(best[i], uint32(time.Since(before)))
		for _, f := range fired {
			k.move(int(f.ID), int64(f.Due)+1+rng.Int64N(halfDay))
		}
	}
	debug.SetGCPercent(old)
}

func reportFrames(b *testing.B, best []uint32, frame int) {
	second := max(1, 1000/frame)
	var worst, hour, hourMedian uint32
	over := 0
	for i := 0; i+second <= len(best); i += second {
		these := slices.Sorted(slices.Values(best[i : i+second]))
		median := these[len(these)/2]
		for _, ns := range these {
			if ns > 3*median {
				over++
			}
		}
		longest := these[len(these)-1]
		worst = max(worst, longest)
		if i*frame/3_600_000 != (i+second)*frame/3_600_000 && longest > hour {
			hour, hourMedian = longest, median
		}
	}
	all := slices.Sorted(slices.Values(best))
	b.ReportMetric(float64(all[len(all)/2]), "median-ns")
	b.ReportMetric(float64(worst), "longest-ns")
	b.ReportMetric(float64(hour), "hour-ns")
	b.ReportMetric(float64(hourMedian), "hour-median-ns")
	b.ReportMetric(float64(over), "over-3x")
}

// BenchmarkWheelMemory says what a pending timer weighs after ten times as many were
// removed and added again, and how long the collector takes with nothing else to do.
func BenchmarkWheelMemory(b *testing.B) {
	for n := 10_000; n <= *wheelMost; n *= 10 {
		b.Run(fmt.Sprintf("timers=%d", n), func(b *testing.B) {
			var bytes int64
			var took time.Duration
			for range b.N {
				rng := rand.New(rand.NewPCG(1, 2))
				handles := make([]wheel.Handle, n)
				before := heapBytes()
				w := wheel.New(0)
				for i := range handles {
					handles[i] = w.Add(wheel.Time(within12h(rng, 1)), uint64(i))
				}
				for range 10 * n {
					i := rng.IntN(n)
					w.Remove(handles[i])
					handles[i] = w.Add(wheel.Time(within12h(rng, 1)), uint64(i))
				}
				bytes = heapBytes() - before
				took = time.Hour
				for range 5 {
					start := time.Now()
					runtime.GC()
					took = min(took, time.Since(start))
				}
				runtime.KeepAlive(w)
				runtime.KeepAlive(handles)
			}
			b.ReportMetric(float64(bytes)/float64(n), "B/timer")
			b.ReportMetric(float64(took.Microseconds())/1000, "GC-ms")
		})
	}
}
