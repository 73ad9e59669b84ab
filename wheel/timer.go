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

// timer is 32 bytes without a pointer, so that the garbage collector has nothing to
// follow, and half a cache line, so that whatever is done to one costs one miss.
type timer struct {
	gen uint32
	// A counter of the timer's entries in the upper bits, the state in the lowest
	// two. Invariant: the timer waits if and only if exactly one entry in all
	// slots carries this stamp and this timer's index; the entry's deadline is not
	// after due.
	stamp uint32
	due   Time
	id    uint64
	seq   uint64 // number of the call that set due: orders equal deadlines
}

// The states. An entry's stamp always says waiting.
const (
	waiting   = iota
	resting   // fired; keeps its place and its handle
	unused    // free for the next Add, or timer 0
	retired   // its generations are used up
	stateMask = 3
)

func (t *timer) state() uint32 { return t.stamp & stateMask }

// renew makes all entries of the timer dead and returns the stamp for a new one.
func (t *timer) renew() uint32 {
	t.stamp = (t.stamp | stateMask) + 1
	return t.stamp
}

const (
	firstGeneration = 1
	lastGeneration  = math.MaxUint32
	maxTimers       = math.MaxUint32

	pageBits   = 10
	pageTimers = 1 << pageBits
)

// page is a piece of the slab. Pages stay where they are: to grow, nothing is
// copied.
type page [pageTimers]timer

func (w *Wheel) timer(i uint32) *timer { return &w.pages[i>>pageBits][i%pageTimers] }

// find returns the live timer of h, or 0 if h is stale or made up.
func (w *Wheel) find(h Handle) uint32 {
	i := uint32(h)
	if uint64(i) >= w.made {
		return 0
	}
	t := w.timer(i)
	// A free timer already carries the generation of its next handle, which can
	// be guessed: the state decides.
	if t.gen != uint32(h>>32) || t.state() > resting {
		return 0
	}
	return i
}

// take returns a timer to use: a freed one if there is one.
func (w *Wheel) take() uint32 {
	if w.free.n > 0 {
		return w.free.take()
	}
	if w.made > maxTimers {
		panic("wheel: more than 4294967295 timers")
	}
	i := uint32(w.made)
	if i%pageTimers == 0 {
		w.pages = append(w.pages, new(page))
	}
	if i%64 == 0 {
		for k := range w.suspect {
			w.suspect[k] = append(w.suspect[k], 0)
		}
	}
	w.made++
	*w.timer(i) = timer{gen: firstGeneration, stamp: unused}
	return i
}

// release makes every handle and every entry of timer i stale.
func (w *Wheel) release(i uint32) {
	t := w.timer(i)
	t.stamp |= stateMask
	if t.gen == lastGeneration {
		w.gone++ // retired
		return
	}
	t.gen++
	t.stamp ^= retired ^ unused
	w.free.add(i)
}
