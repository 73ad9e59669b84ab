package history

import (
	"iter"
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/wheel"
)

// Query selects the events that match all of its fields. An empty list matches every event, and the
// zero Query selects all events.
type Query struct {
	// From and To are the inclusive limits of Event.Seen, the time of the frame. If To is zero,
	// there is no upper bound.
	From, To wheel.Time

	Owners  []buff.OwnerID
	Sources []buff.OwnerID
	Specs   []string // IDs of definitions
	Kinds   []buff.EventKind
	Whys    []reason.Reason
}

// fits reports whether q selects an event.
func (q *Query) fits(e *buff.Event) bool {
	return e.Seen >= q.From && (q.To == 0 || e.Seen <= q.To) &&
		among(q.Owners, e.Owner) && among(q.Sources, e.Source) && among(q.Kinds, e.Kind) && among(q.Whys, e.Why) &&
		(len(q.Specs) == 0 || e.Spec != nil && slices.Contains(q.Specs, e.Spec.ID))
}

func among[T comparable](list []T, v T) bool { return len(list) == 0 || slices.Contains(list, v) }

// Events returns the selected events, the oldest first. Events that are dropped while the caller
// reads are missing from the result; to check, call [Recorder.Since] afterwards. Any goroutine may
// call it. It costs O(recorded events), about 40 ns each, and copies each chunk before reading it.
func (r *Recorder) Events(q Query) iter.Seq[buff.Event] {
	return func(yield func(buff.Event) bool) {
		for e := range r.records(q) {
			if e.Kind < sheetChange && !yield(e) {
				return
			}
		}
	}
}

// records returns the selected records, including the records that Note and NoteSheet have made.
func (r *Recorder) records(q Query) iter.Seq[buff.Event] {
	return func(yield func(buff.Event) bool) {
		var c chunk
		var e buff.Event
		for number := uint64(0); r.copy(&number, &c, &q); number++ {
			c.context = context{}
			for at := 0; at < c.n; {
				at += c.get(c.words[at:], &c.tables, &e)
				if q.fits(&e) && !yield(e) {
					return
				}
			}
		}
	}
}

// copy searches for a chunk that may contain selected events, starting at the chunk *number, and
// copies the first one to c. Chunks are counted from 0 since New. copy sets *number to the number
// of the copied chunk, or returns false if it finds no such chunk.
func (r *Recorder) copy(number *uint64, c *chunk, q *Query) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	*number = max(*number, r.first)
	for ; *number < r.first+uint64(len(r.chunks)); *number++ {
		x := r.chunks[*number-r.first]
		if x.until < q.From || q.To != 0 && x.since > q.To {
			continue
		}
		c.words, c.n = append(c.words[:0], x.words[:x.n]...), x.n
		c.specs, c.names = append(c.specs[:0], x.specs...), append(c.names[:0], x.names...)
		return true
	}
	return false
}
