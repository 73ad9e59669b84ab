package engine

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bufftick/bufftick/buff"
)

// chunk is memory for the events of turns. The events of a frame are stored in many chunks,
// because a single list would be copied repeatedly as it grows. A turn starts in a chunk that has
// room for chunkRoom more events or, while chunks are small, for half a chunk. If the turn needs
// more room, its chunk grows.
//
// A chunk is free when the loop has merged the events of all turns in it and the frame is over,
// even while some owners are stuck. Therefore all chunks together hold little more than the events
// that one Tick can emit.
type chunk struct {
	events   []buff.Event  // written by the worker
	segments int32         // number of segments (results of turns) in it; written by the worker
	own      int8          // 1 + index in chunks.all, or 0 for a shared chunk
	merged   atomic.Int32  // number of segments that the loop has merged
	at       atomic.Uint64 // frame in which the loop last merged a segment
}

// Chunk sizes, in events. A small game only needs small chunks, so each worker has a few chunks of
// its own, each twice as large as the one before. Further chunks, of chunkSize, are shared by all
// workers.
const (
	firstChunk = 4
	chunkSize  = 1024
	chunkRoom  = 64 // the same as defaultTurnLimit
	mostOwn    = 8  // maximum number of a worker's own chunks; a ninth would have the size chunkSize
)

// longChunk is the largest capacity that shrink keeps. A chunk becomes larger only if a turn has an
// unusual number of events.
const longChunk = 4 * chunkSize

// isRead reports whether the loop has merged all segments of the chunk, and did so before the given
// frame. That frame then does not use the chunk.
func (c *chunk) isRead(frame uint64) bool {
	// The order of these loads matters: see Engine.flushMerged.
	return c.merged.Load() == c.segments && c.at.Load() < frame
}

func (c *chunk) empty() {
	c.segments = 0
	c.merged.Store(0)
}

// chunks is the chunk memory of a worker.
type chunks struct {
	spare *spareChunks
	now   *chunk          // the chunk to which turn.Events belongs; nil if there is none
	all   [mostOwn]*chunk // the chunks that belong to the worker
	made  int             // length of the used part of `all`
	free  uint8           // bit set: indexes in `all` of the free chunks
	used  highWater       // largest number of own chunks in use
}

// hasRoom reports whether the chunk has room for the events of a turn.
func (l *workerState) hasRoom() bool {
	n := cap(l.turn.Events)
	return n-len(l.turn.Events) >= min(chunkRoom, n/2+1)
}

// nextChunk gives the worker's Turn a chunk with room for the events of a turn.
func (l *workerState) nextChunk() {
	s, full := &l.chunks, (*chunk)(nil)
	if s.now != nil {
		s.now.events = l.turn.Events // append may have reallocated the events
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

// emptyRead frees the worker's own chunks that the given frame no longer uses. It is called while
// some owners are busy. The loop does the same for the shared chunks.
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

// emptyAll frees all chunks of the worker. The loop calls it while no owner is busy.
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

// shrink drops chunks that the worker has not used since the last call, and chunks that have grown
// too long. All of the worker's chunks must be free.
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

// spareChunks holds the chunks that all workers share.
type spareChunks struct {
	mu   sync.Mutex
	list []*chunk // free chunks
	room int      // total capacity of the chunks in `list`, in events
	most int      // upper limit of `room`
	full []*chunk // full chunks that may still be read
	out  int      // number of chunks in use
	used highWater
}

// init sets the limit of memory to keep. The parameter `limit` is the largest number of events that
// the turns of a Tick emit. The chunks need some more room than that. A turn that does not fit into
// the rest of a chunk leaves this rest unused, which is always less than chunkRoom events. Each
// worker also has one partly filled chunk.
func (s *spareChunks) init(limit, workers int) {
	s.most = limit + limit/8 + workers*chunkSize
}

// get returns a free chunk. If `full` is not nil, get takes that chunk in exchange.
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

// free makes a chunk available again, or leaves it to the garbage collector if there is enough free
// memory.
func (s *spareChunks) free(c *chunk) {
	s.out--
	if n := cap(c.events); s.room+n <= s.most {
		c.empty()
		s.list = append(s.list, c)
		s.room += n
	}
}

// emptyRead frees the full chunks that the frame no longer uses. If `all` is set, it frees all full
// chunks.
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

// shrink drops chunks that were not used since the last call, and chunks that have grown too long.
// All chunks must be free.
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

// mergedCount counts merged segments of one chunk before they are added to chunk.merged.
// Consecutive turns often share a chunk, so this saves atomic operations.
type mergedCount struct {
	from *chunk
	n    int32 // segments not yet counted in the chunk
}

// countMerged counts one merged segment of a chunk.
func (d *dispatcher) countMerged(from *chunk) {
	if from != d.merging.from {
		d.flushMerged()
		d.merging.from = from
	}
	d.merging.n++
}

// flushMerged adds the count to its chunk. It stores the frame number before the count, because
// chunk.isRead loads them in the opposite order.
func (d *dispatcher) flushMerged() {
	t := &d.merging
	if t.from != nil {
		t.from.at.Store(d.engine.frames.Load())
		t.from.merged.Add(t.n)
		*t = mergedCount{}
	}
}
