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

// Env has the settings of a run that do not depend on the profile.
type Env struct {
	Seed     uint64
	Workers  int                // number of workers; 0 means as many as processors
	Realtime bool               // if set, a frame of 50 ms takes 50 ms of real time
	Progress func(done float64) // called with the progress from 0 to 1; may be nil
}

// frameTime is the game time of a frame in all profiles except Empty.
const frameTime = 50 * time.Millisecond

// setup is the initial configuration of a world.
type setup struct {
	players, raid, buffs int
	budget               time.Duration // budget of a Tick; 0 means unlimited
	workers              int           // if not 0, overrides Env.Workers
	loose                bool          // if set, owners may be late
	maxBuffs             int
	slow                 func(place int32) bool
	slowFor              time.Duration
	gone                 bool // if set, no player is logged in at the start
}

// world is a game loop: an engine, the books, and the measurements.
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
	present  []bool // whether each player is logged in
	next     time.Time
	bytes    int64 // size of the heap before the first buff
	after    func(*engine.Frame)
	took     time.Duration // duration of the last frame
}

// seat is the data of a player that handlers use. It is two cache lines long.
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
		Number:  1, // fixed, because handles are part of the digest
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
	// The next call of begin discards this measurement, which includes the filling of the world.
	w.meter.begin(0, frameTime, 1<<20)
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

// hit is called by every handler. For a slow player it sleeps for d.
func (p *seat) hit(d time.Duration) {
	p.calls++
	if p.slow {
		time.Sleep(d)
	}
}

func (w *world) now() int64 { return int64(w.eng.Now()) }

// ask queues a call to the engine for this frame.
func (w *world) ask(c command) {
	c.at = w.now()
	w.commands = append(w.commands, c)
}

// frame runs one frame: the calls that the given function queues, and then a Tick of dt.
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

// call sends the commands to the engine, and then checks their results.
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
		r := w.eng.AddBuff(id, a)
		return r
	case dispel:
		return w.eng.Do(buff.Dispel(id, anyMagic))
	case hasten:
		return w.eng.Do(buff.SetPeriod(c.handle, ms(c.duration)))
	}
	return w.eng.Remove(c.handle)
}

// answer compares the result of a command with the books.
func (w *world) answer(c *command, r *buff.Result) {
	b := w.books
	if r.Queued {
		p := &b.players[c.owner]
		p.waiting = append(p.waiting, *c)
		return
	}
	b.catchUp(c.owner, never) // the owner is not busy, so no command is waiting any more
	kind, i := b.enter(c)
	if r.Kind != kind || r.Failure != nil && kind != 0 {
		b.faults.note(&b.faults.Wrong, "%d at %d: %d of %s answers %v %v, want %v", ownerID(c.owner), c.at, c.verb, kinds[c.kind].id, r.Kind, r.Failure, kind)
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

// tick runs one Tick and checks its events.
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

// pace waits until the next frame must start. It returns at once unless -realtime is set.
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

// play runs frames for the given game time, and reports progress.
func (w *world) play(span time.Duration, plan func()) {
	n := int(span / frameTime)
	for i := range n {
		w.frame(frameTime, plan)
		if w.env.Progress != nil && i%64 == 0 {
			w.env.Progress(float64(i) / float64(n))
		}
	}
}

// measure is like "play", but also measures the frames.
func (w *world) measure(span time.Duration, plan func()) {
	w.next = time.Time{}
	w.meter.begin(w.now(), frameTime, uint64(span/frameTime))
	w.play(span, plan)
	w.meter.end()
}

// drainFrames is the maximum number of empty frames in which drain waits for late owners.
const drainFrames = 10_000

// finish lets late owners catch up, closes the books and the engine, and completes the result.
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

// drain calls Tick without advancing time until no owner is busy. It takes long only if a handler
// is slow or a budget is set. In these cases handlers may still be running on workers.
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
