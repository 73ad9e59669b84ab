package wheel

import "math"

// entry stands for a timer in a slot. It is all that is moved when a hand reaches
// the slot: the timer itself is looked at only when it fires.
type entry struct {
	timer uint32
	stamp uint32 // alive while it equals the timer's; see timer
	off   uint32 // the deadline, counted from the start of the slot; means nothing on a wide level and on the dial
}

const (
	chunkEntries = 85
	chunkBits    = 6
	pageChunks   = 1 << chunkBits
)

// chunk is a piece of a queue: a kilobyte in a row.
type chunk struct {
	next  uint32 // in the queue, or in the list of free chunks
	entry [chunkEntries]entry
}

// queue holds the entries of a slot, first in, first out.
//
// Invariant: n counts the entries in the chunks first .. last, from head in the first
// one up to tail in the last one. An empty queue has no chunk, and is emptyQueue.
type queue struct {
	first, last uint32
	n           uint32
	min, max    uint32 // no entry has a smaller off, or a larger one
	head, tail  uint16
}

var emptyQueue = queue{min: math.MaxUint32, tail: chunkEntries}

func (w *Wheel) chunk(c uint32) *chunk { return &w.chunks[c>>chunkBits][c%pageChunks] }

// push puts an entry behind all others of the slot.
func (w *Wheel) push(q *queue, e entry) {
	if q.tail == chunkEntries {
		w.extend(q)
	}
	w.chunk(q.last).entry[q.tail] = e
	q.tail++
	q.n++
	q.min, q.max = min(q.min, e.off), max(q.max, e.off)
}

// pushAll puts entries behind all others of the slot; their offs are within
// its bounds.
func (w *Wheel) pushAll(q *queue, some []entry) {
	for len(some) > 0 {
		if q.tail == chunkEntries {
			w.extend(q)
		}
		n := copy(w.chunk(q.last).entry[q.tail:], some)
		q.tail += uint16(n)
		q.n += uint32(n)
		some = some[n:]
	}
}

// extend gives the queue another chunk.
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
	if q.last == 0 {
		q.first = c
	} else {
		w.chunk(q.last).next = c
	}
	q.last, q.tail = c, 0
}

// front returns the entries of the first chunk, at most k.
func (w *Wheel) front(q *queue, k uint32) []entry {
	end := uint32(chunkEntries)
	if q.first == q.last {
		end = uint32(q.tail)
	}
	head := uint32(q.head)
	return w.chunk(q.first).entry[head : head+min(end-head, k)]
}

// drop takes away the first k entries, all of which are in the first chunk.
func (w *Wheel) drop(q *queue, k int) {
	q.head += uint16(k)
	q.n -= uint32(k)
	c := q.first
	switch {
	case q.n == 0:
		*q = emptyQueue
	case q.head == chunkEntries:
		q.first, q.head = w.chunk(c).next, 0
	default:
		return
	}
	w.chunk(c).next = w.freeChunk
	w.freeChunk = c
}
