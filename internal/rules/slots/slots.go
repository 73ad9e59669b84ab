package slots

import (
	"math/bits"
	"unsafe"
)

// None is the number of no slot.
const None = 1<<16 - 1

// Max is the maximum number of slots of one owner.
const Max = 4096

// freed marks a free slot, in the field older.
const freed = None - 1

// Header is the last part of each record. It is the link of the record to its Slots, and only
// copied as a whole by others.
type Header struct {
	generation   uint32
	older, newer uint16 // neighbors by age, or None; in a free slot, newer is the next free slot
}

// Generation returns the generation of the record, or of the next one in its slot if it is free.
func (h *Header) Generation() uint32 { return h.generation }

// Newer returns the slot of the record that was allocated next, or None.
func (h *Header) Newer() uint16 { return h.newer }

// Slots holds the records of one owner. Use [New]. R is the type of the records: 64 bytes without
// pointers, of which the last eight are a [Header]. K is the type of the keys.
type Slots[R any, K ~int64] struct {
	piece
	free         uint16 // first free slot, or None
	oldest       uint16
	newest       uint16
	untilRelieve uint8 // number of Allocs until the next call of relieve
	generations  Generations
}

// New returns an empty Slots for at most `limit` records.
func New[R any, K ~int64](limit int, g Generations) Slots[R, K] {
	if unsafe.Sizeof(*new(R)) != lineSize {
		panic("slots: a record must have 64 bytes")
	}
	return Slots[R, K]{piece: piece{limit: uint16(min(limit, Max))}, free: None, oldest: None, newest: None, generations: g}
}

// Len returns the number of records.
func (s *Slots[R, K]) Len() int { return int(s.live) }

// Limit returns the maximum number of records.
func (s *Slots[R, K]) Limit() int { return int(s.limit) }

// Used returns the number of slots that have, or have had, a record. Their numbers are below it.
func (s *Slots[R, K]) Used() uint16 { return s.used }

// Record returns the record in a slot. If the slot is free, it is the record as Free has left it.
// Record panics if the number is beyond the memory of the Slots.
func (s *Slots[R, K]) Record(slot uint16) *R {
	s.bound(slot)
	return (*R)(s.line(slot))
}

// Generations returns what determines the generations.
func (s *Slots[R, K]) Generations() Generations { return s.generations }

// SetGenerations replaces what determines the generations. No slot may have been used.
func (s *Slots[R, K]) SetGenerations(g Generations) { s.generations = g }

// Has reports whether a slot has a record of the given generation.
func (s *Slots[R, K]) Has(slot uint16, generation uint32) bool {
	if slot >= s.used {
		return false
	}
	h := s.header(slot)
	return h.generation == generation && h.older != freed
}

// Oldest returns the slot of the record that was allocated first, or None.
func (s *Slots[R, K]) Oldest() uint16 { return s.oldest }

// Newest returns the slot of the record that was allocated last, or None.
func (s *Slots[R, K]) Newest() uint16 { return s.newest }

// Alloc returns a free slot, as the newest, and its record. The record is nil if there are as many
// records as the limit permits. It has the content that it had when the slot was freed, or is zero.
// The key is kept too. Alloc may move all records.
func (s *Slots[R, K]) Alloc(m *Memory) (slot uint16, r *R) {
	if s.live >= s.limit {
		return None, nil
	}
	if slot = s.free; slot != None {
		s.free = s.header(slot).newer
	} else if slot = s.add(m); slot == None {
		return None, nil
	}
	s.live++
	if s.untilRelieve--; s.untilRelieve == 0 {
		s.relieve(m)
	}
	h := s.header(slot)
	h.older, h.newer = s.newest, None
	if s.newest != None {
		s.header(s.newest).newer = slot
	} else {
		s.oldest = slot
	}
	s.newest = slot
	return slot, (*R)(s.line(slot))
}

// add returns a slot that has not been used before, or None.
func (s *Slots[R, K]) add(m *Memory) uint16 {
	if s.used == Max {
		return None // the free slots are retired
	}
	if s.used == s.size {
		s.grow(m)
	}
	slot := s.used
	s.used++
	*s.Record(slot) = *new(R)
	s.header(slot).generation = s.generations.First()
	*s.Key(slot) = maxKey
	s.SetHash(slot, 0)
	if s.untilRelieve == 0 {
		s.untilRelieve = relieveInterval
	}
	return slot
}

const maxKey = 1<<63 - 1

// relieveInterval is the number of Allocs between two checks of whether the chunk is draining. While
// any chunk is draining, a check takes a lock.
const relieveInterval = 16

// relieve moves the records to another chunk if their chunk is draining.
func (s *Slots[R, K]) relieve(m *Memory) {
	s.untilRelieve = relieveInterval
	if m == nil || m.draining.Load() == 0 {
		return
	}
	if to, ok := m.relocate(s.piece); ok {
		s.moveTo(m, to)
	}
}

// grow moves the records to a longer piece. It stays within the limit as long as no slot has been
// retired.
func (s *Slots[R, K]) grow(m *Memory) {
	n, limit := int(s.size), int(s.limit)
	if more := n + growth(n); n < limit {
		s.Reserve(m, min(more, limit))
	} else {
		s.Reserve(m, more)
	}
}

// growth returns how many slots to add to n. Most owners have about ten records, most creatures one
// or two. Unused slots are the largest waste of memory, but a move to a longer piece makes a new
// buff 50% more expensive. Steps of two would save a tenth of the memory, and move twice as often.
func growth(n int) int {
	if n < 8 {
		return max(1, n)
	}
	return max(4, n/8&^3)
}

// Reserve makes room for n slots in total. It must be more than before.
func (s *Slots[R, K]) Reserve(m *Memory, n int) { s.moveTo(m, m.alloc(n)) }

func (s *Slots[R, K]) moveTo(m *Memory, to piece) {
	to.copyFrom(s.piece, int(s.used))
	m.release(s.piece)
	s.base, s.size = to.base, to.size
}

// Free frees a slot, which must have a record. The hash becomes zero; key and record stay as they
// are. A slot whose generations are used up is never used again.
func (s *Slots[R, K]) Free(slot uint16) {
	h := s.header(slot)
	if h.older != None {
		s.header(h.older).newer = h.newer
	} else {
		s.oldest = h.newer
	}
	if h.newer != None {
		s.header(h.newer).older = h.older
	} else {
		s.newest = h.older
	}
	s.live--
	s.SetHash(slot, 0)
	h.older, h.newer = freed, s.free
	if next, ok := s.generations.Next(h.generation); ok {
		h.generation = next
		s.free = slot
	}
}

// Release returns the memory of all slots. The Slots must not be used afterwards, except that it is
// empty.
func (s *Slots[R, K]) Release(m *Memory) {
	m.release(s.piece)
	*s = New[R, K](s.Limit(), s.generations)
}

// LastGeneration returns the greatest generation so far, counted from the origin: the base of the
// Generations with which another Slots can continue.
func (s *Slots[R, K]) LastGeneration() uint32 {
	last := s.generations.Base
	for slot := range s.used {
		last = max(last, s.generations.Count(s.header(slot).generation))
	}
	return last
}

// Key returns the key of a slot, for reading and writing. The key of a slot that has never been
// used is the greatest int64.
func (s *Slots[R, K]) Key(slot uint16) *K {
	s.bound(slot)
	return (*K)(s.word(int(slot)))
}

// Keys returns the keys of all used slots, for reading and writing.
func (s *Slots[R, K]) Keys() []K { return unsafe.Slice((*K)(s.word(0)), s.used) }

// Hash returns the hash of a slot. It is zero if the slot is free.
func (s *Slots[R, K]) Hash(slot uint16) uint16 { return uint16(*s.hashWord(slot) >> (slot % 4 * 16)) }

// SetHash sets the hash of a slot.
func (s *Slots[R, K]) SetHash(slot, hash uint16) {
	w, shift := s.hashWord(slot), slot%4*16
	*w = *w&^(0xffff<<shift) | uint64(hash)<<shift
}

func (s *Slots[R, K]) hashWord(slot uint16) *uint64 {
	s.bound(slot)
	return (*uint64)(s.word(int(s.size) + int(slot/4)))
}

// Pattern matches hashes. Use [NewPattern].
type Pattern struct{ hash, mask uint64 } // each is repeated four times

// each16 has the lowest bit of each group of 16 bits set.
const each16 = 1<<48 | 1<<32 | 1<<16 | 1

// NewPattern returns the pattern of the hashes that agree with `hash` in the bits of `mask`.
func NewPattern(hash, mask uint16) Pattern {
	return Pattern{uint64(hash) * each16, uint64(mask) * each16}
}

// Matches are those of the four hashes in a word that match a pattern: of each group of 16 bits, the
// top bit is set if the hash matches. All other bits are 0.
type Matches uint64

// In compares each of the four hashes in a word with the pattern.
func (p Pattern) In(hashes uint64) Matches {
	const low = 0x7fff * each16
	x := (hashes ^ p.hash) & p.mask
	return Matches(^(x&low + low | x | low)) // the top bit of each group of 16 bits that are all 0 in x
}

// First returns the slot of the first match in the word with the index k. There must be a match.
func (m Matches) First(k int) uint16 { return uint16(4*k + bits.TrailingZeros64(uint64(m))/16) }

// Rest returns the matches without the first one.
func (m Matches) Rest() Matches { return m & (m - 1) }

// Hashes returns the hashes of all used slots, four in a word, to be searched with [Pattern.In]. A
// cache line has 32 of them.
func (s *Slots[R, K]) Hashes() []uint64 {
	return unsafe.Slice((*uint64)(s.word(int(s.size))), hashWords(int(s.used)))
}

// Touch reads a slot, TouchKeys the keys and hashes, and TouchMove all that an Alloc of a full Slots
// reads, so that they are in the cache. The results have no meaning; the caller uses them so that
// the reads are not optimized away.
func (s *Slots[R, K]) Touch(slot uint16) uint64 {
	if slot >= s.used {
		return 0
	}
	return uint64(s.header(slot).generation)
}

// TouchKeys reads the keys and hashes: see [Slots.Touch].
func (s *Slots[R, K]) TouchKeys() (seen uint64) {
	words := s.rows()
	for k := 0; k < len(words); k += wordsOfLine {
		seen += words[k]
	}
	if len(words) > 0 {
		seen += words[len(words)-1]
	}
	return seen
}

// TouchAlloc reads what the next Alloc will read: see [Slots.Touch].
func (s *Slots[R, K]) TouchAlloc(m *Memory) (seen uint64) {
	if s.free == None && s.used == s.size { // all records will move
		for slot := range s.used {
			seen += s.Touch(slot)
		}
		return seen + m.prefetch(s.piece)
	}
	if s.free != None {
		seen = s.Touch(s.free)
	}
	if s.newest != None {
		seen += s.Touch(s.newest)
	}
	return seen
}
