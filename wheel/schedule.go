package wheel

import "iter"

// Schedule is a timing wheel whose entries are values: a deadline and a number. It has the same
// levels as a [Wheel], but no timers and no handles, so an entry cannot be removed or moved. To
// cancel or postpone a deadline, the caller keeps the valid deadline of each number, and ignores an
// entry that is returned with another deadline. A Schedule therefore accesses no memory except its
// slots, which it reads sequentially. An entry takes 12 bytes.
//
// Entries that the caller will ignore stay until they are due; [Schedule.Sweep] removes them
// earlier. Use [NewSchedule] to create a Schedule; the zero value is not usable. A Schedule must
// not be copied. Only the loop goroutine may use it.
type Schedule struct{ w Wheel }

// Horizon is the maximum distance, in ms, of a deadline from the current time. It is 24 days. For a
// later deadline, add an entry at the horizon, and add an entry for the remaining time when the
// first entry is due.
const Horizon = 1<<31 - 1

// values is the additional state of a Wheel that belongs to a Schedule.
type values struct {
	n     int                            // number of entries
	alive func(due Time, id uint64) bool // the parameter of Sweep; nil except during a Sweep
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

// Add adds an entry. If the deadline is at or before Now, the next Advance returns the entry. Add
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

// Advance moves the current time to now, and appends to dst the entries that are due at or before
// now. Entries that were already late when they were added come first. The other entries follow in
// order of their deadlines. Entries with equal deadlines have no particular order. Advance returns
// the extended slice. It panics if the new time is before Now.
func (q *Schedule) Advance(now Time, dst []Fired) []Fired {
	n := len(dst)
	dst = q.w.Advance(now, dst)
	q.w.values.n -= len(dst) - n
	return dst
}

// Next returns the earliest deadline of all entries; see [Wheel.Next].
func (q *Schedule) Next() (Time, bool) { return q.w.Next() }

// Soon yields the numbers of the entries on the dial that are due at or before the given time, slot
// by slot. These are usually the entries of the next few frames. The Schedule must not be changed
// during the iteration.
func (q *Schedule) Soon(until Time) iter.Seq[uint64] {
	w := &q.w
	return func(yield func(uint64) bool) {
		for k, ok := w.firstFrom(dial, 0); ok && w.start(dial, k) <= until; k, ok = w.firstFrom(dial, k+1) {
			f := &w.level[dial]
			for r := w.read(w.queue(f.first + f.ring(k))); r.left > 0; {
				for _, e := range w.more(&r) {
					if !yield(e.fired(w.now).ID) {
						return
					}
				}
			}
		}
	}
}

// Levels returns the number of levels; see [Wheel.Levels].
func (q *Schedule) Levels() int { return q.w.Levels() }

// Face describes a level; see [Wheel.Face].
func (q *Schedule) Face(level int, slots []int) Face { return q.w.Face(level, slots) }

// Sweep visits about n entries and removes the entries for which alive() returns false. Successive
// calls continue where the previous call stopped, until all slots have been visited; the next call
// then starts again. The function must not change the Schedule.
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

// fired returns the deadline and the number of an entry of a Schedule. The deadline must be at most
// Horizon before or after t.
func (e entry) fired(t Time) Fired {
	return Fired{Due: t + Time(int32(e.due-uint32(t))), ID: uint64(e.stamp)<<32 | uint64(e.timer)}
}

// fireValues is like fire, for the entries of a Schedule.
func (w *Wheel) fireValues(q *queue, t Time, dst []Fired) []Fired {
	for r := w.read(q); r.left > 0; {
		for _, e := range w.more(&r) {
			dst = append(dst, e.fired(t))
		}
	}
	w.dropAll(q)
	return dst
}
