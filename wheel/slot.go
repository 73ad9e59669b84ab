package wheel

import (
	"math/bits"
)

// A Wheel has 2,713 slots, and nearly all of them are empty while it has few timers. Such a Wheel
// is called sparse: only nonempty slots have a queue, and a table with one byte per slot contains
// the number of the queue. When there are sparseLimit timers, the Wheel becomes dense: every slot
// has a queue, in one array.

// sparseLimit is the number of timers at which a Wheel becomes dense.
const sparseLimit = 512

// queuePage is a block of queues of a sparse Wheel. Pages never move.
type queuePage [16]queue

// overflow marks a slot whose queue is in sparseSlots.more, because all numbers are in use.
const overflow = 255

// sparseSlots holds the queues of a sparse Wheel.
//
// Invariant: number[i] is nonzero if and only if slot i is not empty or is the late slot. While a
// method of Wheel runs, number[i] may also be nonzero for an empty slot if the method will release
// that slot's queue.
type sparseSlots struct {
	number []uint8 // by slot: the number of the slot's queue, or 0
	pages  []*queuePage
	free   []uint8           // unused numbers
	more   map[uint32]*queue // by slot: queues for which there was no unused number
	none   queue             // shared by all empty slots; read-only
}

// setSlots creates n empty slots.
func (w *Wheel) setSlots(n uint32) {
	w.sparse = &sparseSlots{number: make([]uint8, n), none: emptyQueue}
	w.sparse.ensure(late)
}

// queue returns the queue of a slot for reading. To write to a slot that may be empty, use
// [Wheel.writableQueue].
func (w *Wheel) queue(slot uint32) *queue {
	if w.slots != nil {
		return &w.slots[slot]
	}
	return w.sparse.queue(slot)
}

func (s *sparseSlots) queue(slot uint32) *queue {
	switch k := s.number[slot]; k {
	case 0:
		return &s.none
	case overflow:
		return s.more[slot]
	default:
		return s.at(k)
	}
}

func (s *sparseSlots) at(k uint8) *queue {
	return &s.pages[int(k)/len(queuePage{})][int(k)%len(queuePage{})]
}

// writableQueue returns the queue of a slot for adding entries. If the slot was empty and stays
// empty, the caller must call [Wheel.releaseQueue].
func (w *Wheel) writableQueue(slot uint32) *queue {
	if w.slots != nil {
		return &w.slots[slot]
	}
	return w.sparse.ensure(slot)
}

func (s *sparseSlots) ensure(slot uint32) *queue {
	if s.number[slot] != 0 {
		return s.queue(slot)
	}
	if len(s.free) == 0 && !s.page() {
		if s.more == nil {
			s.more = map[uint32]*queue{}
		}
		q := emptyQueue
		s.number[slot], s.more[slot] = overflow, &q
		return &q
	}
	last := len(s.free) - 1
	s.number[slot], s.free = s.free[last], s.free[:last]
	return s.at(s.number[slot])
}

// page allocates a page of free queues. It returns false if all numbers are in use.
func (s *sparseSlots) page() bool {
	from := len(s.pages) * len(queuePage{})
	if from > overflow {
		return false
	}
	p := new(queuePage)
	s.pages = append(s.pages, p)
	for k := len(p) - 1; k >= 0; k-- {
		p[k] = emptyQueue
		if n := from + k; n > 0 && n < overflow { // 0 means no queue
			s.free = append(s.free, uint8(n))
		}
	}
	return true
}

// releaseQueue releases the queue of a slot that has become empty. The queue must not be used
// afterwards.
func (w *Wheel) releaseQueue(slot uint32) {
	s := w.sparse
	if s == nil {
		return
	}
	if k := s.number[slot]; k == overflow {
		delete(s.more, slot)
	} else {
		s.free = append(s.free, k)
	}
	s.number[slot] = 0
}

// makeDense moves all slots into one array. No queue obtained earlier may be used afterwards.
func (w *Wheel) makeDense() {
	s := w.sparse
	slots := make([]queue, len(s.number))
	for i := range slots {
		slots[i] = *s.queue(uint32(i))
	}
	w.slots, w.sparse = slots, nil
}

// count returns the number of slots.
func (w *Wheel) count() int {
	if w.sparse != nil {
		return len(w.sparse.number)
	}
	return len(w.slots)
}

// entry represents a timer in a slot. When a slot is moved, only its entries are moved; most
// levels do not read the timers.
type entry struct {
	timer uint32
	stamp uint32 // the entry is alive while its stamp equals the stamp of the timer
	// Lower 32 bits of the deadline. The upper bits are implied by the slot. Unused on a wide
	// level, whose slots are longer than 2^32 ms.
	due uint32
}

const (
	chunkEntries = 85
	chunkBits    = 1
	pageChunks   = 1 << chunkBits
)

// chunk is a block of entries of a queue, one kilobyte long.
type chunk struct {
	next  uint32 // next chunk of the queue or of the free list
	entry [chunkEntries]entry
}

// queue is a FIFO of the entries of a slot. A single entry needs no chunk. Two queues fill one
// cache line.
//
// Invariants, where n is the result of [queue.n]:
//
//	n = 0  no chunk; the queue equals emptyQueue, except for the field "only"
//	n = 1  no chunk, and the field "only" holds the entry; or in a chunk, as for n > 1
//	n > 1  the entries are in the chunks from first to end, from head in the first chunk up to
//	       tail in the last chunk; "only" is the first entry that was pushed
//
// In a queue without a chunk, the field "tail" has the value for a full chunk, so that push needs
// to check only that field.
type queue struct {
	end    *chunk // last chunk
	first  uint32
	before int32 // number of entries in all chunks but the last; n() = before + tail
	only   [1]entry
	head   uint8
	tail   uint8
	mixed  bool // the entries pushed since the queue was last empty have different values of "due"
}

var emptyQueue = queue{before: -chunkEntries, tail: chunkEntries}

// n returns the number of entries in the queue.
func (q *queue) n() uint32 { return uint32(q.before + int32(q.tail)) }

// clear empties a queue that has no chunk.
func (q *queue) clear() { *q = emptyQueue }

func (w *Wheel) chunk(c uint32) *chunk { return &w.chunks[c>>chunkBits][c%pageChunks] }

// push appends an entry to the queue and reports whether the queue was empty. Wheel.place contains
// an inlined copy.
func (w *Wheel) push(q *queue, e entry) (alone bool) {
	if q.tail == chunkEntries {
		if q.before == -chunkEntries { // empty
			q.only[0], q.before = e, 1-chunkEntries
			return true
		}
		w.extend(q)
	}
	q.end.entry[q.tail] = e
	q.tail++
	if e.due != q.only[0].due && !q.mixed {
		q.mixed = true
	}
	return false
}

// pushAll appends entries to a nonempty queue.
func (w *Wheel) pushAll(q *queue, batch []entry) {
	for len(batch) > 0 {
		if q.tail == chunkEntries {
			w.extend(q)
		}
		n := copy(q.end.entry[q.tail:], batch)
		q.tail += uint8(n)
		batch = batch[n:]
	}
}

// extend adds a chunk to the queue. If it is the first chunk, the single entry is moved into it.
func (w *Wheel) extend(q *queue) {
	c := w.freeChunk
	if c != 0 {
		w.freeChunk = w.chunk(c).next
	} else {
		c = w.madeChunks
		if c%pageChunks == 0 {
			w.chunks = append(w.chunks, new([pageChunks]chunk))
		}
		if c == 0 {
			c = 1 // chunk 0 means no chunk
		}
		w.madeChunks = c + 1
	}
	end := w.chunk(c)
	if q.first == 0 {
		end.entry[0] = q.only[0]
		q.first, q.end, q.before, q.tail = c, end, 0, 1
		return
	}
	q.end.next = c
	q.end, q.tail = end, 0
	q.before += chunkEntries
}

// front returns up to k entries from the first chunk.
func (w *Wheel) front(q *queue, k uint32) []entry {
	k = min(k, q.n())
	if q.first == 0 {
		return q.only[:k]
	}
	head := uint32(q.head)
	return w.chunk(q.first).entry[head:min(head+k, chunkEntries)]
}

// drop removes the first k entries, all of which must be in the first chunk.
func (w *Wheel) drop(q *queue, k int) {
	c := q.first
	q.head += uint8(k)
	q.before -= int32(k)
	switch {
	case q.n() == 0:
		q.clear()
	case q.head == chunkEntries:
		q.first, q.head = w.chunk(c).next, 0
	default:
		return
	}
	if c != 0 {
		w.chunk(c).next = w.freeChunk
		w.freeChunk = c
	}
}

// dropAll empties a queue.
func (w *Wheel) dropAll(q *queue) {
	if q.first != 0 {
		q.end.next = w.freeChunk
		w.freeChunk = q.first
	}
	q.clear()
}

// reading iterates over a queue without changing it.
type reading struct {
	q    *queue
	c    uint32 // current chunk
	at   uint32 // first unread entry of the chunk
	left uint32
}

func (w *Wheel) read(q *queue) reading { return reading{q, q.first, uint32(q.head), q.n()} }

// more returns the next entries, all from one chunk.
func (w *Wheel) more(r *reading) []entry {
	if r.c == 0 {
		r.left = 0
		return r.q.only[:]
	}
	c := w.chunk(r.c)
	batch := c.entry[r.at:min(r.at+r.left, chunkEntries)]
	r.c, r.at = c.next, 0
	r.left -= uint32(len(batch))
	return batch
}

// freeSet is the set of free timers, as a bitmap. Successive calls to Add get neighbouring timers,
// regardless of the order in which the timers were freed. A free list would return timers scattered
// in memory.
//
// Invariant: bit i of words[k] is set if and only if words[k-1][i] is nonzero. Timer i is free if
// and only if its bit is set in words[0] or, as bit i-from, in the field "taken".
type freeSet struct {
	taken uint64       // the free timers for the next calls to Add, a word taken out of words[0]
	block *[word]timer // the timers whose bits are in the field "taken"
	from  uint32       // index of the first timer in the field "block"
	n     int          // number of free timers in the field "words"
	top   int          // index in words[2] at which find starts
	words [3][]uint64
}

// word is the number of timers in one word of words[0].
const word = 64

// add inserts a timer that is not in the set.
func (f *freeSet) add(i uint32) {
	if i/word == f.from/word {
		f.taken |= 1 << (i % word)
		return
	}
	f.n++
	at := int(i)
	for k := range f.words {
		i, bit := at/64, uint64(1)<<(at%64)
		for len(f.words[k]) <= i {
			f.words[k] = append(f.words[k], 0)
		}
		was := f.words[k][i]
		f.words[k][i] = was | bit
		if was != 0 {
			return
		}
		at = i
	}
	f.top = at
}

// len returns the number of free timers.
func (f *freeSet) len() int { return f.n + bits.OnesCount64(f.taken) }

// refill takes a nonzero word out of words[0] for the next calls to Add. It takes the word after
// the previous word, or any other nonzero word if that word is zero. At least one word must be
// nonzero.
func (f *freeSet) refill() {
	i := int(f.from/word) + 1
	if i >= len(f.words[0]) || f.words[0][i] == 0 {
		i = f.find()
	}
	f.taken, f.from = f.words[0][i], uint32(i*word)
	f.n -= bits.OnesCount64(f.taken)
	f.words[0][i] = 0
	for k := 1; k < len(f.words); k++ {
		bit := i % 64
		i /= 64
		if f.words[k][i] &^= 1 << bit; f.words[k][i] != 0 {
			break
		}
	}
}

// find returns the index of a nonzero word in words[0].
func (f *freeSet) find() int {
	coarse := f.words[2]
	for coarse[f.top] == 0 {
		if f.top++; f.top == len(coarse) {
			f.top = 0
		}
	}
	at := f.top
	for k := 2; k > 0; k-- {
		at = at*64 + bits.TrailingZeros64(f.words[k][at])
	}
	return at
}
