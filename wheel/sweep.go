package wheel

// An entry dies when its timer is removed or moved to an earlier deadline. It stays
// in its slot until the slot is opened, or until a sweep comes by. A sweep goes round
// all slots, from the coarsest to the finest, as entries do, so that none slips past
// it. It takes a few entries at a time, from the head of a slot's queue, and puts the
// living back at its tail.

const (
	deathsPerPiece = 8   // a piece is swept when so many entries have died
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
	on    bool
	slot  uint32 // index in Wheel.slots
	left  uint32 // entries of the slot not yet looked at: the first ones
	dirty int    // words of suspect[1] still to be cleared after the last sweep
	turns uint32 // deaths and Advances since the last sweep ended
	spare int    // dead entries that are no reason to sweep
	lap   uint32 // how many turns may pass
}

// bury counts an entry of timer i that died.
func (w *Wheel) bury(i uint32) {
	w.dead++
	w.suspect[0][i/64] |= 1 << (i % 64)
	if w.sweep.on {
		w.suspect[1][i/64] |= 1 << (i % 64)
	}
	if w.dead%deathsPerPiece == 0 {
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
	case s.dirty > 0:
		from := max(0, s.dirty-piece)
		clear(w.suspect[1][from:s.dirty])
		s.dirty = from
	case w.tooManyDead(), s.turns > s.lap && w.dead > 0:
		s.on = true
		s.slot = uint32(len(w.slots)) - 1
		s.left = w.slots[s.slot].n
	}
}

// tooManyDead bounds the memory: the dead are not more than the living, and the entries
// not more than six for every five timers there ever were at once.
func (w *Wheel) tooManyDead() bool {
	return w.dead > w.sweep.spare && (w.dead > w.live || w.dead+w.live > int(w.made+w.made/5))
}

// sweepOn looks at the next n entries.
func (w *Wheel) sweepOn(n uint32) {
	s := &w.sweep
	for range slotPiece {
		q := &w.slots[s.slot]
		// What was taken away meanwhile was at the head too.
		k := min(s.left, q.n, n)
		s.left = min(s.left, q.n) - k
		n -= k
		w.moved += uint64(k)
		w.sweepFirst(s.slot, k)
		if s.left > 0 {
			return
		}
		if s.slot == late {
			s.on, s.turns = false, 0
			s.dirty = len(w.suspect[0])
			w.suspect[0], w.suspect[1] = w.suspect[1], w.suspect[0]
			return
		}
		s.slot--
		s.left = w.slots[s.slot].n
	}
}

// sweepFirst takes the first n entries of a slot and puts the living back behind the
// others.
func (w *Wheel) sweepFirst(slot, n uint32) {
	if n == 0 {
		return
	}
	q := &w.slots[slot]
	for n > 0 {
		some := w.front(q, n)
		n -= uint32(len(some))
		kept := w.living(some)
		w.dead -= len(some) - kept
		w.pushAll(q, some[:kept])
		w.drop(q, len(some))
	}
	if q.n == 0 && slot != late {
		l := w.levelOf(slot)
		w.unmark(l, slot-w.level[l].first)
	}
}

// living moves the living of some entries to the front, in their order, and returns
// how many they are. It waits for no timer: the processor fetches many at once, because
// no branch depends on what they say.
func (w *Wheel) living(some []entry) int {
	suspect, n := w.suspect[0], 0
	for _, e := range some {
		some[n] = e
		lives := 1
		if suspect[e.timer/64]>>(e.timer%64)&1 != 0 {
			lives = 0
			if w.timer(e.timer).stamp == e.stamp {
				lives = 1
			}
		}
		n += lives
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
