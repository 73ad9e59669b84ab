package peers

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/maypok86/otter/v2"

	"github.com/bufftick/bufftick/wheel"
)

const halfDay = 12 * 3600 // s

// peer keeps deadlines, in s, by the number of the timer.
type peer interface {
	add(timer int, due int64)
	remove(timer int)
	advance(now int64) (fired int) // since the last call
}

var peers = []struct {
	name string
	make func(timers int) peer
}{{"wheel", newWheel}, {"otter", newOtter}}

func all(b *testing.B, f func(b *testing.B, p peer, n int, rng *rand.Rand)) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		for _, p := range peers {
			b.Run(fmt.Sprintf("timers=%d/by=%s", n, p.name), func(b *testing.B) {
				b.ReportAllocs()
				f(b, p.make(n+n/10), n, rand.New(rand.NewPCG(1, 2)))
			})
		}
	}
}

// BenchmarkAdd adds a tenth to those that wait; Remove takes them out again, at random.
func BenchmarkAdd(b *testing.B)    { addAndRemove(b, true) }
func BenchmarkRemove(b *testing.B) { addAndRemove(b, false) }

func addAndRemove(b *testing.B, adding bool) {
	all(b, func(b *testing.B, p peer, n int, rng *rand.Rand) {
		for i := range n {
			p.add(i, 1+rng.Int64N(halfDay))
		}
		due, order := make([]int64, n/10), rng.Perm(n/10)
		for i := range due {
			due[i] = 1 + rng.Int64N(halfDay)
		}
		b.ResetTimer()
		for i := range b.N + 1 {
			if i == 1 {
				b.ResetTimer() // the first is for the memory
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
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n/10), "ns/timer")
	})
}

func clock(b *testing.B, on bool) {
	if on {
		b.StartTimer()
	} else {
		b.StopTimer()
	}
}

// BenchmarkFire lets all fire within 12 h, in steps of a second.
func BenchmarkFire(b *testing.B) {
	all(b, func(b *testing.B, p peer, n int, rng *rand.Rand) {
		now := int64(0)
		for range b.N {
			b.StopTimer()
			for i := range n {
				p.remove(i)
				p.add(i, now+1+rng.Int64N(halfDay))
			}
			p.advance(now)
			b.StartTimer()
			fired := 0
			for range halfDay + 2 { // otter may be a step late
				now++
				fired += p.advance(now)
			}
			if fired != n {
				b.Logf("%d fired of %d", fired, n)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/firing")
	})
}

type wheelPeer struct {
	wheel   *wheel.Wheel
	handles []wheel.Handle
	fired   []wheel.Fired
}

func newWheel(timers int) peer {
	return &wheelPeer{wheel: wheel.New(0), handles: make([]wheel.Handle, timers)}
}

func (p *wheelPeer) add(timer int, due int64) {
	p.handles[timer] = p.wheel.Add(wheel.Time(due*1000), uint64(timer))
}

func (p *wheelPeer) remove(timer int) { p.wheel.Remove(p.handles[timer]) }

func (p *wheelPeer) advance(now int64) int {
	p.fired = p.wheel.Advance(wheel.Time(now*1000), p.fired[:0])
	return len(p.fired)
}

type otterPeer struct {
	cache *otter.Cache[int, int64]
	now   int64 // ns
	fired int
}

func newOtter(timers int) peer {
	p := &otterPeer{}
	p.cache = otter.Must(&otter.Options[int, int64]{
		InitialCapacity: timers,
		Clock:           p,
		Executor:        func(f func()) { f() },
		ExpiryCalculator: otter.ExpiryWritingFunc(func(e otter.Entry[int, int64]) time.Duration {
			return time.Duration(e.Value - p.now)
		}),
		OnDeletion: func(e otter.DeletionEvent[int, int64]) {
			if e.Cause == otter.CauseExpiration {
				p.fired++
			}
		},
	})
	return p
}

// NowNano and Tick make it the cache's clock.
func (p *otterPeer) NowNano() int64                      { return p.now }
func (p *otterPeer) Tick(time.Duration) <-chan time.Time { return nil }

func (p *otterPeer) add(timer int, due int64) { p.cache.Set(timer, due*int64(time.Second)) }
func (p *otterPeer) remove(timer int)         { p.cache.Invalidate(timer) }

func (p *otterPeer) advance(now int64) int {
	p.now = now * int64(time.Second)
	was := p.fired
	p.cache.CleanUp()
	return p.fired - was
}
