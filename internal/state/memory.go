package state

import (
	"encoding/binary"
	"math/bits"
)

// Memory is the memory of an Owner that [Decode] has read. If many blobs are read into one Memory,
// reading does not allocate. The zero value is empty.
type Memory struct {
	coder    coder
	owner    Owner
	buffs    []Buff
	tags     []Tag
	returns  []Return
	timeouts []Timeout
	stacks   []Stack
	values   []Value
	ids      []uint64
	numbers  []int64
	moments  []Moment

	// The map `names` has the names that were read before, because the blobs of a server contain
	// the same few names. The array `cache` has the latest of these names, with the numbers of
	// their definitions.
	names  map[string]string
	cache  [64]numbered
	number func(name string) int32
}

// noMemory is for coders that do not read.
var noMemory Memory

type numbered struct {
	name   string
	number int32
}

// Limits of the memory that is kept between two blobs, so that a hostile blob does not occupy
// memory for long.
const (
	MaxKept   = 1024 // largest number of entries of one kind
	maxName   = 128  // largest length of a name, in bytes
	mostNames = 4096 // largest number of names
)

// Numbers sets the function that looks up [Buff].Number: it returns the number of the definition
// with the given name. The number of a known definition is above 0; the number of an unknown
// definition is 0. The function may be called only once for each name, so its result must not
// change.
func (m *Memory) Numbers(f func(name string) int32) {
	m.number, m.cache = f, [len(m.cache)]numbered{}
}

func (m *Memory) reset() {
	if max(cap(m.buffs), cap(m.stacks), cap(m.values), cap(m.ids), cap(m.numbers), cap(m.tags), cap(m.returns), cap(m.timeouts)) > MaxKept || len(m.names) > mostNames {
		*m = Memory{number: m.number}
		return
	}
	m.owner = Owner{}
	m.buffs, m.tags, m.returns, m.timeouts = m.buffs[:0], m.tags[:0], m.returns[:0], m.timeouts[:0]
	m.stacks, m.values, m.ids, m.numbers = m.stacks[:0], m.values[:0], m.ids[:0], m.numbers[:0]
	m.moments = m.moments[:0]
}

// Reset empties the memory, and releases memory above the limits.
func (m *Memory) Reset() {
	m.reset()
	m.coder = coder{}
}

// name returns a name with its number. The string is allocated only when the name is read for the
// first time.
func (m *Memory) name(b []byte) *numbered {
	k := &m.cache[hash(b)%uint64(len(m.cache))]
	if k.name == string(b) {
		return k
	}
	s, ok := m.names[string(b)]
	if !ok {
		s = string(b)
		if len(s) <= maxName {
			if m.names == nil {
				m.names = map[string]string{}
			}
			m.names[s] = s
		}
	}
	*k = numbered{name: s}
	if m.number != nil {
		k.number = m.number(s)
	}
	return k
}

func hash(b []byte) uint64 {
	h := uint64(len(b))
	if n := len(b); n >= 8 {
		h ^= binary.LittleEndian.Uint64(b) ^ binary.LittleEndian.Uint64(b[n-8:])<<1
	} else {
		for _, c := range b {
			h = h<<8 | uint64(c)
		}
	}
	high, low := bits.Mul64(h, 0x9e3779b97f4a7c15)
	return high ^ low
}
