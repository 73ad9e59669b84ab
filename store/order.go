package store

import (
	"cmp"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/snapshot"
)

// placed is a copy with its sort key.
type placed struct {
	id   buff.OwnerID
	copy *snapshot.Copy
}

// sorter sorts the copies of a cut by id. Sorting 100,000 owners takes as much processor time
// as a frame, so it is done in pieces that yield to a running Tick.
type sorter struct {
	list, spare []placed
}

// sortPiece is the number of copies to sort or merge at a time.
const sortPiece = 1024

// of returns the copies in order. The result is valid until the next call.
func (s *sorter) of(x snapshot.Copies, giveWay func()) []placed {
	s.list = slices.Grow(s.list[:0], x.Len())
	for c := range x.All() {
		s.list = append(s.list, placed{c.Owner, c})
	}
	for piece := range slices.Chunk(s.list, sortPiece) {
		giveWay()
		slices.SortFunc(piece, func(a, b placed) int { return cmp.Compare(a.id, b.id) })
	}
	n := len(s.list)
	s.spare = slices.Grow(s.spare[:0], n)[:n]
	for width := sortPiece; width < n; width *= 2 {
		for from := 0; from < n; from += 2 * width {
			middle, end := min(from+width, n), min(from+2*width, n)
			merge(s.spare[from:end], s.list[from:middle], s.list[middle:end], giveWay)
		}
		s.list, s.spare = s.spare, s.list
	}
	return s.list
}

// merge merges two sorted lists.
func merge(to, a, b []placed, giveWay func()) {
	for k := range to {
		if k%sortPiece == 0 {
			giveWay()
		}
		if len(b) == 0 || len(a) > 0 && a[0].id < b[0].id {
			to[k], a = a[0], a[1:]
		} else {
			to[k], b = b[0], b[1:]
		}
	}
}

// forget drops the references to the copies. If the buffers are far too large, it releases them
// too.
func (s *sorter) forget() {
	if cap(s.list) > keepFactor*max(len(s.list), sortPiece) {
		*s = sorter{}
		return
	}
	clear(s.list)
	clear(s.spare)
}
