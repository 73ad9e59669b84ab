package history

import (
	"slices"
	"sync"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

const (
	// Span is the longest game time that a Recorder keeps, in ms: one minute.
	Span wheel.Time = 60_000

	// MinBytes is the smallest size of a Recorder: two chunks.
	MinBytes = 2 * chunkBytes

	// DefaultBytes is a size that suits most games: it has room for about 800,000 events.
	DefaultBytes = 32 << 20

	chunkBytes = 64 << 10
	chunkWords = chunkBytes / 8
	firstWords = 1 << 6 // initial size; the first chunk grows, because many engines have few events
)

// Recorder keeps the events of the last minute. Make one with [New]. One goroutine writes, with
// [Recorder.Begin], [Recorder.Add] and [Recorder.End]; any goroutine may call the other methods.
type Recorder struct {
	mu     sync.Mutex
	limit  int // maximum number of chunks
	chunks []*chunk
	free   []*chunk
	first  uint64 // number of chunks dropped so far
	at     *chunk // the last element of `chunks`
	events uint64
	known  wheel.Time // frames since this time are recorded completely

	places []place // by lineage
	last   string  // the name that was stored last
	name   uint16  // 1 + index of the name `last` in the current chunk's names
}

// place is the position of a definition in the table of the current chunk or of an earlier chunk.
type place struct {
	spec *buff.Spec
	in   uint64 // number of the chunk
	at   uint16 // 1 + index in the table
}

// chunk is a sequence of records and the tables that they refer to.
type chunk struct {
	context
	tables
	words  []uint64
	n      int // number of words in use
	events int
	since  wheel.Time // earliest Seen of an event
	until  wheel.Time // latest Seen of an event
	number uint64     // number of the chunk, from 1
}

// tables holds the definitions and names that records refer to.
type tables struct {
	specs []*buff.Spec
	names []string
}

// New returns a Recorder that uses at most the given number of bytes, not counting the names that
// events refer to. Memory is allocated only as events arrive. New panics if bytes is below
// MinBytes.
func New(bytes int) *Recorder {
	if bytes < MinBytes {
		panic("history: New with less than MinBytes")
	}
	return &Recorder{limit: bytes / chunkBytes}
}

// Begin starts a frame at the given instant, and drops chunks in which all events are older than
// Span. Readers wait until End.
func (r *Recorder) Begin(now wheel.Time) {
	r.mu.Lock()
	for len(r.chunks) > 0 && r.chunks[0].until < now-Span {
		r.drop()
	}
}

// End ends the current frame.
func (r *Recorder) End() { r.mu.Unlock() }

// Add records events, in their order. It does not retain the slice.
func (r *Recorder) Add(events []buff.Event) {
	r.events += uint64(len(events))
	r.put(events)
}

// put writes records of events. The caller must hold the lock.
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

// fill records as many events in a chunk as fit, at least one, and returns their number.
func (r *Recorder) fill(c *chunk, events []buff.Event) int {
	words, n, k := c.words, c.n, 0
	c.since = min(c.since, events[0].Seen) // Note may have recorded an earlier change
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

// room returns a chunk with room for a record.
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

// drop drops the oldest chunk. A few dropped chunks are kept for reuse.
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

// placeOf returns 1 + the index of a definition in the chunk's table. The table has a definition
// more than once only if two of its versions alternate.
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

// Since returns the time from which the record is complete: no event of a frame at this time or
// later was dropped. Any goroutine may call it.
func (r *Recorder) Since() wheel.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.known
}

// Stats says how much a Recorder holds.
type Stats struct {
	Events uint64 // number of events recorded since New
	Kept   int    // number of events still available
	Bytes  int    // memory in use
}

// Stats returns the present numbers. Any goroutine may call it; it costs O(chunks).
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
