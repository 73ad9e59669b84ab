package timer_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/bufftick/bufftick/timer"
)

// The benchmarks do the same work with a Clock, with package time, and with container/heap and a
// lock. bench/peers contains other libraries. The pending timers are due in one to two hours, so
// none fires unless that is measured. cpu-ns/op is the processor time of the whole process.
//
//	go test ./timer -run - -bench . -timer.most 10000000

// stopper is a timer of any implementation.
type stopper interface {
	Stop() bool
	Reset(d time.Duration) bool
}

// after is the function AfterFunc of any implementation.
type after func(d time.Duration, f func()) stopper

// rival is an implementation of timers.
type rival struct {
	name  string
	start func(tb testing.TB) (a after, addStop func(d time.Duration))
}

var rivals = []rival{
	{"timer", func(tb testing.TB) (after, func(time.Duration)) {
		c := timer.New(timer.Options{Run: timer.Inline})
		tb.Cleanup(func() { _ = c.Close(context.Background()) })
		return func(d time.Duration, f func()) stopper { return c.AfterFunc(d, f) },
			func(d time.Duration) { c.AfterFunc(d, nothing).Stop() }
	}},
	{"time", func(testing.TB) (after, func(time.Duration)) {
		return func(d time.Duration, f func()) stopper { return time.AfterFunc(d, f) },
			func(d time.Duration) { time.AfterFunc(d, nothing).Stop() }
	}},
	{"heap", func(tb testing.TB) (after, func(time.Duration)) {
		h := newHeap()
		tb.Cleanup(h.close)
		return func(d time.Duration, f func()) stopper { return h.afterFunc(d, f) },
			func(d time.Duration) { h.afterFunc(d, nothing).Stop() }
	}},
}

func nothing() {}

func anHour() time.Duration { return time.Hour + time.Duration(rand.Int64N(int64(time.Hour))) }

// eachRival runs f for each implementation and each number of pending timers. f makes n calls
// in total.
func eachRival(b *testing.B, f func(b *testing.B, r rival, pending []stopper, a after, addStop func(time.Duration), n int)) {
	for _, many := range pendings() {
		for _, r := range rivals {
			b.Run(fmt.Sprintf("pending=%d/%s", many, r.name), func(b *testing.B) {
				a, addStop := r.start(b)
				pending := make([]stopper, many)
				for i := range pending {
					pending[i] = a(anHour(), nothing)
				}
				runtime.GC()
				b.ReportAllocs()
				began := cpu()
				b.ResetTimer()
				f(b, r, pending, a, addStop, b.N)
				b.StopTimer()
				b.ReportMetric(float64(cpu()-began)/float64(b.N), "cpu-ns/op")
				for _, t := range pending {
					t.Stop()
				}
			})
		}
	}
}

// BenchmarkAddStop adds and stops a timeout that does not escape from the caller.
func BenchmarkAddStop(b *testing.B) {
	eachRival(b, func(_ *testing.B, _ rival, _ []stopper, _ after, addStop func(time.Duration), n int) {
		for range n {
			addStop(30 * time.Minute)
		}
	})
}

// BenchmarkAddStopBy does the same work as BenchmarkAddStop, on several goroutines.
func BenchmarkAddStopBy(b *testing.B) {
	for _, g := range []int{2, 8} {
		b.Run(fmt.Sprintf("goroutines=%d", g), func(b *testing.B) {
			eachRival(b, func(_ *testing.B, _ rival, _ []stopper, _ after, addStop func(time.Duration), n int) {
				var wg sync.WaitGroup
				for range g {
					wg.Go(func() {
						for range n / g {
							addStop(30 * time.Minute)
						}
					})
				}
				wg.Wait()
			})
		})
	}
}

// BenchmarkChurn stops the oldest pending timer and adds a new timer, like a server with a
// constant number of requests in progress.
func BenchmarkChurn(b *testing.B) {
	eachRival(b, func(_ *testing.B, _ rival, pending []stopper, a after, _ func(time.Duration), n int) {
		k := 0
		for range n {
			pending[k].Stop()
			pending[k] = a(anHour(), nothing)
			if k++; k == len(pending) {
				k = 0
			}
		}
	})
}

// BenchmarkReset postpones a random pending timer to a later hour, like the idle timeout of a
// connection on each message.
func BenchmarkReset(b *testing.B) {
	eachRival(b, func(_ *testing.B, _ rival, pending []stopper, _ after, _ func(time.Duration), n int) {
		dice := rand.New(rand.NewPCG(1, 1))
		for i := range n {
			pending[dice.IntN(len(pending))].Reset(3*time.Hour + time.Duration(i))
		}
	})
}

// BenchmarkFire adds timers that are due within a second. Each increments a counter. The result
// is the processor time for each timer, from adding the first timer until all have fired.
func BenchmarkFire(b *testing.B) {
	for _, many := range pendings() {
		for _, r := range rivals {
			b.Run(fmt.Sprintf("due=%d/%s", many, r.name), func(b *testing.B) {
				a, _ := r.start(b)
				began := cpu()
				for range b.N {
					var left atomic.Int64
					left.Store(int64(many))
					done := make(chan struct{})
					for i := range many {
						a(time.Duration(i)*time.Second/time.Duration(many), func() {
							if left.Add(-1) == 0 {
								close(done)
							}
						})
					}
					<-done
				}
				b.ReportMetric(float64(cpu()-began)/float64(b.N)/float64(many), "cpu-ns/timer")
			})
		}
	}
}

// BenchmarkTimeouts runs a million requests, each with a timeout of a second. One in a hundred
// times out. A hundred thousand requests are in progress at a time.
func BenchmarkTimeouts(b *testing.B) {
	const requests, places = 1_000_000, 100_000
	for _, r := range rivals {
		b.Run(r.name, func(b *testing.B) {
			a, _ := r.start(b)
			b.ReportAllocs()
			began := cpu()
			var late atomic.Int64
			for range b.N {
				under := make([]stopper, places)
				for i := range requests {
					k := i % places
					if under[k] != nil && i%100 != 0 {
						under[k].Stop()
					}
					under[k] = a(time.Second, func() { late.Add(1) })
				}
				for _, t := range under {
					t.Stop()
				}
			}
			b.ReportMetric(float64(cpu()-began)/float64(b.N)/requests, "cpu-ns/request")
		})
	}
}

// BenchmarkCollect measures how much pending timers add to the cost of a garbage collection. The
// Timers are kept or dropped.
func BenchmarkCollect(b *testing.B) {
	for _, kept := range []bool{true, false} {
		for _, many := range pendings() {
			if many < 100_000 {
				continue
			}
			for _, r := range rivals {
				var ms, bytes float64
				b.Run(fmt.Sprintf("kept=%v/pending=%d/%s", kept, many, r.name), func(b *testing.B) {
					if b.N == 1 { // the result does not depend on b.N
						ms, bytes = marking(b, r, kept, many)
					}
					b.ReportMetric(ms, "cpu-ms/GC")
					b.ReportMetric(bytes, "B/timer")
					b.ReportMetric(0, "ns/op")
				})
				runtime.GC()
			}
		}
	}
}

// marking returns the processor time, in milliseconds, that many timers add to a collection, and
// the bytes for each timer. It removes all timers, because timers of package time would otherwise
// be marked in later measurements.
func marking(b *testing.B, r rival, kept bool, many int) (ms, bytes float64) {
	b.Helper()
	a, _ := r.start(b)
	pending := make([]stopper, 0, many)
	hidden := make([]uintptr, 0, many) // dropped timers, hidden from the collector
	bare, before := collect(b)
	for range many {
		t := a(anHour(), nothing)
		if std, ok := t.(*time.Timer); ok && !kept {
			// valid as long as the runtime keeps the timer
			hidden = append(hidden, uintptr(unsafe.Pointer(std)))
		} else if kept {
			pending = append(pending, t)
		}
	}
	full, after := collect(b)
	for _, t := range pending {
		t.Stop()
	}
	for i := range hidden {
		(*(**time.Timer)(unsafe.Pointer(&hidden[i]))).Stop()
	}
	return float64(full-bare) / 1e6, (float64(after) - float64(before)) / float64(many)
}

// BenchmarkCollectPointers measures a collection with a slice of pointers to objects of 24 bytes
// without pointers. This is the cost of keeping that many handles of any kind.
func BenchmarkCollectPointers(b *testing.B) {
	for _, many := range pendings() {
		if many < 100_000 {
			continue // below the noise between collections
		}
		var ms float64
		b.Run(fmt.Sprintf("pending=%d", many), func(b *testing.B) {
			if b.N == 1 {
				kept := make([]*[3]uint64, many)
				bare, _ := collect(b)
				for i := range kept {
					kept[i] = new([3]uint64)
				}
				full, _ := collect(b)
				ms = float64(full-bare) / 1e6
				runtime.KeepAlive(kept)
			}
			b.ReportMetric(ms, "cpu-ms/GC")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkCollectFunctions measures a collection with functions in pages, without timers. This
// is the minimum cost of a table of functions. If fresh is true, each function is a closure of
// its own.
func BenchmarkCollectFunctions(b *testing.B) {
	for _, fresh := range []bool{false, true} {
		for _, many := range pendings() {
			if many < 100_000 {
				continue
			}
			var ms float64
			b.Run(fmt.Sprintf("fresh=%v/pending=%d", fresh, many), func(b *testing.B) {
				if b.N == 1 {
					ms = functions(b, many, fresh)
				}
				b.ReportMetric(ms, "cpu-ms/GC")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func functions(b *testing.B, many int, fresh bool) float64 {
	b.Helper()
	const page = 1 << 10
	var pages []*[page]func()
	bare, _ := collect(b)
	for i := range many {
		if i%page == 0 {
			pages = append(pages, new([page]func()))
		}
		f := nothing
		if fresh {
			f = func() { pages[i] = nil }
		}
		pages[i/page][i%page] = f
	}
	full, _ := collect(b)
	runtime.KeepAlive(pages)
	return float64(full-bare) / 1e6
}

// collect returns the smallest processor time of five collections, and the heap size after
// them.
func collect(b *testing.B) (least time.Duration, heap uint64) {
	b.Helper()
	least = time.Hour
	runtime.GC()
	for range 5 {
		began := cpu()
		runtime.GC()
		least = min(least, cpu()-began)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return least, m.HeapAlloc
}

// BenchmarkLate measures how late callbacks run on an idle machine. There is one callback each
// millisecond.
func BenchmarkLate(b *testing.B) {
	for _, r := range rivals {
		b.Run(r.name, func(b *testing.B) {
			a, _ := r.start(b)
			const n = 2000
			late := make([]time.Duration, n)
			for range b.N {
				var wg sync.WaitGroup
				wg.Add(n)
				start := time.Now()
				for i := range n {
					d := time.Duration(i)*time.Millisecond + time.Duration(rand.Int64N(int64(time.Millisecond)))
					due := time.Since(start) + d
					a(d, func() {
						late[i] = time.Since(start) - due
						wg.Done()
					})
				}
				wg.Wait()
			}
			slices.Sort(late)
			b.ReportMetric(float64(late[n/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(late[n*99/100].Microseconds()), "p99-µs")
			b.ReportMetric(float64(late[n-1].Microseconds()), "max-µs")
		})
	}
}
