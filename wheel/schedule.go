package wheel

// Schedule is a timing wheel whose entries are values: a deadline and a number. It has the faces of
// a [Wheel], but no handles. To cancel or postpone a deadline, the owner of the number remembers
// which deadline is the valid one, and ignores entries that come out for another. So a schedule
// touches no memory but its slots, which it reads in sequence, and an entry takes 12 bytes.
//
// Entries that will be ignored stay until they come out; [Schedule.Sweep] removes them earlier. Use
// [NewSchedule] to create a Schedule; the zero value is not usable. A Schedule must not be copied.
// Only the loop goroutine may use it.
type Schedule struct{ w Wheel }

// Horizon is the largest distance of a deadline from the current time, 24 days. Whoever needs a
// later deadline adds one at the horizon, and adds the rest when that comes out.
const Horizon = 1<<31 - 1

// values is the state of a Wheel whose entries are values, for Schedule.
type values struct {
	n     int                            // number of entries
	alive func(due Time, id uint64) bool // during a Sweep
}

// NewSchedule returns an empty Schedule whose current time is start.
func NewSchedule(start Time) *Schedule {
	q := &Schedule{Wheel{sparseLimit: sparseLimit, values: &values{}}}
	q.w.build(clockFace)
	q.w.idleUntil = earliest
	q.w.set(start)
	return q
}

// Now returns the current time.
func (q *Schedule) Now() Time { return q.w.now }

// Len returns the number of entries.
func (q *Schedule) Len() int { return q.w.values.n }

// Add adds an entry. If the deadline is at or before Now, it comes out of the next Advance. Add
// panics if the deadline is more than [Horizon] away from Now.
func (q *Schedule) Add(due Time, id uint64) {
	w := &q.w
	if d := due - w.now; d > Horizon || d < -Horizon {
		panic("wheel: deadline beyond the horizon")
	}
	if w.values.n++; w.sparse != nil && uint64(w.values.n) > w.sparseLimit {
		w.makeDense()
	}
	w.place(uint32(id), uint32(id>>32), due, w.now)
}

// Advance moves the current time to now and appends the entries that are due at or before now to
// dst, ordered by deadline except that those that were late when they were added come first.
// Entries with equal deadlines have no particular order. Advance returns the extended slice. It
// panics if now is before Now.
func (q *Schedule) Advance(now Time, dst []Fired) []Fired {
	n := len(dst)
	dst = q.w.Advance(now, dst)
	q.w.values.n -= len(dst) - n
	return dst
}

// Next returns the earliest deadline of all entries, as [Wheel.Next] does.
func (q *Schedule) Next() (Time, bool) { return q.w.Next() }

// Soon yields entries as [Wheel.Soon] does.
func (q *Schedule) Soon(until Time) func(yield func(id uint64) bool) { return q.w.Soon(until) }

// Levels returns the number of levels: see [Wheel.Levels].
func (q *Schedule) Levels() int { return q.w.Levels() }

// Face describes a level: see [Wheel.Face].
func (q *Schedule) Face(level int, slots []int) Face { return q.w.Face(level, slots) }

// Sweep visits about n entries, in a sequence of rounds through all slots, and removes those for which
// alive returns false. It stops at the end of a round. The function must not change the Schedule.
func (q *Schedule) Sweep(n int, alive func(due Time, id uint64) bool) {
	w := &q.w
	if s := &w.sweep; !s.on {
		s.on, s.slot = true, uint32(w.count())-1
		s.left = w.queue(s.slot).n()
	}
	w.values.alive = alive
	for ; n > 0 && w.sweep.on; n -= piece {
		w.sweepSome(piece)
	}
	w.values.alive = nil
}

// fired returns the value of an entry that is due at t or, in the late slot, up to Horizon before.
func (e entry) fired(t Time) Fired {
	return Fired{Due: t + Time(int32(e.due-uint32(t))), ID: uint64(e.stamp)<<32 | uint64(e.timer)}
}

// fireValues is fire for values.
func (w *Wheel) fireValues(q *queue, t Time, dst []Fired) []Fired {
	for r := w.read(q); r.left > 0; {
		for _, e := range w.more(&r) {
			dst = append(dst, e.fired(t))
		}
	}
	w.dropAll(q)
	return dst
}
