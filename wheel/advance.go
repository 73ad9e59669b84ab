package wheel

import (
	"cmp"
	"slices"
)

// Advance turns the hands to now and appends to dst what is due at or before it, in
// order of time; equal deadlines in the order of the calls that set them. It
// returns the extended dst. Each timer that fired rests until it is moved or
// removed. now may lie any distance ahead, and equal [Wheel.Now]: then the late
// timers fire. A now before it panics and changes nothing.
//
// It costs O(1) for each slot that is opened and each timer that fires or comes
// down a level. Empty slots cost nothing, however many the hands pass. It allocates
// only to extend dst. Only the loop goroutine may call it.
func (w *Wheel) Advance(now Time, dst []Fired) []Fired {
	if now < w.now {
		panic("wheel: time went back")
	}
	dst = w.fireLate(dst)
	for w.occupied != 0 {
		level, s := w.earliestSlot()
		t := w.start(level, s)
		if t > now {
			break
		}
		if level == dial {
			dst = w.fire(level, s, dst)
			continue
		}
		// The hand of this level gets here, and with it all finer hands, whose
		// levels are empty: what waited there was due earlier and has fired.
		w.turn(t)
		w.comeDown(level, s)
	}
	w.turn(now)
	return dst
}

// comeDown moves the timers of a slot to the finer levels, each to where its
// deadline now belongs. They keep their order, and as the finer levels were empty,
// whatever is added there later stands behind them.
func (w *Wheel) comeDown(level uint8, s uint16) {
	for i := w.detach(level, s); i != 0; {
		next := w.timers[i].next
		to, at := w.locate(w.timers[i].due)
		w.link(i, to, at)
		i = next
	}
}

// fire appends the timers of a slot to dst and lets them rest.
func (w *Wheel) fire(level uint8, s uint16, dst []Fired) []Fired {
	for i := w.detach(level, s); i != 0; {
		t := &w.timers[i]
		dst = append(dst, Fired{Due: t.due, ID: t.id})
		t.state = resting
		w.waiting--
		i = t.next
	}
	return dst
}

// fireLate fires the late timers. They stand in order of the calls; equal deadlines
// stay so when they are sorted by time.
func (w *Wheel) fireLate(dst []Fired) []Fired {
	if w.late.head == 0 {
		return dst
	}
	n := len(dst)
	dst = w.fire(late, 0, dst)
	slices.SortStableFunc(dst[n:], func(a, b Fired) int { return cmp.Compare(a.Due, b.Due) })
	return dst
}
