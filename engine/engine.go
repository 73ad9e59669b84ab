package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/bufftick/bufftick/actor"
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
	"github.com/panjf2000/ants/v2"
)

// Engine runs the buffs of many owners for one game loop. Make one with [New].
//
// Only the goroutine that calls [Engine.Tick], the loop, may call its methods, and only between
// two Ticks. Methods that any goroutine may call, such as Inbox and Catalog, say so. Handlers must
// use their [Context]: if a handler calls a method that is only for the loop, the method panics
// while a Tick waits for that handler.
type Engine struct {
	opts    Options                     // Options.Catalog is the first catalog; for the current one, see `edition`
	edition atomic.Pointer[edition]     // the current definitions
	named   []boundHandler              // sorted by name; ids start at firstNamed; immutable
	names   map[string]define.HandlerID // immutable: any goroutine reads it
	release func(context.Context) error

	handlerID func(name string) (define.HandlerID, bool) // finds the handler of a restored timeout

	now          wheel.Time
	target       wheel.Time    // end of the game time of all Ticks; later than `now` if some of it is left for later Ticks
	waitingSince wheel.Time    // when some owner started to wait for a worker; Never if none waits
	carry        time.Duration // fraction of a millisecond left over from the last Tick
	deadlines    schedule
	turns        dispatcher
	high         highWaters

	owners           owners
	bases            []uint32 // by owner number: first generation of the next owner's handles
	base             uint32   // first generation of handles for numbers not used since releaseMemory
	free             []uint32
	byID             ids
	memory           rules.Memory    // memory of all owners' buffs
	loop             rules.Turn      // the Turn of commands that the loop executes
	readsSources     bool            // a definition rereads its source: see buff.Spec.Rereads
	deliveringOutbox bool            // deliverOutbox is running
	bearers          []buff.OwnerID  // targets of the commands for bearers that are being delivered
	captured         []buff.Captured // scratch for attributes captured from a source by the loop
	prefetching      *prefetchList   // nil until first used
	outbox           []outgoing
	carried          int // number of commands in `outbox` from earlier frames
	loopWork         work
	index            crossIndex
	counters         specCounters
	sweep            sweep
	areas            areas
	frame            Frame
	inbox            Inbox
	producers        producers
	watch            watcher
	budget           budget
	stats            view.Stats
	record           *recorder
	slow             slowTrace
	closed           bool
	ownerCount       int    // owners, including those that are leaving
	hadOwners        bool   // there has been an owner since releaseMemory
	inCallback       string // name of the game's callback that the loop is in, if any
	onLoop           bool   // the loop is in a function of Inbox.Run, which may call the Engine
	faults           faults
	copies           *copies  // nil until Copies is called
	changes          *Changes // nil until Changes is called
	history          *history.Recorder

	ticking  atomic.Bool   // set while a Tick waits for workers: handlers must not call the Engine
	occupied atomic.Bool   // a Tick or Close is running
	exited   bool          // a callback has ended the loop's goroutine: see endExclusive
	given    time.Duration // length of the current Tick
	frames   atomic.Uint64 // current frame number; read by workers
	seen     atomic.Int64  // game time of the frame; read by workers
	interval atomic.Uint32 // number of the round of copies; 0 without copies; read by workers
	unread   atomic.Uint64 // a frame number: turn results of earlier frames are no longer read
	dropped  atomic.Uint64 // the workers' part of view.Stats.Dropped
	failed   atomic.Uint64 // the workers' part of view.Stats.Undelivered
	failures atomic.Uint64 // faults of all callbacks and handlers
	cutOff   atomic.Bool   // Close no longer waits for overdue events
}

// New returns an engine at the instant 0. It fails if an option is out of range or a handler is
// missing; the error lists all problems. [Engine.Close] releases the goroutines that New starts.
func New(o Options) (*Engine, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	o.numbered()
	if o.Synchronous {
		return newEngine(o, inline{}, func(context.Context) error { return nil }), nil
	}
	if o.Pool != nil {
		return newEngine(o, o.Pool.pool, func(context.Context) error { return nil }), nil
	}
	pool, err := NewPool(o.Workers)
	if err != nil {
		return nil, err
	}
	return newEngine(o, pool.pool, pool.Close), nil
}

// newEngine returns an engine whose workers run on the given pool. The options must be complete.
func newEngine(o Options, pool actor.Pool, release func(context.Context) error) *Engine {
	e := &Engine{
		opts:      o,
		release:   release,
		byID:      newIDs(),
		names:     make(map[string]define.HandlerID),
		areas:     newAreas(),
		index:     newCrossIndex(o.Catalog),
		deadlines: schedule{wheel: wheel.NewSchedule(0)},
		turns: dispatcher{
			workers:  make([]workerState, o.Workers+1),
			share:    int32(min(maxShare, o.Limits.Tick)),
			patience: min(int64(max(o.Limits.Tick, 4*o.Limits.Buffs)), math.MaxInt32),
		},
	}
	e.deadlines.engine, e.turns.engine = e, e
	e.loop.Catalog, e.loop.Seed, e.loop.Memory = o.Catalog, o.Seed, &e.memory
	e.loop.FormulaFailed = func(of *buff.Event, v any) { e.reportPanic(callFormula, true, of, v) }
	e.handlerID = func(name string) (define.HandlerID, bool) { h, ok := e.names[name]; return h, ok }
	e.record = newRecorder(e)
	if o.Trace.History > 0 {
		e.history = history.New(o.Trace.History)
		e.loop.TimeChanged, e.loop.SheetChanged = e.history.Note, e.history.NoteSheet
	}
	e.producers.init(e, o.Limits.Inbox)
	e.watch.init(e)
	e.index.auras.addFound = e.addMember
	e.nameHandlers()
	e.publish(o.Catalog)
	e.turns.spare.init(o.Limits.Tick, o.Workers)
	for i := range e.turns.workers {
		e.turns.workers[i].init(e, i)
	}
	e.turns.loopWorker().onLoop = true
	e.turns.batch.serial = 1 // 0 is no number of a turn
	e.turns.group = actor.NewGroup(actor.Options[*owner, message]{
		Pool:    pool,
		Task:    e.task(),
		Workers: o.Workers,
		Limit:   2*o.Limits.Mailbox + runRoom,
		Handle:  func(worker int, box *mailbox) { e.turns.workers[worker].runMailbox(box) },
		Ahead:   func(worker int, next []actor.Turn[*owner, message]) { e.turns.workers[worker].prefetch(next) },
		Ended:   func(worker int, held bool) { e.turns.workers[worker].endedBatched(held) },
		Batched: func(worker int, box *mailbox, v any) { e.turns.workers[worker].runBatched(box, v.(*batchedTurn)) },
	})
	return e
}

// runRoom is the number of run messages for which a mailbox has room, not counting the run message
// that precedes each command. A few are enough, because the timer of a busy owner fires at most
// once before the owner is idle again.
const runRoom = 16

// firstNamed is the id of the first handler that timeouts refer to by name. Lower ids belong to the
// handlers that catalogs call; a Reload may add handlers.
const firstNamed = 1 << 24

// nameHandlers assigns ids to the handlers, in the order of their names.
func (e *Engine) nameHandlers() {
	names := slices.AppendSeq(slices.Collect(maps.Keys(e.opts.Handlers)), maps.Keys(e.opts.QuickHandlers))
	slices.Sort(names)
	for i, name := range names {
		e.names[name] = firstNamed + define.HandlerID(i)
		e.named = append(e.named, e.opts.handler(name))
	}
}

type boundHandler struct {
	call  Handler
	quick bool
}

// handler returns the handler with the given name. If there is no such handler, the `call` field of
// the result is nil.
func (o *Options) handler(name string) boundHandler {
	if h := o.QuickHandlers[name]; h != nil {
		return boundHandler{h, true}
	}
	return boundHandler{o.Handlers[name], o.Synchronous}
}

// enter panics if it is called from a handler, from another callback of a Tick, or from another
// goroutine during a Tick.
func (e *Engine) enter(method string) {
	if e.ticking.Load() {
		panic("engine: " + method + " called from a handler or during a Tick; use the Context or the Inbox")
	}
	if e.inCallback != "" {
		panic("engine: " + method + " called from " + e.inCallback)
	}
}

// stuck describes a handler that occupies a worker.
func (e *Engine) stuck(worker int, mark uint64, since wheel.Time) view.Stuck {
	st := view.Stuck{For: time.Duration(e.now-since) * time.Millisecond, Turn: view.StuckTurn{Worker: worker, Mark: mark, Since: since}}
	if o := e.owners.at(uint32(mark>>32) - 1); o != nil {
		st.Owner = o.id()
	}
	if line := uint32(mark); line != 0 {
		st.Spec = e.counters.lineages[line].spec
	}
	return st
}

// Now returns the instant that the last Tick reached, in milliseconds of game time.
//
// Only the loop goroutine may call it.
func (e *Engine) Now() wheel.Time {
	e.enter("Now")
	return e.now
}

// Catalog returns the current definitions: the catalog of the last [Engine.Reload], or
// Options.Catalog if nothing was reloaded.
//
// Any goroutine may call it.
func (e *Engine) Catalog() *buff.Catalog { return e.edition.Load().catalog }

// Inbox returns the Inbox of the unnamed producer, through which other goroutines post commands.
// See [Inbox.For].
//
// Any goroutine may call it.
func (e *Engine) Inbox() *Inbox { return &e.inbox }

// closeLimit is the number of events, counted like those of Options.Limits.Tick, that Close
// processes before it drops the remaining carried time.
const closeLimit = 1 << 20

// cutOffLimit is the number of events that Close processes before it cuts off owners that are
// still behind.
const cutOffLimit = 4 * closeLimit

// Close ends the engine: it refuses new work, delivers accepted work and the events that are due in
// carried time (see [Options].CatchUp), waits for handlers and releases the workers. Later events
// never run. Calls after Close fail with [ErrClosed] or do nothing. The events of this final work
// reach the handlers, but Tick does not return them in a Frame. To see them, call Tick again before
// Close, or pass a function to Close.
//
// Close processes at most 1,048,576 deadlines of carried time, and none after ctx has ended. The
// remaining time is dropped: its events never run, and Stats.LostAtClose is its length. An owner
// that has not caught up after 4,194,304 events, for example after a Readmit with a wrong instant,
// is cut off: accepted commands for it are executed, and its overdue events never run.
//
// If ctx ends first, Close returns the error of ctx within 10 ms; the error names the owners whose
// handlers are still running. Close may then be called again. It must not be called from a
// handler. If handlers of two owners trigger each other endlessly, Close runs until ctx ends.
//
// The functions in `onFrame` are called on the loop with each frame of the final work. The first of
// these frames starts with the events of the loop's calls since the last Tick.
//
// Only the loop goroutine may call it.
func (e *Engine) Close(ctx context.Context, onFrame ...func(*Frame)) error {
	e.enter("Close")
	e.beginExclusive("Close")
	defer e.endExclusive()
	e.closed = true
	e.record.close()
	e.producers.close()
	for worked := 0; e.hasWork(); worked += e.turns.processed {
		if worked >= closeLimit || ctx.Err() != nil {
			e.stats.LostAtClose += timeBetween(e.now, e.target)
			e.target = e.now
		}
		e.cutOff.Store(worked >= cutOffLimit)
		e.tick(0)
		for _, tell := range onFrame {
			tell(&e.frame)
		}
		if err := ctx.Err(); err != nil && e.hasWork() {
			e.producers.failPending()
			return fmt.Errorf("engine: close: %w; %s", err, e.runningOwners())
		}
	}
	if err := e.release(ctx); err != nil {
		return fmt.Errorf("engine: close: %w", err)
	}
	return errors.Join(e.record.failure(), e.slow.err)
}

// beginExclusive starts a Tick or Close. It panics if another goroutine is in Tick or Close.
func (e *Engine) beginExclusive(method string) {
	if e.onLoop {
		panic("engine: " + method + " called from a function of Inbox.Run")
	}
	if !e.occupied.CompareAndSwap(false, true) {
		panic("engine: " + method + " called while another goroutine is in Tick or Close; calls must be serialized")
	}
}

// endExclusive ends the section that beginExclusive started. It is deferred. If a callback has
// ended the loop's goroutine during a Tick, it also completes the Tick, so that another goroutine
// may continue to use the engine.
func (e *Engine) endExclusive() {
	if e.exited {
		e.exited = false
		e.endTick(e.given)
	}
	e.occupied.Store(false)
}

// hasWork reports whether accepted work is unfinished.
func (e *Engine) hasWork() bool {
	s := e.turns.group.Stats()
	if s.Running+s.Staged+len(e.outbox)+e.producers.waiting() > 0 {
		return true
	}
	return e.now < e.target || len(e.turns.scheduled)+e.turns.waiting.n > 0 && !e.cutOff.Load()
}

// runningOwners lists the owners whose handlers are running.
func (e *Engine) runningOwners() string {
	var names []string
	for _, box := range e.turns.group.Held(nil, false) {
		names = append(names, fmt.Sprint(box.Owner.id()))
	}
	if len(names) == 0 {
		return "work is left"
	}
	return "handlers still run for owner " + strings.Join(names, ", ")
}

// inline is the pool of a synchronous engine: Submit runs the task at once.
type inline struct{}

func (inline) Submit(task func()) error {
	task()
	return nil
}

// Pool holds the worker goroutines of one or more engines, each of which has its own loop. Call
// [NewPool] to make a Pool.
type Pool struct{ pool *ants.Pool }

// NewPool returns a pool for the given number of workers, from 1 to 65,536. This number should be
// the sum of the Options.Workers of all engines that use the pool. The pool starts goroutines as
// they are needed, and keeps them.
//
// If the pool is smaller, an engine that finds no free worker leaves its due events to a later
// frame. Nothing is lost, but the results then depend on the relative speed of the engines. Any
// goroutine may call it.
func NewPool(workers int) (*Pool, error) {
	if workers < 1 || workers > 1<<16 {
		return nil, fmt.Errorf("engine: a pool for %d workers, want 1 to %d", workers, 1<<16)
	}
	// The pool is nonblocking, because the loop must never wait in Submit. It does not purge
	// goroutines, so that they are kept for bursts of work. Its capacity is larger than the number
	// of workers, so that goroutines that are about to end do not block new ones.
	pool, err := ants.NewPool(4*workers+16, ants.WithNonblocking(true), ants.WithDisablePurge(true))
	if err != nil {
		return nil, fmt.Errorf("engine: a pool for %d workers: %w", workers, err)
	}
	return &Pool{pool}, nil
}

// Close releases the goroutines, after their current tasks have ended. If ctx ends first, Close
// returns the error of ctx. Close the engines that use the pool first. A second Close does nothing.
// Any goroutine may call it.
func (p *Pool) Close(ctx context.Context) error {
	if err := p.pool.ReleaseContext(ctx); !errors.Is(err, ants.ErrPoolClosed) {
		return err
	}
	return nil
}
