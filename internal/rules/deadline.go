package rules

import (
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/wheel"
)

// scheduler tracks the slots whose deadlines must be recomputed, and the events that are due.
type scheduler struct {
	scratch *scratch // lent by the Turn; nil if no slot is dirty and no event is due
}

// Deadline is an instant at which an Owner needs an [Owner.Run], for one of its buffs or timeouts.
type Deadline struct {
	Due   wheel.Time
	Place Place
}

// Place identifies the slot of a buff or of a timeout among many Owners. It has 33 bits: the number
// of the Owner, one bit that is set for a timeout, and the slot.
type Place uint64

const (
	placeNumberShift = 13
	placeTimeout     = 1 << 12
)

// NoPlace stands for no place. It differs from every place.
const NoPlace Place = 1<<64 - 1

// Number returns the number of the Owner that was passed to [NewOwner].
func (p Place) Number() uint32 { return uint32(p >> placeNumberShift) }

func (p Place) slot() uint16 { return uint16(p) & (placeTimeout - 1) }

// Waits reports whether the Owner still waits for a deadline. It does not if an earlier deadline
// has replaced this deadline, if the buff or timeout has ended, or if a Run has reached the
// instant.
func (s *Owner) Waits(d Deadline) bool {
	at := d.Place.slot()
	if d.Place&placeTimeout != 0 {
		l := s.timeouts().all()
		return int(at) < len(l) && l[at].filed == d.Due
	}
	return at < s.records.Used() && *s.records.Key(at) == d.Due
}

// WaitsBy reports whether the Owner has a deadline at or before the given instant. It costs
// O(slots).
func (s *Owner) WaitsBy(until wheel.Time) bool {
	for _, due := range s.records.Keys() {
		if due <= until {
			return true
		}
	}
	for k := range s.timeouts().all() {
		if s.rare.timeouts.list[k].filed <= until {
			return true
		}
	}
	return false
}

// file makes sure that a slot or timeout has a deadline at or before the instant `due`. The
// parameter "filed" is the present deadline. If the present deadline is earlier, it remains: at
// that instant Run finds that nothing is due, and calls file again. So most refreshes and pauses do
// not touch the wheel. A deadline farther away than [wheel.Horizon] is set in steps of at most that
// length. The instant `now` must not be after the time of the wheel.
func file(t *Turn, s *Owner, filed *wheel.Time, r slotRef, due, now wheel.Time) {
	if due >= *filed {
		return
	}
	if due = min(due, now.Add(wheel.Horizon)); due >= *filed {
		return
	}
	if *filed == wheel.Never {
		t.Waiting++
	}
	*filed = due
	t.Deadlines = append(t.Deadlines, Deadline{due, s.placeOf(r)})
}

func (s *Owner) placeOf(r slotRef) Place {
	p := Place(s.number)<<placeNumberShift | Place(r.slot())
	if r.isTimeout() {
		p |= placeTimeout
	}
	return p
}

// unfile removes the deadline of a slot or timeout, if there is one.
func (t *Turn) unfile(filed *wheel.Time) {
	if *filed != wheel.Never {
		*filed = wheel.Never
		t.Waiting--
	}
}

// collectDue removes all deadlines at or before the instant `until` of world time, and marks their
// slots and timeouts as dirty. In the usual case there is only one such deadline, it is the
// deadline of an instance, and the Turn has no other work. Then collectDue returns the slot of the
// instance without marking the slot. Otherwise it returns noSlot.
func collectDue(t *Turn, s *Owner, until wheel.Time) (only uint16) {
	only, n, filed := noSlot, 0, s.records.Keys()
	for at, due := range filed {
		if due <= until {
			filed[at] = wheel.Never
			if n++; n == 1 {
				only = uint16(at)
			} else {
				markOnlyDirty(t, s, &only)
				s.slot(uint16(at)).markDirty(t)
			}
		}
	}
	t.Waiting -= n
	for k := range s.timeouts().all() {
		if x := &s.rare.timeouts.list[k]; x.filed <= until {
			t.unfile(&x.filed)
			markOnlyDirty(t, s, &only)
			markTimeoutDirty(t, s, uint16(k))
		}
	}
	if s.scheduler.scratch != nil || s.deferredCalls() > 0 || t.head < len(t.items) {
		markOnlyDirty(t, s, &only)
	}
	return only
}

// collectOne does the same as collectDue, for a caller that knows that only the deadline of the
// given slot may have been reached.
func collectOne(t *Turn, s *Owner, at uint16, until wheel.Time) (only uint16) {
	only = noSlot
	if filed := s.records.Key(at); *filed <= until {
		t.unfile(filed)
		only = at
	}
	if s.scheduler.scratch != nil || s.deferredCalls() > 0 || t.head < len(t.items) {
		markOnlyDirty(t, s, &only)
	}
	return only
}

// markOnlyDirty marks the slot *only as dirty and sets *only to noSlot.
func markOnlyDirty(t *Turn, s *Owner, only *uint16) {
	if *only != noSlot {
		s.slot(*only).markDirty(t)
		*only = noSlot
	}
}

// markDirty marks an instance for rescheduling because its next event may have moved.
func (i instance) markDirty(t *Turn) {
	if i.flags&dirty == 0 {
		i.flags |= dirty
		i.owner.scheduler.addDirty(t, slotRef(i.slot))
	}
}

func markTimeoutDirty(t *Turn, s *Owner, at uint16) {
	if x := &s.rare.timeouts.list[at]; !x.dirty {
		x.dirty = true
		s.scheduler.addDirty(t, slotRef(at)|timeoutRef)
	}
}

// markAllDirty marks every deadline for rescheduling after the owner's clock has changed.
func markAllDirty(t *Turn, s *Owner) {
	s.visited += uint32(s.records.Len()) + uint32(len(s.timeouts().all()))
	for i := s.first(); i.exists(); i = i.next() {
		i.markDirty(t)
	}
	for k := range s.timeouts().all() {
		if s.rare.timeouts.list[k].live {
			markTimeoutDirty(t, s, uint16(k))
		}
	}
	s.scheduler.dropDue()
}

// reschedule computes the deadlines of all dirty slots. Events due at `until` or earlier are pushed
// onto the due heap; later ones get a deadline. It runs once at the end of a command or a turn,
// because an application can move one deadline several times.
func reschedule(t *Turn, s *Owner, until wheel.Time) {
	reached := s.timeScale().Reached(until)
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
				schedule(t, s, reached, dueEntry{at: x.at, key: dueKey(rankTimeout, x.age), ref: r}, &x.filed, until)
			}
			continue
		}
		s.slot(at).countReschedule()
		i := s.slot(at)
		i.flags &^= dirty
		if i.def != 0 {
			due, key := i.nextDue()
			schedule(t, s, reached, dueEntry{at: due, key: key, ref: r}, s.records.Key(at), until)
		}
	}
	l.dirty = l.dirty[:0]
	s.scheduler.returnScratch(t)
}

// countReschedule adds the cost of rescheduling an instance to the work count.
func (i instance) countReschedule() {
	i.owner.visited += workPerDeadline
	if i.def != 0 && i.program().Stack.Timers != define.TimersShared {
		i.owner.visited += uint32(len(i.extra().async))
	}
}

// schedule pushes e onto the due heap if its instant has been reached. Otherwise it files a
// deadline at this instant.
func schedule(t *Turn, s *Owner, reached clock.OwnerTime, e dueEntry, filed *wheel.Time, now wheel.Time) {
	if e.at <= reached {
		s.scheduler.borrowScratch(t).due.push(e)
		return
	}
	file(t, s, filed, e.ref, s.timeScale().ToOuter(e.at), now)
}

// scratch has the buffers that an Owner needs while deadlines are dirty, usually within one turn.
// It belongs to the Turn and is lent to one Owner after the other, so that idle owners hold no
// memory and the buffers stay in the cache.
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

// returnScratch returns the scratch to the Turn if it is empty. This Turn need not be the one that
// lent it. A Turn that already has a scratch keeps the larger of the two.
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
	at  clock.OwnerTime
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
