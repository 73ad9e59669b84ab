package wheel

import "iter"

// Next returns the earliest deadline of all that wait, which lies at or before Now
// if a timer is late; Never and false if none waits. Only the loop goroutine may call
// it.
//
// It costs O(levels), and a look at every entry of those slots that may hold the
// earliest deadline: as a rule one slot. If it may be in a coming slot, that one is
// brought down whole. Dead entries that are met are gone afterwards. [Wheel.NextWithin]
// bounds the work.
func (w *Wheel) Next() (Time, bool) {
	if w.Len() == 0 {
		return Never, false
	}
	first := w.settle(late, all, Never)
	for l := range shelf + w.shelves {
		if !w.level[l].holds() {
			continue
		}
		for k, ok := w.firstFrom(l, 0); ok; k, ok = w.firstFrom(l, k+1) {
			if w.start(l, k) >= first {
				break
			}
			f := &w.level[l]
			first = w.settleOn(f, f.ring(k), all, first)
		}
	}
	return first, true
}

// NextWithin is Next with bounded work, for whoever holds a lock: it looks at no more than most
// entries of each level, most being at least 1. It returns an instant before which nothing is due: as a
// rule the earliest deadline; Now if a timer is late, Never if none waits.
//
// The instant is earlier than that where a slot holds more than most entries and may hold the
// earliest deadline. If its hand will reach it next, most of them are brought down, and more is
// true: the next call goes on with it, until more is false. If it is farther away, the instant
// is when it becomes the next one; there is nothing due then, but NextWithin can begin with it. On
// the dial the slot itself is the answer.
//
// After a NextWithin that reported no more, an Advance that goes no farther than to the instant that it returned
// does not do more on each level either than fire what is due
// and bring down twice as many entries as most says: but for the shelves beyond the first, which are
// brought down whole every 32 days. Only the loop goroutine may call it.
func (w *Wheel) NextWithin(most int) (t Time, more bool) {
	w.most = uint64(most)
	if w.Len() == 0 {
		return Never, false
	}
	t = Never
	if n := w.queue(late).n(); n > 0 {
		if n <= uint32(most) {
			t = w.settle(late, n, Never)
		}
		if n > uint32(most) || t <= w.now {
			return w.now, false
		}
	}
	for l := range shelf + w.shelves {
		if w.level[l].holds() {
			var left bool
			t, left = w.levelWithin(l, uint32(most), t)
			more = more || left
		}
	}
	return t, more
}

// levelWithin looks at the slots of a level that begin at t or before it, and returns what
// NextWithin returns for them, or t if that is earlier.
func (w *Wheel) levelWithin(l int, most uint32, t Time) (first Time, more bool) {
	f := &w.level[l]
	left := most
	for k, ok := w.firstFrom(l, 0); ok; k, ok = w.firstFrom(l, k+1) {
		begins, at := w.start(l, k), f.ring(k)
		n := w.queue(f.first + at).n()
		switch {
		case begins > t, begins == t && n <= most:
			return t, false // and the others begin later
		case l == dial && w.dueAtOnce(at, begins):
			return begins, false
		case n <= left:
			t = w.settleOn(f, at, n, t)
			left -= n
		case left < most:
			return begins, true // what was looked at before is no longer there: a call more does not meet it
		case l == dial, l > shelf:
			return begins, false
		case uint64(begins)-uint64(w.now) > w.span(l):
			return begins - Time(w.span(l)), false
		default:
			w.settleOn(f, at, most, t)
			return begins, true
		}
	}
	return t, false
}

// nothingBefore returns an instant before which an Advance turns the hands and has nothing else to do, as long as no
// slot gets a first entry: it is when the first timer of the dial fires, or a slot of another level becomes the coming
// one. It is for a Wheel with nothing in the late slot and in the coming ones.
func (w *Wheel) nothingBefore() Time {
	t := Never
	for l := range shelf + w.shelves {
		if k, ok := w.firstFrom(l, 0); ok {
			start := w.start(l, k)
			switch {
			case l == dial:
			case l < shelf:
				start = start.Add(-int64(w.level[l].unit))
			default:
				start = start.Add(-w.level[hours].round)
			}
			t = min(t, start)
		}
	}
	return t
}

// dueAtOnce reports whether the first entry of a slot of the dial is due there.
func (w *Wheel) dueAtOnce(at uint32, begins Time) bool {
	e := w.front(w.queue(w.level[dial].first+at), 1)[0]
	t := w.timer(e.timer)
	return t.stamp == e.stamp && t.due == begins
}

// span returns what a slot stands for, in ms: of a face, or of the first shelf.
func (w *Wheel) span(l int) uint64 {
	if l == shelf {
		return uint64(w.level[hours].round)
	}
	return uint64(w.level[l].unit)
}

// settleOn settles the first n entries of a slot, given by its place in the ring.
func (w *Wheel) settleOn(f *level, at, n uint32, first Time) Time {
	first = w.settle(f.first+at, n, first)
	if w.queue(f.first+at).n() == 0 {
		w.unmark(f, at)
		w.emptied(f.first + at)
	}
	return first
}

// settle takes the first n entries out of a slot and puts the living where their deadlines
// belong now. It returns the earliest of the deadlines and first.
func (w *Wheel) settle(slot, n uint32, first Time) Time {
	q := w.queue(slot)
	n = min(n, q.n())
	w.moved += uint64(n)
	for n > 0 {
		some := w.front(q, n)
		for _, e := range some {
			if w.timer(e.timer).stamp != e.stamp {
				w.dead--
				continue
			}
			due := w.timer(e.timer).due
			w.place(e.timer, e.stamp, due, w.now)
			first = min(first, due)
		}
		n -= uint32(len(some))
		w.drop(q, len(some))
	}
	return first
}

// Soon yields the IDs of timers that are due up to an instant, as far as they are on the dial,
// slot by slot: those of the next few frames as a rule, and never one that is due later. It changes nothing,
// and is for who wants to have something ready for them. It costs a look at each of their timers. Only the loop goroutine may
// call it, and nothing may be changed meanwhile.
func (w *Wheel) Soon(until Time) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for k, ok := w.firstFrom(dial, 0); ok && w.start(dial, k) <= until; k, ok = w.firstFrom(dial, k+1) {
			f := &w.level[dial]
			for r := w.read(w.queue(f.first + f.ring(k))); r.left > 0; {
				for _, e := range w.more(&r) {
					if t := w.timer(e.timer); t.stamp == e.stamp && t.due <= until && !yield(t.id) {
						return
					}
				}
			}
		}
	}
}
