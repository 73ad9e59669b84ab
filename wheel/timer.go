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

// State says what a handle stands for.
type State uint8

// The states of a [Handle].
const (
	Stale   State = iota // no timer: removed, or made up
	Waiting              // a timer that waits for its deadline
	Resting              // a timer that fired and was neither moved nor removed
)

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

// The states. A timer lives in the last two. An entry's stamp always says waiting.
const (
	unused  = iota // free for the next Add, or timer 0, or never used
	retired        // its generations are used up
	waiting
	resting // fired; keeps its place and its handle

	living    = waiting & resting // this bit is set
	stateMask = 3
	count     = stateMask + 1 // what the counter of a stamp counts by
)

func (t *timer) state() uint32 { return t.stamp & stateMask }

const (
	firstGeneration = 1
	lastGeneration  = math.MaxUint32
	maxTimers       = math.MaxUint32

	pageBits   = 10
	pageTimers = 1 << pageBits
)

// A page is a piece of the slab. Pages stay where they are: to grow, nothing is copied, but
// the first page as long as it has not as many timers as the others.

func (w *Wheel) timer(i uint32) *timer {
	return &w.pages[i>>pageBits][i%pageTimers]
}

// find returns the live timer of h, or nil if h is stale or made up.
func (w *Wheel) find(h Handle) *timer {
	p := int(uint32(h) >> pageBits)
	if p >= len(w.pages) {
		return nil
	}
	page, i := w.pages[p], int(uint32(h)%pageTimers)
	if i >= len(page) {
		return nil
	}
	t := &page[i]
	// A free timer already carries the generation of its next handle, which can
	// be guessed: the state decides.
	if t.gen != uint32(h>>32) || t.stamp&living == 0 {
		return nil
	}
	return t
}

// State says whether h is a timer, and whether it waits. Only the loop goroutine may call
// it.
func (w *Wheel) State(h Handle) State {
	t := w.find(h)
	switch {
	case t == nil:
		return Stale
	case t.state() == resting:
		return Resting
	}
	return Waiting
}

// refill finds a word of timers for the next Adds: freed ones if there are any.
func (w *Wheel) refill() {
	f := &w.free
	if f.n > 0 {
		f.refill()
	} else {
		w.grow()
	}
	f.block = w.block(f.from)
}

// block returns the word of timers that begins with timer i.
func (w *Wheel) block(i uint32) *[word]timer {
	return (*[word]timer)(w.pages[i>>pageBits][i%pageTimers:])
}

// grow makes timers that were never used.
func (w *Wheel) grow() {
	if w.made > maxTimers {
		panic("wheel: more than 4294967295 timers")
	}
	f := &w.free
	f.from, f.taken = uint32(w.made), math.MaxUint64
	switch {
	case f.from%pageTimers == 0:
		n := pageTimers
		if f.from == 0 {
			n = word
		}
		w.pages = append(w.pages, make([]timer, n))
	case f.from < pageTimers && int(f.from) == len(w.pages[0]):
		w.pages[0] = append(make([]timer, 0, 2*f.from), w.pages[0]...)[:2*f.from]
	}
	if w.made >= w.fewest && w.few != nil {
		w.spread()
	}
	for range word / countsInWord {
		w.counts = append(w.counts, 0)
	}
	block := w.block(f.from)
	for i := range block {
		block[i].gen = firstGeneration
	}
	if f.from == 0 { // timer 0 stands for none
		block[0] = timer{}
		f.taken--
	}
	w.made += word
}

// release makes every handle and every entry of timer i stale.
func (w *Wheel) release(i uint32, t *timer) {
	w.kill(i, t, unused)
	if t.gen == lastGeneration {
		w.gone++
		t.stamp |= retired
		return
	}
	t.gen++
	w.free.add(i)
}
