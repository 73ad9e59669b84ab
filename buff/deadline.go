package buff

import (
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// scheduler is when an owner wants its next turn: the earliest of what is to come, of all its slots and timeouts, and what has
// changed and not found its place yet.
type scheduler struct {
	scratch *scratch // lent by the Turn; nil: nothing has changed, and nothing is due

	next       wheel.Time // nothing is due before; Never: nothing is
	order      uint32     // the oldest of those that are due then, unless search
	mustSearch bool       // what was due at next may have moved: the earliest has to be looked for
	moved      bool       // TakeDeadline has not told it yet
	firstSlot  uint16     // the slot of an instance that is due then, for wakeFirst and who looks ahead; it may be another one
}

// TakeDeadline tells when the Set wants its next [Set.Run]: it is what the caller keeps on a timing wheel, one timer for each Set.
// It is wheel.Never if nothing is to come. It reports whether that has changed since the last call; if not, due and order
// are what they were.
//
// Order is the [Turn].Order of the turn or command that set that deadline, the oldest of several: sorted by due and order, Sets
// come in the order in which timers of their own would have been set for all of their buffs.
//
// It costs O(slots) if what was first has moved to a later instant, and O(1) otherwise.
func (s *Set) TakeDeadline(t *Turn) (due wheel.Time, order uint32, moved bool) {
	d := &s.scheduler
	if d.mustSearch {
		s.findEarliest(t)
	}
	moved, d.moved = d.moved, false
	return d.next, d.order, moved
}

// findEarliest looks for the earliest deadline.
func (s *Set) findEarliest(t *Turn) {
	next := wheel.Never
	for _, due := range s.dues() {
		next = min(next, due)
	}
	for k := range s.timeouts().all() {
		next = min(next, s.rare.timeouts.list[k].due)
	}
	s.updateEarliest(t, next)
}

// updateEarliest notes the earliest deadline, and looks for the oldest order of those that are due then. Which that is is looked for by itself: in
// one loop the processor would guess at each key whether it is a new least one, and be wrong three times of ten.
func (s *Set) updateEarliest(t *Turn, next wheel.Time) {
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

// setEarliest notes the earliest deadline.
func (d *scheduler) setEarliest(next wheel.Time, order uint32) {
	d.mustSearch = false
	if next != d.next || order != d.order {
		d.next, d.order, d.moved = next, order, true
	}
}

// setDue gives a slot or a timeout another deadline, and reports whether it is another one: its order is that of the Turn then.
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

// clearDue takes a deadline away.
func (d *scheduler) clearDue(its *wheel.Time) {
	if *its == d.next && *its != wheel.Never {
		d.mustSearch = true
	}
	*its = wheel.Never
}

// collectDue has all looked at that is due until then, in the world's time, and returns when the others are due next. Where that is one instance and
// the Turn has nothing else to do, as for most owners in most turns, it returns its slot and leaves it at that: there is nothing to be put in
// order. Otherwise the slot is noSlot.
func (s *Set) collectDue(t *Turn, until wheel.Time) (only uint16, next wheel.Time) {
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

// collectFirst is wake where the instance that comes first, which the scheduler knows, is all that is due, and there are no timeouts: at no key the
// processor has to guess whether it is due. Otherwise it has done nothing, and returns noSlot.
func (s *Set) collectFirst(t *Turn, until wheel.Time) (only uint16, next wheel.Time) {
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

// markOnlyDirty has what might have been the only one looked at with the others.
func (s *Set) markOnlyDirty(t *Turn, only *uint16) {
	if *only != noSlot {
		s.markDirty(t, *only)
		*only = noSlot
	}
}

// markDirty notes that the instance's next event may have moved.
func (s *Set) markDirty(t *Turn, at uint16) {
	if i := s.slot(at); i.flags&dirty == 0 {
		i.flags |= dirty
		s.scheduler.addDirty(t, slotRef(at))
	}
}

func (s *Set) markTimeoutDirty(t *Turn, at uint16) {
	if x := &s.rare.timeouts.list[at]; !x.dirty {
		x.dirty = true
		s.scheduler.addDirty(t, slotRef(at)|timeoutRef)
	}
}

// markAllDirty notes that everything may have moved: the owner's time has changed.
func (s *Set) markAllDirty(t *Turn) {
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

// reschedule finds a place for everything that has changed: what is due by until goes on the due heap, what is due later gets its
// deadline. It comes once at the end of a command or a turn, however often something was touched in it: some
// applications move a deadline many times.
func (s *Set) reschedule(t *Turn, until wheel.Time) {
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

// countReschedule counts that a place was looked for, for an instance of which something has moved.
func (s *Set) countReschedule(at uint16) {
	s.visited += workPerDeadline
	if i := s.slot(at); i.def != 0 && s.specOf(i).Stack.Timers != define.TimersShared {
		s.visited += uint32(len(s.extraOf(i).async))
	}
}

// schedule puts e where its instant belongs, and reports whether that is another deadline than it had.
func (s *Set) schedule(t *Turn, reached wheel.Time, e dueEntry, due *wheel.Time) (moved bool) {
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

// scratch is what a Set has need of from when something of it changes until all has found its place:
// within a turn, as a rule. They are the Turn's, which lends them to one Set after the other, so that
// an owner keeps nothing of what its longest turn needed, and they are in the cache.
type scratch struct {
	dirty []slotRef // what has changed and is not on the heap
	due   dueHeap
}

// addDirty notes that something is to find its place anew.
func (s *scheduler) addDirty(t *Turn, r slotRef) {
	l := s.borrowScratch(t)
	l.dirty = append(l.dirty, r)
}

// borrowScratch returns the lists that the Set has, or those of the Turn, which are its own from now on.
func (s *scheduler) borrowScratch(t *Turn) *scratch {
	if s.scratch == nil {
		if s.scratch, t.scratch = t.scratch, nil; s.scratch == nil {
			s.scratch = &scratch{}
		}
	}
	return s.scratch
}

// returnScratch ends the loan if nothing is in the lists any more. It need not be the Turn that has
// lent them; one that has others keeps the longer ones.
func (s *scheduler) returnScratch(t *Turn) {
	l := s.scratch
	if len(l.dirty)+len(l.due) > 0 {
		return
	}
	if s.scratch = nil; t.scratch == nil || cap(t.scratch.due) < cap(l.due) {
		t.scratch = l
	}
}

// dueCount returns how much is due in the turn that is running.
func (s *scheduler) dueCount() int {
	if s.scratch == nil {
		return 0
	}
	return len(s.scratch.due)
}

// dropDue forgets what is due: it is looked for anew, or gone.
func (s *scheduler) dropDue() {
	if s.scratch != nil {
		s.scratch.due = s.scratch.due[:0]
	}
}

// dueEntry is one thing due, at an instant, by rank and then by age.
type dueEntry struct {
	at  wheel.Time
	key uint64 // rank in the two top bits, age below: their order at one instant
	ref slotRef
}

func dueKey(r rank, age uint64) uint64 { return uint64(r)<<62 | age }

func (e dueEntry) before(o dueEntry) bool { return e.at < o.at || e.at == o.at && e.key < o.key }

// dueHeap is a binary heap of what an owner has due in the running turn.
//
// Invariant: no entry is before its parent, (i-1)/2.
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
