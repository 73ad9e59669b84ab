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

	"github.com/panjf2000/ants/v2"

	"github.com/bufftick/bufftick/actor"
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/wheel"
)

// Engine runs the buffs of many owners for one game loop. Make one with [New].
//
// All its methods but Inbox are for the goroutine that calls [Engine.Tick], the
// loop, and between two Ticks. A handler that calls one panics; it has a
// [Context] for that.
type Engine struct {
	opts    Options                   // its Catalog is the first one
	edition atomic.Pointer[edition]   // the definitions that are in force
	named   []boundHandler            // the handlers by name, behind firstNamed; never changes
	names   map[string]buff.HandlerID // never changes: any goroutine reads it
	release func(context.Context) error

	handlerID func(name string) (buff.HandlerID, bool) // names, for timeouts that come back

	now      wheel.Time
	target   wheel.Time    // that the Ticks have brought; after now: a backlog is carried
	unserved wheel.Time    // since when somebody waits for a worker; Never: nobody does
	carry    time.Duration // of dt, below a millisecond
	wheel    *wheel.Wheel
	fired    []wheel.Fired
	due      []dueOwner // of those that have fired, in order
	dueSpare []dueOwner // to sort them
	high     highWaters

	owners owners
	bases  []uint32 // by number: the generation its next Set begins with
	base   uint32   // that of a number that has had none since renew
	free   []uint32
	byID   ids
	wanted []ref  // want a turn in the next Tick
	round  uint64 // counts the slices of all Ticks

	backlog  backlog
	starts   int   // of the staged mailboxes, those that get a turn in this slice
	times    int32 // the allowance in this slice for each reason for a turn
	share    int32 // the most that one allowance may be, see maxShare
	patience int64 // the most that one owner may work off while time stands still for it
	worked   int   // in this Tick
	owed     int   // what may yet come of allowances, of those who are not idle and not held
	claim    int   // what those bring who were held, have come to an end, and are not taken in yet
	stuckNow []*mailbox

	group     *actor.Group[*owner, message]
	batch     turnBatch
	workers   []workerState // by worker
	spare     spareChunks
	taking    taking
	used      bool // the lists of the workers have been used since they were last emptied
	collected []*mailbox

	memory    buff.Memory     // of what all owners carry
	loop      buff.Turn       // for what is decided on the loop
	passes    bool            // passOn is at work
	captured  []buff.Captured // of the source of what the loop applies
	ahead     *ahead          // nil: nothing has been looked at yet
	outbox    []outgoing
	carried   int // of outbox, from earlier frames
	did       work
	index     crossIndex
	counters  specCounters
	sweep     sweep
	zones     zones
	frame     Frame
	inbox     Inbox
	producers producers
	watch     watcher
	budget    budget
	stats     view.Stats
	record    *recorder
	slow      slowTrace
	closed    bool
	living    int    // owners, with those that leave
	lived     bool   // there has been one since renew
	asking    string // what of the game the loop is calling in a Tick
	onLoop    bool   // that is a function of Inbox.Run, which may call the Engine
	faults    faults
	copies    *copies  // nil: nobody has asked for them
	changes   *Changes // nil: nobody has asked for them
	history   *history.Recorder

	ticking  atomic.Bool   // a handler that calls the Engine finds it true
	occupied atomic.Bool   // by Tick or Close
	exited   bool          // a function of the game has ended the goroutine in a Tick: see vacate
	given    time.Duration // to the Tick that runs
	frames   atomic.Uint64 // the number of the frame; workers read it
	seen     atomic.Int64  // its now; workers read it
	interval atomic.Uint32 // counts the rounds of copies, from 1; 0: there are none; workers read it
	unread   atomic.Uint64 // what turns have brought in frames before this one is read by nobody
	dropped  atomic.Uint64 // of all workers
	failed   atomic.Uint64 // of all workers
	failures atomic.Uint64 // of all that the game has handed in
	cutOff   atomic.Bool   // Close does not wait any more for what owners are behind
}

// New returns an engine at the instant 0. It fails if an option is out of range
// or a handler is missing, naming all that is wrong. [Engine.Close] gives its
// goroutines back.
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

// newEngine returns an engine whose workers run on pool. The options are complete.
func newEngine(o Options, pool actor.Pool, release func(context.Context) error) *Engine {
	e := &Engine{
		opts:     o,
		release:  release,
		wheel:    wheel.New(0),
		byID:     newIDs(),
		workers:  make([]workerState, o.Workers+1),
		names:    make(map[string]buff.HandlerID),
		zones:    newZones(),
		index:    newCrossIndex(o.Catalog),
		share:    int32(min(maxShare, o.Limits.Tick)),
		patience: min(int64(max(o.Limits.Tick, 4*o.Limits.Buffs)), math.MaxInt32),
	}
	e.loop.Catalog, e.loop.Seed, e.loop.Memory = o.Catalog, o.Seed, &e.memory
	e.loop.FormulaFailed = func(of *buff.Event, v any) { e.fell(callFormula, true, of, v) }
	e.handlerID = func(name string) (buff.HandlerID, bool) { h, ok := e.names[name]; return h, ok }
	e.record = newRecorder(e)
	if o.Trace.History > 0 {
		e.history = history.New(o.Trace.History)
		e.loop.TimeChanged, e.loop.SheetChanged = e.history.Note, e.history.NoteSheet
	}
	e.producers.init(e, o.Limits.Inbox)
	e.watch.init(e)
	e.index.auras.yield = e.member
	e.nameHandlers()
	e.publish(o.Catalog)
	e.spare.init(o.Limits.Tick, o.Workers)
	for i := range e.workers {
		e.workers[i].init(e, i)
	}
	e.loopWorker().onLoop = true
	e.group = actor.NewGroup(actor.Options[*owner, message]{
		Pool:    pool,
		Task:    e.task(),
		Workers: o.Workers,
		Limit:   2*o.Limits.Mailbox + runRoom,
		Handle:  func(worker int, box *mailbox) { e.workers[worker].serve(box) },
		Ahead:   func(worker int, next []actor.Turn[*owner, message]) { e.workers[worker].ahead(next) },
		Batched: func(worker int, box *mailbox, v any) { e.workers[worker].runBatched(box, v.(*batchedTurn)) },
	})
	return e
}

// runRoom is the room in a mailbox for runs, beside one ahead of each command. The timer of a busy owner
// fires at most once before the owner is idle again.
const runRoom = 16

// firstNamed is the number of the first handler that is meant by its name, for timeouts.
// The numbers below it are those of the catalogs, which get more from reload to reload.
const firstNamed = 1 << 24

// nameHandlers numbers the handlers by name.
func (e *Engine) nameHandlers() {
	names := slices.AppendSeq(slices.Collect(maps.Keys(e.opts.Handlers)), maps.Keys(e.opts.QuickHandlers))
	slices.Sort(names)
	for i, name := range names {
		e.names[name] = firstNamed + buff.HandlerID(i)
		e.named = append(e.named, e.opts.handler(name))
	}
}

// boundHandler is a handler, and whether it may run on the loop.
type boundHandler struct {
	call  Handler
	quick bool
}

// handler returns the handler of that name, or nil.
func (o *Options) handler(name string) boundHandler {
	if h := o.QuickHandlers[name]; h != nil {
		return boundHandler{h, true}
	}
	return boundHandler{o.Handlers[name], o.Synchronous}
}

// enter panics if a handler is the caller, or something else of the game that a Tick calls, or a goroutine that
// is not the loop's while that is in a Tick.
func (e *Engine) enter(method string) {
	if e.ticking.Load() {
		panic("engine: " + method + " called from a handler, or beside a Tick; use the Context or the Inbox")
	}
	if e.asking != "" {
		panic("engine: " + method + " called from " + e.asking)
	}
}

// stuck says who holds a worker up.
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

// Now returns the instant that the last Tick reached.
//
// Only the loop goroutine may call it.
func (e *Engine) Now() wheel.Time {
	e.enter("Now")
	return e.now
}

// Catalog returns the definitions that are in force: those of Options.Catalog, or of the
// last [Engine.Reload].
//
// Any goroutine may call it.
func (e *Engine) Catalog() *buff.Catalog { return e.edition.Load().catalog }

// Inbox returns the lane for other goroutines: that of the producer without a name, see
// [Inbox.For].
//
// Any goroutine may call it.
func (e *Engine) Inbox() *Inbox { return &e.inbox }

// closeLimit is how much Close works off of what was due in time that is carried, counted as by
// Options.Limits.Tick.
const closeLimit = 1 << 20

// cutOffLimit is how much Close works off before owners who are still behind are cut off.
const cutOffLimit = 4 * closeLimit

// Close ends the engine: it refuses new work, delivers what was accepted, also
// what was due in time that is carried (see [Options].CatchUp), waits
// for handlers and gives the workers back. Further calls fail with [ErrClosed] or
// do nothing; what was due later never comes. What is still delivered reaches the
// handlers, but no Frame: a loop that wants to see those events ticks once more before
// it closes.
//
// Of time that is carried, Close works off no more than 1,048,576 deadlines, and nothing once ctx has ended.
// The rest of it is dropped: what was due then never comes, and Stats.LostAtClose says how much time it was.
// Nor does it wait for owners who are so far behind that 4,194,304 do not bring them to the present, as after
// a Readmit with a wrong instant: commands that were accepted are carried out, and what was due of them never
// comes.
//
// If ctx ends first, Close returns its error within 10 ms and names the owners whose
// handlers still run; it may then be called again. It must not be called from a
// handler. Owners whose handlers set each other off without end keep Close busy as
// long as ctx allows.
//
// Each of told is called with each frame of what is still delivered, on the loop: for a game that must see it. The first
// frame begins with what calls of the loop have done since the last Tick.
//
// Only the loop goroutine may call it.
func (e *Engine) Close(ctx context.Context, told ...func(*Frame)) error {
	e.enter("Close")
	e.occupy("Close")
	defer e.vacate()
	e.closed = true
	e.record.close()
	e.producers.close()
	for worked := 0; e.working(); worked += e.worked {
		if worked >= closeLimit || ctx.Err() != nil {
			e.stats.LostAtClose += span(e.now, e.target)
			e.target = e.now
		}
		e.cutOff.Store(worked >= cutOffLimit)
		e.tick(0)
		for _, tell := range told {
			tell(&e.frame)
		}
		if err := ctx.Err(); err != nil && e.working() {
			e.producers.abandon()
			return fmt.Errorf("engine: close: %w; %s", err, e.running())
		}
	}
	if err := e.release(ctx); err != nil {
		return fmt.Errorf("engine: close: %w", err)
	}
	return errors.Join(e.record.failure(), e.slow.err)
}

// occupy panics if Tick or Close is under way: then another goroutine is in it.
func (e *Engine) occupy(method string) {
	if e.onLoop {
		panic("engine: " + method + " called from a function of Inbox.Run")
	}
	if !e.occupied.CompareAndSwap(false, true) {
		panic("engine: " + method + " called while another goroutine is in Tick or Close; calls must be serialised")
	}
}

// vacate ends what occupy began. Where a function of the game has ended the goroutine that was in a
// Tick, the Tick comes to its end on the way out: another goroutine may go on with the engine.
func (e *Engine) vacate() {
	if e.exited {
		e.exited = false
		e.endTick(e.given)
	}
	e.occupied.Store(false)
}

// working reports whether accepted work is left.
func (e *Engine) working() bool {
	s := e.group.Stats()
	if s.Running+s.Staged+len(e.outbox)+e.producers.waiting() > 0 {
		return true
	}
	return e.now < e.target || len(e.wanted)+e.backlog.n > 0 && !e.cutOff.Load()
}

// running names the owners whose handlers run.
func (e *Engine) running() string {
	var names []string
	for _, box := range e.group.Held(nil, false) {
		names = append(names, fmt.Sprint(box.Owner.id()))
	}
	if len(names) == 0 {
		return "work is left"
	}
	return "handlers still run for owner " + strings.Join(names, ", ")
}

// inline is the pool of a synchronous engine: a task has run when Submit returns.
type inline struct{}

func (inline) Submit(task func()) error {
	task()
	return nil
}

// Pool has the goroutines that run workers: of one engine, or of several, each on a loop of its
// own. Make one with [NewPool].
type Pool struct{ pool *ants.Pool }

// NewPool returns a pool for so many workers, from 1 to 65,536: the sum of Options.Workers of all
// engines that get it. It makes only as many goroutines as are needed at once, and keeps them.
//
// Has it no room for all of them, an engine for which there is none leaves what is due to a later
// frame. Nothing is lost, but what happens then depends on which engine was faster. Any goroutine may
// call it.
func NewPool(workers int) (*Pool, error) {
	if workers < 1 || workers > 1<<16 {
		return nil, fmt.Errorf("engine: a pool for %d workers, want 1 to %d", workers, 1<<16)
	}
	// It never blocks, so that the loop never waits in Submit; it never purges, so that
	// bursts find their goroutines; and it has room for more of them than there are workers,
	// so that those that are about to end are not in the way of new ones.
	pool, err := ants.NewPool(4*workers+16, ants.WithNonblocking(true), ants.WithDisablePurge(true))
	if err != nil {
		return nil, fmt.Errorf("engine: a pool for %d workers: %w", workers, err)
	}
	return &Pool{pool}, nil
}

// Close gives the goroutines back, when what they run has come to its end or ctx has: then it
// returns its error. The engines that have the pool are closed before. A second Close does nothing.
// Any goroutine may call it.
func (p *Pool) Close(ctx context.Context) error {
	if err := p.pool.ReleaseContext(ctx); !errors.Is(err, ants.ErrPoolClosed) {
		return err
	}
	return nil
}
