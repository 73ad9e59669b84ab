package wheel

// Next returns the earliest deadline of all that wait, which lies at or before Now
// if a timer is late; Never and false if none waits. Only the loop goroutine may call
// it.
//
// It costs O(levels), and a look at every entry of those slots that may hold the
// earliest deadline: as a rule one slot. If it may be in a coming slot, that one is
// brought down whole. Dead entries that are met are gone afterwards.
func (w *Wheel) Next() (Time, bool) {
	if w.Len() == 0 {
		return Never, false
	}
	first := w.settle(late, Never)
	for l := range shelf + w.shelves {
		if !w.level[l].holds() {
			continue
		}
		for k, ok := w.firstFrom(l, 0); ok; k, ok = w.firstFrom(l, k+1) {
			f := &w.level[l]
			at := f.ring(k)
			q := &w.slots[f.first+at]
			if w.start(l, k) >= first {
				break
			}
			first = w.settle(f.first+at, first)
			if q.n() == 0 {
				w.unmark(f, at)
			}
		}
	}
	return first, true
}

// settle takes all entries out of a slot and puts the living where their deadlines
// belong now. It returns the earliest of the deadlines and first.
func (w *Wheel) settle(slot uint32, first Time) Time {
	q := &w.slots[slot]
	for n := q.n(); n > 0; {
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
