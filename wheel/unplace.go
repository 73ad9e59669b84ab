package wheel

import "math/bits"

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
