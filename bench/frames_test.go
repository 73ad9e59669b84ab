package bench

import (
	"cmp"
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
// A frame that fires six timers may take longer than one that fires none: six timers lie
// at six places in memory. So a frame is compared with those of the day that fired as
// many. How many entries it moved is counted in wheel's TestFramesAreEven.
//
// The metrics: the median and the longest frame, and how many that one fired; of the
// seconds that begin an hour the longest frame, and how often it is as long as the median
// of its kind; how many frames of the day are longer than three times that.
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

// frameCost is what one frame took and how many timers it fired.
type frameCost struct{ ns, fired uint32 }

// day runs 24 h and lowers each cost to the ns that the frame took.
func day(frames []frameCost, timers, frame int) {
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
	for i := range frames {
		now := start.Add(int64(i+1) * int64(frame))
		before := time.Now()
		fired = k.wheel.Advance(now, fired[:0])
		frames[i].ns = min(frames[i].ns, uint32(time.Since(before)))
		frames[i].fired = uint32(len(fired))
		for _, f := range fired {
			k.move(int(f.ID), int64(f.Due)+1+rng.Int64N(halfDay))
		}
	}
	debug.SetGCPercent(old)
}

func reportFrames(b *testing.B, frames []frameCost, frame int) {
	byTime := func(a, b frameCost) int { return cmp.Compare(a.ns, b.ns) }
	kind := map[uint32][]frameCost{}
	for _, f := range frames {
		kind[f.fired] = append(kind[f.fired], f)
	}
	for _, these := range kind {
		slices.SortFunc(these, byTime)
	}
	times := func(f frameCost) float64 {
		these := kind[f.fired]
		return float64(f.ns) / float64(these[len(these)/2].ns)
	}
	over, worst := 0, frameCost{}
	var hour frameCost
	hourTimes := 0.0
	for i, f := range frames {
		if times(f) > 3 {
			over++
		}
		if f.ns > worst.ns {
			worst = f
		}
		if i*frame%3_600_000 < 1000 {
			hourTimes = max(hourTimes, times(f))
			if f.ns > hour.ns {
				hour = f
			}
		}
	}
	slices.SortFunc(frames, byTime)
	b.ReportMetric(float64(frames[len(frames)/2].ns), "median-ns")
	b.ReportMetric(float64(worst.ns), "longest-ns")
	b.ReportMetric(float64(worst.fired), "longest-fired")
	b.ReportMetric(float64(hour.ns), "hour-ns")
	b.ReportMetric(hourTimes, "hour-times-its-kind")
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
