package main_test

import (
	"container/heap"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bufftick/bufftick/wheel"
)

var wheelMost = flag.Int("wheel.most", 1_000_000, "the largest number of timers in the benchmarks of the wheel; 10000000 needs 1 GB")

// rival keeps deadlines in ms by timer number, and fires the timers in the order of their
// deadlines. The rival "heap" uses container/heap. The rival "flat" has a slot for each second of
// 12 h.
type rival interface {
	add(timer int, due int64)
	move(timer int, due int64) // moves a timer that is waiting or has fired
	remove(timer int)
	advance(now int64) []wheel.Fired // valid until the next call
}

var rivals = []struct {
	name string
	make func(timers int) rival
}{{"wheel", newRivalWheel}, {"heap", newRivalHeap}, {"flat", newRivalFlat}, {"floor", newFloor}}

// duel runs f for every rival and every number of timers. The timers wait for up to 12 h, and their
// deadlines are multiples of grid ms. The rival "floor" takes part only if fires is false.
func duel(b *testing.B, grid int64, fires bool, f func(b *testing.B, k rival, due []int64, rng *rand.Rand)) {
	for n := 10_000; n <= *wheelMost; n *= 10 {
		for _, r := range rivals {
			if fires && r.name == "floor" {
				continue
			}
			b.Run(fmt.Sprintf("timers=%d/by=%s", n, r.name), func(b *testing.B) {
				k, rng := r.make(n+n/10), rand.New(rand.NewPCG(1, 2))
				due := make([]int64, n)
				for i := range due {
					due[i] = within12h(rng, grid)
					k.add(i, due[i])
				}
				b.ReportAllocs()
				b.ResetTimer()
				f(b, k, due, rng)
			})
		}
	}
}

func within12h(rng *rand.Rand, grid int64) int64 { return (1 + rng.Int64N(halfDay/grid)) * grid }

// each reports the time per operation, with n operations in each iteration of b.
func each(b *testing.B, n int, unit string) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), unit)
}

// BenchmarkWheelAdd adds timers, a tenth of the waiting number. BenchmarkWheelRemove removes these
// timers in random order.
func BenchmarkWheelAdd(b *testing.B)    { addAndRemove(b, true) }
func BenchmarkWheelRemove(b *testing.B) { addAndRemove(b, false) }

func addAndRemove(b *testing.B, adding bool) {
	duel(b, 1000, false, func(b *testing.B, k rival, due []int64, rng *rand.Rand) {
		more := len(due) / 10
		delays, order := make([]int64, more), rng.Perm(more)
		for i := range delays {
			delays[i] = within12h(rng, 1000)
		}
		toggle(b, adding, func() {
			for i, ms := range delays {
				k.add(len(due)+i, ms)
			}
		}, func() {
			for _, i := range order {
				k.remove(len(due) + i)
			}
		})
		each(b, more, "ns/timer")
	})
}

// warm is the number of rounds of calls before the measurement. During these rounds, the entries of
// removed timers accumulate to a fifth of the timers.
const warm = 5

// toggle calls two functions alternately, and measures only one of them: the first function if
// "first" is true, and otherwise the second function.
func toggle(b *testing.B, first bool, one, other func()) {
	for range warm { // allocate the memory before the measurement
		one()
		other()
	}
	b.ResetTimer()
	for range b.N {
		timed(b, first, one)
		timed(b, !first, other)
	}
	b.StopTimer()
}

func timed(b *testing.B, is bool, f func()) {
	if is {
		b.StartTimer()
	} else {
		b.StopTimer()
	}
	f()
}

// BenchmarkWheelLater moves a random tenth of the timers to a later deadline, like a refresh.
// BenchmarkWheelEarlier moves these timers back.
func BenchmarkWheelLater(b *testing.B)   { moveAndBack(b, true) }
func BenchmarkWheelEarlier(b *testing.B) { moveAndBack(b, false) }

func moveAndBack(b *testing.B, later bool) {
	duel(b, 1000, false, func(b *testing.B, k rival, due []int64, rng *rand.Rand) {
		which := rng.Perm(len(due))[:len(due)/10]
		soon, late := make([]int64, len(which)), make([]int64, len(which))
		for i, timer := range which {
			soon[i] = due[timer]
			late[i] = due[timer] + within12h(rng, 1000)
		}
		toggle(b, later, func() {
			for i, timer := range which {
				k.move(timer, late[i])
			}
		}, func() {
			for i, timer := range which {
				k.move(timer, soon[i])
			}
		})
		each(b, len(which), "ns/timer")
	})
}

// BenchmarkWheelFire fires all timers in steps of a second. The deadlines are multiples of a second
// or of a millisecond. The time includes all moves of timers between the levels of the wheel.
func BenchmarkWheelFire(b *testing.B) {
	for _, grid := range []int64{1000, 1} {
		b.Run(fmt.Sprintf("grid=%dms", grid), func(b *testing.B) {
			duel(b, grid, true, func(b *testing.B, k rival, due []int64, rng *rand.Rand) {
				start := int64(0)
				for i := range b.N {
					for now := start + 1000; now <= start+halfDay; now += 1000 {
						k.advance(now)
					}
					start += halfDay
					if i < b.N-1 {
						b.StopTimer()
						for timer := range due {
							k.move(timer, start+within12h(rng, grid))
						}
						b.StartTimer()
					}
				}
				each(b, len(due), "ns/firing")
			})
		})
	}
}

// BenchmarkWheelPeriodic fires every timer every 3 s, in frames of 50 ms, and moves each timer when
// it fires. With phase=seconds the timers fire at whole seconds. With phase=ms they fire at random
// milliseconds, so that timers that fire in succession are far apart in memory.
func BenchmarkWheelPeriodic(b *testing.B) {
	for _, phase := range []string{"seconds", "ms"} {
		b.Run("phase="+phase, func(b *testing.B) {
			duel(b, 1000, true, func(b *testing.B, k rival, due []int64, rng *rand.Rand) {
				for timer := range due {
					at := (1 + rng.Int64N(3)) * 1000
					if phase == "ms" {
						at = 1 + rng.Int64N(3000)
					}
					k.move(timer, at)
				}
				now := int64(0)
				round := func() (fired int) {
					for end := now + 3000; now < end; {
						now += 50
						for _, f := range k.advance(now) {
							k.move(int(f.ID), int64(f.Due)+3000)
							fired++
						}
					}
					return fired
				}
				round()
				b.ResetTimer()
				fired := 0
				for range b.N {
					fired += round()
				}
				if fired != b.N*len(due) {
					b.Fatalf("%d fired of %d", fired, b.N*len(due))
				}
				each(b, len(due), "ns/firing")
			})
		})
	}
}

// BenchmarkWheelAfterFunc measures time.AfterFunc, for comparison with BenchmarkWheelAdd.
func BenchmarkWheelAfterFunc(b *testing.B) {
	for n := 10_000; n <= min(*wheelMost, 1_000_000); n *= 10 {
		b.Run(fmt.Sprintf("timers=%d", n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			wait := func() time.Duration { return time.Hour + time.Duration(within12h(rng, 1000))*time.Millisecond }
			pending, more := make([]*time.Timer, n), make([]*time.Timer, n/10)
			for i := range pending {
				pending[i] = time.AfterFunc(wait(), func() {})
			}
			toggle(b, true, func() {
				for i := range more {
					more[i] = time.AfterFunc(wait(), func() {})
				}
			}, func() {
				for _, t := range more {
					t.Stop()
				}
			})
			each(b, len(more), "ns/timer")
			for _, t := range pending {
				t.Stop()
			}
		})
	}
}

// rivalWheel uses our wheel.
type rivalWheel struct {
	wheel   *wheel.Wheel
	handles []wheel.Handle
	fired   []wheel.Fired
}

func newRivalWheel(timers int) rival {
	return &rivalWheel{wheel: wheel.New(0), handles: make([]wheel.Handle, timers)}
}

func (r *rivalWheel) add(timer int, due int64) {
	r.handles[timer] = r.wheel.Add(wheel.Time(due), uint64(timer))
}
func (r *rivalWheel) move(timer int, due int64) { r.wheel.Move(r.handles[timer], wheel.Time(due)) }
func (r *rivalWheel) remove(timer int)          { r.wheel.Remove(r.handles[timer]) }

func (r *rivalWheel) advance(now int64) []wheel.Fired {
	r.fired = r.wheel.Advance(wheel.Time(now), r.fired[:0])
	return r.fired
}

// rivalHeap uses heapKeeper. The place of a fired timer is -1.
type rivalHeap struct {
	*heapKeeper
	fired []wheel.Fired
}

func newRivalHeap(timers int) rival {
	return &rivalHeap{heapKeeper: newHeapKeeper(timers).(*heapKeeper)}
}

func (r *rivalHeap) add(timer int, due int64) {
	r.due[timer] = due
	heap.Push(r.heapKeeper, timer)
}

func (r *rivalHeap) remove(timer int) {
	if r.place[timer] >= 0 {
		heap.Remove(r.heapKeeper, r.place[timer])
		r.place[timer] = -1
	}
}

func (r *rivalHeap) move(timer int, due int64) {
	r.due[timer] = due
	if r.place[timer] < 0 {
		heap.Push(r.heapKeeper, timer)
	} else {
		heap.Fix(r.heapKeeper, r.place[timer])
	}
}

func (r *rivalHeap) advance(now int64) []wheel.Fired {
	r.fired = r.fired[:0]
	for len(r.timers) > 0 && r.due[r.timers[0]] <= now {
		timer := heap.Pop(r.heapKeeper).(int)
		r.place[timer] = -1
		r.fired = append(r.fired, wheel.Fired{Due: wheel.Time(r.due[timer]), ID: uint64(timer)})
	}
	return r.fired
}

// rivalFlat has 43,200 slots, each with a list that is doubly linked by index. It has no order
// within a second and no handles, and a slot also holds timers that are due 12 h later.
type rivalFlat struct {
	now        int64 // s
	head       []int32
	next, prev []int32 // neighbours of each timer in its list, as timer + 1; 0 means none
	due        []int64
	fired      []wheel.Fired
}

func newRivalFlat(timers int) rival {
	return &rivalFlat{
		head: make([]int32, halfDay/1000),
		next: make([]int32, timers+1), prev: make([]int32, timers+1), due: make([]int64, timers+1),
	}
}

func (r *rivalFlat) slot(due int64) *int32 { return &r.head[(due+999)/1000%int64(len(r.head))] }

func (r *rivalFlat) add(timer int, due int64) {
	t, head := int32(timer+1), r.slot(due)
	r.due[t], r.next[t], r.prev[t] = due, *head, 0
	if *head != 0 {
		r.prev[*head] = t
	}
	*head = t
}

func (r *rivalFlat) remove(timer int) {
	t := int32(timer + 1)
	if r.due[t] == 0 {
		return
	}
	if r.prev[t] != 0 {
		r.next[r.prev[t]] = r.next[t]
	} else {
		*r.slot(r.due[t]) = r.next[t]
	}
	if r.next[t] != 0 {
		r.prev[r.next[t]] = r.prev[t]
	}
	r.due[t] = 0
}

func (r *rivalFlat) move(timer int, due int64) {
	r.remove(timer)
	r.add(timer, due)
}

func (r *rivalFlat) advance(now int64) []wheel.Fired {
	r.fired = r.fired[:0]
	for ; r.now <= now/1000; r.now++ {
		if r.now*1000 > now {
			break
		}
		head := r.slot(r.now * 1000)
		for t := *head; t != 0; {
			next := r.next[t]
			if r.due[t] <= now {
				r.fired = append(r.fired, wheel.Fired{Due: wheel.Time(r.due[t]), ID: uint64(t - 1)})
				r.remove(int(t - 1))
			}
			t = next
		}
	}
	r.now = now / 1000 // the next call visits the current second again
	return r.fired
}

// floor only stores the deadline. It shows the cost of the benchmark itself on this machine.
type floor []int64

func newFloor(timers int) rival               { return make(floor, timers) }
func (r floor) add(timer int, due int64)      { r[timer] = due }
func (r floor) move(timer int, due int64)     { r[timer] = due }
func (r floor) remove(timer int)              { r[timer] = 0 }
func (r floor) advance(_ int64) []wheel.Fired { return nil }
