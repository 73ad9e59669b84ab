package buff

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// Memory is where the Sets of an engine keep their instances, and the keys of these: pieces of all sizes, cut from chunks without a
// pointer, of up to 128 KiB. So a million buffs are some hundred pieces of memory for the collector to mark and to sweep,
// and not one for each owner; a piece that an owner has outgrown is the next one's, and what takes in vain
// what lies between the sizes of an allocator is in use. A chunk that is empty goes back, and a chunk that others of its
// size have room for is left: who has a piece in it takes another one, at one of its next sixteen buffs. So owners who grow together
// leave no rows of nearly empty chunks behind.
//
//	chunk of pieces of 4   ┌ piece ───────────────────────┬ piece ─────────────
//	in lines of 64 bytes   │ slot slot slot slot keys,name│ slot slot slot …
//	                       └──────────────────────────────┴────────────────────
//	                         of one Set                     free
//
// A Set takes a piece when it is out of slots, and gives back the one before, and its last one in [Set.Free]. That is
// rare, and may be on any goroutine: each time takes a lock. What happens does not depend on where a piece
// lies. All Turns that work on a Set have the same Memory. The zero value is ready for use; a Memory
// must not be copied.
type Memory struct {
	mu       sync.Mutex
	chunks   []*slotChunk // by number; number 0 stands for none, nil is a free number
	free     []uint32     // free numbers
	sizes    [largestPiece + 1]pieceSize
	draining atomic.Int32 // chunks that are being left
}

// pieceSize is the chunks with pieces of one size.
type pieceSize struct {
	available uint32 // the first of the chunks that have room; 0: none has
	draining  uint32 // the first of those that are being left
	taken     int32  // pieces
	room      int32  // free pieces in the chunks that have room
}

// slotChunk is some pieces of one size, one behind the other.
type slotChunk struct {
	lines      []cacheLine
	size       uint16 // slots of a piece
	pieces     uint16
	taken      uint16
	draining   bool
	prev, next uint32                  // among those of this size that have room, or among those that are being left
	room       [mostPieces / 64]uint64 // a bit for each piece that is free
}

const (
	chunkLines   = 2048 // 128 KiB
	mostPieces   = 1024 // of a chunk: those of one slot have two lines
	fewPieces    = 4    // of the first chunks of a size
	largestPiece = 64   // slots; a longer one is not cut from a chunk
)

// alloc returns memory for n instances.
func (m *Memory) alloc(n int) piece {
	if m == nil || n > largestPiece {
		return newPiece(make([]cacheLine, pieceLines(n)), n, pieceName{})
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	size := &m.sizes[n]
	switch {
	case size.available != 0:
	case size.draining != 0:
		m.undrain(size, size.draining)
	default:
		m.addChunk(n)
	}
	return m.cut(size)
}

// cut takes a piece from the first chunk that has room.
func (m *Memory) cut(size *pieceSize) piece {
	number := size.available
	c := m.chunks[number]
	at, n := c.first(), int(c.size)
	c.room[at/64] &^= 1 << (at % 64)
	c.taken++
	size.taken++
	size.room--
	if c.taken == c.pieces {
		m.unlink(&size.available, c)
	}
	p := newPiece(c.lines[at*pieceLines(n):], n, pieceName{chunk: number, at: uint16(at)})
	if poison {
		checkPoison(p.slots())
	}
	return p
}

// release takes back a piece. Nobody may look at it any more.
func (m *Memory) release(p piece) {
	if p.size == 0 {
		return
	}
	if poison {
		poisonSlots(p.slots())
	}
	name := p.name()
	if name.chunk == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	number, at := name.chunk, name.at
	c, size := m.chunks[number], &m.sizes[p.size]
	if c.taken == c.pieces {
		m.link(&size.available, c, number)
	}
	c.room[at/64] |= 1 << (at % 64)
	c.taken--
	size.taken--
	if c.draining && c.taken == 0 {
		m.undrain(size, number)
	} else if !c.draining {
		size.room++
	}
	elsewhere := size.room - int32(c.pieces-c.taken)
	switch {
	case size.taken == 0:
		for size.available != 0 {
			m.dropChunk(&size.available, size.available)
		}
		size.room = 0
	case c.draining:
	case elsewhere == 0: // the next piece is cut from it
	case c.taken == 0:
		size.room = elsewhere
		m.dropChunk(&size.available, number)
	case 4*c.taken <= 3*c.pieces && elsewhere >= int32(c.taken):
		m.drain(size, c, number)
	}
}

// prefetch reads of a piece's chunk what give changes of it.
func (m *Memory) prefetch(p piece) (seen uint64) {
	if p.size == 0 {
		return 0
	}
	name := p.name()
	if name.chunk == 0 {
		return 0
	}
	m.mu.Lock()
	c := m.chunks[name.chunk]
	seen = c.room[name.at/64] + uint64(c.taken)
	m.mu.Unlock()
	return seen
}

// drain has nothing more cut from a chunk: the others have room for what it holds.
func (m *Memory) drain(size *pieceSize, c *slotChunk, number uint32) {
	m.unlink(&size.available, c)
	m.link(&size.draining, c, number)
	size.room -= int32(c.pieces - c.taken)
	c.draining = true
	m.draining.Add(1)
}

// undrain takes back that a chunk is left: its room is needed.
func (m *Memory) undrain(size *pieceSize, number uint32) {
	c := m.chunks[number]
	m.unlink(&size.draining, c)
	m.link(&size.available, c, number)
	size.room += int32(c.pieces - c.taken)
	c.draining = false
	m.draining.Add(-1)
}

// dropChunk gives a chunk back that is empty.
func (m *Memory) dropChunk(first *uint32, number uint32) {
	m.unlink(first, m.chunks[number])
	m.chunks[number] = nil
	m.free = append(m.free, number)
}

// addChunk makes a chunk for pieces of n slots: for an eighth as many as there are, so that a game of ten players has small
// ones, and a large one no room for many more than it has.
func (m *Memory) addChunk(n int) {
	size := &m.sizes[n]
	pieces := min(max(int(size.taken)/8, fewPieces), chunkLines/pieceLines(n))
	c := &slotChunk{lines: make([]cacheLine, pieces*pieceLines(n)), size: uint16(n), pieces: uint16(pieces)}
	for at := range pieces {
		c.room[at/64] |= 1 << (at % 64)
		if poison {
			p := newPiece(c.lines[at*pieceLines(n):], n, pieceName{})
			poisonSlots(p.slots())
		}
	}
	if len(m.chunks) == 0 {
		m.chunks = append(m.chunks, nil)
	}
	number := uint32(len(m.chunks))
	if last := len(m.free) - 1; last >= 0 {
		number, m.free = m.free[last], m.free[:last]
		m.chunks[number] = c
	} else {
		m.chunks = append(m.chunks, c)
	}
	m.link(&size.available, c, number)
	size.room += int32(pieces)
}

// first returns the first free piece of a chunk that has one.
func (c *slotChunk) first() int {
	for k, word := range c.room {
		if word != 0 {
			return k*64 + bits.TrailingZeros64(word)
		}
	}
	panic("buff: a chunk without room in the list of those that have some")
}

// link puts a chunk in front of a list.
func (m *Memory) link(first *uint32, c *slotChunk, number uint32) {
	c.prev, c.next = 0, *first
	if c.next != 0 {
		m.chunks[c.next].prev = number
	}
	*first = number
}

// unlink takes a chunk out of its list.
func (m *Memory) unlink(first *uint32, c *slotChunk) {
	if c.prev != 0 {
		m.chunks[c.prev].next = c.next
	} else {
		*first = c.next
	}
	if c.next != 0 {
		m.chunks[c.next].prev = c.prev
	}
	c.prev, c.next = 0, 0
}

// relocate returns a piece of the same size in the place of one whose chunk is being left, if there is room.
func (m *Memory) relocate(p piece) (other piece, ok bool) {
	name := p.name()
	if name.chunk == 0 {
		return piece{}, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	size := &m.sizes[p.size]
	if !m.chunks[name.chunk].draining || size.available == 0 {
		return piece{}, false
	}
	return m.cut(size), true
}

// growTo gives the Set memory for n instances, of which it has fewer.
func (s *Set) growTo(t *Turn, n int) {
	s.moveTo(t, t.Memory.alloc(n))
}

func (s *Set) moveTo(t *Turn, to piece) {
	to.keys().copyFrom(s.keys(), int(s.used), int(to.size), s.room())
	copy(to.slots(), s.slots()[:s.used])
	t.Memory.release(s.piece)
	s.base, s.size = to.base, to.size
}

// evacuate moves the instances out of a chunk that is being left.
func (s *Set) evacuate(t *Turn) {
	if t.Memory == nil || t.Memory.draining.Load() == 0 {
		return
	}
	if to, ok := t.Memory.relocate(s.piece); ok {
		s.moveTo(t, to)
	}
}

// Free gives the memory of the Set's instances back, after a [Set.Clear]. Nothing may be asked of the Set
// any more, but its owner.
func (s *Set) Free(t *Turn) {
	if s.live != 0 {
		panic("buff: Free of a Set that has buffs")
	}
	t.Memory.release(s.piece)
	s.piece, s.free = noPiece(), noSlot
	s.rare = nil
}

// poisonSlots fills memory that is nobody's with what no instance has: who looks at it still finds no definition.
func poisonSlots(slots []instance) {
	for k := range slots {
		slots[k] = poisoned
	}
}

// checkPoison panics if somebody has written to memory that was nobody's.
func checkPoison(slots []instance) {
	for k := range slots {
		if slots[k] != poisoned {
			panic("buff: written to a slot after it was given back")
		}
	}
}

var poisoned = instance{
	source: 1<<63 - 1, end: -1, boundary: -1, magnitude: -1 << 62,
	age32: 1<<32 - 1, period32: 1<<32 - 1, duration32: 1<<32 - 1, generation: 1<<32 - 1, def: 1<<31 - 1, older: noSlot - 1, newer: noSlot - 1, extra: noSlot - 1,
}
