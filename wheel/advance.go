package wheel

import (
	"math/bits"
)

// Advance moves the current time to now, and appends to dst every timer due at or before now, in
// deadline order. Timers with equal deadlines are ordered by the calls that set them. It returns
// the extended slice. A fired timer is no longer in any slot, but keeps its handle until it is
// moved or removed. now may be any distance ahead; if it equals [Wheel.Now], only late timers
// fire. If now is before [Wheel.Now], Advance panics without changing anything.
//
// The cost is O(1) for each slot that is opened, and for each entry that fires or moves down a
// level. In addition, timers that fire in the same millisecond are sorted, unless they are already
// in order. Empty slots have no cost, however many are passed. Advance allocates only to extend
// dst, or if more timers fire in one millisecond than ever before. Only the loop goroutine may
// call it.
func (w *Wheel) Advance(now Time, dst []Fired) []Fired {
	if now < w.now {
		panic("wheel: time went back")
	}
	if now < w.idleUntil {
		w.turn(now)
		w.sweepStep(advancePiece)
		return dst
	}
	if q := w.queue(late); q.n() > 0 {
		dst = w.fire(q, w.now, dst)
	}
	before, second := w.now, w.level[dial].last
	fired, moved := len(dst), w.moved
	dst = w.fireDial(now, dst)
	for now > w.level[dial].last {
		t, ok := w.nextBoundary(now)
		if !ok {
			break
		}
		w.turn(t)
		w.openReached()
		dst = w.fireDial(now, dst)
	}
	w.turn(now)
	if now > before {
		coming := w.cascadeAhead(uint64(now)-uint64(before), now > second)
		// This frame was idle, so there may be no work for a long time.
		if !coming && len(dst) == fired && w.moved == moved {
			w.idleUntil = w.nextWork()
		}
	}
	w.sweepStep(advancePiece)
	return dst
}

// nextBoundary returns the start of the first later second in which a slot must be opened or a
// timer fires. If that start is after now, ok is false.
func (w *Wheel) nextBoundary(now Time) (t Time, ok bool) {
	t = now
	if w.level[dial].holds() { // the timers left on the dial are due in the next second
		return w.level[dial].last + 1, true
	}
	for l := seconds; l < shelf; l++ {
		if k, some := w.firstFrom(l, 0); some {
			if at := w.start(l, k); at <= t {
				t, ok = at, true
			}
		}
	}
	// All timers on one shelf are due before all timers on the next shelf.
	for l := shelf; l < shelf+w.shelves; l++ {
		if k, some := w.firstFrom(l, 0); some {
			if at := w.start(l, k); at <= t {
				t, ok = at, true
			}
			break
		}
	}
	return t, ok
}

// openReached empties the slots that contain the current time, coarsest level first.
func (w *Wheel) openReached() {
	for l := shelf + w.shelves - 1; l >= shelf; l-- {
		if w.level[l].holds() {
			w.cascade(l, uint32(w.half>>((l-shelf)*shelfBits)%shelfSlots), all)
		}
	}
	for l := hours; l > dial; l-- {
		if w.level[l].holds() {
			w.cascade(l, w.hand(l), all)
		}
	}
}

const all = 1<<32 - 1

// cascade moves the first n entries of slot k of level l to finer levels. On a shelf, k is the
// slot's digit; on a face, k is the number of slots since the start of the current round. cascade
// reads the timers only on wide levels, where it needs their deadlines, and on the seconds level,
// so that a timer is in the cache when it fires soon after. On other levels it moves entries
// without reading the timers.
func (w *Wheel) cascade(l int, k uint32, n uint32) {
	f := &w.level[l]
	at := f.ring(k)
	q := w.queue(f.first + at)
	if q.n() == 0 {
		return
	}
	start := w.start(l, k)
	if l == seconds && q.first != 0 && !q.mixed && w.moveToDial(q, start) {
		w.unmark(f, at)
		w.releaseQueue(f.first + at)
		return
	}
	n = min(n, q.n())
	w.moved += uint64(n)
	for n > 0 {
		batch := w.front(q, n)
		if w.values == nil && (f.wide || l == seconds) {
			w.placeLive(batch)
		} else {
			for _, e := range batch {
				w.place(e.timer, e.stamp, start+Time(e.due-uint32(start)), earliest)
			}
		}
		n -= uint32(len(batch))
		w.drop(q, len(batch))
	}
	if q.n() == 0 {
		w.unmark(f, at)
		w.releaseQueue(f.first + at)
	}
}

// placeLive places the live entries of batch by the deadlines of their timers. It first counts
// the dead entries in a separate loop. In such a short loop the processor fetches many timers in
// parallel, so the second loop finds them in the cache.
func (w *Wheel) placeLive(batch []entry) {
	dead := 0
	for _, e := range batch {
		if w.timer(e.timer).stamp != e.stamp {
			dead++
		}
	}
	w.dead -= dead
	for _, e := range batch {
		if t := w.timer(e.timer); t.stamp == e.stamp {
			w.place(e.timer, e.stamp, t.due, earliest)
		}
	}
}

// moveToDial moves the whole queue q of a seconds slot to the dial, and reports whether it did. All
// its entries must be due in the same millisecond. The queue is moved only if the dial slot for
// that millisecond is empty. The parameter "start" is the first instant of the slot. The slot is
// the current or the coming second, so the dial covers it.
func (w *Wheel) moveToDial(q *queue, start Time) bool {
	f := &w.level[dial]
	at := f.ring(uint32(start-f.from) + q.only[0].due - uint32(start))
	to := w.queue(f.first + at)
	if to.n() > 0 {
		return false
	}
	to = w.writableQueue(f.first + at)
	*to = *q
	q.clear()
	w.mark(f, at)
	return true
}

// fireDial fires the timers of the current second that are due at or before now.
func (w *Wheel) fireDial(now Time, dst []Fired) []Fired {
	f := &w.level[dial]
	half := 0
	if f.shift != 0 {
		half = 1
	}
	for f.occupied[half] != 0 {
		word := uint32(bits.TrailingZeros64(f.occupied[half]))
		at := word*64 + uint32(bits.TrailingZeros64(w.dial[half][word]))
		t := f.from + Time(at)
		if t > now {
			break
		}
		at += f.shift
		w.unmark(f, at)
		q := w.queue(f.first + at)
		if q.first == 0 {
			dst = w.fireOnly(q, t, dst)
		} else {
			dst = w.fire(q, t, dst)
		}
		w.releaseQueue(f.first + at)
	}
	return dst
}

// fireOnly is like fire, for a dial slot with a single entry.
func (w *Wheel) fireOnly(q *queue, t Time, dst []Fired) []Fired {
	e := q.only[0]
	q.clear()
	if w.values != nil {
		return append(dst, e.fired(t))
	}
	b := w.timer(e.timer)
	switch {
	case b.stamp != e.stamp:
		w.dead--
	case b.due > t:
		w.place(e.timer, e.stamp, b.due, t)
	default:
		b.stamp |= resting
		w.resting++
		dst = append(dst, Fired{Due: t, ID: b.id})
	}
	return dst
}

// fire empties a slot of the dial, or the late slot. It appends to dst the live timers due at or
// before t, and marks them as resting. A timer whose deadline was postponed beyond t is placed in
// another slot.
func (w *Wheel) fire(q *queue, t Time, dst []Fired) []Fired {
	if w.values != nil {
		return w.fireValues(q, t, dst)
	}
	first, inOrder := len(dst), true
	last, lastSeq := earliest, uint64(0)
	for r := w.read(q); r.left > 0; {
		for _, e := range w.more(&r) {
			b := w.timer(e.timer)
			if b.stamp != e.stamp {
				w.dead--
				continue
			}
			due, seq := b.due, b.seq
			if due > t {
				w.place(e.timer, e.stamp, due, t)
				continue
			}
			b.stamp |= resting
			inOrder = inOrder && (last < due || last == due && lastSeq < seq)
			last, lastSeq = due, seq
			dst = append(dst, Fired{Due: due, ID: b.id})
		}
	}
	w.resting += len(dst) - first
	if !inOrder {
		w.sort(q, dst[first:])
	}
	w.dropAll(q)
	return dst
}

// cascadeAhead moves part of each coming slot down, so that the slot is empty when the hand reaches
// it. The part is chosen so that the work is spread evenly over the remaining frames, assuming that
// each takes as long as this frame (the given number of ms). Fractions of an entry are carried
// over, so that a few entries are spread over all frames instead of being moved in the first
// frames. The parameter "turned" reports whether a new second started in this frame. The result is
// true if a coming slot held entries.
func (w *Wheel) cascadeAhead(frame uint64, turned bool) (coming bool) {
	moved := uint64(0)
	for l := seconds; l <= shelf; l++ {
		f, n := &w.level[l], uint32(0)
		if f.holds() {
			n = w.queue(w.coming[l]).n()
		}
		if n == 0 {
			f.carry = 1<<32 - 1 // almost 1, so that a single entry will be moved in the next frame
			continue
		}
		coming = true
		// The current round of the level below ends when the coming slot starts.
		left := uint64(w.level[l-1].last) - uint64(w.now)
		// the number of frames that end before the coming slot starts, including this frame
		frames := min(left/frame, all-1) + 1
		f.carry += uint64(n) << 32 / frames
		whole, odd := uint64(n)/frames, uint64(n)%frames > 0
		share := f.carry >> 32
		switch {
		case share <= whole:
		case odd && (n == 1 || !f.canDefer(frames, moved+whole, turned, l-seconds)):
			share, f.waited = whole+1, 0
		default:
			share = whole
		}
		f.carry = min(f.carry-share<<32, 2<<32)
		if w.most > 0 {
			share = min(share, w.most) // NextWithin moves the remaining entries
		}
		if share == 0 {
			continue
		}
		moved += share
		k := uint32(w.half+1) % shelfSlots
		if l < shelf {
			k = w.hand(l) + 1
		}
		w.cascade(l, k, uint32(min(share, all)))
	}
	return coming
}

// canDefer reports whether a level may leave an extra entry to a later frame. In each frame, a
// level moves its share of the entries of its coming slot. Shares are rounded down, so now and then
// a level moves one extra entry to make up for the fractions. Each moved entry may be a cache miss.
// Therefore the levels take turns, finer levels first, and no level moves its extra entry in a
// frame that starts a new second. A deferred entry is included in the shares of the remaining
// frames. If at most 8 frames remain, no extra entry is deferred.
func (f *level) canDefer(frames, moved uint64, turned bool, most int) bool {
	switch {
	case frames > 8 && turned, frames > 256 && moved >= 3:
		return true
	case frames > 8 && moved > 0 && f.waited < most:
		f.waited++
		return true
	}
	return false
}

// mark records that the slot at the given ring position is no longer empty.
func (w *Wheel) mark(f *level, at uint32) {
	w.idleUntil = earliest
	half := 0
	if at >= f.size {
		half, at = 1, at-f.size
	}
	if f == &w.level[dial] {
		w.dial[half][at/64] |= 1 << (at % 64)
		at /= 64
	}
	f.occupied[half] |= 1 << at
}

// unmark records that the slot at the given ring position is empty.
func (w *Wheel) unmark(f *level, at uint32) {
	half := 0
	if at >= f.size {
		half, at = 1, at-f.size
	}
	if f == &w.level[dial] {
		w.dial[half][at/64] &^= 1 << (at % 64)
		at /= 64
		if w.dial[half][at] != 0 {
			return
		}
	}
	f.occupied[half] &^= 1 << at
}
