package rules

import (
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// scheduler tracks an owner's earliest deadline and the slots whose deadlines must be recomputed.
type scheduler struct {
	scratch *scratch // lent by the Turn; nil if no slot is dirty and no event is due

	next       wheel.Time // the earliest deadline, or Never; while mustSearch is set, a lower bound of it
	order      uint32     // the oldest order of all deadlines at `next`; not valid while mustSearch is set
	mustSearch bool       // a deadline at `next` may have moved, so findEarliest must be called
	moved      bool       // `next` or `order` has changed since the last TakeDeadline
	firstSlot  uint16     // the slot of an instance that is probably due at `next`; it is checked before use
}

// TakeDeadline returns the earliest deadline, at which the Owner needs its next [Owner.Run], or
// wheel.Never if there is none. The caller keeps one timer for each Owner, for example on a timing
// wheel, and sets it to this deadline. The result `moved` reports whether the deadline or its order
// has changed since the last call.
//
// The result `order` is the [Turn].Order of the turn or command that has set the deadline; if
// several buffs have the same deadline, it is the oldest of their orders. Owners that are sorted by
// `due` and `order` run in the same order as if each of their buffs had its own timer.
//
// It costs O(slots) if the earliest deadline has moved to a later instant, and O(1) otherwise.
func (s *Owner) TakeDeadline(t *Turn) (due wheel.Time, order uint32, moved bool) {
	d := &s.scheduler
	if d.mustSearch {
		s.findEarliest(t)
	}
	moved, d.moved = d.moved, false
	return d.next, d.order, moved
}

// findEarliest finds the earliest deadline by a scan of all slots and timeouts.
func (s *Owner) findEarliest(t *Turn) {
	next := wheel.Never
	for _, due := range s.dues() {
		next = min(next, due)
	}
	for k := range s.timeouts().all() {
		next = min(next, s.rare.timeouts.list[k].due)
	}
	s.updateEarliest(t, next)
}

// updateEarliest sets the earliest deadline and finds the oldest order of the deadlines at that
// instant. A separate loop for the order is faster: if one loop finds both, the processor
// mispredicts too many branches.
func (s *Owner) updateEarliest(t *Turn, next wheel.Time) {
	if next == wheel.Never {
		s.scheduler.setEarliest(next, 0)
		return
	}
	age := uint32(0)
	for at, due := range s.dues() {
		if due == next {
			age = max(age, t.Order-s.order(uint16(at)))
			s.scheduler.firstSlot = uint16(at)
		}
	}
	for k := range s.timeouts().all() {
		if x := &s.rare.timeouts.list[k]; x.due == next {
			age = max(age, t.Order-x.order)
		}
	}
	s.scheduler.setEarliest(next, t.Order-age)
}

// setEarliest sets the earliest deadline and its order.
func (d *scheduler) setEarliest(next wheel.Time, order uint32) {
	d.mustSearch = false
	if next != d.next || order != d.order {
		d.next, d.order, d.moved = next, order, true
	}
}

// setDue changes the deadline of a slot or timeout, and reports whether the new deadline differs
// from the old one. If it does, the caller stores Turn.Order as the order of the slot or timeout.
func (d *scheduler) setDue(t *Turn, its *wheel.Time, due wheel.Time) (moved bool) {
	if due == *its {
		return false
	}
	d.clearDue(its)
	*its = due
	if due < d.next {
		d.setEarliest(due, t.Order)
	}
	return true
}

// clearDue removes the deadline of a slot or timeout.
func (d *scheduler) clearDue(its *wheel.Time) {
	if *its == d.next && *its != wheel.Never {
		d.mustSearch = true
	}
	*its = wheel.Never
}

// collectDue marks all slots and timeouts with a deadline at `until` (world time) or earlier as
// dirty, and returns the earliest later deadline. If only one instance is due and the Turn has no
// other work, which is the usual case, it returns the slot of the instance without marking it.
// Otherwise it returns noSlot.
func (s *Owner) collectDue(t *Turn, until wheel.Time) (only uint16, next wheel.Time) {
	if only, next = s.collectFirst(t, until); only != noSlot {
		return only, next
	}
	only = noSlot
	dues, next, n := s.dues(), wheel.Never, 0
	for at, due := range dues {
		if due <= until {
			dues[at], due = wheel.Never, wheel.Never
			if n++; n == 1 {
				only = uint16(at)
			} else {
				s.markOnlyDirty(t, &only)
				s.markDirty(t, uint16(at))
			}
		}
		next = min(next, due)
	}
	for k := range s.timeouts().all() {
		x := &s.rare.timeouts.list[k]
		if x.due <= until {
			x.due = wheel.Never
			s.markOnlyDirty(t, &only)
			s.markTimeoutDirty(t, uint16(k))
		}
		next = min(next, x.due)
	}
	if s.scheduler.scratch != nil || s.deferredCalls() > 0 || t.head < len(t.items) {
		s.markOnlyDirty(t, &only)
	}
	return only, next
}

// collectFirst is a fast path of collectDue without unpredictable branches. It applies if only the
// instance in firstSlot is due, there are no timeouts, and the Turn has no other work. Otherwise it
// has no effect and returns noSlot.
func (s *Owner) collectFirst(t *Turn, until wheel.Time) (only uint16, next wheel.Time) {
	d, dues := &s.scheduler, s.dues()
	if int(d.firstSlot) >= len(dues) || dues[d.firstSlot] != d.next || d.scratch != nil || s.timeouts() != nil || s.deferredCalls() > 0 || t.head < len(t.items) {
		return noSlot, wheel.Never
	}
	dues[d.firstSlot], next = wheel.Never, wheel.Never
	for _, due := range dues {
		next = min(next, due)
	}
	if next <= until {
		dues[d.firstSlot] = d.next
		return noSlot, wheel.Never
	}
	return d.firstSlot, next
}

// markOnlyDirty marks the slot *only as dirty and sets *only to noSlot.
func (s *Owner) markOnlyDirty(t *Turn, only *uint16) {
	if *only != noSlot {
		s.markDirty(t, *only)
		*only = noSlot
	}
}

// markDirty marks an instance for rescheduling because its next event may have moved.
func (s *Owner) markDirty(t *Turn, at uint16) {
	if i := s.slot(at); i.flags&dirty == 0 {
		i.flags |= dirty
		s.scheduler.addDirty(t, slotRef(at))
	}
}

func (s *Owner) markTimeoutDirty(t *Turn, at uint16) {
	if x := &s.rare.timeouts.list[at]; !x.dirty {
		x.dirty = true
		s.scheduler.addDirty(t, slotRef(at)|timeoutRef)
	}
}

// markAllDirty marks every deadline for rescheduling after the owner's clock has changed.
func (s *Owner) markAllDirty(t *Turn) {
	s.visited += uint32(s.live) + uint32(len(s.timeouts().all()))
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		s.markDirty(t, at)
	}
	for k := range s.timeouts().all() {
		if s.rare.timeouts.list[k].live {
			s.markTimeoutDirty(t, uint16(k))
		}
	}
	s.scheduler.dropDue()
}

// reschedule computes the deadlines of all dirty slots. Events due at `until` or earlier are pushed
// onto the due heap; later ones get a deadline. It runs once at the end of a command or a turn,
// because an application can move one deadline several times.
func (s *Owner) reschedule(t *Turn, until wheel.Time) {
	reached := s.timeScale().lastReached(until)
	l := s.scheduler.scratch
	if l == nil {
		return
	}
	for _, r := range l.dirty {
		at := r.slot()
		if r.isTimeout() {
			s.visited += workPerDeadline
			x := &s.rare.timeouts.list[at]
			x.dirty = false
			if x.live {
				if s.schedule(t, reached, dueEntry{at: x.at, key: dueKey(rankTimeout, x.age), ref: r}, &x.due) {
					x.order = t.Order
				}
			}
			continue
		}
		s.countReschedule(at)
		i := s.slot(at)
		i.flags &^= dirty
		if i.def != 0 {
			due, key := s.nextDue(i)
			if s.schedule(t, reached, dueEntry{at: due, key: key, ref: r}, s.key(at)) {
				s.setOrder(at, t.Order)
			}
		}
	}
	l.dirty = l.dirty[:0]
	s.scheduler.returnScratch(t)
}

// countReschedule adds the cost of rescheduling an instance to the work count.
func (s *Owner) countReschedule(at uint16) {
	s.visited += workPerDeadline
	if i := s.slot(at); i.def != 0 && s.programOf(i).Stack.Timers != define.TimersShared {
		s.visited += uint32(len(s.extraOf(i).async))
	}
}

// schedule pushes e onto the due heap if its instant has been reached. Otherwise it sets the
// deadline *due to this instant. It reports whether the deadline has changed.
func (s *Owner) schedule(t *Turn, reached wheel.Time, e dueEntry, due *wheel.Time) (moved bool) {
	if e.at <= reached {
		s.scheduler.borrowScratch(t).due.push(e)
		return false
	}
	moved = s.scheduler.setDue(t, due, s.timeScale().toWorld(e.at))
	if *due == s.scheduler.next {
		s.scheduler.firstSlot = e.ref.slot()
	}
	return moved
}

// scratch has the buffers that an Owner needs while deadlines are dirty, usually within one turn. It
// belongs to the Turn and is lent to one Owner after the other, so that idle owners hold no memory
// and the buffers stay in the cache.
type scratch struct {
	dirty []slotRef // slots and timeouts whose deadlines must be recomputed
	due   dueHeap
}

// addDirty adds a reference to the dirty list.
func (s *scheduler) addDirty(t *Turn, r slotRef) {
	l := s.borrowScratch(t)
	l.dirty = append(l.dirty, r)
}

// borrowScratch returns the scratch of the Owner, borrowing it from the Turn if necessary.
func (s *scheduler) borrowScratch(t *Turn) *scratch {
	if s.scratch == nil {
		if s.scratch, t.scratch = t.scratch, nil; s.scratch == nil {
			s.scratch = &scratch{}
		}
	}
	return s.scratch
}

// returnScratch returns the scratch to the Turn if it is empty. The Turn may be another one than
// the Turn that lent it. A Turn that already has a scratch keeps the larger of the two.
func (s *scheduler) returnScratch(t *Turn) {
	l := s.scratch
	if len(l.dirty)+len(l.due) > 0 {
		return
	}
	if s.scratch = nil; t.scratch == nil || cap(t.scratch.due) < cap(l.due) {
		t.scratch = l
	}
}

// dueCount returns the number of entries on the due heap.
func (s *scheduler) dueCount() int {
	if s.scratch == nil {
		return 0
	}
	return len(s.scratch.due)
}

// dropDue clears the due heap. The caller must reschedule or end the buffs.
func (s *scheduler) dropDue() {
	if s.scratch != nil {
		s.scratch.due = s.scratch.due[:0]
	}
}

// dueEntry is a due event; entries are ordered by instant, rank and age.
type dueEntry struct {
	at  wheel.Time
	key uint64 // rank in the two highest bits, age in the others
	ref slotRef
}

func dueKey(r rank, age uint64) uint64 { return uint64(r)<<62 | age }

func (e dueEntry) before(o dueEntry) bool { return e.at < o.at || e.at == o.at && e.key < o.key }

// dueHeap is a binary heap of an owner's due events in the running turn.
//
// Invariant: no entry precedes its parent, (i-1)/2.
type dueHeap []dueEntry

func (a *dueHeap) push(e dueEntry) {
	*a = append(*a, e)
	h := *a
	for i := len(h) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h[i].before(h[parent]) {
			return
		}
		h[i], h[parent] = h[parent], h[i]
		i = parent
	}
}

func (a *dueHeap) pop() dueEntry {
	h := *a
	top, last := h[0], len(h)-1
	h[0] = h[last]
	h = h[:last]
	*a = h
	for i := 0; ; {
		least, left := i, 2*i+1
		for child := left; child <= left+1 && child < len(h); child++ {
			if h[child].before(h[least]) {
				least = child
			}
		}
		if least == i {
			return top
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}
