package buff

import (
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// scheduler is when an owner wants its next turn: the earliest of what is to come, of all its slots and timeouts, and what has
// changed and not found its place yet.
type scheduler struct {
	lists *lists // lent by the Turn; nil: nothing has changed, and nothing is due

	next   wheel.Time // nothing is due before; Never: nothing is
	order  uint32     // the oldest of those that are due then, unless search
	search bool       // what was due at next may have moved: the earliest has to be looked for
	moved  bool       // TakeDeadline has not told it yet
	first  uint16     // the slot of an instance that is due then, for wakeFirst and who looks ahead; it may be another one
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
	if d.search {
		s.findNext(t)
	}
	moved, d.moved = d.moved, false
	return d.next, d.order, moved
}

// findNext looks for the earliest deadline.
func (s *Set) findNext(t *Turn) {
	next := wheel.Never
	for _, due := range s.dues() {
		next = min(next, due)
	}
	for k := range s.timeouts().all() {
		next = min(next, s.rare.timeouts.list[k].due)
	}
	s.tellNext(t, next)
}

// tellNext notes the earliest deadline, and looks for the oldest order of those that are due then. Which that is is looked for by itself: in
// one loop the processor would guess at each key whether it is a new least one, and be wrong three times of ten.
func (s *Set) tellNext(t *Turn, next wheel.Time) {
	if next == wheel.Never {
		s.scheduler.tell(next, 0)
		return
	}
	age := uint32(0)
	for at, due := range s.dues() {
		if due == next {
			age = max(age, t.Order-s.order(uint16(at)))
			s.scheduler.first = uint16(at)
		}
	}
	for k := range s.timeouts().all() {
		if x := &s.rare.timeouts.list[k]; x.due == next {
			age = max(age, t.Order-x.order)
		}
	}
	s.scheduler.tell(next, t.Order-age)
}

// tell notes the earliest deadline.
func (d *scheduler) tell(next wheel.Time, order uint32) {
	d.search = false
	if next != d.next || order != d.order {
		d.next, d.order, d.moved = next, order, true
	}
}

// set gives a slot or a timeout another deadline, and reports whether it is another one: its order is that of the Turn then.
func (d *scheduler) set(t *Turn, its *wheel.Time, due wheel.Time) (moved bool) {
	if due == *its {
		return false
	}
	d.clear(its)
	*its = due
	if due < d.next {
		d.tell(due, t.Order)
	}
	return true
}

// clear takes a deadline away.
func (d *scheduler) clear(its *wheel.Time) {
	if *its == d.next && *its != wheel.Never {
		d.search = true
	}
	*its = wheel.Never
}

// wake has all looked at that is due until then, in the world's time, and returns when the others are due next. Where that is one instance and
// the Turn has nothing else to do, as for most owners in most turns, it returns its slot and leaves it at that: there is nothing to be put in
// order. Otherwise the slot is noSlot.
func (s *Set) wake(t *Turn, until wheel.Time) (only uint16, next wheel.Time) {
	if only, next = s.wakeFirst(t, until); only != noSlot {
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
				s.touchOnly(t, &only)
				s.touch(t, uint16(at))
			}
		}
		next = min(next, due)
	}
	for k := range s.timeouts().all() {
		x := &s.rare.timeouts.list[k]
		if x.due <= until {
			x.due = wheel.Never
			s.touchOnly(t, &only)
			s.touchTimeout(t, uint16(k))
		}
		next = min(next, x.due)
	}
	if s.scheduler.lists != nil || s.deferredCalls() > 0 || t.head < len(t.items) {
		s.touchOnly(t, &only)
	}
	return only, next
}

// wakeFirst is wake where the instance that comes first, which the scheduler knows, is all that is due, and there are no timeouts: at no key the
// processor has to guess whether it is due. Otherwise it has done nothing, and returns noSlot.
func (s *Set) wakeFirst(t *Turn, until wheel.Time) (only uint16, next wheel.Time) {
	d, dues := &s.scheduler, s.dues()
	if int(d.first) >= len(dues) || dues[d.first] != d.next || d.lists != nil || s.timeouts() != nil || s.deferredCalls() > 0 || t.head < len(t.items) {
		return noSlot, wheel.Never
	}
	dues[d.first], next = wheel.Never, wheel.Never
	for _, due := range dues {
		next = min(next, due)
	}
	if next <= until {
		dues[d.first] = d.next
		return noSlot, wheel.Never
	}
	return d.first, next
}

// touchOnly has what might have been the only one looked at with the others.
func (s *Set) touchOnly(t *Turn, only *uint16) {
	if *only != noSlot {
		s.touch(t, *only)
		*only = noSlot
	}
}

// touch notes that the instance's next event may have moved.
func (s *Set) touch(t *Turn, at uint16) {
	if i := s.slot(at); i.flags&touched == 0 {
		i.flags |= touched
		s.scheduler.note(t, slotRef(at))
	}
}

func (s *Set) touchTimeout(t *Turn, at uint16) {
	if x := &s.rare.timeouts.list[at]; !x.touched {
		x.touched = true
		s.scheduler.note(t, slotRef(at)|timeoutRef)
	}
}

// touchAll notes that everything may have moved: the owner's time has changed.
func (s *Set) touchAll(t *Turn) {
	s.looked += uint32(s.live) + uint32(len(s.timeouts().all()))
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		s.touch(t, at)
	}
	for k := range s.timeouts().all() {
		if s.rare.timeouts.list[k].live {
			s.touchTimeout(t, uint16(k))
		}
	}
	s.scheduler.forgetDue()
}

// settle finds a place for everything that has changed: what is due by until goes on the due heap, what is due later gets its
// deadline. It comes once at the end of a command or a turn, however often something was touched in it: some
// applications move a deadline many times.
func (s *Set) settle(t *Turn, until wheel.Time) {
	reached := s.timeScale().reached(until)
	l := s.scheduler.lists
	if l == nil {
		return
	}
	for _, r := range l.touched {
		at := r.slot()
		if r.isTimeout() {
			s.looked += looksOfMove
			x := &s.rare.timeouts.list[at]
			x.touched = false
			if x.live {
				if s.file(t, reached, entry{at: x.at, key: entryKey(rankTimeout, x.age), ref: r}, &x.due) {
					x.order = t.Order
				}
			}
			continue
		}
		s.lookedAt(at)
		i := s.slot(at)
		i.flags &^= touched
		if i.def != 0 {
			due, key := s.due(i)
			if s.file(t, reached, entry{at: due, key: key, ref: r}, s.key(at)) {
				s.setOrder(at, t.Order)
			}
		}
	}
	l.touched = l.touched[:0]
	s.scheduler.handBack(t)
}

// lookedAt counts that a place was looked for, for an instance of which something has moved.
func (s *Set) lookedAt(at uint16) {
	s.looked += looksOfMove
	if i := s.slot(at); i.def != 0 && s.specOf(i).Stack.Timers != define.TimersShared {
		s.looked += uint32(len(s.extraOf(i).async))
	}
}

// file puts e where its instant belongs, and reports whether that is another deadline than it had.
func (s *Set) file(t *Turn, reached wheel.Time, e entry, due *wheel.Time) (moved bool) {
	if e.at <= reached {
		s.scheduler.borrow(t).due.push(e)
		return false
	}
	moved = s.scheduler.set(t, due, s.timeScale().world(e.at))
	if *due == s.scheduler.next {
		s.scheduler.first = e.ref.slot()
	}
	return moved
}

// lists is what a Set has need of from when something of it changes until all has found its place:
// within a turn, as a rule. They are the Turn's, which lends them to one Set after the other, so that
// an owner keeps nothing of what its longest turn needed, and they are in the cache.
type lists struct {
	touched []slotRef // what has changed and is not on the heap
	due     dueHeap
}

// note notes that something is to find its place anew.
func (s *scheduler) note(t *Turn, r slotRef) {
	l := s.borrow(t)
	l.touched = append(l.touched, r)
}

// borrow returns the lists that the Set has, or those of the Turn, which are its own from now on.
func (s *scheduler) borrow(t *Turn) *lists {
	if s.lists == nil {
		if s.lists, t.lists = t.lists, nil; s.lists == nil {
			s.lists = &lists{}
		}
	}
	return s.lists
}

// handBack ends the loan if nothing is in the lists any more. It need not be the Turn that has
// lent them; one that has others keeps the longer ones.
func (s *scheduler) handBack(t *Turn) {
	l := s.lists
	if len(l.touched)+len(l.due) > 0 {
		return
	}
	if s.lists = nil; t.lists == nil || cap(t.lists.due) < cap(l.due) {
		t.lists = l
	}
}

// dueNow returns how much is due in the turn that is running.
func (s *scheduler) dueNow() int {
	if s.lists == nil {
		return 0
	}
	return len(s.lists.due)
}

// forgetDue forgets what is due: it is looked for anew, or gone.
func (s *scheduler) forgetDue() {
	if s.lists != nil {
		s.lists.due = s.lists.due[:0]
	}
}

// entry is one thing due, at an instant, by rank and then by age.
type entry struct {
	at  wheel.Time
	key uint64 // rank in the two top bits, age below: their order at one instant
	ref slotRef
}

func entryKey(r rank, age uint64) uint64 { return uint64(r)<<62 | age }

func (e entry) before(o entry) bool { return e.at < o.at || e.at == o.at && e.key < o.key }

// dueHeap is a binary heap of what an owner has due in the running turn.
//
// Invariant: no entry is before its parent, (i-1)/2.
type dueHeap []entry

func (a *dueHeap) push(e entry) {
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

func (a *dueHeap) pop() entry {
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
