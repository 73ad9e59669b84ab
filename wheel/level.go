package wheel

import (
	"math"
	"math/bits"
)

// The levels, finest first. The seconds, minutes and hours are the faces. The levels from shelf
// upwards are the shelves. There are as many shelves as are needed to cover every Time.
const (
	dial = iota
	seconds
	minutes
	hours
	shelf

	shelfBits  = 6 // a shelf has 64 slots, the bits of one word
	shelfSlots = 1 << shelfBits
	maxShelves = (64 + shelfBits - 1) / shelfBits
	maxLevels  = shelf + maxShelves

	dialWords = 16
)

// shape is the number of slots in one round of the dial and of each face: at most 1,024 for the
// dial and 64 for a face. Tests use small shapes, in which rounds start often.
type shape struct {
	dial, seconds, minutes, hours int
}

// clockFace is the shape of every Wheel returned by New.
var clockFace = shape{dial: 1000, seconds: 60, minutes: 60, hours: 12}

// level is one ring of slots. The dial and the faces hold the current and the next round, which
// alternate between the two halves of the ring. A shelf holds one round.
//
// Invariant: every entry of a level is in a slot that starts after now. On a face or a shelf,
// only the coming slot (the slot that the hand reaches next) may hold entries that [Wheel.place]
// would now put on a finer level.
type level struct {
	first uint32 // index in Wheel.slots of slot 0
	size  uint32 // slots of one round
	shift uint32 // ring position where the current round starts: 0 or size
	unit  uint32 // duration of one slot in ms; not used for shelves
	round int64  // duration of one round in ms; not used for shelves
	from  Time   // first instant of the current round; wraps around if the round starts before the smallest Time
	last  Time   // last instant of the current round, at most Never
	next  Time   // last instant of the next round, at most Never
	// 2^63 / unit, rounded up. For each n below 2^32, the high word of 2n * inverse is n / unit.
	// The multiplication takes a third of the time of a division.
	inverse uint64
	carry   uint64 // part of an entry that cascadeAhead must still move, in units of 2^-32
	waited  int    // frames for which cascadeAhead has deferred an entry
	// whether one slot lasts longer than entry.due can express, so that deadlines are read from
	// the timers
	wide bool

	// One bit for each nonempty slot, for each half of the ring. The dial has too many slots for
	// this, so there is one bit for each nonzero word of Wheel.dial.
	occupied [2]uint64
}

// late is the slot of timers that were already due when they were set. It belongs to no level.
const late = 0

// build lays out the levels for a shape.
func (w *Wheel) build(sh shape) {
	n, unit := uint32(late+1), int64(1)
	for l, size := range []int{sh.dial, sh.seconds, sh.minutes, sh.hours} {
		w.level[l] = level{first: n, size: uint32(size), unit: uint32(unit), round: unit * int64(size)}
		w.level[l].inverse = (1<<63-1)/uint64(unit) + 1
		n += 2 * uint32(size)
		unit *= int64(size)
	}
	for w.zeroHalf == 0 {
		wide := unit > math.MaxUint32>>(w.shelves*shelfBits)
		w.level[shelf+w.shelves] = level{first: n, size: shelfSlots, wide: wide}
		n += shelfSlots
		w.shelves++
		// There are enough shelves if the number of the first half-day of Time fits into the
		// digits of the shelves.
		if top := min(w.shelves*shelfBits-1, 63); floorDiv(earliest, unit) >= -1<<top {
			w.zeroHalf = 1 << top
		}
	}
	w.setSlots(n)
}

// halfDay returns the number of the half-day (one round of the hours) that contains t. The
// half-day that starts at Time 0 has the number zeroHalf, which is so large that no half-day has
// a negative number. It is also a multiple of a power of 64, so that a round of every shelf but
// the last starts at Time 0.
func (w *Wheel) halfDay(t Time) uint64 {
	return uint64(floorDiv(t, w.level[hours].round)) + w.zeroHalf
}

// place adds an entry to the slot for its deadline, on the finest level whose current or next round
// contains the deadline. If the deadline is not after the instant "past", the entry is added to the
// late slot.
func (w *Wheel) place(timer, stamp uint32, due, past Time) {
	var f *level
	switch {
	case due > w.level[minutes].next:
		if due > w.level[hours].next {
			w.placeOnShelf(timer, stamp, due)
			return
		}
		f = &w.level[hours]
	case due > w.level[seconds].next:
		f = &w.level[minutes]
	case due > w.level[dial].next:
		f = &w.level[seconds]
	default:
		if due <= past {
			w.idleUntil = earliest
			w.push(w.queue(late), entry{timer, stamp, uint32(due)})
			return
		}
		f = &w.level[dial]
	}
	gone := uint32(due) - uint32(f.from)
	k, _ := bits.Mul64(uint64(gone)*2, f.inverse) // gone / unit
	at := f.ring(uint32(k))
	q := w.queue(f.first + at)
	if t := q.tail; t < chunkEntries { // push, inlined: this is the hot path
		q.end.entry[t] = entry{timer, stamp, uint32(due)}
		q.tail = t + 1
		if uint32(due) != q.only[0].due && !q.mixed {
			q.mixed = true
		}
		return
	}
	if w.sparse != nil {
		q = w.sparse.ensure(f.first + at)
	}
	if w.push(q, entry{timer, stamp, uint32(due)}) {
		w.mark(f, at)
	}
}

// placeOnShelf places an entry that is due after the next half-day. The number of the deadline's
// half-day is compared with the number of the current half-day. The highest digit that differs
// selects the shelf, and its value in the deadline's number is the slot.
func (w *Wheel) placeOnShelf(timer, stamp uint32, due Time) {
	half := w.halfDay(due)
	k := (bits.Len64(half^w.half) - 1) / shelfBits
	l, at := shelf+k, uint32(half>>(k*shelfBits)%shelfSlots)
	f := &w.level[l]
	if w.push(w.writableQueue(f.first+at), entry{timer, stamp, uint32(due)}) {
		w.mark(f, at)
	}
}

// ring returns the ring position of the k-th slot since the start of the current round. k must be
// less than the number of slots in two rounds.
func (f *level) ring(k uint32) uint32 {
	k += f.shift
	if k >= 2*f.size {
		k -= 2 * f.size
	}
	return k
}

// start returns the first instant of slot k of level l. On a shelf, k is the slot's digit; on
// other levels, k is the number of slots since the start of the current round.
func (w *Wheel) start(l int, k uint32) Time {
	f := &w.level[l]
	if l < shelf {
		return f.from + Time(int64(k)*int64(f.unit))
	}
	low := uint(l-shelf) * shelfBits
	round := w.half >> (low + shelfBits) << (low + shelfBits)
	half := round | uint64(k)<<low
	return Time(int64(half-w.zeroHalf) * w.level[hours].round)
}

// hand returns the slot that contains the current time, on the dial or on a face.
func (w *Wheel) hand(l int) uint32 {
	f := &w.level[l]
	return uint32(w.now-f.from) / f.unit
}

// set sets the time to t, earlier or later, and moves all hands there.
func (w *Wheel) set(t Time) {
	w.now = t
	w.half = w.halfDay(t)
	for l := range shelf {
		w.turnTo(l)
	}
	w.setComing()
}

// turn moves the hands to t, which must not be before now. Moving a hand within a round or to the
// next round needs no division, so that a frame in which an hour starts is not slower than other
// frames.
func (w *Wheel) turn(t Time) {
	w.now = t
	if t <= w.level[dial].last {
		return
	}
	if t > w.level[hours].last {
		w.half = w.halfDay(t)
	}
	for l := range shelf {
		switch f := &w.level[l]; {
		case t <= f.last:
		case t <= f.next:
			f.from, f.last, f.next = f.last+1, f.next, f.next.Add(f.round)
			f.shift = f.size - f.shift
		default:
			w.turnTo(l)
		}
	}
	w.setComing()
}

// setComing recomputes the coming slots.
func (w *Wheel) setComing() {
	for l := seconds; l < shelf; l++ {
		w.coming[l] = w.comingSlot(l)
	}
	w.coming[shelf] = w.level[shelf].first + uint32((w.half+1)%shelfSlots)
}

// turnTo recomputes the current and the next round of level l from w.now.
func (w *Wheel) turnTo(l int) {
	f := &w.level[l]
	number := floorDiv(w.now, f.round)
	gone := int64(w.now) - number*f.round
	f.from = w.now - Time(gone)
	f.last = w.now.Add(f.round - 1 - gone)
	f.next = f.last.Add(f.round)
	f.shift = f.size * uint32(number&1)
}

// comingSlot returns the index in Wheel.slots of the next slot that the hand of a face reaches.
func (w *Wheel) comingSlot(l int) uint32 {
	return w.level[l].first + w.level[l].ring(w.hand(l)+1)
}

// floorDiv returns t / d rounded down; d must be positive.
func floorDiv(t Time, d int64) int64 {
	q := int64(t) / d
	if int64(t)%d < 0 {
		q--
	}
	return q
}

// holds reports whether the level holds an entry.
func (f *level) holds() bool { return f.occupied[0]|f.occupied[1] != 0 }

// firstFrom returns the first nonempty slot of level l, in time order, at or after slot k. Slots
// are counted from the start of the current round; on a shelf they are numbered by their digit.
func (w *Wheel) firstFrom(l int, k uint32) (uint32, bool) {
	f := &w.level[l]
	if !f.holds() {
		return 0, false
	}
	half := 0
	if f.shift != 0 {
		half = 1
	}
	for round := range uint32(2) {
		if at := max(k, round*f.size) - round*f.size; at < f.size {
			if s, ok := w.firstIn(l, half, at); ok {
				return s + round*f.size, true
			}
		}
		half ^= 1
	}
	return 0, false
}

// firstIn returns the first nonempty slot in one half of a ring. The parameter "at" is the number
// of the first slot to check.
func (w *Wheel) firstIn(l, half int, at uint32) (uint32, bool) {
	f := &w.level[l]
	if l != dial {
		m := f.occupied[half] >> at << at
		return uint32(bits.TrailingZeros64(m)), m != 0
	}
	word := at / 64
	if m := w.dial[half][word] >> (at % 64) << (at % 64); m != 0 {
		return word*64 + uint32(bits.TrailingZeros64(m)), true
	}
	m := f.occupied[half] >> (word + 1) << (word + 1)
	if m == 0 {
		return 0, false
	}
	word = uint32(bits.TrailingZeros64(m))
	return word*64 + uint32(bits.TrailingZeros64(w.dial[half][word])), true
}
