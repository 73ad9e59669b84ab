package wheel

import (
	"fmt"
	"math"
	"math/bits"
	"time"
)

// Wheel is a clock face with the timers that wait on it. Make one with [New]; the
// zero value is of no use. A Wheel must not be copied.
type Wheel struct {
	now   Time
	quiet Time   // an Advance to an instant before it only turns the hands
	seq   uint64 // calls of Add and Move
	free  freeSet

	pages   [][]timer // the first one grows, the others are whole
	made    uint64    // timers in pages that were ever free, and timer 0
	resting int       // timers that fired and rest
	gone    int       // timers that are retired
	dead    int       // entries that stand for no timer any more

	// Four bits for each timer, the last ones of the counter in its stamp: a sweep looks
	// at them and not at the timers.
	counts []uint64

	slots   []queue              // late, then those of all levels, finest first; nil: see few
	few     *fewSlots            // the same of a Wheel with few timers
	fewest  uint64               // how many timers it has made when that changes
	level   [maxLevels]level     // the dial, three faces, the shelves
	dial    [2][dialWords]uint64 // see level.occupied
	coming  [shelf + 1]uint32    // of the faces and the first shelf: the slot to be reached next
	chunks  []*[pageChunks]chunk // chunk 0 stands for none
	sorting sorting

	freeChunk  uint32 // first free chunk
	madeChunks uint32 // chunks that were ever used, and chunk 0
	shelves    int    // how many shelves there are
	half       uint64 // number of the running half-day
	zeroHalf   uint64 // and of the one that begins at Time 0
	sweep      sweep
	moved      uint64 // entries brought down, looked at or swept, ever
	most       uint64 // of NextWithin: how many entries of a level a frame may bring down; 0 for any
}

// Fired says that a timer fell due.
type Fired struct {
	Due Time   // the deadline, which may lie before the Now of the Advance
	ID  uint64 // as given to Add
}

// New returns an empty Wheel whose hands stand at start, which may be any Time.
// Any goroutine may call it.
func New(start Time) *Wheel { return newWheel(clockFace, start) }

func newWheel(sh shape, start Time) *Wheel {
	w := &Wheel{fewest: fewTimers}
	w.refill()
	w.build(sh)
	w.quiet = earliest
	w.set(start)
	w.sweep.spare, w.sweep.lap = deadAllowed, longestLap
	return w
}

// Now returns the instant that the hands show: that of the last Advance, or the
// start. Only the loop goroutine may call it.
func (w *Wheel) Now() Time { return w.now }

// Touch reads a timer and returns a number without meaning, so that a caller who is about to work with many timers can
// have their cache misses overlap. Any handle will do.
func (w *Wheel) Touch(h Handle) uint32 {
	i := uint32(h)
	if p := i >> pageBits; int(p) < len(w.pages) && int(i%pageTimers) < len(w.pages[p]) {
		return w.pages[p][i%pageTimers].gen
	}
	return 0
}

// Len returns how many timers wait for their deadline. Those that fired and rest
// are not counted. Only the loop goroutine may call it.
func (w *Wheel) Len() int { return int(w.made) - 1 - w.free.len() - w.resting - w.gone }

// Add starts a timer that is due at the given instant, which may be any Time, and
// returns its handle. The id is the caller's own and comes back in [Fired]; two
// timers may have the same. A timer due at or before Now is late: it fires at the
// next Advance, never inside Add. A timer lives until Remove, also when it has
// fired: one that is not wanted again must be removed.
//
// Add panics if 4,294,967,295 timers are live or retired. It allocates only if
// more timers are live than ever before. Only the loop goroutine may call it.
func (w *Wheel) Add(due Time, id uint64) Handle {
	f := &w.free
	if f.taken == 0 {
		w.refill()
	}
	k := uint32(bits.TrailingZeros64(f.taken))
	f.taken &= f.taken - 1
	w.seq++
	t, i := &f.block[k%word], f.from+k
	stamp := t.stamp | waiting // no entry has it: kill has seen to that
	t.stamp, t.due, t.id, t.seq = stamp, due, id, w.seq
	h := Handle(t.gen)<<32 | Handle(i)
	w.place(i, stamp, due, w.now)
	return h
}

// AddSelf is [Wheel.Add] with the handle itself as the id: what comes back in [Fired]
// is the timer's handle. The lower 32 bits of a handle are the index of the timer's memory,
// small numbers that are used again, so that a caller can keep what belongs to a timer in
// a table. Only the loop goroutine may call it.
func (w *Wheel) AddSelf(due Time) Handle {
	h := w.Add(due, 0)
	w.timer(uint32(h)).id = uint64(h)
	return h
}

// ReplaceSelf ends the timer h and starts another one, which is due at the given instant and has its
// own handle for an id. It does what [Wheel.Remove] of h and [Wheel.AddSelf] do, for less: the new
// timer has the memory of the old one, and unless it is due earlier its entry too. If h is stale or
// made up, ReplaceSelf is AddSelf. Only the loop goroutine may call it.
func (w *Wheel) ReplaceSelf(h Handle, due Time) Handle {
	t := w.find(h)
	if t == nil || t.gen == lastGeneration {
		w.Remove(h)
		return w.AddSelf(due)
	}
	t.gen++
	h = Handle(t.gen)<<32 | Handle(uint32(h))
	t.id = uint64(h)
	w.Move(h, due)
	return h
}

// Move gives a timer a new deadline, which may be any Time, and reports whether h
// is a timer. One that fired and rests waits again, under the same handle. A stale
// or made-up handle changes nothing. A later deadline is only written down; an
// earlier one costs an entry more. Only the loop goroutine may call it.
func (w *Wheel) Move(h Handle, due Time) bool {
	t := w.find(h)
	if t == nil {
		return false
	}
	w.seq++
	was, stamp, seq := t.due, t.stamp, t.seq
	t.due, t.seq = due, w.seq
	switch {
	case stamp&stateMask == resting:
		// Its entry is gone, so that the next one can have the same stamp.
		w.resting--
		stamp ^= resting ^ waiting
		t.stamp = stamp
	case due < was:
		dead := stamp
		stamp = w.kill(uint32(h), t, waiting)
		w.bury(uint32(h), dead, was, seq)
	default:
		return true
	}
	w.place(uint32(h), stamp, due, w.now)
	return true
}

// Remove ends a timer and reports whether it was still waiting; false for one that
// fired and rests, which is ended too, and for a stale or made-up handle, which
// changes nothing. Afterwards h is stale for ever and the memory may be used by the
// next Add. Only the loop goroutine may call it.
func (w *Wheel) Remove(h Handle) bool {
	t := w.find(h)
	if t == nil {
		return false
	}
	stamp, due, seq := t.stamp, t.due, t.seq
	w.release(uint32(h), t)
	if stamp&stateMask == resting {
		w.resting--
		return false
	}
	w.bury(uint32(h), stamp, due, seq)
	return true
}

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

// Time is an instant, in whole milliseconds since the engine's start. It is a
// count, not a date: nothing in this package reads a clock. It may be negative.
type Time int64

// Never is the last instant there is: no deadline. A timer due at Never fires
// only if the hands are moved to Never itself.
const Never Time = math.MaxInt64

// earliest is the first instant there is.
const earliest Time = math.MinInt64

// After returns t + d, d cut to whole milliseconds toward zero. A sum beyond the
// range of Time saturates: it never wraps round.
func (t Time) After(d time.Duration) Time { return t.Add(d.Milliseconds()) }

// Add returns t + ms. A sum beyond the range of Time saturates: it never wraps
// round.
func (t Time) Add(ms int64) Time {
	sum := t + Time(ms)
	switch {
	case ms > 0 && sum < t:
		return Never
	case ms < 0 && sum > t:
		return earliest
	}
	return sum
}

// String returns t as hours, minutes, seconds and milliseconds: "01:02:03.450".
// The hours take as many digits as they need; an instant before the start has a
// leading "-", and Never is "never".
func (t Time) String() string {
	if t == Never {
		return "never"
	}
	sign, ms := "", uint64(t)
	if t < 0 {
		sign, ms = "-", -ms
	}
	s := ms / 1000
	return fmt.Sprintf("%s%02d:%02d:%02d.%03d", sign, s/3600, s/60%60, s%60, ms%1000)
}
