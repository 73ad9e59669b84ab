package engine

import (
	"iter"

	"github.com/bufftick/bufftick/internal/snapshot"
)

const (
	copyChunk  = 64 << 10 // bytes of copies in one piece of memory
	copyPiece  = 64       // copies in a piece of a list
	copySpare  = 1024     // chunks that are kept
	pieceSpare = 8192     // pieces that are kept
)

// shard is where one worker, or the loop, leaves copies. Neither list nor bytes are ever moved to where
// there is more room: that would be a long frame for whoever is at it.
type shard struct {
	list   []snapshot.Copy // the last piece
	lists  [][]snapshot.Copy
	chunk  []byte
	chunks [][]byte
	_      [64]byte
}

// spares are the memory of rounds that nobody reads any more.
type spares struct {
	chunks [][]byte
	lists  [][]snapshot.Copy
}

// takeLast takes the last one away, nil if there is none.
func takeLast[T any](spare *[][]T) (one []T) {
	if last := len(*spare) - 1; last >= 0 {
		one = (*spare)[last][:0]
		(*spare)[last] = nil
		*spare = (*spare)[:last]
	}
	return one
}

// room returns memory for a copy, in which it fits as a rule.
func (s *shard) room(c *copies) []byte {
	if cap(s.chunk)-len(s.chunk) < copyChunk/16 {
		s.chunk = c.newChunk()
		s.chunks = append(s.chunks, s.chunk)
	}
	return s.chunk[len(s.chunk):]
}

// used keeps what has been written there. What did not fit has memory of its own.
func (s *shard) used(n int) {
	if n <= cap(s.chunk)-len(s.chunk) {
		s.chunk = s.chunk[:len(s.chunk)+n]
	}
}

func (c *copies) newChunk() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if b := takeLast(&c.spares.chunks); b != nil {
		return b
	}
	return make([]byte, 0, copyChunk)
}

// clone copies a copy.
func (s *shard) clone(c *copies, x *snapshot.Copy) snapshot.Copy {
	y, b := *x, s.room(c)
	b = append(append(b, x.Blob...), x.Data...)
	n := len(x.Blob)
	s.used(len(b))
	y.Blob, y.Data = b[:n:n], b[n:len(b):len(b)]
	return y
}

// add adds a copy to the list.
func (s *shard) add(c *copies, x *snapshot.Copy) {
	if len(s.list) == cap(s.list) {
		if s.list != nil {
			s.lists = append(s.lists, s.list)
		}
		s.list = c.newList()
	}
	s.list = append(s.list, *x)
}

func (c *copies) newList() []snapshot.Copy {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l := takeLast(&c.spares.lists); l != nil {
		return l
	}
	return make([]snapshot.Copy, 0, copyPiece)
}

// empty hands over what is there.
func (s *shard) empty(to *copiedRound) {
	to.lists = append(to.lists, s.lists...)
	to.chunks = append(to.chunks, s.chunks...)
	if s.list != nil {
		to.lists = append(to.lists, s.list)
	}
	clear(s.lists)
	clear(s.chunks)
	s.list, s.lists, s.chunk, s.chunks = nil, s.lists[:0], nil, s.chunks[:0]
}

// copiedRound is what a round has brought.
type copiedRound struct {
	copies *copies
	lists  [][]snapshot.Copy
	chunks [][]byte
}

// All yields the copies, in no order.
func (x *copiedRound) All() iter.Seq[*snapshot.Copy] {
	return func(yield func(*snapshot.Copy) bool) {
		for _, list := range x.lists {
			for k := range list {
				if !yield(&list[k]) {
					return
				}
			}
		}
	}
}

// Len returns how many there are.
func (x *copiedRound) Len() (n int) {
	for _, list := range x.lists {
		n += len(list)
	}
	return n
}

// Free gives the memory back to the engine, as far as it keeps any.
func (x *copiedRound) Free() {
	for _, list := range x.lists {
		clear(list) // a large one has memory of its own
	}
	c := x.copies
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.spares
	s.chunks = append(s.chunks, x.chunks[:min(len(x.chunks), copySpare-len(s.chunks))]...)
	s.lists = append(s.lists, x.lists[:min(len(x.lists), pieceSpare-len(s.lists))]...)
	x.chunks, x.lists = nil, nil
}
