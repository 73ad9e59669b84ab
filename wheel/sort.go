package wheel

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/bufftick/bufftick/internal/radix"
)

// sorting holds buffers for sorting the timers that fire in one millisecond.
type sorting struct {
	batch       []ready
	keys, spare []uint64
}

// ready is a timer that fires, with the sequence number of the call that set its deadline.
type ready struct {
	Fired
	seq uint64
}

// sort sorts the timers that fire from a slot (fired). Their entries must still be in the queue q.
func (w *Wheel) sort(q *queue, fired []Fired) {
	s := &w.sorting
	s.batch = slices.Grow(s.batch[:0], len(fired))
	for r := w.read(q); r.left > 0; {
		for _, e := range w.more(&r) {
			// Timers that do not fire have a different stamp.
			if b := w.timer(e.timer); b.stamp == e.stamp|resting {
				s.batch = append(s.batch, ready{Fired{Due: b.due, ID: b.id}, b.seq})
			}
		}
	}
	if !s.bySeq(fired) {
		s.byDue(fired)
	}
}

// byDue sorts the batch by deadline and sequence number into the slice "fired".
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

// bySeq sorts the batch into the slice "fired" if all timers are due in the same millisecond. It
// returns false if they are not (only late timers can differ), or if the sequence numbers are too
// far apart to fit in a key. The upper bits of a key are the sequence number minus the lowest
// sequence number, and the lower bits are the index in the batch.
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
	s.keys = slices.Grow(s.keys[:0], len(s.batch))
	for i := range s.batch {
		s.keys = append(s.keys, (s.batch[i].seq-first)<<low|uint64(i))
	}
	s.spare = radix.Sort(s.keys, low, s.spare)
	for i, k := range s.keys {
		fired[i] = s.batch[k&(1<<low-1)].Fired
	}
	return true
}
