package wheel

import (
	"math/bits"
)

// Advance turns the hands to now and appends to dst what is due at or before it, in
// order of time; equal deadlines in the order of the calls that set them. It
// returns the extended dst. Each timer that fired rests until it is moved or
// removed. now may lie any distance ahead, and equal [Wheel.Now]: then the late
// timers fire. A now before it panics and changes nothing.
//
// It costs O(1) for each slot that is opened and each entry that fires or comes down
// a level, and a sort of what fires in one millisecond unless that is in order
// already. Empty slots cost nothing, however many the hands pass. It allocates only
// to extend dst, or if more fires in one millisecond than ever before. Only the loop
// goroutine may call it.
func (w *Wheel) Advance(now Time, dst []Fired) []Fired {
	if now < w.now {
		panic("wheel: time went back")
	}
	if now < w.quiet {
		w.turn(now)
		w.tend(framePiece)
		return dst
	}
	if q := w.queue(late); q.n() > 0 {
		dst = w.fire(q, w.now, dst)
	}
	before, second := w.now, w.level[dial].last
	fired, moved := len(dst), w.moved
	dst = w.fireDial(now, dst)
	for now > w.level[dial].last {
		t, ok := w.border(now)
		if !ok {
			break
		}
		w.turn(t)
		w.open()
		dst = w.fireDial(now, dst)
	}
	w.turn(now)
	if now > before {
		coming := w.smooth(uint64(now)-uint64(before), now > second)
		if !coming && len(dst) == fired && w.moved == moved { // who has nothing to do may have nothing for long
			w.quiet = w.nothingBefore()
		}
	}
	w.tend(framePiece)
	return dst
}

// border returns the start of the first second in which something is to be opened or
// fires, of those after the running one and up to now.
func (w *Wheel) border(now Time) (t Time, ok bool) {
	t = now
	if w.level[dial].holds() { // only the next second can be left
		return w.level[dial].last + 1, true
	}
	for l := seconds; l < shelf; l++ {
		if k, some := w.firstFrom(l, 0); some {
			if at := w.start(l, k); at <= t {
				t, ok = at, true
			}
		}
	}
	// What is on a shelf is due before what is on the next one.
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

// open brings down what is left in the slots that the hands have reached, coarsest
// first.
func (w *Wheel) open() {
	for l := shelf + w.shelves - 1; l >= shelf; l-- {
		if w.level[l].holds() {
			w.pour(l, uint32(w.half>>((l-shelf)*shelfBits)%shelfSlots), all)
		}
	}
	for l := hours; l > dial; l-- {
		if w.level[l].holds() {
			w.pour(l, w.hand(l), all)
		}
	}
}

const all = 1<<32 - 1

// pour moves the first n entries of a slot to finer levels: of a shelf the slot of a
// digit, of a face the k-th since the start of the running round. Of a wide level it looks
// at the timers; also of the seconds, so that a timer is in the cache when it fires.
func (w *Wheel) pour(l int, k uint32, n uint32) {
	f := &w.level[l]
	at := f.ring(k)
	q := w.queue(f.first + at)
	if q.n() == 0 {
		return
	}
	start := w.start(l, k)
	if l == seconds && q.first != 0 && !q.mixed && w.descend(q, start) {
		w.unmark(f, at)
		w.emptied(f.first + at)
		return
	}
	n = min(n, q.n())
	w.moved += uint64(n)
	for n > 0 {
		some := w.front(q, n)
		if f.wide || l == seconds {
			w.placeLiving(some)
		} else {
			for _, e := range some {
				w.place(e.timer, e.stamp, start+Time(e.due-uint32(start)), earliest)
			}
		}
		n -= uint32(len(some))
		w.drop(q, len(some))
	}
	if q.n() == 0 {
		w.unmark(f, at)
		w.emptied(f.first + at)
	}
}

// placeLiving places what is alive of some entries by the deadlines of the timers.
// They are counted first: in so short a loop the processor fetches many timers at once.
func (w *Wheel) placeLiving(some []entry) {
	dead := 0
	for _, e := range some {
		if w.timer(e.timer).stamp != e.stamp {
			dead++
		}
	}
	w.dead -= dead
	for _, e := range some {
		if t := w.timer(e.timer); t.stamp == e.stamp {
			w.place(e.timer, e.stamp, t.due, earliest)
		}
	}
}

// descend hands all entries of a slot of the seconds, due in the same millisecond, to the
// dial as they are, if nothing waits there. The slot, which begins at start, is that of
// the running second or the coming one, so the dial has room for it.
func (w *Wheel) descend(q *queue, start Time) bool {
	f := &w.level[dial]
	at := f.ring(uint32(start-f.from) + q.only[0].due - uint32(start))
	to := w.queue(f.first + at)
	if to.n() > 0 {
		return false
	}
	to = w.filling(f.first + at)
	*to = *q
	q.clear()
	w.mark(f, at)
	return true
}

// fireDial fires what is due in the running second, up to now.
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
		w.emptied(f.first + at)
	}
	return dst
}

// fireOnly is fire for a slot of the dial with one entry.
func (w *Wheel) fireOnly(q *queue, t Time, dst []Fired) []Fired {
	e := q.only[0]
	q.clear()
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

// fire empties a slot of the dial, or the late one. The living timers that are due at
// t are appended to dst and rest. Those whose deadline was raised go where it belongs.
func (w *Wheel) fire(q *queue, t Time, dst []Fired) []Fired {
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

// smooth moves a part of what is in the coming slots, so that nothing is left when the
// hand gets there: as much as frames of this length, in ms, need. What it comes to
// less than a whole entry is carried over, so that few entries are spread over all
// the frames there are and do not crowd into the first ones. turned says that a second
// began in this frame. smooth reports whether there was anything in a coming slot.
func (w *Wheel) smooth(frame uint64, turned bool) (coming bool) {
	moved := uint64(0)
	for l := seconds; l <= shelf; l++ {
		f, n := &w.level[l], uint32(0)
		if f.holds() {
			n = w.queue(w.coming[l]).n()
		}
		if n == 0 {
			f.carry = 1<<32 - 1 // a single entry comes down at once
			continue
		}
		coming = true
		// The level below has the round that runs until the coming slot begins.
		left := uint64(w.level[l-1].last) - uint64(w.now)
		frames := min(left/frame, all-1) + 1 // that end before the border, with this one
		f.carry += uint64(n) << 32 / frames
		whole, odd := uint64(n)/frames, uint64(n)%frames > 0
		owed := f.carry >> 32
		switch {
		case owed <= whole:
		case odd && (n == 1 || !f.mayWait(frames, moved+whole, turned, l-seconds)):
			owed, f.waited = whole+1, 0
		default:
			owed = whole
		}
		f.carry = min(f.carry-owed<<32, 2<<32)
		if w.most > 0 {
			owed = min(owed, w.most) // NextWithin brings down the others
		}
		if owed == 0 {
			continue
		}
		moved += owed
		k := uint32(w.half+1) % shelfSlots
		if l < shelf {
			k = w.hand(l) + 1
		}
		w.pour(l, k, uint32(min(owed, all)))
	}
	return coming
}

// mayWait reports whether the odd entry that a level owes can wait for another frame. Each
// may have to wait for memory: so levels take turns, finer ones first, and none
// comes on top of the turn of the hands. What waits is in the share of the frames left.
func (f *level) mayWait(frames, moved uint64, turned bool, most int) bool {
	switch {
	case frames > 8 && turned, frames > 256 && moved >= 3:
		return true
	case frames > 8 && moved > 0 && f.waited < most:
		f.waited++
		return true
	}
	return false
}

// mark notes that a slot, given by its place in the ring, is no longer empty.
func (w *Wheel) mark(f *level, at uint32) {
	w.quiet = earliest
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

// unmark notes that a slot has become empty.
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
