package wheel

// A Wheel has 2,713 slots, of which nearly all are empty when it has few timers. As long as it
// has few, only those have a queue that hold something, found by a number for each slot;
// afterwards all of them lie in one array, and none is looked for.

// fewTimers is how many timers a Wheel makes before its slots lie in one array.
const fewTimers = 512

// queuePage is a piece of the queues of a Wheel with few timers. Pages stay where they are.
type queuePage [16]queue

// beyond stands for a queue that has no number: there are only so many.
const beyond = 255

// fewSlots is where the slots are of a Wheel with few timers.
//
// Invariant: number[i] is not zero if and only if slot i is not empty, or is the late one. Between
// the begin and the end of a call it may be an empty slot's that the call will release.
type fewSlots struct {
	number []uint8 // by slot: of its queue
	pages  []*queuePage
	free   []uint8           // numbers that are not used
	more   map[uint32]*queue // by slot: those beyond
	none   queue             // what an empty slot has: nobody writes to it
}

// setSlots lays out n slots, all of them empty.
func (w *Wheel) setSlots(n uint32) {
	w.few = &fewSlots{number: make([]uint8, n), none: emptyQueue}
	w.few.need(late)
}

// queue returns the queue of a slot. If the slot is empty, it may be one that must not be
// written to: see [Wheel.filling].
func (w *Wheel) queue(slot uint32) *queue {
	if w.slots != nil {
		return &w.slots[slot]
	}
	return w.few.queue(slot)
}

func (s *fewSlots) queue(slot uint32) *queue {
	switch k := s.number[slot]; k {
	case 0:
		return &s.none
	case beyond:
		return s.more[slot]
	default:
		return s.at(k)
	}
}

func (s *fewSlots) at(k uint8) *queue {
	return &s.pages[int(k)/len(queuePage{})][int(k)%len(queuePage{})]
}

// filling returns the queue of a slot to which something is to be put. If the slot was empty,
// it must not be left so without a [Wheel.emptied].
func (w *Wheel) filling(slot uint32) *queue {
	if w.slots != nil {
		return &w.slots[slot]
	}
	return w.few.need(slot)
}

func (s *fewSlots) need(slot uint32) *queue {
	if s.number[slot] != 0 {
		return s.queue(slot)
	}
	if len(s.free) == 0 && !s.page() {
		if s.more == nil {
			s.more = map[uint32]*queue{}
		}
		q := emptyQueue
		s.number[slot], s.more[slot] = beyond, &q
		return &q
	}
	last := len(s.free) - 1
	s.number[slot], s.free = s.free[last], s.free[:last]
	return s.at(s.number[slot])
}

// page makes free queues, and reports whether there are numbers for them.
func (s *fewSlots) page() bool {
	from := len(s.pages) * len(queuePage{})
	if from > beyond {
		return false
	}
	p := new(queuePage)
	s.pages = append(s.pages, p)
	for k := len(p) - 1; k >= 0; k-- {
		p[k] = emptyQueue
		if n := from + k; n > 0 && n < beyond { // 0 stands for none
			s.free = append(s.free, uint8(n))
		}
	}
	return true
}

// emptied says that a slot holds nothing any more, and that nobody has its queue in hand.
func (w *Wheel) emptied(slot uint32) {
	s := w.few
	if s == nil {
		return
	}
	if k := s.number[slot]; k == beyond {
		delete(s.more, slot)
	} else {
		s.free = append(s.free, k)
	}
	s.number[slot] = 0
}

// spread puts all slots into one array. Nobody may have a queue in hand.
func (w *Wheel) spread() {
	s := w.few
	slots := make([]queue, len(s.number))
	for i := range slots {
		slots[i] = *s.queue(uint32(i))
	}
	w.slots, w.few = slots, nil
}

// count returns how many slots there are.
func (w *Wheel) count() int {
	if w.few != nil {
		return len(w.few.number)
	}
	return len(w.slots)
}
