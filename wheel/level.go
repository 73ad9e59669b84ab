package wheel

import (
	"math"
	"math/bits"
)

// The levels, finest first. From shelf on they are the shelves, as many as it
// takes to hold every Time.
const (
	dial = iota
	seconds
	minutes
	hours
	shelf

	shelfBits  = 6 // a shelf has 64 slots, a bitmap word
	shelfSlots = 1 << shelfBits
	maxShelves = (64 + shelfBits - 1) / shelfBits
	maxLevels  = shelf + maxShelves

	dialWords = 16
)

// shape says how many slots one round of the dial and of the faces has. Tests use
// smaller ones, on which the borders are met every few steps: at most 1,024 for the
// dial and 64 for a face.
type shape struct {
	dial, seconds, minutes, hours int
}

// clockFace is the shape of every Wheel made by New.
var clockFace = shape{dial: 1000, seconds: 60, minutes: 60, hours: 12}

// level is one ring of slots. The dial and the faces have two rounds, the running
// one and the next; they take turns in the two halves of the ring. A shelf has one.
//
// Invariant: every entry of a level lies in a slot that begins after now. Of a face,
// only the slot that the hand reaches next, the coming one, may hold entries that
// [Wheel.place] would put on a finer level; the same holds for the shelves.
type level struct {
	first uint32 // index in Wheel.slots of slot 0
	size  uint32 // slots of one round
	shift uint32 // where the running round begins in the ring: 0 or size
	unit  uint32 // what one slot stands for, in ms; not used for the shelves
	round int64  // what all slots of a round stand for, in ms; not used for the shelves
	from  Time   // first instant of the running round; wraps if before the first Time
	last  Time   // last instant of the running round; saturates
	next  Time   // last instant of the next round; saturates
	// 2^63 / unit, rounded up: the high word of 2n * inverse is n / unit for each n
	// below 2^32, and a product costs a third of a quotient.
	inverse uint64
	carry   uint64 // see smooth: a part of an entry, in 2^-32
	waited  int    // see smooth: for how many frames an entry has been owed
	wide    bool   // a slot is too long for entry.due: a deadline is looked up in the timer

	// A bit for each slot that is not empty, by half of the ring; of the dial, for
	// each word of Wheel.dial that is not zero.
	occupied [2]uint64
}

// late is the slot of what was due when it was set. It is on no level.
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
		// Enough shelves, if the half-day of the earliest Time gets a number.
		if top := min(w.shelves*shelfBits-1, 63); floorDiv(earliest, unit) >= -1<<top {
			w.zeroHalf = 1 << top
		}
	}
	w.setSlots(n)
}

// halfDay returns the number of the half-day (the round of the hours face) that t
// is in. The one that begins at Time 0 has a number so high that none is negative,
// and so round that all shelves but the last begin a round there.
func (w *Wheel) halfDay(t Time) uint64 {
	return uint64(floorDiv(t, w.level[hours].round)) + w.zeroHalf
}

// place puts an entry where its deadline belongs: on the finest level of which the
// running round or the next one holds it. What is due at past or before it is late.
func (w *Wheel) place(timer, stamp uint32, due, past Time) {
	var f *level
	switch {
	case due > w.level[minutes].next:
		if due > w.level[hours].next {
			w.shelve(timer, stamp, due)
			return
		}
		f = &w.level[hours]
	case due > w.level[seconds].next:
		f = &w.level[minutes]
	case due > w.level[dial].next:
		f = &w.level[seconds]
	default:
		if due <= past {
			w.quiet = earliest
			w.push(w.queue(late), entry{timer, stamp, uint32(due)})
			return
		}
		f = &w.level[dial]
	}
	gone := uint32(due) - uint32(f.from)
	k, _ := bits.Mul64(uint64(gone)*2, f.inverse) // gone / unit
	at := f.ring(uint32(k))
	q := w.queue(f.first + at)
	if t := q.tail; t < chunkEntries { // push, by hand: this is where the time goes
		q.end.entry[t] = entry{timer, stamp, uint32(due)}
		q.tail = t + 1
		if uint32(due) != q.only[0].due && !q.mixed {
			q.mixed = true
		}
		return
	}
	if w.few != nil {
		q = w.few.need(f.first + at)
	}
	if w.push(q, entry{timer, stamp, uint32(due)}) {
		w.mark(f, at)
	}
}

// shelve places an entry that is due after the next half-day. The half-day is
// compared with the running one: the highest digit that differs names the shelf, and
// its own digit there is the slot.
func (w *Wheel) shelve(timer, stamp uint32, due Time) {
	half := w.halfDay(due)
	k := (bits.Len64(half^w.half) - 1) / shelfBits
	l, at := shelf+k, uint32(half>>(k*shelfBits)%shelfSlots)
	f := &w.level[l]
	if w.push(w.filling(f.first+at), entry{timer, stamp, uint32(due)}) {
		w.mark(f, at)
	}
}

// ring returns the place in the ring of the k-th slot since the start of the running
// round, k below two rounds.
func (f *level) ring(k uint32) uint32 {
	k += f.shift
	if k >= 2*f.size {
		k -= 2 * f.size
	}
	return k
}

// start returns the first instant of a slot: of a shelf by its digit, of the others
// by its distance from the slot that began the running round.
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

// hand returns the slot of a face or the dial in which now lies.
func (w *Wheel) hand(l int) uint32 {
	f := &w.level[l]
	return uint32(w.now-f.from) / f.unit
}

// set puts the hands on t, whatever they showed before.
func (w *Wheel) set(t Time) {
	w.now = t
	w.half = w.halfDay(t)
	for l := range shelf {
		w.turnTo(l)
	}
	w.setComing()
}

// turn moves the hands on to t, which is not before now. A round that goes on, or the one
// after it, needs no division, and the hour is turned by the code that turns the second:
// both would be seen in the frame in which an hour begins.
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

// setComing works out the coming slots.
func (w *Wheel) setComing() {
	for l := seconds; l < shelf; l++ {
		w.coming[l] = w.comingSlot(l)
	}
	w.coming[shelf] = w.level[shelf].first + uint32((w.half+1)%shelfSlots)
}

// turnTo works out the rounds of a level at now.
func (w *Wheel) turnTo(l int) {
	f := &w.level[l]
	number := floorDiv(w.now, f.round)
	gone := int64(w.now) - number*f.round
	f.from = w.now - Time(gone)
	f.last = w.now.Add(f.round - 1 - gone)
	f.next = f.last.Add(f.round)
	f.shift = f.size * uint32(number&1)
}

// comingSlot returns the index of the slot of a face that its hand reaches next.
func (w *Wheel) comingSlot(l int) uint32 {
	return w.level[l].first + w.level[l].ring(w.hand(l)+1)
}

// floorDiv returns t / d rounded down, d > 0.
func floorDiv(t Time, d int64) int64 {
	q := int64(t) / d
	if int64(t)%d < 0 {
		q--
	}
	return q
}

// holds reports whether a level holds an entry.
func (f *level) holds() bool { return f.occupied[0]|f.occupied[1] != 0 }

// firstFrom returns the first slot that is not empty, in order of time, from the
// k-th on: counted from the start of the running round, on a shelf its digit.
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

// firstIn looks in one half of a ring, from its slot at on.
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
