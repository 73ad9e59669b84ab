package wheel

import "math/bits"

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

// shape says how many slots the dial and the faces have. Tests use smaller ones,
// on which the borders are met every few steps: at most 1,024 for the dial and 64
// for a face.
type shape struct {
	dial, seconds, minutes, hours int
}

// clockFace is the shape of every Wheel made by New.
var clockFace = shape{dial: 1000, seconds: 60, minutes: 60, hours: 12}

// level is one ring of slots. unit, round, from and last are used for the dial and
// the faces only: the shelves count half-days.
type level struct {
	first    int    // index in Wheel.slots of slot 0
	occupied uint64 // see mark
	unit     int64  // what one slot stands for, in ms
	round    int64  // what all slots together stand for, in ms
	from     Time   // first instant of the running round; wraps if before the first Time
	last     Time   // last instant of the running round; saturates
}

// build lays out the levels for a shape.
func (w *Wheel) build(sh shape) {
	n, unit := 0, int64(1)
	for l, size := range []int{sh.dial, sh.seconds, sh.minutes, sh.hours} {
		w.level[l] = level{first: n, unit: unit, round: unit * int64(size)}
		n += size
		unit *= int64(size)
	}
	for w.zeroHalf == 0 {
		w.level[shelf+w.shelves].first = n
		n += shelfSlots
		w.shelves++
		// Enough shelves, if the half-day of the earliest Time gets a number.
		if top := min(w.shelves*shelfBits-1, 63); floorDiv(earliest, unit) >= -1<<top {
			w.zeroHalf = 1 << top
		}
	}
	w.slots = make([]slot, n)
}

// halfDay returns the number of the half-day (the round of the hours face) that t
// is in. The one that begins at Time 0 has a number so high that none is negative,
// and so round that all shelves but the last begin a round there.
func (w *Wheel) halfDay(t Time) uint64 {
	return uint64(floorDiv(t, w.level[hours].round)) + w.zeroHalf
}

// locate says where a timer due after now waits. The deadline is compared with the
// hands, coarsest first: the first digit that differs names the level, and the
// deadline's own digit there is the slot. Put the other way round, as here: the
// finest level whose running round the deadline is in. Where it goes depends on the
// deadline's digits alone, never on how far ahead it is.
func (w *Wheel) locate(due Time) (uint8, uint16) {
	for l := range shelf {
		if f := &w.level[l]; due <= f.last {
			return uint8(l), uint16(uint64(due-f.from) / uint64(f.unit))
		}
	}
	half := w.halfDay(due)
	k := (bits.Len64(half^w.half) - 1) / shelfBits
	return uint8(shelf + k), uint16(half >> (k * shelfBits) % shelfSlots)
}

// start returns the first instant of a slot in the running round of its level.
func (w *Wheel) start(level uint8, s uint16) Time {
	f := &w.level[level]
	if level < shelf {
		return f.from + Time(int64(s)*f.unit)
	}
	low := uint(level-shelf) * shelfBits
	round := w.half >> (low + shelfBits) << (low + shelfBits)
	half := round | uint64(s)<<low
	return Time(int64(half-w.zeroHalf) * w.level[hours].round)
}

// turn moves the hands on to t, which is not before now.
func (w *Wheel) turn(t Time) {
	if t > w.level[dial].last {
		w.set(t)
		return
	}
	w.now = t // the running second goes on
}

// set puts the hands on t, whatever they showed before.
func (w *Wheel) set(t Time) {
	w.now = t
	w.half = w.halfDay(t)
	for l := range shelf {
		f := &w.level[l]
		gone := int64(t) - floorDiv(t, f.round)*f.round
		f.from = t - Time(gone)
		f.last = t.Add(f.round - 1 - gone)
	}
}

// floorDiv returns t / d rounded down, d > 0.
func floorDiv(t Time, d int64) int64 {
	q := int64(t) / d
	if int64(t)%d < 0 {
		q--
	}
	return q
}
