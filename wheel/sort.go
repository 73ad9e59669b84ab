package wheel

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/bufftick/bufftick/internal/radix"
)

// sorting is memory to put in order what fires in one millisecond.
type sorting struct {
	batch       []ready
	keys, spare []uint64
}

// ready is a timer that fires, with what it is sorted by.
type ready struct {
	Fired
	seq uint64
}

// sort orders what fires of a slot, which still holds it.
func (w *Wheel) sort(q *queue, fired []Fired) {
	s := &w.sorting
	s.batch = s.batch[:0]
	for r := w.read(q); r.left > 0; {
		for _, e := range w.more(&r) {
			// Those that do not fire have not got this stamp.
			if b := w.timer(e.timer); b.stamp == e.stamp|resting {
				s.batch = append(s.batch, ready{Fired{Due: b.due, ID: b.id}, b.seq})
			}
		}
	}
	if !s.bySeq(fired) {
		s.byDue(fired)
	}
}

// byDue sorts the batch into fired.
func (s *sorting) byDue(fired []Fired) {
	slices.SortFunc(s.batch, func(a, b ready) int {
		if a.Due != b.Due {
			return cmp.Compare(a.Due, b.Due)
		}
		return cmp.Compare(a.seq, b.seq)
	})
	for i := range s.batch {
		fired[i] = s.batch[i].Fired
	}
}

// bySeq is byDue where all are due in the same millisecond, as they are but for late ones; if not, it reports false, and if the first and
// the last of them were set so many calls apart that a key does not hold it. A key is when a timer was set and, below that, its
// place in the batch.
func (s *sorting) bySeq(fired []Fired) bool {
	first, last := uint64(math.MaxUint64), uint64(0)
	for i := range s.batch {
		if s.batch[i].Due != s.batch[0].Due {
			return false
		}
		first, last = min(first, s.batch[i].seq), max(last, s.batch[i].seq)
	}
	low := bits.Len(uint(len(s.batch)))
	if bits.Len64(last-first)+low > 64 {
		return false
	}
	s.keys = s.keys[:0]
	for i := range s.batch {
		s.keys = append(s.keys, (s.batch[i].seq-first)<<low|uint64(i))
	}
	s.spare = radix.Sort(s.keys, low, s.spare)
	for i, k := range s.keys {
		fired[i] = s.batch[k&(1<<low-1)].Fired
	}
	return true
}
