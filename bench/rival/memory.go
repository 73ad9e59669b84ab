package rival

import "github.com/bufftick/bufftick/bench/gauge"

// memory measures accesses to memory. Each word that is read determines the next address, so the
// processor cannot predict the address. No data structure of the same size can look up a value
// faster.
type memory struct {
	words []uint64
	at    uint64
}

// line is the number of words in a cache line.
const line = 8

func newMemory(bytes int) *memory {
	m := &memory{words: make([]uint64, max(line, bytes/8))}
	for i := 0; i < len(m.words); i += line {
		m.words[i] = 1 // make all pages different, because pages of zeros may share memory
	}
	return m
}

// access returns the processor time in ns of one access to a random address within the given number
// of bytes. If these bytes fit into a cache, they are loaded into the cache before the measurement.
func (m *memory) access(bytes int) float64 {
	const measured, warm = 200_000, 1_000_000
	lines := uint64(max(0, min(len(m.words), bytes/8)) / line)
	if lines == 0 {
		return 0
	}
	m.walk(lines, int(min(2*lines, warm)))
	start := gauge.CPU()
	m.walk(lines, measured)
	return float64(gauge.CPU()-start) / measured
}

func (m *memory) walk(lines uint64, steps int) {
	for range steps {
		m.at = m.at*6364136223846793005 + 1442695040888963407
		m.at += m.words[m.place(lines)]
	}
}

// place returns the index of the first word of the cache line that is read next.
func (m *memory) place(lines uint64) uint64 { return m.at >> 32 * lines >> 32 * line }
