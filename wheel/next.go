package wheel

// Next returns the earliest deadline of the waiting timers, which is at or before Now if a
// timer is late. It returns Never and false if no timer waits. Only the loop goroutine may call
// it.
//
// The cost is O(levels), plus one step for every entry of the slots that may hold the earliest
// deadline, usually one slot. If a coming slot may hold it, Next moves all entries of that slot
// down. Dead entries found on the way are removed. Use [Wheel.NextWithin] to bound the work.
func (w *Wheel) Next() (Time, bool) {
	if w.Len() == 0 {
		return Never, false
	}
	first := w.relocate(late, all, Never)
	for l := range shelf + w.shelves {
		if !w.level[l].holds() {
			continue
		}
		for k, ok := w.firstFrom(l, 0); ok; k, ok = w.firstFrom(l, k+1) {
			if w.start(l, k) >= first {
				break
			}
			f := &w.level[l]
			first = w.relocateIn(f, f.ring(k), all, first)
		}
	}
	return first, true
}

// NextWithin is like Next, but does a bounded amount of work, for callers that hold a lock. On
// each level it visits at most the given number of entries (most), which must be at least 1.
// NextWithin returns an instant before which no timer is due. Usually this instant is the earliest
// deadline. It is Now if a timer is late, and Never if no timer waits.
//
// The instant may be earlier than the earliest deadline if a slot that may hold that deadline has
// more entries than the limit. There are three cases. If the slot is a coming slot, as many of its
// entries as the limit allows are moved down, and the result "more" is true; call NextWithin again
// to continue with that slot, until "more" is false. If the slot is farther away, the instant is
// the time when the slot becomes the coming slot; no timer is due then, but NextWithin can start to
// empty the slot. On the dial, the instant is the start of the slot.
//
// If NextWithin returned more == false, an Advance to the returned instant or earlier does
// bounded work on each level: it fires the due timers and moves down at most 2*most entries.
// The exceptions are the shelves after the first, whose slots are emptied at once every 32
// days. Only the loop goroutine may call NextWithin.
func (w *Wheel) NextWithin(most int) (t Time, more bool) {
	w.most = uint64(most)
	if w.Len() == 0 {
		return Never, false
	}
	t = Never
	if n := w.queue(late).n(); n > 0 {
		if n <= uint32(most) {
			t = w.relocate(late, n, Never)
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

// levelWithin does the work of NextWithin for the slots of a level that start at or before t. It
// returns the earlier of t and an instant before which no timer in these slots is due, and
// whether NextWithin must be called again.
func (w *Wheel) levelWithin(l int, most uint32, t Time) (first Time, more bool) {
	f := &w.level[l]
	left := most
	for k, ok := w.firstFrom(l, 0); ok; k, ok = w.firstFrom(l, k+1) {
		begins, at := w.start(l, k), f.ring(k)
		n := w.queue(f.first + at).n()
		switch {
		case begins > t, begins == t && n <= most:
			return t, false // the slots that follow start even later
		case l == dial && w.dueAtOnce(at, begins):
			return begins, false
		case n <= left:
			t = w.relocateIn(f, at, n, t)
			left -= n
		case left < most:
			// The entries of earlier slots have moved, so the next call gets further.
			return begins, true
		case l == dial, l > shelf:
			return begins, false
		case uint64(begins)-uint64(w.now) > w.span(l):
			return begins - Time(w.span(l)), false
		default:
			w.relocateIn(f, at, most, t)
			return begins, true
		}
	}
	return t, false
}

// nextWork returns an instant before which Advance has only to move the hands. At that instant,
// the first timer of the dial fires, or a nonempty slot of another level becomes the coming slot.
// The result is valid until an entry is added to an empty slot. The late slot and the coming
// slots must be empty.
func (w *Wheel) nextWork() Time {
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

// dueAtOnce reports whether the first entry of a dial slot is alive and due at that slot's
// time.
func (w *Wheel) dueAtOnce(at uint32, begins Time) bool {
	e := w.front(w.queue(w.level[dial].first+at), 1)[0]
	t := w.timer(e.timer)
	return t.stamp == e.stamp && t.due == begins
}

// span returns the duration of one slot of a face or of the first shelf, in ms.
func (w *Wheel) span(l int) uint64 {
	if l == shelf {
		return uint64(w.level[hours].round)
	}
	return uint64(w.level[l].unit)
}

// relocateIn relocates the first n entries of the slot at the given ring position.
func (w *Wheel) relocateIn(f *level, at, n uint32, first Time) Time {
	first = w.relocate(f.first+at, n, first)
	if w.queue(f.first+at).n() == 0 {
		w.unmark(f, at)
		w.releaseQueue(f.first + at)
	}
	return first
}

// relocate takes the first n entries out of a slot and places the live entries by their current
// deadlines. It returns the earliest of these deadlines, or the given instant (first) if that is
// earlier.
func (w *Wheel) relocate(slot, n uint32, first Time) Time {
	q := w.queue(slot)
	n = min(n, q.n())
	w.moved += uint64(n)
	for n > 0 {
		batch := w.front(q, n)
		for _, e := range batch {
			var due Time
			switch {
			case w.values != nil:
				due = e.fired(w.now).Due
			case w.timer(e.timer).stamp != e.stamp:
				w.dead--
				continue
			default:
				due = w.timer(e.timer).due
			}
			w.place(e.timer, e.stamp, due, w.now)
			first = min(first, due)
		}
		n -= uint32(len(batch))
		w.drop(q, len(batch))
	}
	return first
}
