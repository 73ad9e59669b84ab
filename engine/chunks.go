package engine

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bufftick/bufftick/buff"
)

// chunk is memory for the events of turns. One list for the whole frame would be copied
// repeatedly as it grows. A turn starts with room for chunkRoom events, or half a chunk while
// chunks are small; if it needs more, its chunk grows.
//
// A chunk is free when the loop has merged every turn's events in it and the frame is over, even
// while owners are stuck. So all chunks together hold little more than one Tick can emit.
type chunk struct {
	events   []buff.Event  // written by the worker
	segments int32         // segments in it; written by the worker that fills it
	own      int8          // 1 + index in chunks.all; 0 if it is shared
	merged   atomic.Int32  // segments that the loop has merged
	at       atomic.Uint64 // frame of the last merged segment
}

// A small game only ever needs small chunks, so each worker has its own. Further chunks are
// shared.
const (
	firstChunk = 4
	chunkSize  = 1024
	chunkRoom  = 64 // the same as defaultTurnLimit
	mostOwn    = 8  // the next one would have chunkSize
)

// longChunk is the largest capacity that shrink keeps. A larger chunk has held an unusually
// long turn.
const longChunk = 4 * chunkSize

// isRead reports whether a chunk's events are no longer read by that frame.
func (c *chunk) isRead(frame uint64) bool {
	return c.merged.Load() == c.segments && c.at.Load() < frame // in this order: see Engine.flushMerged
}

func (c *chunk) empty() {
	c.segments = 0
	c.merged.Store(0)
}

// chunks is the chunk memory of a worker.
type chunks struct {
	spare *spareChunks
	now   *chunk          // backs turn.Events; nil if none
	all   [mostOwn]*chunk // the worker's own
	made  int             // number of chunks in all
	free  uint8           // bit set of the free ones
	used  highWater       // how many of them were used
}

// nextChunk provides room for the events of a turn.
func (l *workerState) nextChunk() {
	s, full := &l.chunks, (*chunk)(nil)
	if s.now != nil {
		s.now.events = l.turn.Events // it may have been reallocated
		if s.now.own == 0 {
			full = s.now
		}
	}
	switch {
	case s.free != 0 && full == nil:
		k := bits.TrailingZeros8(s.free)
		s.free &^= 1 << k
		s.now = s.all[k]
	case s.made < mostOwn && full == nil:
		s.now = &chunk{own: int8(s.made + 1), events: make([]buff.Event, 0, firstChunk<<s.made)}
		s.all[s.made] = s.now
		s.made++
	default:
		s.now = s.spare.get(full)
	}
	s.used.used(int(s.now.own))
	l.turn.Events = s.now.events[:0]
}

// emptyRead frees the worker's chunks that the frame no longer reads, while some owners are busy.
// The loop checks the shared ones.
func (l *workerState) emptyRead(frame uint64) {
	s := &l.chunks
	for k, c := range s.all[:s.made] {
		if c != s.now && s.free>>k&1 == 0 && c.isRead(frame) {
			s.put(c)
		}
	}
	if s.now != nil && s.now.isRead(frame) {
		s.now.empty()
		l.turn.Events = l.turn.Events[:0]
	}
}

// emptyAll frees all chunks. The loop calls it while no owner is busy.
func (l *workerState) emptyAll() {
	s := &l.chunks
	if s.now != nil {
		s.now.events = l.turn.Events
		if s.now.own == 0 {
			s.spare.put(s.now)
		}
	}
	for _, c := range s.all[:s.made] {
		s.put(c)
	}
	s.now, l.turn.Events = nil, nil
}

// put frees one of the worker's own chunks.
func (s *chunks) put(c *chunk) {
	c.empty()
	s.free |= 1 << (c.own - 1)
}

// shrink drops the worker's chunks that were not used, and shrinks very long ones. All must be
// free.
func (s *chunks) shrink() {
	most := min(max(1, int(s.used)), s.made)
	clear(s.all[most:])
	s.made, s.free, s.used = most, 1<<most-1, 0
	for _, c := range s.all[:most] {
		if cap(c.events) > longChunk {
			c.events = make([]buff.Event, 0, chunkSize)
		}
	}
}

// spareChunks are the shared chunks.
type spareChunks struct {
	mu   sync.Mutex
	list []*chunk // capacity of all chunks in list
	room int      // limit of room
	most int      // that room may be
	full []*chunk // may still be read
	out  int      // number of chunks in use
	used highWater
}

// init sets the limit of memory to keep: limit is the most events that the turns of a Tick emit.
// A turn that does not fit wastes less than chunkRoom of a chunk, and each worker has one partly
// filled chunk.
func (s *spareChunks) init(limit, workers int) {
	s.most = limit + limit/8 + workers*chunkSize
}

// get returns a free chunk, and takes a full one in exchange unless it is nil.
func (s *spareChunks) get(full *chunk) *chunk {
	s.mu.Lock()
	defer s.mu.Unlock()
	if full != nil {
		s.full = append(s.full, full)
	}
	s.out++
	s.used.used(s.out)
	last := len(s.list) - 1
	if last < 0 {
		return &chunk{events: make([]buff.Event, 0, chunkSize)}
	}
	c := s.list[last]
	s.list[last], s.list = nil, s.list[:last]
	s.room -= cap(c.events)
	return c
}

func (s *spareChunks) put(c *chunk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free(c)
}

// free makes a chunk available again, or leaves it to the garbage collector if there are enough.
func (s *spareChunks) free(c *chunk) {
	s.out--
	if n := cap(c.events); s.room+n <= s.most {
		c.empty()
		s.list = append(s.list, c)
		s.room += n
	}
}

// emptyRead frees the full chunks that the frame no longer reads: all of them if all is set.
func (s *spareChunks) emptyRead(frame uint64, all bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.full = slices.DeleteFunc(s.full, func(c *chunk) bool {
		over := all || c.isRead(frame)
		if over {
			s.free(c)
		}
		return over
	})
}

// shrink drops the chunks that were not used, and very long ones. All must be free.
func (s *spareChunks) shrink() {
	s.list = slices.DeleteFunc(s.list, func(c *chunk) bool { return cap(c.events) > longChunk })
	if most := int(s.used); len(s.list) > most {
		s.list = slices.Clone(s.list[:most])
	}
	s.room, s.used = 0, 0
	for _, c := range s.list {
		s.room += cap(c.events)
	}
}

// mergedCount counts merged segments of one chunk: consecutive turns often share one.
type mergedCount struct {
	from *chunk
	n    int32 // segments not yet counted in the chunk
}

// countMerged counts a merged segment of a chunk.
func (e *Engine) countMerged(from *chunk) {
	if from != e.merging.from {
		e.flushMerged()
		e.merging.from = from
	}
	e.merging.n++
}

// flushMerged updates the counts of the current chunk. The frame number is stored first: see
// chunk.isRead.
func (e *Engine) flushMerged() {
	t := &e.merging
	if t.from != nil {
		t.from.at.Store(e.frames.Load())
		t.from.merged.Add(t.n)
		*t = mergedCount{}
	}
}
