package store

import (
	"cmp"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/snapshot"
)

// keyed is a copy with its sort key.
type keyed struct {
	id   buff.OwnerID
	copy *snapshot.Copy
}

// sorter sorts the copies of a cut by id. Sorting 100,000 owners takes as much processor time as
// a frame, so the copies are sorted in pieces, and the sorter yields to a running Tick between
// two pieces.
type sorter struct {
	list, spare []keyed
}

// sortPiece is the number of copies to sort or merge at a time.
const sortPiece = 1024

// sort returns the copies in order of their ids. The result is valid until the next call.
func (s *sorter) sort(x snapshot.Copies, giveWay func()) []keyed {
	s.list = slices.Grow(s.list[:0], x.Len())
	for c := range x.All() {
		s.list = append(s.list, keyed{c.Owner, c})
	}
	for piece := range slices.Chunk(s.list, sortPiece) {
		giveWay()
		slices.SortFunc(piece, func(a, b keyed) int { return cmp.Compare(a.id, b.id) })
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
func merge(to, a, b []keyed, giveWay func()) {
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

// forget drops the references to the copies. It also releases the buffers if they are much larger
// than needed.
func (s *sorter) forget() {
	if cap(s.list) > keepFactor*max(len(s.list), sortPiece) {
		*s = sorter{}
		return
	}
	clear(s.list)
	clear(s.spare)
}
