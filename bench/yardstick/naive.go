package main

import "container/heap"

// naive is the common part of designs that a game might use without an engine. The events have no
// handles and no reasons, and events at the same time have no defined order.
type naive struct {
	now    int64
	data   []*int64
	events []event
}

type event struct {
	at            int64
	owner, source uint32
	spec          uint16
	_             uint16 // padding
	_             int32
}

func (n *naive) spawn(id int, data *int64) {
	if n.data == nil {
		n.data = append(n.data, nil) // owners are numbered from 1, so the element 0 is unused
	}
	n.data = append(n.data, data)
}

func (n *naive) remove(uint64) {}
func (n *naive) close()        {}

func (n *naive) hurt(p *int64) {
	*p--
	work()
}

func (n *naive) fire(at int64, owner, source uint32, spec uint16) {
	n.events = append(n.events, event{at: at, owner: owner, source: source, spec: spec})
	n.hurt(n.data[owner])
}

// begin resets the state for a new frame.
func (n *naive) begin(ms int64) {
	n.now += ms
	n.events = n.events[:0]
}

const never = 1 << 62

// timed is a buff. It is 48 bytes long.
type timed struct {
	next, end     int64
	_             int32
	period        int32
	owner, source uint32
	spec, stacks  uint16
	_             int32
}

func newTimed(now int64, id, spec, source int, duration int64) timed {
	b := timed{next: never, end: now + 3_600_000, owner: uint32(id), source: uint32(source), spec: uint16(spec), stacks: 1}
	if duration > 0 {
		b.end = now + duration
	}
	if spec == dot {
		b.period, b.next, b.end = period, now+period, never
	}
	return b
}

// pulse runs the due pulses of a buff.
func (n *naive) pulse(b *timed) {
	for b.next <= n.now && b.next <= b.end {
		n.fire(b.next, b.owner, b.source, b.spec)
		b.next += int64(b.period)
	}
}

// structs keeps all buffs in one flat array of structs. Each frame scans the array.
type structs struct {
	naive
	buffs []timed
}

func (s *structs) add(id, spec, source int, duration int64) uint64 {
	s.buffs = append(s.buffs, newTimed(s.now, id, spec, source, duration))
	return uint64(len(s.buffs) - 1)
}

func (s *structs) tick(ms int64) int {
	s.begin(ms)
	for k := 0; k < len(s.buffs); k++ {
		b := &s.buffs[k]
		s.pulse(b)
		if b.end <= s.now {
			s.buffs[k] = s.buffs[len(s.buffs)-1]
			s.buffs = s.buffs[:len(s.buffs)-1]
			k--
		}
	}
	return len(s.events)
}

// arrays is like "structs", but keeps the next deadline of each buff in a separate array, in ms as
// a 32-bit number.
type arrays struct {
	naive
	due   []uint32
	buffs []timed
}

const dueNever = 1<<32 - 1

func (s *arrays) add(id, spec, source int, duration int64) uint64 {
	b := newTimed(s.now, id, spec, source, duration)
	s.buffs = append(s.buffs, b)
	s.due = append(s.due, uint32(min(b.next, b.end, dueNever)))
	return uint64(len(s.buffs) - 1)
}

func (s *arrays) tick(ms int64) int {
	s.begin(ms)
	now, due := uint32(s.now), s.due
	for k, d := range due {
		if d > now {
			continue
		}
		b := &s.buffs[k]
		s.pulse(b)
		due[k] = uint32(min(b.next, b.end, dueNever))
		if b.end <= s.now {
			due[k] = dueNever
		}
	}
	return len(s.events)
}

// heapWorld keeps the deadlines of all buffs in container/heap, with pointers as elements.
type heapWorld struct {
	naive
	items items
	added uint64
}

type item struct {
	due    int64
	number uint64
	buff   timed
}

type items []*item

func (h items) Len() int { return len(h) }
func (h items) Less(i, j int) bool {
	return h[i].due < h[j].due || h[i].due == h[j].due && h[i].number < h[j].number
}
func (h items) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *items) Push(x any)   { *h = append(*h, x.(*item)) }
func (h *items) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

func (s *heapWorld) add(id, spec, source int, duration int64) uint64 {
	b := newTimed(s.now, id, spec, source, duration)
	s.added++
	heap.Push(&s.items, &item{due: min(b.next, b.end), number: s.added, buff: b})
	return 0
}

func (s *heapWorld) tick(ms int64) int {
	s.begin(ms)
	for len(s.items) > 0 && s.items[0].due <= s.now {
		i := s.items[0]
		b := &i.buff
		if b.next <= b.end {
			s.fire(b.next, b.owner, b.source, b.spec)
			b.next += int64(b.period)
		}
		i.due = min(b.next, b.end)
		if b.end <= s.now {
			heap.Pop(&s.items)
		} else {
			heap.Fix(&s.items, 0)
		}
	}
	return len(s.events)
}
