// Border measures the frames before and after an hour begins, with a million timers
// waiting that are due within 12 h on a grid of a millisecond. It prints a line for each
// frame, in the format of go test -bench:
//
//	go -C bench run ./plot/border -by smoothed
//
// It uses of the wheel only what every version of it had, so that it can be run in
// another commit's tree: see bench/plot/run. The same hour is run several times, and
// each frame counts with its shortest time: what the machine does beside is not in it.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/bufftick/bufftick/wheel"
)

const (
	hour    = 3_600_000 // ms
	halfDay = 12 * hour
	border  = 2 * hour // what is due in the first hours never waits on the hours' face
	frame   = 50
	around  = 3000 // ms measured before and after the border
)

func main() {
	by := flag.String("by", "wheel", "the name to print")
	timers := flag.Int("timers", 1_000_000, "how many wait")
	runs := flag.Int("runs", 9, "how often the hour is run")
	flag.Parse()

	best := make([]time.Duration, 2*around/frame)
	for i := range best {
		best[i] = time.Hour
	}
	for range *runs {
		measure(best, *timers)
	}
	for i, took := range best {
		at := (i+1)*frame - around
		fmt.Printf("BenchmarkBorder/by=%s/frame=%dms/timers=%d/at=%dms \t%d\t%d ns/op\n",
			*by, frame, *timers, at, *runs, took.Nanoseconds())
	}
}

// measure lowers each best to the time of the frame that ends there. What fires is moved
// on by up to 12 h, outside the time measured, so that as many wait all the time.
func measure(best []time.Duration, timers int) {
	rng := rand.New(rand.NewPCG(1, 2))
	w := wheel.New(0)
	handles := make([]wheel.Handle, timers)
	for i := range handles {
		handles[i] = w.Add(wheel.Time(1+rng.Int64N(halfDay)), uint64(i))
	}
	fired := make([]wheel.Fired, 0, timers)
	moveOn := func() {
		for _, f := range fired {
			w.Move(handles[f.ID], f.Due.Add(1+rng.Int64N(halfDay)))
		}
	}
	for now := wheel.Time(frame); now <= border-around; now += frame {
		fired = w.Advance(now, fired[:0])
		moveOn()
	}
	runtime.GC()
	old := debug.SetGCPercent(-1)
	for i := range best {
		now := wheel.Time(border - around + (i+1)*frame)
		before := time.Now()
		fired = w.Advance(now, fired[:0])
		best[i] = min(best[i], time.Since(before))
		moveOn()
	}
	debug.SetGCPercent(old)
}
