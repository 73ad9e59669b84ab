package deadline

import (
	"slices"

	"github.com/bufftick/bufftick/internal/rules/clock"
)

// Agenda lists, for one owner, the buffs and timeouts with deadlines that must be computed again,
// and the due events. The zero value is empty.
type Agenda struct {
	buffers *buffers // lent by a List; invariant: nil if there are no marks and no events
}

// buffers has the memory of an Agenda. It belongs to a List and is lent to one Agenda after the
// other, so that idle owners hold no memory and the buffers stay in the cache.
type buffers struct {
	marked []Ref
	due    heap
}

// Empty reports whether there are no marks and no events.
func (a *Agenda) Empty() bool { return a.buffers == nil }

// Due returns the number of due events.
func (a *Agenda) Due() int {
	if a.buffers == nil {
		return 0
	}
	return len(a.buffers.due)
}

// Mark notes that the deadline of r must be computed again. The caller prevents duplicates.
func (a *Agenda) Mark(l *List, r Ref) {
	b := a.borrow(l)
	b.marked = append(b.marked, r)
}

// Marked returns the references that were marked since the last Settle.
func (a *Agenda) Marked() []Ref {
	if a.buffers == nil {
		return nil
	}
	return a.buffers.marked
}

// Grow makes room for n marks.
func (a *Agenda) Grow(l *List, n int) {
	b := a.borrow(l)
	b.marked = slices.Grow(b.marked, n)
}

// Push adds a due event.
func (a *Agenda) Push(l *List, e Event) { a.borrow(l).due.push(e) }

// Pop removes and returns the first due event. There must be one.
func (a *Agenda) Pop() Event { return a.buffers.due.pop() }

// DropDue removes the due events. The caller must mark or end the buffs and timeouts.
func (a *Agenda) DropDue() {
	if a.buffers != nil {
		a.buffers.due = a.buffers.due[:0]
	}
}

// Settle removes the marks, and returns the buffers to a List if there are no due events. This List
// need not be the one that lent them. A List that already has buffers keeps the larger ones.
func (a *Agenda) Settle(l *List) {
	b := a.buffers
	if b == nil {
		return
	}
	b.marked = b.marked[:0]
	if len(b.due) > 0 {
		return
	}
	if a.buffers = nil; l.spare == nil || cap(l.spare.due) < cap(b.due) {
		l.spare = b
	}
}

// borrow returns the buffers, borrowing them from the List if necessary.
func (a *Agenda) borrow(l *List) *buffers {
	if a.buffers == nil {
		if a.buffers, l.spare = l.spare, nil; a.buffers == nil {
			a.buffers = &buffers{}
		}
	}
	return a.buffers
}

// Rank orders the events of an owner that are due at one instant.
type Rank uint8

const (
	Pulse Rank = iota
	StackEnd
	End
	Timeout
)

// Event is a due event. Events are ordered by instant and key.
type Event struct {
	At  clock.OwnerTime
	Key Key
	Ref Ref
}

// Key orders the events at one instant by rank and then by age. It has the rank in the two highest
// bits, and the age in the others. Ages are unique for the owner.
type Key uint64

// KeyOf returns the key of an event.
func KeyOf(r Rank, age uint64) Key { return Key(r)<<62 | Key(age) }

func (e Event) before(o Event) bool { return e.At < o.At || e.At == o.At && e.Key < o.Key }

// heap is a binary heap of due events.
//
// Invariant: no event precedes its parent, (i-1)/2.
type heap []Event

func (a *heap) push(e Event) {
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

func (a *heap) pop() Event {
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
