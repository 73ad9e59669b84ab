package rules

import (
	"math/bits"
	"unsafe"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/wheel"
)

// keys holds the fields of all slots that are scanned to find an instance: 10 bytes for each slot,
// in two consecutive rows.
//
//	filed    one word per slot     world time of the instance's Deadline, which is not after its next
//	                               event. Never if there is no Deadline
//	hashes   four per word         see hashOf; 0 if the slot is free or has never been used
//
// A search for due instances reads the first row, eight slots in a cache line. A search for the
// instance that an application joins reads the second row, 32 slots in a cache line, and compares
// four slots at a time. The length of the rows is the capacity of the piece.
type keys []wheel.Time

// hashWords returns the number of words of the second row for n slots.
func hashWords(n int) int { return (n + 3) / 4 }

// keyWords returns the number of words of both rows for n slots.
func keyWords(n int) int { return n + hashWords(n) }

// copyFrom copies the keys of n slots. The old rows have room for `oldRoom` slots, and the new rows
// for `room` slots.
func (k keys) copyFrom(old keys, n, room, oldRoom int) {
	copy(k, old[:n])
	hashes := k[room : room+hashWords(room)]
	clear(hashes[copy(hashes, old[oldRoom:oldRoom+hashWords(n)]):])
}

// filed returns the first row.
func (s *Owner) filed() []wheel.Time { return unsafe.Slice(s.word(0), s.used) }

// key returns the deadline of a slot, for reading and writing.
func (s *Owner) key(at uint16) *wheel.Time {
	s.bound(at)
	return s.word(int(at))
}

// hashes returns the second row.
func (s *Owner) hashes() []wheel.Time {
	return unsafe.Slice(s.word(s.room()), hashWords(int(s.used)))
}

// hash returns the hash of a slot.
func (s *Owner) hash(at uint16) uint16 { return uint16(*s.hashWord(at) >> (at % 4 * 16)) }

func (s *Owner) hashWord(at uint16) *wheel.Time {
	s.bound(at)
	return s.word(s.room() + int(at/4))
}

func (s *Owner) setHash(at, hash uint16) {
	w, shift := s.hashWord(at), at%4*16
	*w = *w&^(0xffff<<shift) | wheel.Time(hash)<<shift
}

// addSlot appends a slot. There must be room for it.
func (s *Owner) addSlot(i *record) (at uint16) {
	at = s.used
	s.used++
	*s.record(at) = *i
	*s.key(at) = wheel.Never
	s.setHash(at, 0)
	return at
}

// The two halves of a hash. The half for the definition is the same for all its versions, and
// never 0.
const (
	hashSpec   = 0xff00
	hashSource = 0x00ff
)

// hashOf returns the hash of an instance with the given definition and source. The search for the
// instance that an application joins need not read instances with another hash. Each instance takes
// a cache line, and an owner has dozens of instances.
func hashOf(spec *compile.Program, source buff.OwnerID) uint16 {
	return uint16(1+uint32(spec.Compiled().Lineage)%255)<<8 | uint16(uint64(source)*0x9e3779b97f4a7c15>>56)
}

// rehash updates the hash of an instance that is new or has a new source.
func (i instance) rehash() {
	i.owner.setHash(i.slot, hashOf(i.program(), i.source))
}

// each16 has the lowest bit of each group of 16 bits set.
const each16 = 1<<48 | 1<<32 | 1<<16 | 1

// hashPattern matches hashes: those bits that are set in `care` must be equal to the bits of
// `hash`. Both values are repeated four times.
type hashPattern struct{ hash, care uint64 }

// patternFor returns the pattern for the instances that an application may join.
func patternFor(a *buff.Application, spec *compile.Program) hashPattern {
	care := uint64(hashSpec)
	if a.Spec.Stack.By == define.BySource {
		care |= hashSource
	}
	return hashPattern{uint64(hashOf(spec, a.Source)) * each16, care * each16}
}

// matches compares each of the four 16-bit hashes in `hashes` with the pattern. In the result, the
// top bit of each group of 16 bits is set if that hash matches. All other bits are 0.
func (w hashPattern) matches(hashes wheel.Time) uint64 {
	const low = 0x7fff * each16
	x := (uint64(hashes) ^ w.hash) & w.care
	return ^(x&low + low | x | low) // the top bit of each group of 16 bits that are all 0 in x
}

// findJoinable returns the slot of the oldest instance that an application joins, or noSlot.
func (s *Owner) findJoinable(a *buff.Application) uint16 {
	spec := compile.Of(a.Spec)
	want, found := patternFor(a, spec), uint16(noSlot)
	for k, word := range s.hashes() {
		for like := want.matches(word); like != 0; like &= like - 1 {
			at := uint16(4*k + bits.TrailingZeros64(like)/16)
			i := s.slot(at)
			if !s.sameDefinition(i.program(), spec) || !i.joins(a) {
				continue
			}
			if found == noSlot || i.age() <= s.slot(found).age() {
				found = at
			}
		}
	}
	return found
}
