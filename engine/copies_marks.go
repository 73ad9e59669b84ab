package engine

import "sync/atomic"

// marks are a set of owner numbers. Different workers may change it at once, but not grow it.
type marks struct {
	words []uint64
	n     atomic.Int64
}

func (m *marks) has(number uint32) bool {
	return atomic.LoadUint64(&m.words[number/64])&(1<<(number%64)) != 0
}

func (m *marks) set(number uint32) {
	if m.has(number) { // as a rule: to write to what others look at costs more
		return
	}
	if bit := uint64(1) << (number % 64); atomic.OrUint64(&m.words[number/64], bit)&bit == 0 {
		m.n.Add(1)
	}
}

func (m *marks) clear(number uint32) {
	if bit := uint64(1) << (number % 64); atomic.AndUint64(&m.words[number/64], ^bit)&bit != 0 {
		m.n.Add(-1)
	}
}

// grow makes room for so many owners.
func (c *Copies) grow(owners int) {
	n := (owners + 63) / 64
	if n <= len(c.now.words) {
		return
	}
	c.lockAll(func() {
		for _, m := range [...]*marks{c.now, c.next} {
			m.words = append(m.words, make([]uint64, max(16, 2*n)-len(m.words))...)
		}
		c.table = append(c.table, make([]*owner, 64*len(c.now.words)-len(c.table))...)
	})
}
