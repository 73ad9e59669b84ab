package rival

import "github.com/bufftick/bufftick/bench/gauge"

// memory is what the machine itself takes for one access to a place that nobody could
// foresee: it reads a word, and where the next one lies depends on what was read. No
// structure of that size can look something up in less time, whatever it is made of.
type memory struct {
	words []uint64
	at    uint64
}

// line is how many words the machine fetches at once.
const line = 8

func newMemory(bytes int) *memory {
	m := &memory{words: make([]uint64, max(line, bytes/8))}
	for i := 0; i < len(m.words); i += line {
		m.words[i] = 1 // or it would be the same page of zeros everywhere
	}
	return m
}

// access returns the ns of processor time of one access to the first so many bytes. What fits into a cache is
// there before the clock runs.
func (m *memory) access(bytes int) float64 {
	const measured, warm = 200_000, 1_000_000
	lines := uint64(max(0, min(len(m.words), bytes/8)) / line) // a small world may have less than was there before it
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

// place is the first word of the line that is next.
func (m *memory) place(lines uint64) uint64 { return m.at >> 32 * lines >> 32 * line }
