package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestEmptyFrames checks that empty frames between frames with pulses keep the memory of the
// lists: a loop of 60 frames a second with a pulse in every second frame does not allocate.
func TestEmptyFrames(t *testing.T) {
	for _, workers := range []int{0, 2} {
		e, _ := steady(t, 1000, workers)
		frames := func() {
			for range 7 {
				e.Tick(0)
			}
			e.Tick(time.Second)
			e.Tick(0)
			e.Tick(time.Second)
		}
		for range 50 {
			frames()
		}
		require.Zero(t, testing.AllocsPerRun(50, frames), "%d workers", workers)
	}
}

// BenchmarkEmptyFrames compares the cost of a pulse if every frame has some with the cost if every
// second frame is empty.
func BenchmarkEmptyFrames(b *testing.B) {
	const owners = 1000
	for name, empty := range map[string]int{"none": 0, "every-second": 1} {
		b.Run(name, func(b *testing.B) {
			e, _ := steady(b, owners, 2)
			n := 0
			for b.Loop() {
				for range empty {
					e.Tick(0)
				}
				n += e.Tick(time.Second).Len()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/pulse")
		})
	}
}
