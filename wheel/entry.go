package wheel

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
