package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/bufftick/bufftick/actor"
	"github.com/bufftick/bufftick/buff"
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
	named   []Handler                 // Options.Handlers by name, behind firstNamed; never changes
	names   map[string]buff.HandlerID // never changes: any goroutine reads it
	release func(context.Context) error

	now    wheel.Time
	target wheel.Time    // that the Ticks have brought; after now: a backlog is carried
	carry  time.Duration // of dt, below a millisecond
	wheel  *wheel.Wheel
	fired  []wheel.Fired
	slack  slacks

	owners []*owner // by number; nil: free
	bases  []uint32 // by number: the generation its next Set begins with
	base   uint32   // that of a number that has had none since renew
	free   []uint32
	byID   map[buff.OwnerID]*owner
	wanted []*owner // want a turn in the next Tick
	round  uint64   // counts the slices of all Ticks
	share  int32    // of one owner in one hand-over, see maxShare

	group  *actor.Group[*owner, message]
	visits visits
	lanes  []lane // by pump
	used   bool   // lanes have been used since they were last emptied
	home   []*mailbox

	loop     buff.Turn       // for what is decided on the loop
	query    buff.Query      // of the command that the loop carries out
	passes   bool            // passOn is at work
	captured []buff.Captured // of the source of what the loop applies
	cross    []cross
	ledger   ledger
	tally    tally
	sweep    sweep
	zones    map[uint32]*zone
	zonal    bool     // some definition is, or was, left behind in its zone
	behind   []*owner // who has not been told yet of its zone's time
	frame    Frame
	inbox    Inbox
	watch    Watch
	budget   budget
	stats    Stats
	record   *recorder
	evidence evidence
	closed   bool
	living   int  // owners, with those that leave
	lived    bool // there has been one since renew
	asking   bool // Options.Members is at work

	ticking atomic.Bool   // a handler that calls the Engine finds it true
	frames  atomic.Uint64 // the number of the frame; lanes read it
	seen    atomic.Int64  // its now; lanes read it
	dropped atomic.Uint64 // of all lanes
	failed  atomic.Uint64 // of all lanes
}

// New returns an engine at the instant 0. It fails if an option is out of range
// or a handler is missing, naming all that is wrong. [Engine.Close] gives its
// goroutines back.
func New(o Options) (*Engine, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	if o.Synchronous {
		return newEngine(o, inline{}, func(context.Context) error { return nil }), nil
	}
	pool, release, err := newPool(o.Workers)
	if err != nil {
		return nil, err
	}
	return newEngine(o, pool, release), nil
}

// newEngine returns an engine whose pumps run on pool. The options are complete.
func newEngine(o Options, pool actor.Pool, release func(context.Context) error) *Engine {
	e := &Engine{
		opts:    o,
		release: release,
		wheel:   wheel.New(0),
		byID:    make(map[buff.OwnerID]*owner),
		lanes:   make([]lane, o.Workers),
		names:   make(map[string]buff.HandlerID),
		zones:   map[uint32]*zone{0: {}},
		ledger:  newLedger(o.Catalog),
		share:   int32(min(maxShare, o.TickLimit)),
	}
	e.loop.Catalog, e.loop.Seed = o.Catalog, o.Seed
	e.record = newRecorder(o.Record, &e.opts)
	e.inbox.limit = o.InboxLimit
	e.inbox.engine = e
	e.watch.init(e)
	e.ledger.auras.yield = e.member
	e.nameHandlers()
	e.publish(o.Catalog)
	for i := range e.lanes {
		e.lanes[i].init(e)
	}
	e.group = actor.NewGroup(actor.Options[*owner, message]{
		Pool:   pool,
		Pumps:  o.Workers,
		Limit:  2*o.MailboxLimit + wakeRoom,
		Handle: func(pump int, box *mailbox) { e.lanes[pump].serve(box) },
		Visit:  func(pump int, box *mailbox, v any) { e.lanes[pump].visit(box, v.(*visit)) },
	})
	return e
}

// wakeRoom is the room in a mailbox for what is no command. A timer of a busy owner
// fires at most once before the owner comes home, and a run is sent at most once a
// frame, for a wake or ahead of a command.
const wakeRoom = 4*buff.MaxPerOwner + 16

// firstNamed is the number of the first handler that is meant by its name, for timeouts.
// The numbers below it are those of the catalogs, which get more from reload to reload.
const firstNamed = 1 << 24

// nameHandlers numbers the handlers by name.
func (e *Engine) nameHandlers() {
	for i, name := range slices.Sorted(maps.Keys(e.opts.Handlers)) {
		e.names[name] = firstNamed + buff.HandlerID(i)
		e.named = append(e.named, e.opts.Handlers[name])
	}
}

// enter panics if a handler is the caller, or Options.Members.
func (e *Engine) enter(method string) {
	if e.ticking.Load() {
		panic("engine: " + method + " called from a handler; use the Context")
	}
	if e.asking {
		panic("engine: " + method + " called from Options.Members")
	}
}

// stuck says who holds a lane up.
func (e *Engine) stuck(mark uint64, since wheel.Time) Stuck {
	st := Stuck{For: time.Duration(e.now-since) * time.Millisecond}
	if o := e.owners[uint32(mark>>32)-1]; o != nil {
		st.Owner = o.id
	}
	if line := uint32(mark); line != 0 {
		st.Spec = e.tally.lines[line].spec
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

// Inbox returns the lane for other goroutines.
//
// Any goroutine may call it.
func (e *Engine) Inbox() *Inbox { return &e.inbox }

// Close ends the engine: it refuses new work, delivers what was accepted, also
// what was due in time that is carried (see [Options].CatchUp), waits
// for handlers and gives the workers back. Further calls fail with [ErrClosed] or
// do nothing; what was due later never comes. What is still delivered reaches the
// handlers, but no Frame: a loop that wants to see those events ticks once more before
// it closes.
//
// If ctx ends first, Close returns its error within 10 ms and names the owners whose
// handlers still run; it may then be called again. It must not be called from a
// handler. Owners whose handlers set each other off without end keep Close busy as
// long as ctx allows.
//
// Only the loop goroutine may call it.
func (e *Engine) Close(ctx context.Context) error {
	e.enter("Close")
	e.closed = true
	e.record.close()
	e.inbox.close()
	for e.working() {
		e.tick(0)
		if err := ctx.Err(); err != nil && e.working() {
			return fmt.Errorf("engine: close: %w; %s", err, e.running())
		}
	}
	if err := e.release(ctx); err != nil {
		return fmt.Errorf("engine: close: %w", err)
	}
	return errors.Join(e.record.failure(), e.evidence.err)
}

// working reports whether accepted work is left.
func (e *Engine) working() bool {
	s := e.group.Stats()
	return e.now < e.target || len(e.wanted)+s.Away+s.Staged+e.inbox.Len() > 0
}

// running names the owners whose handlers run.
func (e *Engine) running() string {
	var names []string
	for _, box := range e.group.Held(nil) {
		names = append(names, fmt.Sprint(box.Owner.id))
	}
	if len(names) == 0 {
		return "work is left"
	}
	return "handlers still run for owner " + strings.Join(names, ", ")
}
