package load

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/bufftick/bufftick/bench/gauge"
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// Env is what all profiles are told.
type Env struct {
	Seed     uint64
	Workers  int                // 0: as many as processors
	Realtime bool               // a frame of 50 ms takes 50 ms
	Progress func(done float64) // from 0 to 1; nil: nobody looks
}

// frameTime is the frame of all profiles but one.
const frameTime = 50 * time.Millisecond

// setup is what a world begins with.
type setup struct {
	players, raid, buffs int
	budget               time.Duration // if zero, as long as it takes
	workers              int           // if not zero, instead of Env.Workers
	loose                bool          // somebody may be late
	maxBuffs             int
	slow                 func(place int32) bool
	slowFor              time.Duration
	gone                 bool // nobody is there yet
}

// world is a game loop: an engine, the books, and what is measured.
type world struct {
	env      *Env
	eng      *engine.Engine
	specs    []*buff.Spec
	seats    []seat
	rng      *rand.Rand
	books    *books
	meter    meter
	commands []command
	results  []buff.Result
	present  []bool // by place
	next     time.Time
	bytes    int64 // of the heap, before anybody carried anything
	after    func(*engine.Frame)
	took     time.Duration // by the last frame
}

// seat is the data of a player that handlers work on, as large as two lines of a cache.
type seat struct {
	calls uint64
	place int32
	slow  bool
	_     [112]byte
}

func newWorld(env *Env, s setup) (*world, error) {
	cat, err := newCatalog()
	if err != nil {
		return nil, err
	}
	w := &world{
		env: env, seats: make([]seat, s.players), rng: rand.New(rand.NewPCG(env.Seed, 1)),
		books: newBooks(s.players, s.raid, s.buffs), present: make([]bool, s.players),
	}
	for k := range cat.All() {
		w.specs = append(w.specs, k)
	}
	w.books.loose, w.books.slow = s.loose, s.slow
	scar := w.specs[scarKind]
	options := engine.Options{
		Number:  1, // handles are in the digest
		Catalog: cat, Workers: env.Workers, Budget: s.budget, Seed: env.Seed, Limits: engine.Limits{Buffs: s.maxBuffs},
		Handlers: engine.Handlers{
			hit: func(c *engine.Context, e buff.Event) { c.Data().(*seat).hit(s.slowFor) },
			spread: func(c *engine.Context, e buff.Event) {
				p := c.Data().(*seat)
				p.hit(s.slowFor)
				if to := target(p.place, int64(e.At), s.raid, s.players); to != p.place {
					c.AddBuff(ownerID(to), buff.Application{Spec: scar, Source: e.Owner, Duration: buff.Lasting(ms(scarLength))})
				}
			},
		},
	}
	if s.budget == 0 {
		options.Budget = -1
	}
	if s.workers > 0 {
		options.Workers = s.workers
	}
	if w.eng, err = engine.New(options); err != nil {
		return nil, err
	}
	w.meter.begin(0, frameTime, 1<<20) // whoever fills the world is not measured
	w.bytes = gauge.LiveHeap()
	for i := range w.seats {
		w.seats[i].place = int32(i)
		w.seats[i].slow = s.slow != nil && s.slow(int32(i))
		w.books.players[i].seat = &w.seats[i]
		if s.gone {
			continue
		}
		w.present[i] = true
		if err := w.eng.Spawn(ownerID(int32(i)), &w.seats[i]); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// hit is all that a handler does; that of a slow player takes its time.
func (p *seat) hit(d time.Duration) {
	p.calls++
	if p.slow {
		time.Sleep(d)
	}
}

func (w *world) now() int64 { return int64(w.eng.Now()) }

// ask plans a call for this frame.
func (w *world) ask(c command) {
	c.at = w.now()
	w.commands = append(w.commands, c)
}

// frame plays one frame: what the plan asks for, and a Tick of dt.
func (w *world) frame(dt time.Duration, plan func()) {
	w.commands = w.commands[:0]
	if plan != nil {
		plan()
	}
	calls := len(w.commands)
	took := w.call()
	w.tick(dt, took, calls)
	w.pace(dt)
}

// call gives the commands to the engine, and then looks at what came of them.
func (w *world) call() time.Duration {
	w.results = w.results[:0]
	start := time.Now()
	for i := range w.commands {
		w.results = append(w.results, w.give(&w.commands[i]))
	}
	took := time.Since(start)
	w.meter.callTime += took
	for i := range w.commands {
		w.answer(&w.commands[i], &w.results[i])
	}
	return took
}

var anyMagic = buff.Query{Type: magicType, Most: 1}

func (w *world) give(c *command) buff.Result {
	id := ownerID(c.owner)
	switch c.verb {
	case cast:
		a := buff.Application{Spec: w.specs[c.kind], Source: c.source}
		if c.duration > 0 {
			a.Duration = buff.Lasting(ms(c.duration))
		}
		_, r := w.eng.AddBuff(id, a)
		return r
	case dispel:
		return w.eng.Do(buff.Dispel(id, anyMagic))
	case hasten:
		return w.eng.Do(buff.SetPeriod(c.handle, ms(c.duration)))
	}
	return w.eng.Remove(c.handle)
}

// answer holds a result against the books.
func (w *world) answer(c *command, r *buff.Result) {
	b := w.books
	if r.Queued {
		p := &b.players[c.owner]
		p.waiting = append(p.waiting, *c)
		return
	}
	b.catchUp(c.owner, never) // who answers at once is idle: all that had to wait has been done
	kind, i := b.enter(c)
	if r.Kind != kind || r.Err != nil && kind != 0 {
		b.faults.note(&b.faults.Wrong, "%d at %d: %d of %s answers %v %v, want %v", ownerID(c.owner), c.at, c.verb, kinds[c.kind].id, r.Kind, r.Err, kind)
	}
	if c.verb != cast {
		return
	}
	if kind == buff.Applied {
		b.know(i, r.Handle)
	} else if h := b.records[i].handle; h != r.Handle {
		b.faults.note(&b.faults.Wrong, "%d at %d: %s was %v and is %v", ownerID(c.owner), c.at, kinds[c.kind].id, h, r.Handle)
	}
}

// tick is one Tick, and looks through its events.
func (w *world) tick(dt, took time.Duration, calls int) {
	b := w.books
	b.before = w.now()
	var f *engine.Frame
	start := time.Now()
	w.meter.tick(func() { f = w.eng.Tick(dt) })
	if w.after != nil {
		w.after(f)
	}
	took += time.Since(start)
	w.took = took
	b.now = int64(f.Now)
	for e := range f.Events() {
		b.see(&e)
	}
	w.meter.frame(b.now, took, calls, f.Len(), f.Waiting+len(f.Stuck), b.live)
}

// pace waits for the next frame, if the time is real.
func (w *world) pace(dt time.Duration) {
	if !w.env.Realtime {
		return
	}
	if w.next.IsZero() {
		w.next = time.Now()
	}
	w.next = w.next.Add(dt)
	time.Sleep(time.Until(w.next))
}

// play plays frames for a span of time and says how far it is.
func (w *world) play(span time.Duration, plan func()) {
	n := int(span / frameTime)
	for i := range n {
		w.frame(frameTime, plan)
		if w.env.Progress != nil && i%64 == 0 {
			w.env.Progress(float64(i) / float64(n))
		}
	}
}

// measure is play, measured.
func (w *world) measure(span time.Duration, plan func()) {
	w.next = time.Time{}
	w.meter.begin(w.now(), frameTime, uint64(span/frameTime))
	w.play(span, plan)
	w.meter.end()
}

// drainFrames is how many empty frames are waited for owners who are behind.
const drainFrames = 10_000

// finish lets those who are behind catch up, closes the books and the engine, and says
// what came of it all.
func (w *world) finish(r *Result) error {
	live := w.books.live
	heap := heapOf(w)
	w.drain()
	w.books.close(w.now())
	if s, f := w.eng.Stats(), &w.books.faults; s.Refused+s.DroppedOnDespawn > 0 || s.Undelivered != w.books.stale {
		f.note(&f.Wrong, "refused %d, dropped %d, undelivered %d, want 0, 0 and %d", s.Refused, s.DroppedOnDespawn, s.Undelivered, w.books.stale)
	}
	if err := w.eng.Close(context.Background()); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	r.fill(w, live, heap)
	return nil
}

// drain ticks without time until nobody is busy. Who is busy has a handler on a worker, and
// that takes its real time: so this waits too, but only if somebody is slow or has a budget.
func (w *world) drain() {
	w.commands = w.commands[:0]
	for range drainFrames {
		w.tick(0, 0, 0)
		if w.eng.Stats().Busy == 0 && len(w.books.crossed) == 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	w.tick(0, 0, 0)
}
