package wheel

// Wheel is a clock face with the timers that wait on it. Make one with [New]; the
// zero value is of no use. A Wheel must not be copied.
type Wheel struct {
	now     Time
	waiting int

	timers []timer // timer 0 stands for none
	free   uint32  // first free timer, linked by next

	late     slot             // due at or before now
	slots    []slot           // of all levels, finest first
	level    [maxLevels]level // the dial, three faces, the shelves
	shelves  int              // how many shelves there are
	occupied uint32           // the levels that hold a timer, a bit each
	dial     [dialWords]uint64
	half     uint64 // number of the running half-day
	zeroHalf uint64 // and of the one that begins at Time 0
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
	w := &Wheel{timers: []timer{{state: unused}}}
	w.build(sh)
	w.set(start)
	return w
}

// Now returns the instant that the hands show: that of the last Advance, or the
// start. Only the loop goroutine may call it.
func (w *Wheel) Now() Time { return w.now }

// Len returns how many timers wait for their deadline. Those that fired and rest
// are not counted. Only the loop goroutine may call it.
func (w *Wheel) Len() int { return w.waiting }

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
	t := &w.timers[i]
	t.due, t.id = due, id
	w.waiting++
	w.wait(i)
	return w.handle(i)
}

// Move gives a timer a new deadline, which may be any Time, and reports whether h
// is a timer. One that fired and rests waits again, under the same handle. A stale
// or made-up handle changes nothing. Only the loop goroutine may call it.
func (w *Wheel) Move(h Handle, due Time) bool {
	i := w.find(h)
	if i == 0 {
		return false
	}
	if w.timers[i].state == resting {
		w.waiting++
	} else {
		w.unlink(i)
	}
	w.timers[i].due = due
	w.wait(i)
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
	waits := w.timers[i].state != resting
	if waits {
		w.unlink(i)
		w.waiting--
	}
	w.release(i)
	return waits
}

// Next returns the earliest deadline of all that wait, which lies at or before Now
// if a timer is late; Never and false if none waits. It costs a look at every timer
// in one slot: the late ones, else those in the slot that a hand reaches first.
// Nothing is looked at if the earliest is due in the running second. Only the loop
// goroutine may call it.
func (w *Wheel) Next() (Time, bool) {
	if w.waiting == 0 {
		return Never, false
	}
	i := w.late.head
	if i == 0 {
		level, s := w.earliestSlot()
		if level == dial {
			return w.start(level, s), true
		}
		i = w.slotOf(level, s).head
	}
	first := Never
	for ; i != 0; i = w.timers[i].next {
		first = min(first, w.timers[i].due)
	}
	return first, true
}

// wait puts a timer where its deadline belongs.
func (w *Wheel) wait(i uint32) {
	due := w.timers[i].due
	if due <= w.now {
		w.link(i, late, 0)
		return
	}
	level, s := w.locate(due)
	w.link(i, level, s)
}
