package engine

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/bufftick/bufftick/actor"
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/internal/snapshot"
)

// Limits and defaults of Options.
const (
	DefaultMaxBuffs   = defaultMaxBuffs
	DefaultInboxLimit = defaultInboxLimit
	DefaultTurnLimit  = defaultTurnLimit
	FaultInterval     = faultInterval
	MaxProducers      = maxProducers
	MaxFollowed       = maxFollowed
	MaxHistory        = maxHistory
)

// Complete fills in the defaults of options, and returns an error that lists all invalid ones.
func Complete(o *Options) error { return o.complete() }

// Copies returns the Maker of the engine's copies, as snapshot.Of does.
func Copies(e *Engine, m snapshot.Marshal) snapshot.Maker { return e.newCopies(m) }

// NewOn is New with the test's own pool.
func NewOn(o Options, pool actor.Pool) (*Engine, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	o.numbered()
	return newEngine(o, pool, func(context.Context) error { return nil }), nil
}

// Escaped returns the number of panics that package actor has recovered. Handlers cannot cause
// these; they are panics of the engine's own code on a worker.
func Escaped(e *Engine) uint64 {
	s := e.turns.group.Stats()
	return s.Panics + s.HookPanics
}

// Kept returns the capacity of the workers' event lists.
func Kept(e *Engine) (n int) {
	for i := range e.turns.workers {
		n = max(n, e.turns.workers[i].chunks.room())
	}
	return n
}

func (s *chunks) room() (n int) {
	for _, c := range s.all[:s.made] {
		n += cap(c.events)
	}
	return n
}

// EventRoom returns the number of events for which all chunks together have room. No worker may be
// active.
func EventRoom(e *Engine) (n int) {
	for i := range e.turns.workers {
		s := &e.turns.workers[i].chunks
		if n += s.room(); s.now != nil && s.now.own == 0 {
			n += cap(s.now.events)
		}
	}
	for _, c := range e.turns.spare.full {
		n += cap(c.events)
	}
	return n + e.turns.spare.room
}

// Untaken returns the number of merged segments that have not been counted in their chunk.
func Untaken(e *Engine) int { return int(e.turns.merging.n) }

// Slices returns the number of slices of all Ticks.
func Slices(e *Engine) uint64 { return uint64(e.turns.round) }

// Mail returns the number of messages that wait for an owner.
func Mail(e *Engine, number int) int { return e.owners.at(uint32(number)).box.Len() }

// CheckCrossIndex compares the cross-owner index with the buffs of the owners and returns a
// description of the first difference, or "". No owner may be busy.
func CheckCrossIndex(e *Engine) string {
	l := &e.index
	held, auras := 0, 0
	for k := range e.owners.len() {
		o := e.owners.at(uint32(k))
		if o == nil {
			continue
		}
		for b := range o.set.All() {
			wants := needsOf(b.Spec)
			if wants&inSources != 0 {
				held++
				if i, ok := l.sources.at[b.Handle]; !ok || l.sources.all[i].source != b.Source || l.sources.all[i].handle != b.Handle {
					return fmt.Sprintf("owner %d: %v of %v, source %d: known %v", o.id(), b.Handle, b.Spec, b.Source, ok)
				}
			}
			if wants&forAura != 0 {
				auras++
				if _, ok := l.auras.of[b.Handle]; !ok {
					return fmt.Sprintf("owner %d: the aura %v of %v is not known", o.id(), b.Handle, b.Spec)
				}
			}
		}
	}
	if held != len(l.sources.at) || auras != len(l.auras.of) {
		return fmt.Sprintf("carried %d and auras %d, known %d and %d", held, auras, len(l.sources.at), len(l.auras.of))
	}
	return l.checkChains()
}

func (l *crossIndex) checkChains() string {
	links := 0
	for key, c := range l.sources.chains {
		k, n, before := 0, int32(0), int32(noEntry)
		if key.spec != "" {
			k = 1
			// The oldest buff may belong to a version with another limit.
			if limit := l.sources.all[c.newest].spec.PerSource.Limit; limit > 0 && int(c.n) > limit {
				return fmt.Sprintf("source %d has %d of %v, above %d", key.source, c.n, key.spec, limit)
			}
		}
		for i := c.oldest; i != noEntry; i = l.sources.all[i].links[k].newer {
			h := &l.sources.all[i]
			if h.source != key.source || key.spec != "" && h.spec.ID != key.spec || h.links[k].older != before {
				return fmt.Sprintf("the chain of source %d and %v is broken", key.source, key.spec)
			}
			before = i
			n++
		}
		if n == 0 || n != c.n || before != c.newest {
			return fmt.Sprintf("the chain of source %d and %v has %d, not %d", key.source, key.spec, n, c.n)
		}
		links += int(n)
	}
	want := 0
	for _, i := range l.sources.at {
		for k := range 2 {
			if _, in := l.sources.all[i].key(k); in {
				want++
			}
		}
	}
	if links != want {
		return fmt.Sprintf("%d links, not %d", links, want)
	}
	return ""
}

// CheckSpecCounters compares the counters of definitions with the buffs of the owners and returns
// a description of the first difference, or "". No owner may be busy.
func CheckSpecCounters(e *Engine) string {
	live := make([]int, len(e.counters.lineages))
	for k := range e.owners.len() {
		o := e.owners.at(uint32(k))
		if o != nil {
			for b := range o.set.All() {
				live[b.Spec.Lineage()]++
			}
		}
	}
	for t := range e.AllSpecCounters() {
		if n := live[t.Spec.Lineage()]; t.Live != n {
			return fmt.Sprintf("%d of %v counted, %d carried", t.Live, t.Spec, n)
		}
	}
	return ""
}

// Looked returns the number of buffs that the last Tick visited for a Reload, and the limit.
func Looked(e *Engine) (n, limit int) { return e.sweep.visited, sweepBuffs }

// Counting returns a function that counts n events, one in eight of which is not a pulse.
func Counting(e *Engine, n int) func() {
	list := make([]buff.Event, n)
	for i := range list {
		list[i].Spec, list[i].Kind = e.counters.lineages[1+i%10].spec, buff.Pulsed
		if i%16 == 0 {
			list[i].Kind = buff.Applied
		} else if i%8 == 0 {
			list[i].Kind = buff.Removed
		}
	}
	return func() { e.counters.add(list) }
}

// Room returns the numbers of instances and auras for which the cross-owner index has room, and
// the number of areas.
func Room(e *Engine) (held, auras, areas int) {
	return len(e.index.sources.all), len(e.index.auras.all), len(e.areas.byID)
}

// Owed returns the amount of work that the cross-owner index has deferred to the next Tick.
func Owed(e *Engine) int {
	return len(e.index.retries) + len(e.index.auras.due) + len(e.areas.pending) + len(e.outbox)
}

// Parts returns the numbers of events of a Frame: of the loop's calls before it, of due events,
// and of the commands at its end.
func Parts(f *Frame) (head, due, tail int) {
	return len(f.head), f.count - len(f.head) - len(f.tail), len(f.tail)
}

// DefaultTickLimit is the default of Options.Limits.Tick.
const DefaultTickLimit = defaultTickLimit

// Worked returns how much of Limits.Tick the last Tick has used.
func Worked(e *Engine) int { return e.turns.processed }

// HistogramOf returns a Histogram with one duration.
func HistogramOf(d time.Duration) *view.Histogram {
	var h view.Histogram
	h.Add(d)
	return &h
}

// NewWatchless returns an engine without watchers.
func NewWatchless(tb interface{ Fatal(...any) }) *Engine {
	e, err := New(Options{Synchronous: true})
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// WatchHooks calls the functions that a Tick calls for the Watch.
func WatchHooks(e *Engine) {
	e.watch.beforeTick()
	e.watch.end()
}

// Asked makes the next Tick publish a View.
func Asked(e *Engine) { e.watch.asked.Store(true) }

// Ask returns the View of a Tick(0).
func Ask(e *Engine) *view.View {
	Asked(e)
	e.Tick(0)
	return &e.watch.view.Load().View
}

// LockWatch locks the mutex of the Watch.
func LockWatch(e *Engine) (unlock func()) {
	e.watch.mu.Lock()
	return e.watch.mu.Unlock
}

// BeginNumbers sets the first generation of unused owner numbers.
func BeginNumbers(e *Engine, base uint32) { e.base = base }

// Numbers returns the number of owner numbers for which the engine keeps a generation.
func Numbers(e *Engine) int { return len(e.bases) }

// Revoked returns the number of queued removals that an owner's handlers can detect.
func Revoked(e *Engine, id buff.OwnerID) (n int) {
	for r := e.ownerOf(id).readRare().revoked.Load(); r != nil; r = r.next {
		n++
	}
	return n
}

// OriginOf returns the first generation of an engine with the given number.
func OriginOf(number uint32) uint32 { return originOf(number) }

// SpecCounters holds the counters of one definition, over all its versions. Other code gets them
// in a View.
type SpecCounters struct {
	Spec   *buff.Spec // the current version or, for a removed definition, the last one
	Gone   bool       // the definition was removed
	Live   int        // running instances; changes of busy owners are not included
	Denied uint64     // denied applications since the engine was made
}

// SpecCounters returns the counters of a definition, given in any version. For a definition that
// is not in the engine's catalog it returns the zero value.
func (e *Engine) SpecCounters(s *buff.Spec) SpecCounters {
	e.enter("SpecCounters")
	c := e.Catalog()
	if _, ok := c.Newest(s); !ok {
		return SpecCounters{}
	}
	e.counters.addLoop(e.loop.Events)
	return e.counters.at(s.Lineage(), c)
}

// AllSpecCounters returns the counters of each definition that the engine has or has had, in the
// order in which the definitions were added.
func (e *Engine) AllSpecCounters() iter.Seq[SpecCounters] {
	e.enter("AllSpecCounters")
	return func(yield func(SpecCounters) bool) {
		c := e.Catalog()
		e.counters.addLoop(e.loop.Events)
		for line := range e.counters.lineages {
			if e.counters.lineages[line].spec != nil && !yield(e.counters.at(line, c)) {
				return
			}
		}
	}
}

func (t *specCounters) at(line int, c *buff.Catalog) SpecCounters {
	n := &t.lineages[line]
	return SpecCounters{Spec: n.spec, Gone: !c.Has(n.spec), Live: n.live, Denied: n.denied}
}

// Reloading returns the number of owners that a Reload still has to visit. Until it is zero, some
// instances may be running that should have been converted or ended.
func (e *Engine) Reloading() int {
	e.enter("Reloading")
	return e.sweep.left + len(e.sweep.missed)
}

// Fitted returns the capacity of a list with the given capacity after fit, where used elements
// were in use, and whether it is the same list.
func Fitted(used, room int) (now int, same bool) {
	list := make([]int, 0, room)
	fitted := fit(list, highWater(used))
	return cap(fitted), &list[:1][0] == &fitted[:1][0]
}

// FittedEvents is Fitted for a list of events.
func FittedEvents(used, room int) int {
	return cap(fitEvents(make([]buff.Event, 0, room), highWater(used)))
}

// GivenBack returns the capacities of a worker's chunks after a shrink, where the given number of
// chunks was in use, and the capacity of the chunk that the worker fills next.
func GivenBack(rooms []int, used int) (kept []int, next int) {
	var s chunks
	for k, n := range rooms {
		s.all[k] = &chunk{own: int8(k + 1), events: make([]buff.Event, 0, n)}
		s.made++
	}
	s.used.used(used)
	s.shrink()
	for _, c := range s.all[:s.made] {
		kept = append(kept, cap(c.events))
	}
	l := workerState{chunks: s}
	l.nextChunk()
	return kept, cap(l.turn.Events)
}

// NextMark returns the first of the numbers that is at least n and below limit.
func NextMark(numbers []uint32, room int, n uint32, limit int) (uint32, bool) {
	m := marks{words: make([]uint64, room/64)}
	for _, k := range numbers {
		m.set(k)
	}
	return m.next(n, limit)
}

// Soon returns the number of owners that Help will copy first because they are due in the next
// Tick.
func Soon(c snapshot.Maker) int { return len(c.(*copies).soon) }

// WantedRoom returns the capacity of the list of owners that need a turn in the next Tick.
func WantedRoom(e *Engine) int { return cap(e.turns.scheduled) }

// Pieces returns the number of copies in each slice of a list of n copies.
func Pieces(m snapshot.Maker, n int) (pieces []int) {
	c := m.(*copies)
	var s shard
	for range n {
		s.add(c, &snapshot.Copy{})
	}
	var to copiedRound
	s.empty(&to)
	for _, l := range to.lists {
		pieces = append(pieces, len(l))
	}
	return pieces
}

// SpareRoom returns the number of events for which the spare chunks have room: after workers have
// put back chunks with the given capacities, and after a shrink, where the given number of chunks
// was in use.
func SpareRoom(limit, workers, used int, rooms ...int) (kept, after int) {
	var s spareChunks
	s.init(limit, workers)
	for range used {
		s.get(nil)
	}
	s.out = len(rooms)
	for _, n := range rooms {
		s.put(&chunk{events: make([]buff.Event, 0, n)})
	}
	kept = s.room
	s.shrink()
	return kept, s.room
}

// Timeouts returns the number of pending timeouts of all owners. No owner may be busy.
func Timeouts(e *Engine) (n int) {
	for o := range e.eachOwner {
		n += o.set.Timeouts()
	}
	return n
}

// AppendSave is [Engine.Save], but appends the blob to dst.
func (e *Engine) AppendSave(dst []byte, id buff.OwnerID) ([]byte, error) {
	return e.appendSave(dst, id)
}

// Number returns the engine's Options.Number.
func (e *Engine) Number() uint32 { return e.opts.Number }
