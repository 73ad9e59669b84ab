package engine

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine/view"
)

// bySpec counts events by the lineage of their definition and by their kind. Entry 0 counts events
// without a definition.
type bySpec [][len(view.View{}.Counts)]uint64

// countBySpec counts the events of a frame. This is cheap if the flight recorder has just read the
// events, because they are then in cache.
func (f *Frame) countBySpec(s *watching, lineages int) {
	if more := lineages - len(s.specs); more > 0 {
		s.specs = append(s.specs, make(bySpec, more)...)
	}
	s.specs.add(f.head)
	for _, turn := range f.turns {
		s.specs.add(turn)
	}
	s.specs.add(f.tail)
}

func (b bySpec) add(events []buff.Event) {
	for i := range events {
		e := &events[i]
		line := 0
		if e.Spec != nil {
			line = e.Spec.Lineage()
		}
		b[line][e.Kind]++
	}
}

// handlerTimes holds the durations of the handlers of one definition. It is safe for concurrent
// use.
type handlerTimes struct {
	took    atomic.Int64 // sum in ns
	classes [len(view.Histogram{})]atomic.Uint64
}

// handling holds the handlerTimes of all definitions, by lineage. An entry is nil if no handler of
// the definition was measured.
type handling []atomic.Pointer[handlerTimes]

// grow returns a table with the same entries and with room for the given number of lineages.
func (h *handling) grow(lineages int) *handling {
	if h != nil && len(*h) >= lineages {
		return h
	}
	out := make(handling, lineages)
	if h != nil {
		for i := range *h {
			out[i].Store((*h)[i].Load())
		}
	}
	return &out
}

// startCall returns the start time of a handler, or a negative value if the call is not measured.
func (l *workerState) startCall() time.Duration {
	clock := l.engine.watch.timing.Load()
	if clock == nil || !l.calls.take(l.frame) {
		return -1
	}
	l.calls.clock = clock
	began, ok := l.engine.read(clock, false)
	if !ok {
		return -1
	}
	return max(began, 0)
}

// endCall records the duration of a handler.
func (l *workerState) endCall(s *buff.Spec, began time.Duration) {
	table := l.engine.watch.handling.Load()
	now, ok := l.engine.read(l.calls.clock, false)
	line := 0
	if s != nil {
		line = s.Lineage()
	}
	if !ok || table == nil || line >= len(*table) {
		return // the last watcher has left, or the definition is too new for the table
	}
	t := (*table)[line].Load()
	if t == nil {
		(*table)[line].CompareAndSwap(nil, new(handlerTimes))
		t = (*table)[line].Load()
	}
	took, weight := max(now-began, 1), l.calls.taken
	t.took.Add(int64(took) * int64(weight))
	t.classes[view.ClassOf(took)].Add(uint64(weight))
}

// Specs implements [view.Watch].
func (w *watcher) Specs(ctx context.Context) ([]view.SpecStats, error) {
	reply, err := lookUp(ctx, w, func(s *watching) []view.SpecStats { return s.bySpec(w.engine) })
	if err != nil {
		return nil, err
	}
	if table := w.handling.Load(); table != nil {
		for i := range reply {
			table.measured(&reply[i])
		}
	}
	return reply, nil
}

// bySpec copies the counters of the loop.
func (s *watching) bySpec(e *Engine) []view.SpecStats {
	c := e.Catalog()
	out := make([]view.SpecStats, 0, c.Len()+1)
	for spec := range c.All() {
		line := spec.Lineage()
		out = append(out, view.SpecStats{Spec: spec, Live: e.counters.lineages[line].live, Events: s.specs[line]})
	}
	return append(out, view.SpecStats{Events: s.specs[0]})
}

// measured fills in the durations of the handlers of a definition.
func (table handling) measured(s *view.SpecStats) {
	line := 0
	if s.Spec != nil {
		line = s.Spec.Lineage()
	}
	if line >= len(table) {
		return
	}
	t := table[line].Load()
	if t == nil {
		return
	}
	s.Took, s.Times = time.Duration(t.took.Load()), new(view.Histogram)
	for i := range t.classes {
		s.Times[i] = t.classes[i].Load()
	}
	s.Handlers = s.Times.Len()
}

// most ranks owners by the number of their buffs. It considers each owner whose turn is measured.
// To find owners without measured turns, it also visits all owners one after the other, a few in
// each frame. The numbers in the ranking are updated for each View, so they are correct. However,
// an owner whose number of buffs has grown enters the ranking only at its next measured turn or
// visit.
type most struct {
	list  []view.Ranked
	at    int  // number of the next owner to visit
	round bool // all owners have been visited at least once
}

// sweptAtOnce is the number of owners that sweep visits in each frame. An owner that is not in
// cache costs about 100 ns.
const sweptAtOnce = 32

// consider adds an owner with n buffs to the ranking if n is large enough.
func (m *most) consider(id buff.OwnerID, n int) {
	if n > 0 && (len(m.list) < ranks || int64(n) > m.list[len(m.list)-1].N) {
		m.list = rank(m.list, view.Ranked{Owner: id, N: int64(n)})
	}
}

// sweep visits the next few owners.
func (m *most) sweep(e *Engine) {
	for range min(sweptAtOnce, e.owners.len()) {
		if m.at >= e.owners.len() {
			m.at, m.round = 0, true
		}
		if o := e.owners.at(uint32(m.at)); o != nil && !o.leaving() && e.idle(o) {
			m.consider(o.id(), o.set.Len())
		}
		m.at++
	}
	m.round = m.round || m.at >= e.owners.len()
}

// view returns the current ranking.
func (m *most) view(e *Engine) []view.Ranked {
	m.list = slices.DeleteFunc(m.list, func(r view.Ranked) bool {
		o := e.ownerOf(r.Owner)
		return o == nil || o.leaving() || e.idle(o) && o.set.Len() == 0
	})
	for i := range m.list {
		if o := e.ownerOf(m.list[i].Owner); e.idle(o) {
			m.list[i].N = int64(o.set.Len())
		}
	}
	slices.SortStableFunc(m.list, func(a, b view.Ranked) int { return int(b.N - a.N) })
	return slices.Clone(m.list)
}

// fractionVisited returns the fraction of all owners, at most 1, that sweep has visited so far.
func (m *most) fractionVisited(e *Engine) float64 {
	if m.round || e.owners.len() == 0 {
		return 1
	}
	return float64(m.at) / float64(e.owners.len())
}

// Limits of [view.Watch.Holders] in one Tick. When the search reaches one of these limits, it
// finishes the current owner and stops.
const (
	holdersOwners = 1024
	holdersBuffs  = 8192
	holdersFound  = 256
)

// Holders implements [view.Watch].
func (w *watcher) Holders(ctx context.Context, s *buff.Spec, from int) (view.Holders, error) {
	if _, ok := w.engine.Catalog().Newest(s); !ok {
		return view.Holders{}, ErrUnknownSpec
	}
	return lookUp(ctx, w, func(*watching) view.Holders { return w.engine.holdersOf(s.Lineage(), max(from, 0)) })
}

// holdersOf searches some owners, starting at the owner number `from`, for buffs of a lineage.
func (e *Engine) holdersOf(lineage, from int) (out view.Holders) {
	visited, n := 0, from
	out.All = e.owners.len()
	for end := min(from+holdersOwners, e.owners.len()); n < end && visited < holdersBuffs && len(out.List) < holdersFound; n++ {
		o := e.owners.at(uint32(n))
		switch {
		case o == nil || o.leaving():
			continue
		case !e.idle(o):
			out.Busy++
			continue
		}
		h := view.Holder{Owner: o.id()}
		for b := range o.set.All() {
			if visited++; b.Spec.Lineage() != lineage {
				continue
			}
			if h.Buffs++; h.Buffs == 1 {
				h.Source = b.Source
			}
			h.Stacks += int(b.Stacks)
		}
		if h.Buffs > 0 {
			out.List = append(out.List, h)
		}
	}
	if n < e.owners.len() {
		out.Next = n
	}
	return out
}
