package slots

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// Memory stores the records of many Slots. It cuts pieces of various sizes from chunks of up to
// 128 KiB. For a million records the garbage collector sees a few hundred objects instead of one
// object for each owner; when an owner outgrows its piece, another owner can use the piece; and no
// memory is lost to the size classes of the allocator.
//
// An empty chunk is freed. A chunk is drained if other chunks of the same piece size have room for
// its pieces. Draining means that each Slots in the chunk moves to another chunk at one of its next
// sixteen Allocs. So owners that grow at the same time do not leave nearly empty chunks.
//
// Taking and returning pieces is rare, takes a lock, and may happen on any goroutine. The location
// of a piece has no effect on results. A Slots must always be used with the same Memory; a nil
// Memory gives each Slots its own memory of the heap. The zero value is ready for use. A Memory must
// not be copied.
type Memory struct {
	mu       sync.Mutex
	chunks   []*slotChunk // by number; nil if the number is unused; number 0 means no chunk
	free     []uint32     // unused numbers of chunks
	sizes    [largestPiece + 1]pieceSize
	draining atomic.Int32 // number of draining chunks
}

// pieceSize lists the chunks with pieces of one size.
type pieceSize struct {
	available uint32 // first in the list of chunks that have free pieces and are not draining, or 0
	draining  uint32 // first in the list of draining chunks, or 0
	taken     int32  // number of pieces in use
	room      int32  // number of free pieces in the available chunks
}

// slotChunk is a row of pieces of one size.
type slotChunk struct {
	lines      []cacheLine
	size       uint16 // number of slots of each piece
	pieces     uint16 // number of pieces
	taken      uint16 // number of pieces in use
	draining   bool
	prev, next uint32                  // neighbors in the list of available or of draining chunks
	room       [mostPieces / 64]uint64 // bit set: the bits of the free pieces are 1
}

const (
	chunkLines   = 2048 // maximum number of cache lines of a chunk: 128 KiB
	mostPieces   = 1024 // maximum number of pieces of a chunk; the smallest pieces have two lines
	fewPieces    = 4    // minimum number of pieces of a chunk
	largestPiece = 64   // maximum number of slots; longer pieces are allocated separately
)

// Bytes returns the size of the memory of n slots, with their keys and hashes.
func Bytes(n int) int { return pieceLines(n) * lineSize }

// alloc returns a piece for n slots. m may be nil.
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

// cut takes a piece from the first available chunk.
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
	if Poison {
		checkPoison(p.lines())
	}
	return p
}

// release frees a piece, which must no longer be used.
func (m *Memory) release(p piece) {
	if p.size == 0 {
		return
	}
	if Poison {
		poison(p.lines())
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
	case elsewhere == 0: // the chunk has the only free pieces
	case c.taken == 0:
		size.room = elsewhere
		m.dropChunk(&size.available, number)
	case 4*c.taken <= 3*c.pieces && elsewhere >= int32(c.taken):
		m.drain(size, c, number)
	}
}

// prefetch reads the fields of a piece's chunk that release will change, which brings the fields
// into the cache. The result is meaningless; the caller uses it so that the reads are not optimized
// away.
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

// drain marks a chunk as draining: no more pieces are cut from it. Other chunks must have room for
// its pieces.
func (m *Memory) drain(size *pieceSize, c *slotChunk, number uint32) {
	m.unlink(&size.available, c)
	m.link(&size.draining, c, number)
	size.room -= int32(c.pieces - c.taken)
	c.draining = true
	m.draining.Add(1)
}

// undrain makes a draining chunk available again.
func (m *Memory) undrain(size *pieceSize, number uint32) {
	c := m.chunks[number]
	m.unlink(&size.draining, c)
	m.link(&size.available, c, number)
	size.room += int32(c.pieces - c.taken)
	c.draining = false
	m.draining.Add(-1)
}

// dropChunk frees an empty chunk.
func (m *Memory) dropChunk(first *uint32, number uint32) {
	m.unlink(first, m.chunks[number])
	m.chunks[number] = nil
	m.free = append(m.free, number)
}

// addChunk allocates a chunk for pieces of n slots. The chunk has an eighth as many pieces as are
// in use, so that a small game has small chunks, and a large game has little unused room.
func (m *Memory) addChunk(n int) {
	size := &m.sizes[n]
	pieces := min(max(int(size.taken)/8, fewPieces), chunkLines/pieceLines(n))
	c := &slotChunk{lines: make([]cacheLine, pieces*pieceLines(n)), size: uint16(n), pieces: uint16(pieces)}
	for at := range pieces {
		c.room[at/64] |= 1 << (at % 64)
		if Poison {
			poison(c.lines[at*pieceLines(n):][:n])
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

// first returns the first free piece of a chunk. It panics if there is none.
func (c *slotChunk) first() int {
	for k, word := range c.room {
		if word != 0 {
			return k*64 + bits.TrailingZeros64(word)
		}
	}
	panic("slots: no free piece in an available chunk")
}

// link prepends a chunk to a list.
func (m *Memory) link(first *uint32, c *slotChunk, number uint32) {
	c.prev, c.next = 0, *first
	if c.next != 0 {
		m.chunks[c.next].prev = number
	}
	*first = number
}

// unlink removes a chunk from its list.
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

// relocate returns a new piece to replace p, if p is in a draining chunk and another chunk has
// room. It reports whether there is a new piece.
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
