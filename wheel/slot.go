package wheel

import (
	"math/bits"
)

// A Wheel has 2,713 slots, of which nearly all are empty when it has few timers. As long as it
// has few, only those have a queue that hold something, found by a number for each slot;
// afterwards all of them lie in one array, and none is looked for.

// fewTimers is how many timers a Wheel makes before its slots lie in one array.
const fewTimers = 512

// queuePage is a piece of the queues of a Wheel with few timers. Pages stay where they are.
type queuePage [16]queue

// beyond stands for a queue that has no number: there are only so many.
const beyond = 255

// fewSlots is where the slots are of a Wheel with few timers.
//
// Invariant: number[i] is not zero if and only if slot i is not empty, or is the late one. Between
// the begin and the end of a call it may be an empty slot's that the call will release.
type fewSlots struct {
	number []uint8 // by slot: of its queue
	pages  []*queuePage
	free   []uint8           // numbers that are not used
	more   map[uint32]*queue // by slot: those beyond
	none   queue             // what an empty slot has: nobody writes to it
}

// setSlots lays out n slots, all of them empty.
func (w *Wheel) setSlots(n uint32) {
	w.few = &fewSlots{number: make([]uint8, n), none: emptyQueue}
	w.few.need(late)
}

// queue returns the queue of a slot. If the slot is empty, it may be one that must not be
// written to: see [Wheel.filling].
func (w *Wheel) queue(slot uint32) *queue {
	if w.slots != nil {
		return &w.slots[slot]
	}
	return w.few.queue(slot)
}

func (s *fewSlots) queue(slot uint32) *queue {
	switch k := s.number[slot]; k {
	case 0:
		return &s.none
	case beyond:
		return s.more[slot]
	default:
		return s.at(k)
	}
}

func (s *fewSlots) at(k uint8) *queue {
	return &s.pages[int(k)/len(queuePage{})][int(k)%len(queuePage{})]
}

// filling returns the queue of a slot to which something is to be put. If the slot was empty,
// it must not be left so without a [Wheel.emptied].
func (w *Wheel) filling(slot uint32) *queue {
	if w.slots != nil {
		return &w.slots[slot]
	}
	return w.few.need(slot)
}

func (s *fewSlots) need(slot uint32) *queue {
	if s.number[slot] != 0 {
		return s.queue(slot)
	}
	if len(s.free) == 0 && !s.page() {
		if s.more == nil {
			s.more = map[uint32]*queue{}
		}
		q := emptyQueue
		s.number[slot], s.more[slot] = beyond, &q
		return &q
	}
	last := len(s.free) - 1
	s.number[slot], s.free = s.free[last], s.free[:last]
	return s.at(s.number[slot])
}

// page makes free queues, and reports whether there are numbers for them.
func (s *fewSlots) page() bool {
	from := len(s.pages) * len(queuePage{})
	if from > beyond {
		return false
	}
	p := new(queuePage)
	s.pages = append(s.pages, p)
	for k := len(p) - 1; k >= 0; k-- {
		p[k] = emptyQueue
		if n := from + k; n > 0 && n < beyond { // 0 stands for none
			s.free = append(s.free, uint8(n))
		}
	}
	return true
}

// emptied says that a slot holds nothing any more, and that nobody has its queue in hand.
func (w *Wheel) emptied(slot uint32) {
	s := w.few
	if s == nil {
		return
	}
	if k := s.number[slot]; k == beyond {
		delete(s.more, slot)
	} else {
		s.free = append(s.free, k)
	}
	s.number[slot] = 0
}

// spread puts all slots into one array. Nobody may have a queue in hand.
func (w *Wheel) spread() {
	s := w.few
	slots := make([]queue, len(s.number))
	for i := range slots {
		slots[i] = *s.queue(uint32(i))
	}
	w.slots, w.few = slots, nil
}

// count returns how many slots there are.
func (w *Wheel) count() int {
	if w.few != nil {
		return len(w.few.number)
	}
	return len(w.slots)
}

// entry stands for a timer in a slot. It is all that is moved when a hand reaches
// the slot: the timer itself is looked at only when it fires.
type entry struct {
	timer uint32
	stamp uint32 // alive while it equals the timer's; see timer
	due   uint32 // the deadline's lower bits: with the slot, all of it; on a wide level it means nothing
}

const (
	chunkEntries = 85
	chunkBits    = 1
	pageChunks   = 1 << chunkBits
)

// chunk is a piece of a queue: a kilobyte in a row.
type chunk struct {
	next  uint32 // in the queue, or in the list of free chunks
	entry [chunkEntries]entry
}

// queue holds the entries of a slot, first in, first out. A single one needs no chunk.
// Two queues are a cache line.
//
// Invariants, with n as [queue.n] has it:
//
//	n = 0  no chunk; the queue is emptyQueue, but for what only says
//	n = 1  no chunk, and only is the entry; or as below
//	n > 0  the entries lie in the chunks from first to end, from head in the first one up
//	       to tail in the last one; only is the first of them that came
//
// Without a chunk, tail says that the last one is full. To push looks at nothing else.
type queue struct {
	end    *chunk // the last one
	first  uint32
	before int32 // entries in all chunks but the last one; n is the sum of this and tail
	only   [1]entry
	head   uint8
	tail   uint8
	mixed  bool // not all that came since the queue was empty have the due of only
}

var emptyQueue = queue{before: -chunkEntries, tail: chunkEntries}

// n returns how many entries the queue holds.
func (q *queue) n() uint32 { return uint32(q.before + int32(q.tail)) }

// clear makes a queue empty that has no chunk any more.
func (q *queue) clear() { *q = emptyQueue }

func (w *Wheel) chunk(c uint32) *chunk { return &w.chunks[c>>chunkBits][c%pageChunks] }

// push puts an entry behind all others of the slot, and reports whether it is the only
// one. Wheel.place does the same by hand.
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

// pushAll puts entries behind all others of the slot, which holds some.
func (w *Wheel) pushAll(q *queue, some []entry) {
	for len(some) > 0 {
		if q.tail == chunkEntries {
			w.extend(q)
		}
		n := copy(q.end.entry[q.tail:], some)
		q.tail += uint8(n)
		some = some[n:]
	}
}

// extend gives the queue another chunk. If it is the first one, the only entry goes there.
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
			c = 1 // chunk 0 stands for none
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

// front returns the entries of the first chunk, at most k.
func (w *Wheel) front(q *queue, k uint32) []entry {
	k = min(k, q.n())
	if q.first == 0 {
		return q.only[:k]
	}
	head := uint32(q.head)
	return w.chunk(q.first).entry[head:min(head+k, chunkEntries)]
}

// drop takes away the first k entries, all of which are in the first chunk.
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

// dropAll makes a queue empty.
func (w *Wheel) dropAll(q *queue) {
	if q.first != 0 {
		q.end.next = w.freeChunk
		w.freeChunk = q.first
	}
	q.clear()
}

// reading goes through a queue and takes nothing away.
type reading struct {
	q    *queue
	c    uint32 // the chunk
	at   uint32 // the first entry there that was not read
	left uint32
}

func (w *Wheel) read(q *queue) reading { return reading{q, q.first, uint32(q.head), q.n()} }

// more returns the next entries, those of one chunk.
func (w *Wheel) more(r *reading) []entry {
	if r.c == 0 {
		r.left = 0
		return r.q.only[:]
	}
	c := w.chunk(r.c)
	some := c.entry[r.at:min(r.at+r.left, chunkEntries)]
	r.c, r.at = c.next, 0
	r.left -= uint32(len(some))
	return some
}

// freeSet holds the freed timers, a bit each. The next Add takes the neighbour of
// the one before it, in whatever order they were freed: a list would lead it
// criss-cross through memory.
//
// Invariant: bit i of words[k] is set if and only if words[k-1][i] is not zero. Timer i
// is unused if and only if its bit is set in words[0] or, as bit i-from, in taken.
type freeSet struct {
	taken uint64       // the fine word from which the next Adds are served: not in words
	block *[word]timer // its timers
	from  uint32       // the first of them
	n     int          // timers in words
	top   int          // where to begin in the coarsest words
	words [3][]uint64
}

// word is how many timers one fine word stands for.
const word = 64

// add puts in a timer that is not there.
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

// len returns how many timers are free.
func (f *freeSet) len() int { return f.n + bits.OnesCount64(f.taken) }

// refill takes out the fine word after the last one, or another one; one is not zero.
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

// find returns a fine word that is not zero.
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
