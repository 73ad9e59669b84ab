package state

import (
	"encoding/binary"
	"math/bits"
)

// Memory is the memory of an Owner read by [Decode]. Reading many blobs into one Memory does not
// allocate. The zero value is empty.
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

	// names are names that were read before: the blobs of a server contain the same few. cache has
	// the latest ones, with their numbers.
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

// Memory above these limits is not kept, so that a hostile blob does not occupy it.
const (
	MaxKept   = 1024 // entries of one kind
	maxName   = 128  // bytes of a name
	mostNames = 4096
)

// Numbers sets the function that numbers definitions, above 0, for [Buff].Number; 0 is for unknown
// ones. It may be called once for each name.
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

// Reset empties the memory and returns it to its limits.
func (m *Memory) Reset() {
	m.reset()
	m.coder = coder{}
}

// name returns a name with its number. Its string is allocated only once.
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
