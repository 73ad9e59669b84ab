package wheel

// Wheel is a clock face with the timers that wait on it. Make one with [New]; the
// zero value is of no use. A Wheel must not be copied.
type Wheel struct {
	now  Time
	live int    // timers that wait
	dead int    // entries that stand for no timer any more
	seq  uint64 // calls of Add and Move

	pages []*page // timer 0 stands for none
	made  uint64  // timers in pages that were ever used, and timer 0
	gone  int     // timers that are retired
	free  freeSet

	// A bit for each timer that may have a dead entry; and for each of which one died
	// since the running sweep began. A sweep looks at no other.
	suspect [2][]uint64

	slots  []queue              // late, then those of all levels, finest first
	level  [maxLevels]level     // the dial, three faces, the shelves
	dial   [2][dialWords]uint64 // see level.occupied
	coming [shelf + 1]uint32    // of the faces and the first shelf: the slot to be reached next
	chunks []*[pageChunks]chunk // chunk 0 stands for none
	seqs   []uint64             // of what fires in one millisecond
	batch  []ready              // the same, to sort it

	freeChunk  uint32 // first free chunk
	madeChunks uint32 // chunks that were ever used, and chunk 0
	shelves    int    // how many shelves there are
	half       uint64 // number of the running half-day
	zeroHalf   uint64 // and of the one that begins at Time 0
	sweep      sweep
	moved      uint64 // entries brought down or swept, ever
	looked     uint32 // means nothing; see look
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
	w := &Wheel{}
	w.take() // timer 0
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
func (w *Wheel) Len() int { return w.live }

// Add starts a timer that is due at the given instant, which may be any Time, and
// returns its handle. The id is the caller's own and comes back in [Fired]; two
// timers may have the same. A timer due at or before Now is late: it fires at the
// next Advance, never inside Add. A timer lives until Remove, also when it has
// fired: one that is not wanted again must be removed.
//
// Add panics if 4,294,967,295 timers are live or retired. It allocates only if
// more timers are live than ever before. Only the loop goroutine may call it.
func (w *Wheel) Add(due Time, id uint64) Handle {
	i := w.take()
	w.seq++
	w.live++
	t := w.timer(i)
	t.due, t.id, t.seq = due, id, w.seq
	w.enter(i, t.renew(), due)
	return Handle(t.gen)<<32 | Handle(i)
}

// Move gives a timer a new deadline, which may be any Time, and reports whether h
// is a timer. One that fired and rests waits again, under the same handle. A stale
// or made-up handle changes nothing. A later deadline is only written down; an
// earlier one costs an entry more. Only the loop goroutine may call it.
func (w *Wheel) Move(h Handle, due Time) bool {
	i := w.find(h)
	if i == 0 {
		return false
	}
	w.seq++
	t := w.timer(i)
	t.seq = w.seq
	later := due >= t.due
	t.due = due
	switch {
	case t.state() == resting:
		w.live++
		w.enter(i, t.renew(), due)
	case !later:
		w.enter(i, t.renew(), due)
		w.bury(i)
	}
	return true
}

// Remove ends a timer and reports whether it was still waiting; false for one that
// fired and rests, which is ended too, and for a stale or made-up handle, which
// changes nothing. Afterwards h is stale for ever and the memory may be used by the
// next Add. Only the loop goroutine may call it.
func (w *Wheel) Remove(h Handle) bool {
	i := w.find(h)
	if i == 0 {
		return false
	}
	waits := w.timer(i).state() == waiting
	w.release(i)
	if waits {
		w.live--
		w.bury(i)
	}
	return waits
}

// enter puts a new entry of a timer in its slot.
func (w *Wheel) enter(i, stamp uint32, due Time) {
	if due <= w.now {
		w.push(&w.slots[late], entry{timer: i, stamp: stamp})
		return
	}
	w.place(i, stamp, due)
}
