package wheel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The delays are multiples of a second, spread evenly over 12 h, and the timers are chosen at
// random, so that caches miss as often as in a game.

var populations = []int{10_000, 100_000, 1_000_000}

func benchmark(b *testing.B, f func(b *testing.B, w *Wheel, handles []Handle, rng *rand.PCG)) {
	for _, n := range populations {
		b.Run(fmt.Sprintf("timers=%d", n), func(b *testing.B) {
			rng := rand.NewPCG(1, 2)
			w, handles := New(0), make([]Handle, n)
			for i := range handles {
				handles[i] = w.Add(delay(rng), uint64(i))
			}
			b.ReportAllocs()
			f(b, w, handles, rng)
		})
	}
}

func delay(rng *rand.PCG) Time { return Time(1+rng.Uint64()%43_200) * 1000 }

// BenchmarkAdd fills a wheel that has previously held the same number of timers.
func BenchmarkAdd(b *testing.B) {
	benchmark(b, func(b *testing.B, w *Wheel, handles []Handle, rng *rand.PCG) {
		i := len(handles)
		for b.Loop() {
			if i == len(handles) {
				b.StopTimer()
				for _, h := range handles {
					w.Remove(h)
				}
				i = 0
				b.StartTimer()
			}
			handles[i] = w.Add(delay(rng), uint64(i))
			i++
		}
	})
}

// BenchmarkRemove removes timers in random order.
func BenchmarkRemove(b *testing.B) {
	benchmark(b, func(b *testing.B, w *Wheel, handles []Handle, rng *rand.PCG) {
		rand.New(rng).Shuffle(len(handles), func(i, j int) { handles[i], handles[j] = handles[j], handles[i] })
		i := 0
		for b.Loop() {
			if i == len(handles) {
				b.StopTimer()
				for i := range handles {
					handles[i] = w.Add(delay(rng), uint64(i))
				}
				rand.New(rng).Shuffle(len(handles), func(i, j int) { handles[i], handles[j] = handles[j], handles[i] })
				i = 0
				b.StartTimer()
			}
			w.Remove(handles[i])
			i++
		}
	})
}

// BenchmarkMove gives a random timer a random deadline.
func BenchmarkMove(b *testing.B) {
	benchmark(b, func(b *testing.B, w *Wheel, handles []Handle, rng *rand.PCG) {
		for b.Loop() {
			w.Move(handles[rng.Uint64()%uint64(len(handles))], delay(rng))
		}
	})
}

// BenchmarkPeriodic advances in frames of 50 ms. Every timer has a period of 3 s and is moved
// when it fires. One op is one frame; ns/firing is the cost of one timer, including its Move.
func BenchmarkPeriodic(b *testing.B) {
	benchmark(b, func(b *testing.B, w *Wheel, handles []Handle, rng *rand.PCG) {
		for _, h := range handles {
			w.Move(h, Time(1+rng.Uint64()%3000))
		}
		var dst []Fired
		fired := 0
		for b.Loop() {
			dst = w.Advance(w.Now().Add(50), dst[:0])
			for _, f := range dst {
				w.Move(handles[f.ID], f.Due.Add(3000))
			}
			fired += len(dst)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(max(1, fired)), "ns/firing")
	})
}

// BenchmarkRound advances through 12 h in steps of a second. Every timer fires once. One op is
// one step; ns/firing is the cost of one timer on all levels.
func BenchmarkRound(b *testing.B) {
	benchmark(b, func(b *testing.B, w *Wheel, handles []Handle, rng *rand.PCG) {
		var dst []Fired
		fired := 0
		for b.Loop() {
			dst = w.Advance(w.Now().Add(1000), dst[:0])
			fired += len(dst)
			if w.Len() == 0 {
				b.StopTimer()
				for _, h := range handles {
					w.Move(h, w.Now()+delay(rng))
				}
				b.StartTimer()
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(max(1, fired)), "ns/firing")
	})
}

// BenchmarkIdle advances by 50 ms on a wheel with one timer, or with a hundred timers due within
// twelve hours.
func BenchmarkIdle(b *testing.B) {
	for _, n := range []int{1, 100} {
		b.Run(fmt.Sprintf("timers=%d", n), func(b *testing.B) {
			w := New(0)
			w.Add(Never, 0)
			handles := make([]Handle, n-1)
			for i := range handles {
				handles[i] = w.Add(Time(1+i)*43_200_000/100, uint64(i))
			}
			var dst []Fired
			b.ReportAllocs()
			for b.Loop() {
				for _, f := range w.Advance(w.Now().Add(50), dst[:0]) {
					w.Move(handles[f.ID], f.Due+43_200_000)
				}
			}
		})
	}
}
