package wheel

import "math/bits"

// slot is a list of timers in order of arrival; 0 stands for none.
type slot struct {
	head, tail uint32
}

// slotOf returns slot s of a level, or the late list.
func (w *Wheel) slotOf(level uint8, s uint16) *slot {
	if level == late {
		return &w.late
	}
	return &w.slots[w.level[level].first+int(s)]
}

// link puts timer i behind all others of the slot.
func (w *Wheel) link(i uint32, level uint8, s uint16) {
	t := &w.timers[i]
	l := w.slotOf(level, s)
	t.state, t.slot = level, s
	t.prev, t.next = l.tail, 0
	if l.tail != 0 {
		w.timers[l.tail].next = i
	} else {
		l.head = i
		w.mark(level, s)
	}
	l.tail = i
}

// unlink takes timer i out of the slot in which it waits.
func (w *Wheel) unlink(i uint32) {
	t := &w.timers[i]
	l := w.slotOf(t.state, t.slot)
	if t.prev != 0 {
		w.timers[t.prev].next = t.next
	} else {
		l.head = t.next
	}
	if t.next != 0 {
		w.timers[t.next].prev = t.prev
	} else {
		l.tail = t.prev
	}
	if l.head == 0 {
		w.unmark(t.state, t.slot)
	}
}

// detach empties the slot and returns its first timer. The timers keep their
// links to the next one: who detaches them walks them all.
func (w *Wheel) detach(level uint8, s uint16) uint32 {
	l := w.slotOf(level, s)
	head := l.head
	*l = slot{}
	w.unmark(level, s)
	return head
}

// The bitmaps. Which levels hold a timer is one word, and so is which slots of a
// level do. The dial has more positions than a word has bits: its word says which
// words of w.dial are not zero.

// mark notes that a slot is no longer empty.
func (w *Wheel) mark(level uint8, s uint16) {
	if level == late {
		return
	}
	if level == dial {
		w.dial[s/64] |= 1 << (s % 64)
		s /= 64
	}
	w.level[level].occupied |= 1 << s
	w.occupied |= 1 << level
}

// unmark notes that a slot has become empty.
func (w *Wheel) unmark(level uint8, s uint16) {
	if level == late {
		return
	}
	if level == dial {
		w.dial[s/64] &^= 1 << (s % 64)
		s /= 64
		if w.dial[s] != 0 {
			return
		}
	}
	w.level[level].occupied &^= 1 << s
	if w.level[level].occupied == 0 {
		w.occupied &^= 1 << level
	}
}

// earliestSlot returns the slot that a hand reaches first. What waits on a finer
// level is due before what waits on a coarser one, and the slots of a level are in
// order of time, so it is the lowest bit of the lowest level. The late list is not
// asked; something waits outside it.
func (w *Wheel) earliestSlot() (level uint8, s uint16) {
	level = uint8(bits.TrailingZeros32(w.occupied))
	s = uint16(bits.TrailingZeros64(w.level[level].occupied))
	if level == dial {
		s = s*64 + uint16(bits.TrailingZeros64(w.dial[s]))
	}
	return level, s
}
