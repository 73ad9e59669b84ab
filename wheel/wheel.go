package wheel

import "math/bits"

// Wheel is a clock face with the timers that wait on it. Make one with [New]; the
// zero value is of no use. A Wheel must not be copied.
type Wheel struct {
	now  Time
	seq  uint64 // calls of Add and Move
	free freeSet

	pages   [][]timer // the first one grows, the others are whole
	made    uint64    // timers in pages that were ever free, and timer 0
	resting int       // timers that fired and rest
	gone    int       // timers that are retired
	dead    int       // entries that stand for no timer any more

	// Four bits for each timer, the last ones of the counter in its stamp: a sweep looks
	// at them and not at the timers.
	counts []uint64

	slots  []queue              // late, then those of all levels, finest first; nil: see few
	few    *fewSlots            // the same of a Wheel with few timers
	fewest uint64               // how many timers it has made when that changes
	level  [maxLevels]level     // the dial, three faces, the shelves
	dial   [2][dialWords]uint64 // see level.occupied
	coming [shelf + 1]uint32    // of the faces and the first shelf: the slot to be reached next
	chunks []*[pageChunks]chunk // chunk 0 stands for none
	batch  []ready              // what fires in one millisecond, to sort it

	freeChunk  uint32 // first free chunk
	madeChunks uint32 // chunks that were ever used, and chunk 0
	shelves    int    // how many shelves there are
	half       uint64 // number of the running half-day
	zeroHalf   uint64 // and of the one that begins at Time 0
	sweep      sweep
	moved      uint64 // entries brought down, looked at or swept, ever
	most       uint64 // of NextWithin: how many entries of a level a frame may bring down; 0 for any
}

// Fired says that a timer fell due.
type Fired struct {
	Due Time   // the deadline, which may lie before the Now of the Advance
	ID  uint64 // as given to Add
}

// New returns an empty Wheel whose hands stand at start, which may be any Time.
// Any goroutine may call it.
func New(start Time) *Wheel { return newWheel(clockFace, start) }

func newWheel(sh shape, start Time) *Wheel {
	w := &Wheel{fewest: fewTimers}
	w.refill()
	w.build(sh)
	w.set(start)
	w.sweep.spare, w.sweep.lap = deadAllowed, longestLap
	return w
}

// Now returns the instant that the hands show: that of the last Advance, or the
// start. Only the loop goroutine may call it.
func (w *Wheel) Now() Time { return w.now }

// Len returns how many timers wait for their deadline. Those that fired and rest
// are not counted. Only the loop goroutine may call it.
func (w *Wheel) Len() int { return int(w.made) - 1 - w.free.len() - w.resting - w.gone }

// Add starts a timer that is due at the given instant, which may be any Time, and
// returns its handle. The id is the caller's own and comes back in [Fired]; two
// timers may have the same. A timer due at or before Now is late: it fires at the
// next Advance, never inside Add. A timer lives until Remove, also when it has
// fired: one that is not wanted again must be removed.
//
// Add panics if 4,294,967,295 timers are live or retired. It allocates only if
// more timers are live than ever before. Only the loop goroutine may call it.
func (w *Wheel) Add(due Time, id uint64) Handle {
	f := &w.free
	if f.taken == 0 {
		w.refill()
	}
	k := uint32(bits.TrailingZeros64(f.taken))
	f.taken &= f.taken - 1
	w.seq++
	t, i := &f.block[k%word], f.from+k
	stamp := t.stamp | waiting // no entry has it: kill has seen to that
	t.stamp, t.due, t.id, t.seq = stamp, due, id, w.seq
	h := Handle(t.gen)<<32 | Handle(i)
	w.place(i, stamp, due, w.now)
	return h
}

// AddSelf is [Wheel.Add] with the handle itself as the id: what comes back in [Fired]
// is the timer's handle. The lower 32 bits of a handle are the index of the timer's memory,
// small numbers that are used again, so that a caller can keep what belongs to a timer in
// a table. Only the loop goroutine may call it.
func (w *Wheel) AddSelf(due Time) Handle {
	h := w.Add(due, 0)
	w.timer(uint32(h)).id = uint64(h)
	return h
}

// ReplaceSelf ends the timer h and starts another one, which is due at the given instant and has its
// own handle for an id. It does what [Wheel.Remove] of h and [Wheel.AddSelf] do, for less: the new
// timer has the memory of the old one, and unless it is due earlier its entry too. If h is stale or
// made up, ReplaceSelf is AddSelf. Only the loop goroutine may call it.
func (w *Wheel) ReplaceSelf(h Handle, due Time) Handle {
	t := w.find(h)
	if t == nil || t.gen == lastGeneration {
		w.Remove(h)
		return w.AddSelf(due)
	}
	t.gen++
	h = Handle(t.gen)<<32 | Handle(uint32(h))
	t.id = uint64(h)
	w.Move(h, due)
	return h
}

// Move gives a timer a new deadline, which may be any Time, and reports whether h
// is a timer. One that fired and rests waits again, under the same handle. A stale
// or made-up handle changes nothing. A later deadline is only written down; an
// earlier one costs an entry more. Only the loop goroutine may call it.
func (w *Wheel) Move(h Handle, due Time) bool {
	t := w.find(h)
	if t == nil {
		return false
	}
	w.seq++
	was, stamp, seq := t.due, t.stamp, t.seq
	t.due, t.seq = due, w.seq
	switch {
	case stamp&stateMask == resting:
		// Its entry is gone, so that the next one can have the same stamp.
		w.resting--
		stamp ^= resting ^ waiting
		t.stamp = stamp
	case due < was:
		dead := stamp
		stamp = w.kill(uint32(h), t, waiting)
		w.bury(uint32(h), dead, was, seq)
	default:
		return true
	}
	w.place(uint32(h), stamp, due, w.now)
	return true
}

// Remove ends a timer and reports whether it was still waiting; false for one that
// fired and rests, which is ended too, and for a stale or made-up handle, which
// changes nothing. Afterwards h is stale for ever and the memory may be used by the
// next Add. Only the loop goroutine may call it.
func (w *Wheel) Remove(h Handle) bool {
	t := w.find(h)
	if t == nil {
		return false
	}
	stamp, due, seq := t.stamp, t.due, t.seq
	w.release(uint32(h), t)
	if stamp&stateMask == resting {
		w.resting--
		return false
	}
	w.bury(uint32(h), stamp, due, seq)
	return true
}
