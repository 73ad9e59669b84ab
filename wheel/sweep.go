package wheel

import (
	"math/bits"
)

// An entry dies when its timer is removed or moved to an earlier deadline. The dead entry stays in
// its slot until the slot is opened or swept. A sweep visits all slots from the coarsest level to
// the finest. Entries move in the same direction, so no entry is missed. A sweep takes a few
// entries at a time from the head of a slot's queue, and appends the live entries at the tail.

const (
	deathsPerPiece = 8   // deaths between two sweep steps
	piece          = 128 // entries visited in a sweep step after deaths
	advancePiece   = 16  // entries visited in a sweep step of Advance; few, to keep frames short
	slotPiece      = 128 // maximum number of slots visited in a sweep step; most are empty

	// No sweep starts while there are at most this many dead entries.
	deadAllowed = 256

	// But even a single dead entry makes a sweep start after this many steps. One step is taken for
	// every eight deaths, and one in every Advance.
	//
	// An entry is dead if its stamp differs from the stamp of its timer. Each death increments a
	// 30-bit counter in the timer's stamp. The sweep must remove the dead entry before this counter
	// wraps around, because the timer might then have the entry's stamp again.
	longestLap = 1 << 25
)

// sweep is the progress of the current sweep.
type sweep struct {
	on     bool
	slot   uint32 // index in Wheel.slots
	left   uint32 // entries still to visit in the slot, starting at the head of its queue
	exact  bool   // compare stamps with the stamps of the timers instead of with Wheel.counts
	turns  uint32 // steps since the last sweep ended
	deaths uint32 // total number of deaths; wraps around
	spare  int    // no sweep starts while there are at most this many dead entries
	lap    uint32 // maximum number of steps between two sweeps if there is a dead entry
}

// countsInWord is the number of timers in one word of Wheel.counts, which holds four bits for each
// timer.
const countsInWord = 16

// invalidate makes all entries of timer i dead by giving it a stamp that no entry has, with the
// given state. It returns the stamp.
func (w *Wheel) invalidate(i uint32, t *timer, state uint32) uint32 {
	was := t.stamp / count
	stamp := (was+1)*count | state
	t.stamp = stamp
	w.counts[i/countsInWord] ^= uint64((was^(was+1))%countsInWord) << (i % countsInWord * 4)
	return stamp
}

// discardEntry removes the entry of an invalidated timer if it is the last entry of its slot, and
// counts it as dead otherwise. The parameter seq is the number of the call that had set the
// deadline.
func (w *Wheel) discardEntry(timer, stamp uint32, due Time, seq uint64) {
	if w.seq-seq >= recentCalls || !w.popEntry(timer, stamp, due) {
		w.dead++
	}
	// A death is counted even if the entry was removed, because the timer's stamp was incremented.
	if w.sweep.deaths++; w.sweep.deaths%deathsPerPiece == 0 {
		w.sweepStep(piece)
	}
}

// sweepStep visits the next n entries of the running sweep. If no sweep is running, it starts a
// sweep if necessary.
func (w *Wheel) sweepStep(n uint32) {
	s := &w.sweep
	s.turns++
	switch {
	case w.values != nil: // only Schedule.Sweep knows which entries are dead
	case s.on:
		w.sweepSome(n)
	case w.tooManyDead(), s.turns > s.lap && w.dead > 0:
		s.on = true
		s.exact = s.exact || s.turns > s.lap
		s.slot = uint32(w.count()) - 1
		s.left = w.queue(s.slot).n()
	}
}

// tooManyDead reports whether there are more dead entries than live entries, or more than six
// entries in total for every five timers ever made.
func (w *Wheel) tooManyDead() bool {
	if w.dead <= w.sweep.spare {
		return false
	}
	live := w.Len()
	return w.dead > live || w.dead+live > int(w.made+w.made/5)
}

// sweepSome visits the next n entries.
func (w *Wheel) sweepSome(n uint32) {
	s := &w.sweep
	for range slotPiece {
		q := w.queue(s.slot)
		// Entries removed since the last step were also taken from the head.
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
			// some dead entries looked alive to this sweep, so the next sweep must be exact
			s.exact = w.tooManyDead()
			return
		}
		s.slot--
		s.left = w.queue(s.slot).n()
	}
}

// sweepFirst removes the first n entries of a slot and appends the live entries among them at the
// tail.
func (w *Wheel) sweepFirst(slot, n uint32) {
	if n == 0 {
		return
	}
	q := w.queue(slot)
	for n > 0 {
		batch := w.front(q, n)
		n -= uint32(len(batch))
		kept := w.compact(batch)
		if w.values != nil {
			w.values.n -= len(batch) - kept
		} else {
			w.dead -= len(batch) - kept
		}
		if q.first == 0 && kept == 1 {
			return // the only entry is also the last entry
		}
		w.pushAll(q, batch[:kept])
		w.drop(q, len(batch))
	}
	if q.n() == 0 && slot != late {
		f := &w.level[w.levelOf(slot)]
		w.unmark(f, slot-f.first)
		w.releaseQueue(slot)
	}
}

// compact moves the live entries of batch to the front, in order, and returns their number. Unless
// the sweep is exact, a dead entry looks alive if its timer's counter has since been incremented
// by a multiple of sixteen.
func (w *Wheel) compact(batch []entry) int {
	n := 0
	if v := w.values; v != nil {
		for _, e := range batch {
			batch[n] = e
			if f := e.fired(w.now); v.alive(f.Due, f.ID) {
				n++
			}
		}
		return n
	}
	for _, e := range batch {
		batch[n] = e
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

// levelOf returns the level of a slot, which must not be the late slot.
func (w *Wheel) levelOf(slot uint32) int {
	l := dial
	for l+1 < shelf+w.shelves && slot >= w.level[l+1].first {
		l++
	}
	return l
}

// When a timer is removed soon after it was set, such as the timeout of a request that was
// answered at once, its entry is usually still the last entry of its slot. Then the entry is
// removed directly, without waiting for a sweep.

const (
	// An entry is checked only if at most recentCalls calls to Add and Move were made since its
	// deadline was set. Older entries are rarely the last entries of their slots.
	recentCalls = 1 << 10

	// maxDeadPopped is the maximum number of other dead entries that popEntry removes in one call.
	maxDeadPopped = 8
)

// popEntry removes the entry of an invalidated timer from the slot for its deadline. It reports
// false if the entry is not the last entry of that slot.
func (w *Wheel) popEntry(timer, stamp uint32, due Time) bool {
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
	// The entries that are now last may also be dead, because they were not last when their timers
	// were removed.
	for range maxDeadPopped {
		if e, ok := q.last(); !ok || !w.isDead(e) || !w.pop(q) {
			break
		}
		w.dead--
	}
	if q.n() == 0 {
		w.unmark(f, at)
		w.releaseQueue(f.first + at)
	}
	return true
}

// where returns the level and ring position that w.place chooses for an entry due after now. The
// level is nil if the deadline is late or beyond the hours.
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

// last returns the last entry of the queue.
func (q *queue) last() (e entry, ok bool) {
	switch {
	case q.first != 0:
		return q.end.entry[q.tail-1], true
	case q.n() == 1:
		return q.only[0], true
	}
	return entry{}, false
}

// pop removes the last entry. It returns false if the last of several chunks would become empty,
// because a chunk has no link to the previous chunk.
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

// isDead reports whether an entry no longer belongs to a timer. A dead entry looks alive if its
// timer's counter has since been incremented by a multiple of sixteen.
func (w *Wheel) isDead(e entry) bool {
	return (w.counts[e.timer/countsInWord]>>(e.timer%countsInWord*4)^uint64(e.stamp/count))%countsInWord != 0
}
