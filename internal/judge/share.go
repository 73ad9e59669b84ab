package judge

import (
	"cmp"
	"slices"
)

// §1.2: "Unique per source: perSource: {limit: 1, evict: oldest}, index by source": of one source on all owners together.

// mark is a buff that counts for its source.
type mark struct {
	b      *instance
	on     *owner
	source string
}

// fact is what an owner's story says of a mark: that it begins, comes back, has another source, or ends.
type fact struct {
	mark
	at    int64
	place place
}

// place is where a mark goes among those of its source.
type place int

const (
	newest place = iota
	oldest       // "what comes back with its owner is older than all that is there"
	moved        // newest, if it is known: otherwise it is about to go
	ended
)

// marks notes what becomes of a buff of which a source may have so many only.
func (o *owner) marks(b *instance, to place) {
	if b.def.PerSource != nil {
		o.all.facts = append(o.all.facts, fact{mark{b, o, b.source}, o.stamp, to})
	}
}

// book decides who has too many, in the order of W07: "each in its owner's order, both with T = 5". Owners play one behind
// the other here, so what they said is sorted by time first.
func (w *world) book() {
	facts := w.facts
	w.facts = nil
	slices.SortStableFunc(facts, func(a, b fact) int {
		return cmp.Or(cmp.Compare(a.at, b.at), slices.Index(w.owners, a.on)-slices.Index(w.owners, b.on))
	})
	for _, f := range facts {
		i := slices.IndexFunc(w.marked, func(m mark) bool { return m.b == f.b })
		switch {
		case i < 0 && (f.place == moved || f.place == ended), i >= 0 && f.place == moved && w.marked[i].source == f.source:
			continue
		case i >= 0:
			w.marked = slices.Delete(w.marked, i, i+1)
		}
		switch f.place {
		case newest, moved:
			w.marked = append(w.marked, f.mark)
		case oldest:
			w.marked = slices.Insert(w.marked, 0, f.mark)
		}
		w.share(f.mark)
	}
}

// share lets the oldest go of a source that has too many. On one owner room has been made before.
func (w *world) share(of mark) {
	first, n := -1, 0
	for i, m := range w.marked {
		if m.b.def == of.b.def && m.source == of.source {
			if n++; first < 0 {
				first = i
			}
		}
	}
	if n > of.b.def.PerSource.Limit {
		m := w.marked[first]
		w.marked = slices.Delete(w.marked, first, first+1)
		w.evict(m.on, func() { m.on.remove(m.b, "replaced", "") })
	}
}
