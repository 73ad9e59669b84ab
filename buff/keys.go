package buff

import (
	"math/bits"
	"unsafe"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/wheel"
)

// keys is what is looked at of each slot to know whether the instance in it has to be looked at: 14 bytes, in three rows, one behind
// the other, in one piece of memory.
//
//	dues     a word for each slot    when the instance wants a Run, in the world's time; Never: it is free, is endless, or is
//	                                 being worked off. What is due in the turn that is running has what it had before
//	hashes   four in a word          see hashOf; 0: the slot is free, or nobody has had it
//	orders   two in a word           the Turn.Order that set its due
//
// Who looks for what is due next reads the first row, eight slots in a cache line; who looks for the instance that an application
// joins reads the second one, 32 in a cache line and four at once. How long the rows are is up to the room for slots.
type keys []wheel.Time

// hashWords and orderWords are the words of the rows of n slots, keyWords those of all three.
func hashWords(n int) int  { return (n + 3) / 4 }
func orderWords(n int) int { return (n + 1) / 2 }
func keyWords(n int) int   { return n + hashWords(n) + orderWords(n) }

// copyFrom takes the keys over of n slots, from rows of another length.
func (k keys) copyFrom(old keys, n, room, oldRoom int) {
	copy(k, old[:n])
	hashes := k[room : room+hashWords(room)]
	clear(hashes[copy(hashes, old[oldRoom:oldRoom+hashWords(n)]):])
	copy(k[room+hashWords(room):], old[oldRoom+hashWords(oldRoom):][:orderWords(n)])
}

// dues returns the first row.
func (s *Set) dues() []wheel.Time { return unsafe.Slice(s.word(0), s.used) }

// key returns when a slot is due.
func (s *Set) key(at uint16) *wheel.Time {
	s.bound(at)
	return s.word(int(at))
}

// hashes returns the second row.
func (s *Set) hashes() []wheel.Time {
	return unsafe.Slice(s.word(s.room()), hashWords(int(s.used)))
}

// hash returns the hash of a slot.
func (s *Set) hash(at uint16) uint16 { return uint16(*s.hashWord(at) >> (at % 4 * 16)) }

func (s *Set) hashWord(at uint16) *wheel.Time {
	s.bound(at)
	return s.word(s.room() + int(at/4))
}

// setHash gives a slot another hash.
func (s *Set) setHash(at, hash uint16) {
	w, shift := s.hashWord(at), at%4*16
	*w = *w&^(0xffff<<shift) | wheel.Time(hash)<<shift
}

// order returns the Turn.Order that set when a slot is due.
func (s *Set) order(at uint16) uint32 { return uint32(*s.orderWord(at) >> (at % 2 * 32)) }

// setOrder notes it.
func (s *Set) setOrder(at uint16, order uint32) {
	w, shift := s.orderWord(at), at%2*32
	*w = *w&^(0xffff_ffff<<shift) | wheel.Time(order)<<shift
}

func (s *Set) orderWord(at uint16) *wheel.Time {
	s.bound(at)
	room := s.room()
	return s.word(room + hashWords(room) + int(at/2))
}

// addSlot makes another slot. There must be room for it.
func (s *Set) addSlot(i *instance) (at uint16) {
	at = s.used
	s.used++
	*s.slot(at) = *i
	*s.key(at) = wheel.Never
	s.setHash(at, 0)
	s.setOrder(at, 0)
	return at
}

// The two halves of a hash. That of a definition is the same for all its versions, and
// never 0.
const (
	hashSpec   = 0xff00
	hashSource = 0x00ff
)

// hashOf returns the hash of an instance of that definition and source. An
// instance is a cache line, and an owner has dozens: those with another hash
// need not be looked at to find the one that an application joins.
func hashOf(spec *program, source OwnerID) uint16 {
	return uint16(1+uint32(spec.lineage)%255)<<8 | uint16(uint64(source)*0x9e3779b97f4a7c15>>56)
}

// rehash writes down the hash of an instance: it is new, or has another source.
func (s *Set) rehash(at uint16) { s.setHash(at, hashOf(s.specOf(s.slot(at)), s.slot(at).source)) }

// each16 is a one in each 16 bits.
const each16 = 1<<48 | 1<<32 | 1<<16 | 1

// wanted is what a hash has to be for its instance to be looked at.
type hashPattern struct{ hash, care uint64 } // the same four times

// patternFor returns what hashes have to be for an application.
func patternFor(a *Application) hashPattern {
	care := uint64(hashSpec)
	if a.Spec.Stack.By == define.BySource {
		care |= hashSource
	}
	return hashPattern{uint64(hashOf(a.Spec.program, a.Source)) * each16, care * each16}
}

// matches returns, for four hashes, the top bit of each that is as it has to be.
func (w hashPattern) matches(hashes wheel.Time) uint64 {
	const low = 0x7fff * each16
	x := (uint64(hashes) ^ w.hash) & w.care
	return ^(x&low + low | x | low) // where all 16 bits of x are 0
}

// findJoinable returns the slot of the oldest instance that an application joins, or noSlot.
func (s *Set) findJoinable(a *Application) uint16 {
	want, found := patternFor(a), uint16(noSlot)
	for k, word := range s.hashes() {
		for like := want.matches(word); like != 0; like &= like - 1 {
			at := uint16(4*k + bits.TrailingZeros64(like)/16)
			i := s.slot(at)
			if !s.sameDefinition(s.specOf(i), a.Spec.program) || !s.joins(i, a) {
				continue
			}
			if found == noSlot || s.age(i) <= s.age(s.slot(found)) {
				found = at
			}
		}
	}
	return found
}
