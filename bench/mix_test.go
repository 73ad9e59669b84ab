package main_test

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkWheelMix measures the calls of a game in realistic proportions. Of a hundred calls, 62
// add a buff, 28 refresh a buff, and 10 add a stack, which is also a refresh. Half of the buffs are
// removed before their end; the others fire and are then removed. A buff lasts 10 s to 2 min, a
// frame takes 50 ms, and the number of calls keeps the number of buffs constant. The metric is the
// time of all calls and frames divided by the number of calls.
func BenchmarkWheelMix(b *testing.B) {
	duel(b, 1000, true, func(b *testing.B, k rival, due []int64, rng *rand.Rand) {
		n, now := len(due), int64(0)
		lasts := func() int64 { return now + 10_000 + rng.Int64N(110_000) }
		live := make([]int, n)
		at := make([]int, n)
		for i := range live {
			live[i], at[i] = i, i
			k.remove(i)
			k.add(i, lasts())
		}
		free := make([]int, 0, n)
		leave := func(timer int) {
			last := live[len(live)-1]
			live[at[timer]], at[last] = last, at[timer]
			live = live[:len(live)-1]
			free = append(free, timer)
		}
		calls := 0
		frame := func() {
			now += 50
			for _, f := range k.advance(now) {
				k.remove(int(f.ID))
				leave(int(f.ID))
			}
			// Add a timer for each free number. Remove half of these timers before they are due.
			for range len(free) {
				calls++
				switch p := rng.IntN(100); {
				case p < 62:
					timer := free[len(free)-1]
					free = free[:len(free)-1]
					at[timer] = len(live)
					live = append(live, timer)
					k.add(timer, lasts())
					if p < 31 {
						gone := live[rng.IntN(len(live))]
						k.remove(gone)
						leave(gone)
						calls++
					}
				default:
					k.move(live[rng.IntN(len(live))], now+130_000)
				}
			}
		}
		for now < 120_000 {
			frame()
		}
		b.ResetTimer()
		calls = 0
		for range b.N {
			for range 1200 { // one minute
				frame()
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(max(1, calls)), "ns/call")
	})
}
