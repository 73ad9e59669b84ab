package store

import (
	"cmp"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/snapshot"
)

// placed is a copy with what it is sorted by.
type placed struct {
	id   buff.OwnerID
	copy *snapshot.Copy
}

// sorter puts the copies of a round into the order of their ids. To sort 100,000 owners at one go takes
// a frame's time of a processor, so it is done in pieces, between which a Tick comes first.
type sorter struct {
	list, spare []placed
}

// sortPiece is how many are sorted, or merged, at one go.
const sortPiece = 1024

// of returns the copies in order, which are good until the next call.
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

// forget lets go of the copies, and of the memory if there is far too much of it.
func (s *sorter) forget() {
	if cap(s.list) > keepFactor*max(len(s.list), sortPiece) {
		*s = sorter{}
		return
	}
	clear(s.list)
	clear(s.spare)
}
