package history

import (
	"slices"
	"sync"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

const (
	// Span is how much game time a Recorder keeps at most, in ms: a minute.
	Span wheel.Time = 60_000

	// MinBytes is the least size of a Recorder: two chunks.
	MinBytes = 2 * chunkBytes

	// DefaultBytes is a size for most games: some 800,000 events.
	DefaultBytes = 32 << 20

	chunkBytes = 64 << 10
	chunkWords = chunkBytes / 8
	firstWords = 1 << 6 // of the first chunk, which grows: most engines in a process of many have few events
)

// Recorder keeps the events of the last minute. Make one with [New]. One goroutine writes, with
// [Recorder.Begin], [Recorder.Add] and [Recorder.End]; any goroutine may call the other methods.
type Recorder struct {
	mu     sync.Mutex
	limit  int // chunks
	chunks []*chunk
	free   []*chunk
	first  uint64 // the number of chunks[0]: how many were dropped before it
	at     *chunk // the last of chunks
	events uint64
	known  wheel.Time // what happened in a frame at it or later is known

	places []place // by lineage
	last   string  // the name that was put last
	name   uint16  // its place, plus one
}

// place is where in the table of the chunk in hand a definition stands.
type place struct {
	spec *buff.Spec
	in   uint64 // the chunk's number, plus one
	at   uint16
}

// chunk is some records in a row, with what they refer to.
type chunk struct {
	context
	tables
	words  []uint64
	n      int // of words
	events int
	since  wheel.Time // Seen of the first and of the last event
	until  wheel.Time
	number uint64 // counted from 1
}

// tables is what records refer to.
type tables struct {
	specs []*buff.Spec
	names []string
}

// New returns a Recorder that needs no more than so many bytes, beside the names that
// events refer to; less, as long as there is less to keep. It panics if that is below MinBytes.
func New(bytes int) *Recorder {
	if bytes < MinBytes {
		panic("history: New with less than MinBytes")
	}
	return &Recorder{limit: bytes / chunkBytes}
}

// Begin begins a frame at an instant: what is older than Span by then is dropped. Until End, those who
// read wait.
func (r *Recorder) Begin(now wheel.Time) {
	r.mu.Lock()
	for len(r.chunks) > 0 && r.chunks[0].until < now-Span {
		r.drop()
	}
}

// End ends a frame.
func (r *Recorder) End() { r.mu.Unlock() }

// Add takes in what happened, in its order. It keeps none of the slice.
func (r *Recorder) Add(events []buff.Event) {
	r.events += uint64(len(events))
	r.put(events)
}

// put writes records.
func (r *Recorder) put(events []buff.Event) {
	for len(events) > 0 {
		c := r.at
		if c == nil || len(c.words)-c.n < mostWords {
			c = r.room(events[0].Seen)
		}
		n := r.fill(c, events)
		events = events[n:]
	}
}

// fill takes as many events into a chunk as it has room for, and returns their number: at least one.
func (r *Recorder) fill(c *chunk, events []buff.Event) int {
	words, n, k := c.words, c.n, 0
	c.since = min(c.since, events[0].Seen) // a worker may have noted something of this frame already
	last, spec := (*buff.Spec)(nil), uint16(0)
	for k < len(events) && n <= len(words)-mostWords {
		e := &events[k]
		name := uint16(0)
		if e.Spec != last {
			last, spec = e.Spec, 0
			if last != nil {
				spec = r.placeOf(c, last)
			}
		}
		if e.Name != "" {
			name = r.placeOfName(c, e.Name)
		}
		n += c.put((*[mostWords]uint64)(words[n:]), e, spec, name)
		k++
	}
	c.n = n
	c.events += k
	c.until = max(c.until, c.seen)
	return k
}

// room returns a chunk that has room for a record.
func (r *Recorder) room(seen wheel.Time) *chunk {
	c := r.at
	if c != nil && len(c.words) < chunkWords {
		c.words = append(c.words, make([]uint64, len(c.words))...)
		return c
	}
	if len(r.chunks) == r.limit {
		r.drop()
	}
	number, size := r.first+uint64(len(r.chunks))+1, chunkWords
	if number == 1 {
		size = firstWords
	}
	if n := len(r.free); n > 0 {
		c, r.free = r.free[n-1], r.free[:n-1]
		*c = chunk{words: c.words, tables: tables{c.specs[:0], c.names[:0]}}
	} else {
		c = &chunk{words: make([]uint64, size)}
	}
	c.since, c.number = seen, number
	r.chunks, r.at, r.last = append(r.chunks, c), c, ""
	return c
}

// drop forgets the oldest chunk. Of those that were dropped a few wait to be used again.
func (r *Recorder) drop() {
	c := r.chunks[0]
	r.chunks = slices.Delete(r.chunks, 0, 1)
	r.first++
	r.known = c.until + 1
	if r.at == c {
		r.at = nil
	}
	clear(c.specs)
	clear(c.names)
	if len(c.words) == chunkWords {
		r.free = append(r.free, c)
	}
	if most := 1 + len(r.chunks)/4; len(r.free) > most {
		clear(r.free[most:])
		r.free = r.free[:most]
	}
}

// placeOf returns where in the chunk's table a definition stands. It is there more than once only if two
// versions of it take turns.
func (r *Recorder) placeOf(c *chunk, s *buff.Spec) uint16 {
	k := s.Lineage()
	if k >= len(r.places) {
		r.places = append(r.places, make([]place, k+1-len(r.places))...)
	}
	p := &r.places[k]
	if p.spec != s || p.in != c.number {
		c.specs = append(c.specs, s)
		*p = place{spec: s, in: c.number, at: uint16(len(c.specs))}
	}
	return p.at
}

func (r *Recorder) placeOfName(c *chunk, name string) uint16 {
	if name != r.last {
		c.names = append(c.names, name)
		r.last, r.name = name, uint16(len(c.names))
	}
	return r.name
}

// Since returns from when on all that happened is known: the instant of a frame. Any goroutine may call
// it.
func (r *Recorder) Since() wheel.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known
}

// Stats is what a Recorder holds.
type Stats struct {
	Events uint64 // that it has taken in since New
	Kept   int    // of them, those that can be read
	Bytes  int    // the memory that it has taken
}

// Stats returns what it holds. Any goroutine may call it; it costs O(chunks).
func (r *Recorder) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := Stats{Events: r.events}
	for _, list := range [...][]*chunk{r.chunks, r.free} {
		for _, c := range list {
			s.Bytes += 8*len(c.words) + 8*cap(c.specs) + 16*cap(c.names)
		}
	}
	for _, c := range r.chunks {
		s.Kept += c.events
	}
	return s
}
