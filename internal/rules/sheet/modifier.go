package sheet

import (
	"fmt"
	"math"

	"github.com/bufftick/bufftick/buff/stat"
)

// Key identifies one modifier of one Sheet by its slot and generation. The zero Key is never a
// modifier.
//
// A key becomes stale when its modifier is removed, and stays stale forever: a slot is reused only
// with a higher generation, and never after its last generation. A stale or invalid key has no
// effect. A Sheet cannot detect a key of another Sheet.
type Key uint64

// slot is a modifier: 32 bytes without pointers.
type slot struct {
	value   float64
	of      uint64
	gen     uint32
	prev    uint16 // the previous slot in its attribute's list, or none
	next    uint16 // the next slot in its attribute's list or in the free list, or none
	attr    stat.Attr
	op      stat.Op // vacant if the slot is free
	channel uint8
}

const (
	vacant stat.Op = 255

	firstGeneration = 1
	lastGeneration  = math.MaxUint32
)

// Add adds a modifier. Among overrides in one channel, the last one added is the newest. Add
// returns [ErrValue] for NaN or a value above [stat.MaxValue], [ErrModifier] for an unknown
// attribute, op or channel, and [ErrFull] if the sheet is full; the sheet is then unchanged.
func (s *Sheet) Add(m stat.Modifier) (Key, error) {
	switch {
	case m.Attr == 0 || int(m.Attr) >= len(s.cells):
		return 0, fmt.Errorf("%w: there is no attribute %d in a schema of %d", ErrModifier, m.Attr, s.layout.Len())
	case m.Op > stat.Override:
		return 0, fmt.Errorf("%w: %v is not an op", ErrModifier, m.Op)
	case m.Channel > stat.MaxChannel:
		return 0, fmt.Errorf("%w: channel %d, want 0 to %d", ErrModifier, m.Channel, stat.MaxChannel)
	}
	v, err := number(m.Value, s.layout.attrs[m.Attr].Name)
	if err != nil {
		return 0, err
	}
	i, ok := s.take()
	if !ok {
		return 0, fmt.Errorf("%w: %d", ErrFull, s.limit)
	}
	sl := &s.slots[i]
	sl.value, sl.of, sl.attr, sl.op, sl.channel = v, m.Of, m.Attr, m.Op, m.Channel
	s.link(i)
	s.touch(m.Attr)
	return Key(sl.gen)<<32 | Key(i), nil
}

// Remove removes the modifier, and reports whether it existed.
func (s *Sheet) Remove(k Key) bool {
	i, ok := s.find(k)
	if ok {
		s.drop(i)
	}
	return ok
}

// SetValue changes the value of a modifier, for example when a buff gains a stack or recomputes
// its magnitude at a pulse. It does not make an override newer. It returns [ErrStale] for a
// stale key, and [ErrValue] for NaN or a value above [stat.MaxValue].
func (s *Sheet) SetValue(k Key, v float64) error {
	i, ok := s.find(k)
	if !ok {
		return fmt.Errorf("%w: %#x", ErrStale, uint64(k))
	}
	sl := &s.slots[i]
	v, err := number(v, s.layout.attrs[sl.attr].Name)
	if err != nil {
		return err
	}
	if v != sl.value {
		sl.value = v
		s.touch(sl.attr)
	}
	return nil
}

// Modifier returns the modifier with the given key, and reports whether it exists.
func (s *Sheet) Modifier(k Key) (stat.Modifier, bool) {
	i, ok := s.find(k)
	if !ok {
		return stat.Modifier{}, false
	}
	return s.slots[i].modifier(), true
}

// Len returns the number of modifiers.
func (s *Sheet) Len() int { return int(s.live) }

func (sl *slot) modifier() stat.Modifier {
	return stat.Modifier{Attr: sl.attr, Op: sl.op, Channel: sl.channel, Value: sl.value, Of: sl.of}
}

func (s *Sheet) key(i uint16) Key { return Key(s.slots[i].gen)<<32 | Key(i) }

// find returns the slot of an existing modifier.
func (s *Sheet) find(k Key) (uint16, bool) {
	i := uint64(uint32(k))
	if i >= uint64(len(s.slots)) {
		return 0, false
	}
	// A free slot already has the generation of its next key, which a caller could guess, so the
	// field op must be checked too.
	sl := &s.slots[i]
	return uint16(i), sl.gen == uint32(k>>32) && sl.op != vacant
}

// take returns a free slot, or a new one. It reports false if the sheet is full.
func (s *Sheet) take() (uint16, bool) {
	if s.live == s.limit {
		return 0, false
	}
	i := s.free
	if i == none {
		// A slot at its last generation is retired: it is in no list, but still takes up room.
		// After 2^48 modifiers, when all 65,535 slots are retired, the sheet is full.
		if len(s.slots) == none {
			return 0, false
		}
		i = uint16(len(s.slots))
		s.slots = append(s.slots, slot{gen: firstGeneration, next: none})
	}
	s.free = s.slots[i].next
	s.live++
	return i, true
}

// link appends the modifier to its attribute's list.
func (s *Sheet) link(i uint16) {
	sl := &s.slots[i]
	c := &s.cells[sl.attr]
	sl.prev, sl.next = c.tail, none
	if c.tail == none {
		c.head = i
	} else {
		s.slots[c.tail].next = i
	}
	c.tail = i
	c.count++
}

// drop removes the modifier from its attribute's list and frees its slot.
func (s *Sheet) drop(i uint16) {
	sl := &s.slots[i]
	c := &s.cells[sl.attr]
	if sl.prev == none {
		c.head = sl.next
	} else {
		s.slots[sl.prev].next = sl.next
	}
	if sl.next == none {
		c.tail = sl.prev
	} else {
		s.slots[sl.next].prev = sl.prev
	}
	c.count--
	s.live--
	s.touch(sl.attr)
	sl.op = vacant
	if sl.gen == lastGeneration {
		return // the slot is retired: it has no generation left
	}
	sl.gen++
	sl.next, s.free = s.free, i
}
