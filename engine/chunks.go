package engine

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/bufftick/bufftick/buff"
)

// chunk is memory for events that turns bring. A list of all that a frame brings would be copied again and
// again while it grows. A turn that begins has room for chunkRoom events, or for half a chunk as long as those
// are small; what is more makes its chunk grow.
//
// A chunk is free when the loop has taken in what each turn has left there, in a frame that is over, whoever
// is stuck: so all chunks together have room for what one Tick may bring, and little more.
type chunk struct {
	events []buff.Event  // the worker's
	left   int32         // segments that lie here; the worker's, who fills it
	own    int8          // its place in chunks.all, plus one; 0: it is no worker's own
	taken  atomic.Int32  // of the segments
	at     atomic.Uint64 // the frame of the last one
}

// A game of ten players has small chunks for good: the first ones of each worker are its own. The others
// are everybody's.
const (
	firstChunk = 4
	chunkSize  = 1024
	chunkRoom  = 64 // as many as defaultTurnLimit
	mostOwn    = 8  // the next one would have chunkSize
)

// longChunk is the room of a chunk in which one turn has brought very much.
const longChunk = 4 * chunkSize

// read reports whether nobody reads any more, in that frame, what lies in a chunk.
func (c *chunk) read(frame uint64) bool {
	return c.taken.Load() == c.left && c.at.Load() < frame // in this order: see Engine.takenIn
}

// empty makes a chunk as new.
func (c *chunk) empty() {
	c.left = 0
	c.taken.Store(0)
}

// chunks are those of a worker.
type chunks struct {
	spare *spareChunks
	now   *chunk          // that turn.Events is; nil: none
	all   [mostOwn]*chunk // its own
	made  int             // of them
	free  uint8           // of them, a bit each
	used  highWater       // of them
}

// nextChunk makes room for the events of a turn.
func (l *workerState) nextChunk() {
	s, full := &l.chunks, (*chunk)(nil)
	if s.now != nil {
		s.now.events = l.turn.Events // it may have grown
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

// emptyRead makes those free that nobody reads any more in that frame, where somebody is busy. Those
// that are everybody's the loop looks at.
func (l *workerState) emptyRead(frame uint64) {
	s := &l.chunks
	for k, c := range s.all[:s.made] {
		if c != s.now && s.free>>k&1 == 0 && c.read(frame) {
			s.put(c)
		}
	}
	if s.now != nil && s.now.read(frame) {
		s.now.empty()
		l.turn.Events = l.turn.Events[:0]
	}
}

// emptyAll makes all of them free, on the loop: nobody is busy.
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

// put makes one of its own free.
func (s *chunks) put(c *chunk) {
	c.empty()
	s.free |= 1 << (c.own - 1)
}

// giveBack frees those of its own that were not used, and very long ones. All are free.
func (s *chunks) giveBack() {
	most := min(max(1, int(s.used)), s.made)
	clear(s.all[most:])
	s.made, s.free, s.used = most, 1<<most-1, 0
	for _, c := range s.all[:most] {
		if cap(c.events) > longChunk {
			c.events = make([]buff.Event, 0, chunkSize)
		}
	}
}

// spareChunks are those that are no worker's own.
type spareChunks struct {
	mu   sync.Mutex
	list []*chunk // free ones
	room int      // of all of list
	most int      // that room may be
	full []*chunk // which may be read still
	out  int      // that are not free
	used highWater
}

// init says how much the turns of a Tick bring at most, and how many workers there are. A turn that does
// not find room leaves less than chunkRoom of a chunk, and each worker has one that is not full.
func (s *spareChunks) init(limit, workers int) {
	s.most = limit + limit/8 + workers*chunkSize
}

// get takes one, in the place of one that is full, if that is not nil.
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

// put takes one back.
func (s *spareChunks) put(c *chunk) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free(c)
}

// free makes one free, or leaves it to the collector if there is room enough.
func (s *spareChunks) free(c *chunk) {
	s.out--
	if n := cap(c.events); s.room+n <= s.most {
		c.empty()
		s.list = append(s.list, c)
		s.room += n
	}
}

// emptyRead makes those free that nobody reads any more in that frame: all, if nobody is busy.
func (s *spareChunks) emptyRead(frame uint64, all bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.full = slices.DeleteFunc(s.full, func(c *chunk) bool {
		over := all || c.read(frame)
		if over {
			s.free(c)
		}
		return over
	})
}

// giveBack frees those that were not used, and very long ones. All are free.
func (s *spareChunks) giveBack() {
	s.list = slices.DeleteFunc(s.list, func(c *chunk) bool { return cap(c.events) > longChunk })
	if most := int(s.used); len(s.list) > most {
		s.list = slices.Clone(s.list[:most])
	}
	s.room, s.used = 0, 0
	for _, c := range s.list {
		s.room += cap(c.events)
	}
}

// taking is where the loop takes from: turns that come one after the other often lie in one chunk.
type taking struct {
	from *chunk
	n    int32 // segments, which it has not been told of
}

// takeFrom notes that a segment of that chunk is taken in.
func (e *Engine) takeFrom(from *chunk) {
	if from != e.taking.from {
		e.takenIn()
		e.taking.from = from
	}
	e.taking.n++
}

// takenIn tells a chunk what has been taken in: first the frame in which that may be read.
func (e *Engine) takenIn() {
	t := &e.taking
	if t.from != nil {
		t.from.at.Store(e.frames.Load())
		t.from.taken.Add(t.n)
		*t = taking{}
	}
}
