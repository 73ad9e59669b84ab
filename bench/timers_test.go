package main_test

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/bufftick/bufftick/wheel"
)

// keeper keeps deadlines by timer number.
type keeper interface {
	add(timer int, ms int64) // adds a timer that is due in the given number of ms
	cancel(timer int)
	// fire waits until the timers first..end-1, which are due within 50 ms, have fired.
	fire(first, end int)
}

// In each benchmark, half of the timers wait for more than half a day and are not touched. Each
// batch adds, cancels or fires the other half.

func benchmarkKeepers(b *testing.B, f func(b *testing.B, k keeper, n int)) {
	for _, n := range []int{10_000, 1_000_000} {
		for _, kind := range []struct {
			name string
			make func(timers int) keeper
		}{{"wheel", newWheelKeeper}, {"heap", newHeapKeeper}, {"AfterFunc", newAfterKeeper}} {
			b.Run(fmt.Sprintf("timers=%d/by=%s", n, kind.name), func(b *testing.B) {
				k := kind.make(n)
				rng := rand.New(rand.NewPCG(1, 2))
				for timer := n / 2; timer < n; timer++ {
					k.add(timer, halfDay+rng.Int64N(halfDay))
				}
				b.ReportAllocs()
				f(b, k, n/2)
				b.StopTimer()
				for timer := n / 2; timer < n; timer++ {
					k.cancel(timer)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n/2), "ns/timer")
			})
		}
	}
}

const halfDay = 12 * 3600 * 1000 // ms

// BenchmarkAdd adds timers of 1 s to 12 h.
func BenchmarkAdd(b *testing.B) {
	benchmarkKeepers(b, func(b *testing.B, k keeper, batch int) {
		delays := someDelays(batch)
		add := func() {
			for timer, ms := range delays {
				k.add(timer, ms)
			}
		}
		cancel := func() {
			for timer := range delays {
				k.cancel(timer)
			}
		}
		add() // allocate the memory before the measurement
		cancel()
		for b.Loop() {
			add()
			b.StopTimer()
			cancel()
			b.StartTimer()
		}
	})
}

// BenchmarkCancel cancels timers in random order.
func BenchmarkCancel(b *testing.B) {
	benchmarkKeepers(b, func(b *testing.B, k keeper, batch int) {
		delays := someDelays(batch)
		order := rand.New(rand.NewPCG(5, 6)).Perm(batch)
		for b.Loop() {
			b.StopTimer()
			for timer, ms := range delays {
				k.add(timer, ms)
			}
			b.StartTimer()
			for _, timer := range order {
				k.cancel(timer)
			}
		}
	})
}

// BenchmarkFire fires timers that are due within one frame of 50 ms. The timers of AfterFunc use
// real time, so the benchmark resets them to fire now. Each of these timers starts a goroutine.
func BenchmarkFire(b *testing.B) {
	benchmarkKeepers(b, func(b *testing.B, k keeper, batch int) {
		for b.Loop() {
			b.StopTimer()
			for timer := range batch {
				k.add(timer, 1+int64(timer%50))
			}
			b.StartTimer()
			k.fire(0, batch)
		}
	})
}

func someDelays(n int) []int64 {
	rng := rand.New(rand.NewPCG(3, 4))
	delays := make([]int64, n)
	for i := range delays {
		delays[i] = 1000 + rng.Int64N(halfDay-1000)
	}
	return delays
}

// wheelKeeper uses our wheel.
type wheelKeeper struct {
	wheel   *wheel.Wheel
	handles []wheel.Handle
	fired   []wheel.Fired
}

func newWheelKeeper(timers int) keeper {
	return &wheelKeeper{wheel: wheel.New(0), handles: make([]wheel.Handle, timers)}
}

func (k *wheelKeeper) add(timer int, ms int64) {
	k.handles[timer] = k.wheel.Add(k.wheel.Now().Add(ms), uint64(timer))
}

func (k *wheelKeeper) cancel(timer int) { k.wheel.Remove(k.handles[timer]) }

// fire also removes the timers, because a fired timer remains in the wheel until it is moved or
// removed.
func (k *wheelKeeper) fire(_, _ int) {
	k.fired = k.wheel.Advance(k.wheel.Now().Add(50), k.fired[:0])
	for _, f := range k.fired {
		k.wheel.Remove(k.handles[f.ID])
	}
}

// heapKeeper uses container/heap. It keeps the index of each timer in the heap, so that cancel can
// find the timer.
type heapKeeper struct {
	now    int64
	due    []int64 // deadline of each timer
	place  []int   // index of each timer in the heap
	timers []int   // the heap
}

func newHeapKeeper(timers int) keeper {
	return &heapKeeper{due: make([]int64, timers), place: make([]int, timers)}
}

func (k *heapKeeper) Len() int           { return len(k.timers) }
func (k *heapKeeper) Less(i, j int) bool { return k.due[k.timers[i]] < k.due[k.timers[j]] }

func (k *heapKeeper) Swap(i, j int) {
	k.timers[i], k.timers[j] = k.timers[j], k.timers[i]
	k.place[k.timers[i]], k.place[k.timers[j]] = i, j
}

func (k *heapKeeper) Push(timer any) {
	k.place[timer.(int)] = len(k.timers)
	k.timers = append(k.timers, timer.(int))
}

func (k *heapKeeper) Pop() any {
	last := len(k.timers) - 1
	timer := k.timers[last]
	k.timers = k.timers[:last]
	return timer
}

func (k *heapKeeper) add(timer int, ms int64) {
	k.due[timer] = k.now + ms
	heap.Push(k, timer)
}

func (k *heapKeeper) cancel(timer int) { heap.Remove(k, k.place[timer]) }

func (k *heapKeeper) fire(_, _ int) {
	k.now += 50
	for len(k.timers) > 0 && k.due[k.timers[0]] <= k.now {
		heap.Pop(k)
	}
}

// afterKeeper uses one time.AfterFunc for each timer.
type afterKeeper struct {
	timers []*time.Timer
	fired  sync.WaitGroup
}

func newAfterKeeper(timers int) keeper { return &afterKeeper{timers: make([]*time.Timer, timers)} }

func (k *afterKeeper) add(timer int, ms int64) {
	// Add an hour, so that no timer fires before the call of fire.
	k.timers[timer] = time.AfterFunc(time.Duration(ms)*time.Millisecond+time.Hour, k.fired.Done)
}

func (k *afterKeeper) cancel(timer int) { k.timers[timer].Stop() }

func (k *afterKeeper) fire(first, end int) {
	k.fired.Add(end - first)
	for _, t := range k.timers[first:end] {
		t.Reset(0)
	}
	k.fired.Wait()
}
