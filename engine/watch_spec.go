package engine

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/bufftick/bufftick/buff"
)

// SpecStats is what one definition has led to, all its versions together, since the Watch was opened.
type SpecStats struct {
	Spec   *buff.Spec                 // the newest version; nil: timeouts
	Live   int                        // instances that run
	Events [len(View{}.Counts)]uint64 // by kind

	// Handlers is how many calls of handlers have returned, Took how long they took all together,
	// and Times how they are distributed; nil, if none was measured. Of the first calls of a worker in
	// a frame each is measured, then every second, and so on to every 64th, chosen by chance; a
	// measured one stands for the others.
	Handlers uint64
	Took     time.Duration
	Times    *Histogram
}

// bySpec counts what happens by the lineages of definitions; that of 0 is what has no definition.
type bySpec [][len(View{}.Counts)]uint64

// countBySpec counts the events of a frame. They are in the cache: the flight recorder has just read them.
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

// handlerTimes is how long the handlers of one definition took. Any goroutine may read and write it.
type handlerTimes struct {
	took    atomic.Int64
	classes [len(Histogram{})]atomic.Uint64
}

// handling has the times of all definitions, by lineage; those of which nothing was measured have none.
type handling []atomic.Pointer[handlerTimes]

// grow returns a table that has room for more lineages.
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

// callIn returns the time at which a handler begins, or less than 0 if it is not measured.
func (l *workerState) callIn() time.Duration {
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

// callOut notes how long a handler took.
func (l *workerState) callOut(s *buff.Spec, began time.Duration) {
	if began < 0 {
		return
	}
	table := l.engine.watch.handling.Load()
	now, ok := l.engine.read(l.calls.clock, false)
	line := 0
	if s != nil {
		line = s.Lineage()
	}
	if !ok || table == nil || line >= len(*table) {
		return // nobody watches any more, or the definition has come this very moment
	}
	t := (*table)[line].Load()
	if t == nil {
		(*table)[line].CompareAndSwap(nil, new(handlerTimes))
		t = (*table)[line].Load()
	}
	took, weight := max(now-began, 1), l.calls.taken
	t.took.Add(int64(took) * int64(weight))
	t.classes[classOf(took)].Add(uint64(weight))
}

// Specs returns what each definition in force has led to since the Watch was opened, and as the last
// one what has no definition. It waits for the next Tick, which pays for a copy of the counts: it is
// for a question a second, not for one a frame. It fails as [Watch.Next] does.
//
// Any goroutine may call it, but not the loop, which would wait for itself.
func (w *Watch) Specs(ctx context.Context) ([]SpecStats, error) {
	reply, err := lookUp(ctx, w, func(s *watching) []SpecStats { return s.bySpec(w.engine) })
	if err != nil {
		return nil, err
	}
	if table := w.handling.Load(); table != nil {
		for i := range reply {
			reply[i].measured(*table)
		}
	}
	return reply, nil
}

// bySpec copies what the loop has counted.
func (s *watching) bySpec(e *Engine) []SpecStats {
	c := e.Catalog()
	out := make([]SpecStats, 0, c.Len()+1)
	for spec := range c.All() {
		line := spec.Lineage()
		out = append(out, SpecStats{Spec: spec, Live: e.counters.lineages[line].live, Events: s.specs[line]})
	}
	return append(out, SpecStats{Events: s.specs[0]})
}

// measured fills in how long the handlers took.
func (s *SpecStats) measured(table handling) {
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
	s.Took, s.Times = time.Duration(t.took.Load()), new(Histogram)
	for i := range t.classes {
		s.Times[i] = t.classes[i].Load()
	}
	s.Handlers = s.Times.Len()
}
