package main_test

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

// BenchmarkWheelFrames advances a wheel through 24 h, in frames of 50 ms and of 16 ms. A million
// timers are due within 12 h, with a resolution of a millisecond. A timer that fires is moved by up
// to 12 h, so that all hours have about the same number of timers. The same day is run several
// times, and the shortest duration of each frame counts. This excludes other work of the machine,
// but not the work of the wheel.
//
// Each frame is compared with the median of the frames in the same second. A frame that fires six
// timers takes longer than a frame that fires none, because the timers are at six places in memory.
// Therefore each frame is also compared with its kind, which is the frames of the day that fired
// the same number of timers. TestFramesAreEven of package wheel counts how many entries a frame
// moves.
//
// The metrics:
//
//	median-ns                median frame
//	longest-ns, -fired       longest frame, and the number of timers that it fired
//	hour-ns                  longest frame in the first second of an hour
//	hour-times-its-second    largest ratio of such a frame to the median of its second
//	hour-times-its-kind      largest ratio of such a frame to the median of its kind
//	over-3x-its-second       number of frames longer than three times the median of their second
//	over-3x-its-kind         number of frames longer than three times the median of their kind
func BenchmarkWheelFrames(b *testing.B) {
	const timers, runs = 1_000_000, 5
	for _, frame := range []int{50, 16} {
		b.Run(fmt.Sprintf("frame=%dms", frame), func(b *testing.B) {
			frames := make([]frameCost, 2*halfDay/frame)
			for range b.N {
				for i := range frames {
					frames[i].ns = 1<<32 - 1
				}
				for range runs {
					day(frames, timers, frame)
				}
			}
			reportFrames(b, frames, frame)
		})
	}
}

// warmTime is the length of the first part of the day, in ms, which is not measured. During this
// time, data that a garbage collection has evicted from the cache is loaded again.
const warmTime = 60_000

// frameCost is the duration of a frame in ns, and the number of timers that it fired.
type frameCost struct{ ns, fired uint32 }

// day runs 24 h. If a frame is shorter than in earlier runs, day lowers the cost of the frame.
func day(frames []frameCost, timers, frame int) {
	rng := rand.New(rand.NewPCG(1, 2))
	k := newRivalWheel(timers).(*rivalWheel)
	for i := range timers {
		k.add(i, 1+rng.Int64N(halfDay))
	}
	// First play half a day, until the memory of the wheel has its final size.
	fired := make([]wheel.Fired, 0, 4096)
	for now := int64(1000); now <= halfDay-warmTime; now += 1000 {
		fired = k.wheel.Advance(wheel.Time(now), fired[:0])
		for _, f := range fired {
			k.move(int(f.ID), int64(f.Due)+1+rng.Int64N(halfDay))
		}
	}
	start := k.wheel.Now().Add(warmTime)
	runtime.GC()
	old := debug.SetGCPercent(-1)
	for i := -warmTime / frame; i < len(frames); i++ {
		now := start.Add(int64(i+1) * int64(frame))
		before := time.Now()
		fired = k.wheel.Advance(now, fired[:0])
		took := uint32(time.Since(before))
		for _, f := range fired {
			k.move(int(f.ID), int64(f.Due)+1+rng.Int64N(halfDay))
		}
		if i >= 0 {
			frames[i] = frameCost{min(frames[i].ns, took), uint32(len(fired))}
		}
	}
	debug.SetGCPercent(old)
}

func reportFrames(b *testing.B, frames []frameCost, frame int) {
	kind := map[uint32][]uint32{}
	for _, f := range frames {
		kind[f.fired] = append(kind[f.fired], f.ns)
	}
	usual := map[uint32]uint32{}
	for fired, these := range kind {
		usual[fired] = median(these)
	}
	var worst frameCost
	var hour, overSecond, overKind uint32
	var hourSecond, hourKind float64
	for from, to := 0, 0; from < len(frames); from = to {
		second := (from + 1) * frame / 1000 // the second in which the frame ends
		var these []uint32
		for ; to < len(frames) && (to+1)*frame/1000 == second; to++ {
			these = append(these, frames[to].ns)
		}
		middle := median(these)
		for _, f := range frames[from:to] {
			if f.ns > 3*middle {
				overSecond++
			}
			if f.ns > 3*usual[f.fired] {
				overKind++
			}
			if f.ns > worst.ns {
				worst = f
			}
			if second%3600 == 0 {
				hour = max(hour, f.ns)
				hourSecond = max(hourSecond, float64(f.ns)/float64(middle))
				hourKind = max(hourKind, float64(f.ns)/float64(usual[f.fired]))
			}
		}
	}
	var all []uint32
	for _, f := range frames {
		all = append(all, f.ns)
	}
	b.ReportMetric(float64(median(all)), "median-ns")
	b.ReportMetric(float64(worst.ns), "longest-ns")
	b.ReportMetric(float64(worst.fired), "longest-fired")
	b.ReportMetric(float64(hour), "hour-ns")
	b.ReportMetric(hourSecond, "hour-times-its-second")
	b.ReportMetric(hourKind, "hour-times-its-kind")
	b.ReportMetric(float64(overSecond), "over-3x-its-second")
	b.ReportMetric(float64(overKind), "over-3x-its-kind")
}

// median sorts the costs and returns their median, but at least 1, because callers divide by it.
func median(ns []uint32) uint32 {
	slices.Sort(ns)
	return max(1, ns[len(ns)/2])
}

// BenchmarkWheelMemory measures the memory of a pending timer after ten times as many timers have
// been removed and added. It also measures the duration of a garbage collection.
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

// heapBytes returns the size of the live heap in bytes.
func heapBytes() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
