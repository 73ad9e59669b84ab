package wheel

import (
	"fmt"
	"math"
	"math/bits"
	"time"
)

// Wheel is a timing wheel. Use [New] to create one; the zero value is not usable. A Wheel must
// not be copied.
type Wheel struct {
	now       Time
	idleUntil Time   // before this instant, Advance only moves the hands
	seq       uint64 // number of calls to Add and Move
	free      freeSet

	pages         [][]timer // the first page grows; the other pages are full-sized
	made          uint64    // number of timers provided so far, including timer 0, which is unused
	resting       int       // number of timers that have fired and are resting
	retiredTimers int       // number of timers whose generations are used up
	dead          int       // number of dead entries

	// Four bits for each timer: the lowest bits of the counter in its stamp. Sweeps read them
	// instead of the timers.
	counts []uint64

	slots  []queue      // the late slot, then the levels, finest first; or nil
	sparse *sparseSlots // used instead of slots while there are few timers
	// number of timers at which the Wheel switches from "sparse" to "slots"
	sparseLimit uint64
	level       [maxLevels]level     // the dial, three faces, the shelves
	dial        [2][dialWords]uint64 // nonempty slots of the dial; see level.occupied
	coming      [shelf + 1]uint32    // the coming slots of the faces and the first shelf
	chunks      []*[pageChunks]chunk // by chunk number; number 0 means no chunk
	sorting     sorting

	freeChunk  uint32 // first free chunk
	madeChunks uint32 // number of chunks ever used, including chunk 0
	shelves    int    // number of shelves
	half       uint64 // number of the current half-day
	zeroHalf   uint64 // number of the half-day that starts at Time 0
	sweep      sweep
	moved      uint64  // total number of entries moved down, visited or swept
	most       uint64  // maximum number of entries a level moves in a frame; 0: no limit
	values     *values // not nil if the Wheel belongs to a Schedule
}

// Fired is a timer that has fired.
type Fired struct {
	Due Time   // the deadline, which may be earlier than the time of the Advance
	ID  uint64 // as passed to Add
}

// New returns an empty Wheel whose current time is start, which may be any Time. Any goroutine
// may call it.
func New(start Time) *Wheel { return newWheel(clockFace, start) }

func newWheel(sh shape, start Time) *Wheel {
	w := &Wheel{sparseLimit: sparseLimit}
	w.refill()
	w.build(sh)
	w.idleUntil = earliest
	w.set(start)
	w.sweep.spare, w.sweep.lap = deadAllowed, longestLap
	return w
}

// Now returns the current time: the argument of the last Advance, or the start. Only the loop
// goroutine may call it.
func (w *Wheel) Now() Time { return w.now }

// Len returns the number of timers that wait for their deadline. Resting timers are not
// counted. Only the loop goroutine may call it.
func (w *Wheel) Len() int {
	if w.values != nil {
		return w.values.n
	}
	return int(w.made) - 1 - w.free.len() - w.resting - w.retiredTimers
}

// Add starts a timer with the given deadline, which may be any Time, and returns its handle.
// The id is chosen by the caller and returned in [Fired]; it need not be unique. A timer due at
// or before Now is late: it fires at the next Advance, never inside Add. A timer exists until
// Remove, even after it has fired, so a timer that is no longer needed must be removed.
//
// Add panics if 4,294,967,295 timers are live or retired. It allocates only if more timers are
// live than ever before. Only the loop goroutine may call it.
func (w *Wheel) Add(due Time, id uint64) Handle {
	f := &w.free
	if f.taken == 0 {
		w.refill()
	}
	k := uint32(bits.TrailingZeros64(f.taken))
	f.taken &= f.taken - 1
	w.seq++
	t, i := &f.block[k%word], f.from+k
	stamp := t.stamp | waiting // no entry has this stamp, because invalidate incremented its counter
	t.stamp, t.due, t.id, t.seq = stamp, due, id, w.seq
	h := Handle(t.gen)<<32 | Handle(i)
	w.place(i, stamp, due, w.now)
	return h
}

// AddSelf is like [Wheel.Add] with the handle itself as the id, so [Fired] contains the timer's
// handle. The lower 32 bits of a handle are the index of the timer's memory. Indexes are small
// and are reused, so a caller can keep its data for a timer in a slice. Only the loop goroutine
// may call AddSelf.
func (w *Wheel) AddSelf(due Time) Handle {
	h := w.Add(due, 0)
	w.timer(uint32(h)).id = uint64(h)
	return h
}

// ReplaceSelf ends the timer h and starts a new timer with the given deadline. The id of the new
// timer is its own handle. It has the effect of [Wheel.Remove] of h followed by [Wheel.AddSelf],
// at a lower cost: the new timer reuses the memory of the old timer, and also its entry unless the
// new deadline is earlier. If h is stale or invalid, ReplaceSelf does the same as AddSelf. Only
// the loop goroutine may call it.
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

// Move gives a timer a new deadline, which may be any Time, and reports whether h is a timer. A
// timer that has fired waits again, under the same handle. A stale or invalid handle changes
// nothing. Moving a timer to a later deadline only writes to the timer. Moving it to an earlier
// deadline adds an entry. Only the loop goroutine may call Move.
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
		// The old entry no longer exists, so the new entry can use the same stamp.
		w.resting--
		stamp ^= resting ^ waiting
		t.stamp = stamp
	case due < was:
		dead := stamp
		stamp = w.invalidate(uint32(h), t, waiting)
		w.discardEntry(uint32(h), dead, was, seq)
	default:
		return true
	}
	w.place(uint32(h), stamp, due, w.now)
	return true
}

// Remove ends a timer and reports whether it was still waiting. A timer that has fired is also
// ended, but Remove returns false. A stale or invalid handle changes nothing, and Remove returns
// false. Afterwards h is stale forever, and the next Add may reuse the memory. Only the loop
// goroutine may call Remove.
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
	w.discardEntry(uint32(h), stamp, due, seq)
	return true
}

// Handle identifies one timer of one Wheel by its index and generation. The zero Handle is
// never a timer.
//
// A handle becomes stale when its timer is removed, and it stays stale forever: memory is reused
// only under a higher generation, and not at all after the last generation. A stale or invalid
// handle changes nothing. A Wheel cannot detect a handle of another Wheel.
type Handle uint64

// State is the state of a handle.
type State uint8

// The states of a [Handle].
const (
	Stale   State = iota // the timer was removed, or the handle is invalid
	Waiting              // the timer waits for its deadline
	Resting              // the timer has fired and has not been moved or removed since
)

// timer is 32 bytes: half a cache line, so that every operation costs one miss. It contains no
// pointers, so the garbage collector does not scan it.
type timer struct {
	gen uint32
	// The lowest two bits are the state. The other bits are a counter, incremented each time the
	// timer's entry dies. Invariant: the timer waits if and only if exactly one entry in all
	// slots has this stamp and this timer's index, and the deadline of that entry is not after
	// due.
	stamp uint32
	due   Time
	id    uint64
	seq   uint64 // number of the call that set the deadline; orders timers with equal deadlines
}

// The states of a timer. Live timers are waiting or resting. The stamp of an entry always has the
// state waiting.
const (
	unused  = iota // free to be used by Add, or timer 0, which is never used
	retired        // not usable: all generations are used up
	waiting
	resting // fired; keeps its memory and its handle

	living    = waiting & resting // a bit that is set in the states of live timers
	stateMask = 3
	count     = stateMask + 1 // increment of the counter in a stamp
)

func (t *timer) state() uint32 { return t.stamp & stateMask }

const (
	firstGeneration = 1
	lastGeneration  = math.MaxUint32
	maxTimers       = math.MaxUint32

	pageBits   = 10
	pageTimers = 1 << pageBits
)

// Timers are stored in pages. Pages never move, so growing copies nothing, except for the first
// page while it is smaller than the others.

func (w *Wheel) timer(i uint32) *timer {
	return &w.pages[i>>pageBits][i%pageTimers]
}

// find returns the live timer of h, or nil if h is stale or invalid.
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
	// Check the state in addition to the generation. A free timer already has the generation of its
	// next handle, so a guessed handle would match.
	if t.gen != uint32(h>>32) || t.stamp&living == 0 {
		return nil
	}
	return t
}

// State returns the state of h. Only the loop goroutine may call it.
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

// refill provides the 64 timers of one word of the bitmap for the next calls to Add. These are
// freed timers if there are any, and otherwise new timers.
func (w *Wheel) refill() {
	f := &w.free
	if f.n > 0 {
		f.refill()
	} else {
		w.grow()
	}
	f.block = w.block(f.from)
}

// block returns the 64 timers that start with timer i, which must be the first of a word.
func (w *Wheel) block(i uint32) *[word]timer {
	return (*[word]timer)(w.pages[i>>pageBits][i%pageTimers:])
}

// grow adds timers that were never used.
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
	if w.made >= w.sparseLimit && w.sparse != nil {
		w.makeDense()
	}
	for range word / countsInWord {
		w.counts = append(w.counts, 0)
	}
	block := w.block(f.from)
	for i := range block {
		block[i].gen = firstGeneration
	}
	if f.from == 0 { // timer 0 means no timer
		block[0] = timer{}
		f.taken--
	}
	w.made += word
}

// release makes every handle and every entry of timer i stale.
func (w *Wheel) release(i uint32, t *timer) {
	w.invalidate(i, t, unused)
	if t.gen == lastGeneration {
		w.retiredTimers++
		t.stamp |= retired
		return
	}
	t.gen++
	w.free.add(i)
}

// Time is an instant in whole milliseconds since the engine's start. It is not a date; nothing
// in this package reads a clock. It may be negative.
type Time int64

// Never is the last instant. As a deadline, Never means "no deadline". A timer due at Never fires
// only if the Wheel is advanced to Never itself.
const Never Time = math.MaxInt64

const earliest Time = math.MinInt64

// After returns t + d, with d truncated to whole milliseconds. Sums outside the range of Time
// saturate.
func (t Time) After(d time.Duration) Time { return t.Add(d.Milliseconds()) }

// Add returns t + ms. Sums outside the range of Time saturate.
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

// String formats t as hours, minutes, seconds and milliseconds, as in "01:02:03.450". Hours
// have as many digits as they need, an instant before the start has a leading "-", and Never is
// "never".
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
