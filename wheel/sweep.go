package wheel

import (
	"math/bits"
)

// An entry dies when its timer is removed or moved to an earlier deadline. It stays
// in its slot until the slot is opened, or until a sweep comes by. A sweep goes round
// all slots, from the coarsest to the finest, as entries do, so that none slips past
// it. It takes a few entries at a time, from the head of a slot's queue, and puts the
// living back at its tail.

const (
	deathsPerPiece = 8   // a piece is swept when so many entries have died or were taken out
	piece          = 128 // entries of a piece
	framePiece     = 16  // entries that an Advance sweeps: it must not show in the frame
	slotPiece      = 128 // slots of a piece, most of which are empty

	// As many dead entries are no reason for a sweep.
	deadAllowed = 256

	// A sweep also starts after so many deaths and Advances, so that no dead entry is still there
	// when its timer's stamp, a counter of 30 bits that each of them moves on by one at
	// most, comes round to it.
	longestLap = 1 << 25
)

// sweep says how far the running one has come.
type sweep struct {
	on     bool
	slot   uint32 // index in Wheel.slots
	left   uint32 // entries of the slot not yet looked at: the first ones
	exact  bool   // look at the timers themselves
	turns  uint32 // pieces and Advances since the last sweep ended
	deaths uint32 // ever; wraps
	spare  int    // dead entries that are no reason to sweep
	lap    uint32 // how many turns may pass
}

// A word of counts has room for so many timers, four bits for each.
const countsInWord = 16

// kill makes all entries of timer i dead. It gets a stamp that none has, and the state.
func (w *Wheel) kill(i uint32, t *timer, state uint32) uint32 {
	was := t.stamp / count
	stamp := (was+1)*count | state
	t.stamp = stamp
	w.counts[i/countsInWord] ^= uint64((was^(was+1))%countsInWord) << (i % countsInWord * 4)
	return stamp
}

// bury takes out the entry of a timer that was killed, if that is the last of its slot, or counts it as
// dead. Call seq has set its deadline.
func (w *Wheel) bury(timer, stamp uint32, due Time, seq uint64) {
	if w.seq-seq >= lately || !w.unplace(timer, stamp, due) {
		w.dead++
	}
	// One that was taken out counts too, for its timer's stamp moved on.
	if w.sweep.deaths++; w.sweep.deaths%deathsPerPiece == 0 {
		w.tend(piece)
	}
}

// tend goes on with the running sweep by n entries, or sees whether one is due.
func (w *Wheel) tend(n uint32) {
	s := &w.sweep
	s.turns++
	switch {
	case s.on:
		w.sweepOn(n)
	case w.tooManyDead(), s.turns > s.lap && w.dead > 0:
		s.on = true
		s.exact = s.exact || s.turns > s.lap
		s.slot = uint32(w.count()) - 1
		s.left = w.queue(s.slot).n()
	}
}

// tooManyDead bounds the memory: the dead are not more than the living, and the entries
// not more than six for every five timers there ever were at once.
func (w *Wheel) tooManyDead() bool {
	if w.dead <= w.sweep.spare {
		return false
	}
	live := w.Len()
	return w.dead > live || w.dead+live > int(w.made+w.made/5)
}

// sweepOn looks at the next n entries.
func (w *Wheel) sweepOn(n uint32) {
	s := &w.sweep
	for range slotPiece {
		q := w.queue(s.slot)
		// What was taken away meanwhile was at the head too.
		k := min(s.left, q.n(), n)
		s.left = min(s.left, q.n()) - k
		n -= k
		w.moved += uint64(k)
		w.sweepFirst(s.slot, k)
		if s.left > 0 {
			return
		}
		if s.slot == late {
			s.on, s.turns = false, 0
			s.exact = w.tooManyDead() // this one took some of them for alive
			return
		}
		s.slot--
		s.left = w.queue(s.slot).n()
	}
}

// sweepFirst takes the first n entries of a slot and puts the living back behind the
// others.
func (w *Wheel) sweepFirst(slot, n uint32) {
	if n == 0 {
		return
	}
	q := w.queue(slot)
	for n > 0 {
		some := w.front(q, n)
		n -= uint32(len(some))
		kept := w.living(some)
		w.dead -= len(some) - kept
		if q.first == 0 && kept == 1 {
			return // the only one is the last one
		}
		w.pushAll(q, some[:kept])
		w.drop(q, len(some))
	}
	if q.n() == 0 && slot != late {
		f := &w.level[w.levelOf(slot)]
		w.unmark(f, slot-f.first)
		w.emptied(slot)
	}
}

// living moves the living of some entries to the front, in their order, and returns
// how many they are. One that died sixteen stamps ago, or a multiple of that, is taken for
// alive, unless the sweep is exact.
func (w *Wheel) living(some []entry) int {
	n := 0
	for _, e := range some {
		some[n] = e
		i := e.timer
		differ := (w.counts[i/countsInWord]>>(i%countsInWord*4) ^ uint64(e.stamp/count)) % countsInWord
		if w.sweep.exact {
			differ = uint64(w.timer(i).stamp ^ e.stamp)
		}
		if differ == 0 {
			n++
		}
	}
	return n
}

// levelOf returns the level of a slot that is not the late one.
func (w *Wheel) levelOf(slot uint32) int {
	l := dial
	for l+1 < shelf+w.shelves && slot >= w.level[l+1].first {
		l++
	}
	return l
}

// Most timers that are removed soon after they were set are still the last of their slot: a
// time-out of a request that was answered at once. Their entry is taken out, and no sweep has to
// find it.

const (
	// lately is how many calls a timer may be old for it to be worth a look: an older one
	// is hardly ever the last of its slot.
	lately = 1 << 10

	// deadTaken is how many dead entries at most go with a living one before which they lie.
	deadTaken = 8
)

// unplace takes the living entry of a timer out of the slot in which its deadline belongs, and
// reports whether it was there, behind all others. It is killed already.
func (w *Wheel) unplace(timer, stamp uint32, due Time) bool {
	f, at := w.where(due)
	if f == nil {
		return false
	}
	q := w.queue(f.first + at)
	if e, ok := q.last(); !ok || e.timer != timer || e.stamp != stamp {
		return false
	}
	if !w.pop(q) {
		return false
	}
	// Behind it lie those of others that were removed when they were not the last ones.
	for range deadTaken {
		if e, ok := q.last(); !ok || !w.isDead(e) || !w.pop(q) {
			break
		}
		w.dead--
	}
	if q.n() == 0 {
		w.unmark(f, at)
		w.emptied(f.first + at)
	}
	return true
}

// where returns the level and the place in its ring where place puts what is due after now;
// nil for what is late or beyond the hours.
func (w *Wheel) where(due Time) (f *level, at uint32) {
	switch {
	case due <= w.now, due > w.level[hours].next:
		return nil, 0
	case due > w.level[minutes].next:
		f = &w.level[hours]
	case due > w.level[seconds].next:
		f = &w.level[minutes]
	case due > w.level[dial].next:
		f = &w.level[seconds]
	default:
		f = &w.level[dial]
	}
	k, _ := bits.Mul64(uint64(uint32(due)-uint32(f.from))*2, f.inverse)
	return f, f.ring(uint32(k))
}

// last returns the entry behind all others.
func (q *queue) last() (e entry, ok bool) {
	switch {
	case q.first != 0:
		return q.end.entry[q.tail-1], true
	case q.n() == 1:
		return q.only[0], true
	}
	return entry{}, false
}

// pop takes the last entry away, or reports that it cannot: chunks know only the one behind them.
func (w *Wheel) pop(q *queue) bool {
	switch {
	case q.n() == 1:
		w.dropAll(q)
	case q.tail == 1:
		return false
	default:
		q.tail--
	}
	return true
}

// isDead reports whether an entry stands for no timer any more. One that died sixteen stamps ago, or
// a multiple of that, is taken for alive.
func (w *Wheel) isDead(e entry) bool {
	return (w.counts[e.timer/countsInWord]>>(e.timer%countsInWord*4)^uint64(e.stamp/count))%countsInWord != 0
}
