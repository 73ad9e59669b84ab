package rival

import (
	"container/heap"
	"math/rand/v2"
	"time"

	"github.com/bufftick/bufftick/bench/load"
	"github.com/bufftick/bufftick/wheel"
)

// This file measures the wheel without the engine. Timers wait for up to 12 h, and deadlines are
// multiples of a second. In each round, every keeper adds some timers, moves them and removes them
// again. The number of these timers is a tenth of the number of waiting timers. After the last
// round, all waiting timers fire three times.

// keeper keeps deadlines, in ms, by timer number.
type keeper interface {
	add(timer int32, due int64)
	move(timer int32, due int64)
	remove(timer int32)
	advance(now int64) (fired int)
	again(timer int32, due int64) // adds a fired timer again
}

// Kept is the cost of calls to one keeper, in ns per timer.
type Kept struct {
	Timers                  int
	Name                    string
	Add, Move, Remove, Fire load.Spread
	Rounds                  []KeptRound
}

// KeptRound is the cost in one round. Fire is 0 for a keeper that uses real time.
type KeptRound struct{ Add, Move, Remove, Fire float64 }

// keptWarm is the number of rounds at the start that are not counted. In these rounds the wheel's
// memory grows until a fifth of its entries are dead.
const keptWarm = 5

// keptFires is how many times all timers fire.
const keptFires = 3

const (
	keptGrid = 1000         // deadlines are multiples of this time, in ms
	keptSpan = 12 * 3600000 // maximum time that a timer waits, in ms
)

// Keep measures all keepers with the given number of timers.
func Keep(timers, rounds int, progress func(float64)) []Kept {
	names := []string{"wheel", "flat, 43,200 lists", "container/heap", "AfterFunc"}
	more := timers / 10
	rng := rand.New(rand.NewPCG(1, 2))
	due := make([]int64, timers+more)
	for i := range due {
		due[i] = (1 + rng.Int64N(keptSpan/keptGrid)) * keptGrid
	}
	later := make([]int64, more)
	for i := range later {
		later[i] = (1 + rng.Int64N(keptSpan/keptGrid)) * keptGrid
	}
	order := rng.Perm(more)
	keepers := []keeper{newKeptWheel(len(due)), newKeptFlat(len(due)), newKeptHeap(len(due)), newKeptAfter(len(due))}
	out := make([]Kept, len(keepers))
	for i, k := range keepers {
		out[i] = Kept{Timers: timers, Name: names[i]}
		for t := range timers {
			k.add(int32(t), due[t])
		}
	}
	for round := range rounds + keptWarm {
		for i, k := range keepers {
			r := churn(k, timers, due, later, order)
			if round >= keptWarm {
				out[i].Rounds = append(out[i].Rounds, r)
			}
		}
		progress(float64(round+1) / float64(rounds+keptWarm+1))
	}
	firing := keepers[:len(keepers)-1]
	for round := range min(rounds, keptFires) {
		for i, k := range firing {
			out[i].Rounds[round].Fire = fireAll(k, int64(round)*keptSpan, due[:timers])
		}
	}
	for t := range timers {
		keepers[len(firing)].remove(int32(t))
	}
	for i := range out {
		out[i].sum()
	}
	return out
}

// churn adds timers, a tenth of the given number, then moves them, and then removes them in random
// order.
func churn(k keeper, timers int, due, later []int64, order []int) (r KeptRound) {
	per := func(f func()) float64 {
		start := time.Now()
		f()
		return float64(time.Since(start)) / float64(len(later))
	}
	r.Add = per(func() {
		for i := range later {
			k.add(int32(timers+i), due[timers+i])
		}
	})
	r.Move = per(func() {
		for i, at := range later {
			k.move(int32(timers+i), at)
		}
	})
	r.Remove = per(func() {
		for _, i := range order {
			k.remove(int32(timers + i))
		}
	})
	return r
}

// fireAll fires all timers, second by second. The time starts at the parameter "from", which is a
// multiple of keptSpan. In the first call, where it is 0, the timers are already waiting. A later
// call first adds them again.
func fireAll(k keeper, from int64, due []int64) float64 {
	if from > 0 {
		for t, at := range due {
			k.again(int32(t), from+at)
		}
	}
	start, fired := time.Now(), 0
	for now := from + keptGrid; now <= from+keptSpan; now += keptGrid {
		fired += k.advance(now)
	}
	if fired != len(due) {
		panic("rival: a keeper has lost timers")
	}
	return float64(time.Since(start)) / float64(len(due))
}

func (k *Kept) sum() {
	var add, move, remove, fire []float64
	for _, r := range k.Rounds {
		add, move, remove = append(add, r.Add), append(move, r.Move), append(remove, r.Remove)
		if r.Fire > 0 {
			fire = append(fire, r.Fire)
		}
	}
	k.Add, k.Move, k.Remove, k.Fire = load.SpreadOf(add), load.SpreadOf(move), load.SpreadOf(remove), load.SpreadOf(fire)
}

type keptWheel struct {
	wheel   *wheel.Wheel
	handles []wheel.Handle
	fired   []wheel.Fired
}

func newKeptWheel(timers int) keeper {
	return &keptWheel{wheel: wheel.New(0), handles: make([]wheel.Handle, timers)}
}

func (k *keptWheel) add(t int32, due int64)  { k.handles[t] = k.wheel.Add(wheel.Time(due), uint64(t)) }
func (k *keptWheel) move(t int32, due int64) { k.wheel.Move(k.handles[t], wheel.Time(due)) }
func (k *keptWheel) remove(t int32)          { k.wheel.Remove(k.handles[t]) }
func (k *keptWheel) again(t int32, at int64) { k.move(t, at) }

func (k *keptWheel) advance(now int64) int {
	k.fired = k.wheel.Advance(wheel.Time(now), k.fired[:0])
	return len(k.fired)
}

// keptFlat has a list of timers for each second of 12 h.
type keptFlat struct {
	slots [listFrames][]int32
	due   []int64
	place []int32
	fired []wheel.Fired
}

func newKeptFlat(timers int) keeper {
	return &keptFlat{due: make([]int64, timers), place: make([]int32, timers)}
}

func (k *keptFlat) add(t int32, due int64) {
	list := &k.slots[due/keptGrid%listFrames]
	k.due[t], k.place[t] = due, int32(len(*list))
	*list = append(*list, t)
}

func (k *keptFlat) remove(t int32) {
	list := &k.slots[k.due[t]/keptGrid%listFrames]
	last := (*list)[len(*list)-1]
	(*list)[k.place[t]], k.place[last] = last, k.place[t]
	*list = (*list)[:len(*list)-1]
}

func (k *keptFlat) move(t int32, due int64) {
	k.remove(t)
	k.add(t, due)
}

func (k *keptFlat) again(t int32, due int64) { k.add(t, due) }

func (k *keptFlat) advance(now int64) int {
	list := &k.slots[now/keptGrid%listFrames]
	k.fired = k.fired[:0]
	for _, t := range *list {
		k.fired = append(k.fired, wheel.Fired{Due: wheel.Time(k.due[t]), ID: uint64(t)})
	}
	*list = (*list)[:0]
	return len(k.fired)
}

// keptHeap uses container/heap.
type keptHeap struct {
	due    []int64
	place  []int32
	order  []int32
	pushed int32
	fired  []wheel.Fired
}

func newKeptHeap(timers int) keeper {
	return &keptHeap{due: make([]int64, timers), place: make([]int32, timers)}
}

// Len implements heap.Interface, like the next four methods.
func (k *keptHeap) Len() int           { return len(k.order) }
func (k *keptHeap) Less(i, j int) bool { return k.due[k.order[i]] < k.due[k.order[j]] }

func (k *keptHeap) Swap(i, j int) {
	k.order[i], k.order[j] = k.order[j], k.order[i]
	k.place[k.order[i]], k.place[k.order[j]] = int32(i), int32(j)
}

// Push adds the timer in the field "pushed".
func (k *keptHeap) Push(any) {
	k.place[k.pushed] = int32(len(k.order))
	k.order = append(k.order, k.pushed)
}

// Pop removes the last element and returns nil.
func (k *keptHeap) Pop() any {
	k.order = k.order[:len(k.order)-1]
	return nil
}

func (k *keptHeap) add(t int32, due int64) {
	k.due[t], k.pushed = due, t
	heap.Push(k, nil)
}

func (k *keptHeap) move(t int32, due int64) {
	k.due[t] = due
	heap.Fix(k, int(k.place[t]))
}

func (k *keptHeap) again(t int32, due int64) { k.add(t, due) }

func (k *keptHeap) remove(t int32) { heap.Remove(k, int(k.place[t])) }

func (k *keptHeap) advance(now int64) int {
	k.fired = k.fired[:0]
	for len(k.order) > 0 && k.due[k.order[0]] <= now {
		t := k.order[0]
		k.fired = append(k.fired, wheel.Fired{Due: wheel.Time(k.due[t]), ID: uint64(t)})
		heap.Pop(k)
	}
	return len(k.fired)
}

// keptAfter uses one time.AfterFunc for each timer. No timer may fire during the measurement.
type keptAfter struct{ timers []*time.Timer }

func newKeptAfter(timers int) keeper { return &keptAfter{make([]*time.Timer, timers)} }

func (k *keptAfter) wait(due int64) time.Duration {
	return time.Duration(due)*time.Millisecond + time.Hour
}

func (k *keptAfter) add(t int32, due int64)  { k.timers[t] = time.AfterFunc(k.wait(due), func() {}) }
func (k *keptAfter) move(t int32, due int64) { k.timers[t].Reset(k.wait(due)) }
func (k *keptAfter) remove(t int32)          { k.timers[t].Stop() }
func (k *keptAfter) advance(int64) int       { return 0 }
func (k *keptAfter) again(t int32, at int64) { k.move(t, at) }
