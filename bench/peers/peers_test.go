package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
)

var most = flag.Int("peers.most", 1_000_000, "maximum number of timers; 10000000 needs 8 GB")

// all runs f for every peer and every number of waiting timers.
func all(b *testing.B, f func(b *testing.B, p peer, n int, rng *rand.Rand)) {
	for n := 10_000; n <= *most; n *= 10 {
		for _, p := range peers {
			b.Run(fmt.Sprintf("timers=%d/by=%s", n, p.name), func(b *testing.B) {
				p, rng := p.make(n+n/10), rand.New(rand.NewPCG(1, 2))
				defer p.close()
				for i := range n {
					p.add(i, within12h(rng))
				}
				b.ReportAllocs()
				b.ResetTimer()
				f(b, p, n, rng)
			})
		}
	}
}

// each reports the time per operation, with n operations in each iteration of b.
func each(b *testing.B, n int, unit string) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), unit)
}

// BenchmarkAdd adds timers, a tenth of the waiting number. It then removes these timers in random
// order, which is not measured.
func BenchmarkAdd(b *testing.B)    { addAndRemove(b, true) }
func BenchmarkRemove(b *testing.B) { addAndRemove(b, false) }

func addAndRemove(b *testing.B, adding bool) {
	all(b, func(b *testing.B, p peer, n int, rng *rand.Rand) {
		due, order := make([]int64, n/10), rng.Perm(n/10)
		for i := range due {
			due[i] = within12h(rng)
		}
		for i := range b.N + warm {
			if i == warm {
				b.ResetTimer()
			}
			clock(b, adding)
			for i, at := range due {
				p.add(n+i, at)
			}
			clock(b, !adding)
			for _, i := range order {
				p.remove(n + i)
			}
		}
		b.StopTimer()
		each(b, n/10, "ns/timer")
	})
}

func clock(b *testing.B, on bool) {
	if on {
		b.StartTimer()
	} else {
		b.StopTimer()
	}
}

// BenchmarkMove moves a random tenth of the timers to random deadlines. Half of the moved timers
// get a later deadline.
func BenchmarkMove(b *testing.B) {
	all(b, func(b *testing.B, p peer, n int, rng *rand.Rand) {
		which, due := rng.Perm(n)[:n/10], make([]int64, n/10)
		for i := range b.N + warm {
			b.StopTimer()
			for i := range due {
				due[i] = within12h(rng)
			}
			if i == warm {
				b.ResetTimer()
			}
			b.StartTimer()
			for i, timer := range which {
				p.move(timer, due[i])
			}
		}
		b.StopTimer()
		each(b, n/10, "ns/timer")
	})
}

// BenchmarkFire fires all timers within 12 h in steps of a second, including all cascading.
func BenchmarkFire(b *testing.B) {
	all(b, func(b *testing.B, p peer, n int, rng *rand.Rand) {
		now := int64(0)
		for range b.N {
			b.StopTimer()
			if now > 0 {
				for i := range n {
					p.remove(i)
					p.add(i, now+within12h(rng))
				}
			}
			b.StartTimer()
			fired := 0
			for range halfDay + 2 { // otter may fire one step late
				now++
				fired += p.advance(now)
			}
			if fired += p.settle(); fired != n {
				b.Fatalf("%d fired of %d", fired, n)
			}
		}
		each(b, n, "ns/firing")
	})
}
