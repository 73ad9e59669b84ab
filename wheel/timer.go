package wheel

import "math"

// Handle names one timer of one Wheel: the timer's index and its generation. The
// zero Handle is never a timer.
//
// A handle becomes stale when its timer is removed and stays stale for ever: the
// memory is used again, but under a higher generation, and memory at its last
// generation is not used again. A stale or made-up handle changes nothing. A
// Wheel cannot tell a handle of another Wheel from one of its own.
type Handle uint64

// timer is one entry of the slab. It has links in place of pointers, so that the
// garbage collector has nothing to follow, and 32 bytes, two to a cache line.
type timer struct {
	due        Time
	id         uint64
	next, prev uint32 // neighbours in a slot; next also links the free list
	gen        uint32
	slot       uint16
	state      uint8 // the level it waits on, or one of the states below
}

// States beyond the levels. A timer waits up to late and is live up to resting.
const (
	late    = maxLevels + iota // waiting, in the late list
	resting                    // fired; keeps its place and its handle
	unused                     // in the free list, or timer 0
	retired                    // its generations are used up
)

const (
	firstGeneration = 1
	lastGeneration  = math.MaxUint32
	maxTimers       = math.MaxUint32
)

// find returns the live timer of h, or 0 if h is stale or made up.
func (w *Wheel) find(h Handle) uint32 {
	i := uint32(h)
	if uint64(i) >= uint64(len(w.timers)) {
		return 0
	}
	t := &w.timers[i]
	// A free timer already carries the generation of its next handle, which can
	// be guessed: the state decides.
	if t.gen != uint32(h>>32) || t.state > resting {
		return 0
	}
	return i
}

func (w *Wheel) handle(i uint32) Handle {
	return Handle(w.timers[i].gen)<<32 | Handle(i)
}

// take returns a timer to use: a freed one if there is one.
func (w *Wheel) take() uint32 {
	if i := w.free; i != 0 {
		w.free = w.timers[i].next
		return i
	}
	if uint64(len(w.timers)) > maxTimers {
		panic("wheel: more than 4294967295 timers")
	}
	w.timers = append(w.timers, timer{gen: firstGeneration, state: unused})
	return uint32(len(w.timers) - 1)
}

// release makes every handle of timer i stale. i is in no slot.
func (w *Wheel) release(i uint32) {
	t := &w.timers[i]
	if t.gen == lastGeneration {
		t.state = retired
		return
	}
	t.gen++
	t.state = unused
	t.next = w.free
	w.free = i
}
