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

// The benchmarks do the same work on a Clock, on package time, and on container/heap with a lock;
// bench/peers has other libraries. The pending timers are due in one to two hours, so
// that none fires meanwhile but where that is what is measured. cpu-ns/op is the processor
// time of the whole process.
//
//	go test ./timer -run - -bench . -timer.most 10000000

// stopper is a timer of any of them.
type stopper interface {
	Stop() bool
	Reset(d time.Duration) bool
}

// after is AfterFunc of any of them.
type after func(d time.Duration, f func()) stopper

// rival is something that has timers.
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

// eachRival runs f for each rival and each number of pending timers. f makes n calls in all.
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

// BenchmarkAddStop: a time-out that is not needed, and does not outlive the caller's frame.
func BenchmarkAddStop(b *testing.B) {
	eachRival(b, func(_ *testing.B, _ rival, _ []stopper, _ after, addStop func(time.Duration), n int) {
		for range n {
			addStop(30 * time.Minute)
		}
	})
}

// BenchmarkAddStopBy: the same, from several goroutines.
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

// BenchmarkChurn: the oldest of the pending is stopped and a new one takes its place: the
// time-outs of a server in which so many requests are under way.
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

// BenchmarkReset: one of the pending, any one, is put off to a later hour, as each message of a
// connection does with its time-out.
func BenchmarkReset(b *testing.B) {
	eachRival(b, func(_ *testing.B, _ rival, pending []stopper, _ after, _ func(time.Duration), n int) {
		dice := rand.New(rand.NewPCG(1, 1))
		for i := range n {
			pending[dice.IntN(len(pending))].Reset(3*time.Hour + time.Duration(i))
		}
	})
}

// BenchmarkFire: so many fall due within a second, each adds to a counter. The time is that
// of the process for one of them, from when it is added until all have come.
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

// BenchmarkTimeouts: a million requests, each with a time-out of a second, of which one
// in a hundred is met. So many are under way at a time as one of a hundred thousand places is
// free.
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

// BenchmarkCollect: what one garbage collection costs with so many timers pending: beyond one
// without them. The Timers are kept, or dropped.
func BenchmarkCollect(b *testing.B) {
	for _, kept := range []bool{true, false} {
		for _, many := range pendings() {
			if many < 100_000 {
				continue
			}
			for _, r := range rivals {
				var ms, bytes float64
				b.Run(fmt.Sprintf("kept=%v/pending=%d/%s", kept, many, r.name), func(b *testing.B) {
					if b.N == 1 { // whoever asks for more has the same answer
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

// marking returns by how many milliseconds of processor time so many timers make a collection longer, and how many
// bytes one takes. None of them is left: those of package time would wait for an hour, and be
// marked with all that are measured after them.
func marking(b *testing.B, r rival, kept bool, many int) (ms, bytes float64) {
	b.Helper()
	a, _ := r.start(b)
	pending := make([]stopper, 0, many)
	hidden := make([]uintptr, 0, many) // where those are that the program does not keep: the collector sees only numbers
	bare, before := collect(b)
	for range many {
		t := a(anHour(), nothing)
		if std, ok := t.(*time.Timer); ok && !kept {
			hidden = append(hidden, uintptr(unsafe.Pointer(std))) // valid as long as the runtime has it among its timers
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

// BenchmarkCollectPointers: what one collection costs for a slice of so many pointers, each to an object
// of its own of 24 bytes without a pointer: the price of keeping a million handles of any kind.
func BenchmarkCollectPointers(b *testing.B) {
	for _, many := range pendings() {
		if many < 100_000 {
			continue // less than a collection differs from the next one
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

// BenchmarkCollectFunctions: the same for so many functions in pages, without any timer: the least that
// a table of them costs the collector. fresh is a closure for each.
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

// collect returns the least processor time of five collections, and the heap after them.
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

// BenchmarkLate: how late callbacks are, one each millisecond, on a machine that does nothing
// else.
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
