package engine

import (
	"errors"
	"fmt"
	"io"
	"math/bits"
	"runtime"
	"runtime/trace"
	"sync/atomic"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/engine/view"
)

// Defaults of [Options] fields that are zero. For the constants that are not exported, the
// comments of the fields give the values.
const (
	DefaultBudget       = time.Second
	defaultMaxOwners    = buff.MaxOwners
	defaultMaxBuffs     = 1024
	defaultMailboxLimit = 1024
	defaultInboxLimit   = 65_536
	defaultHandlerLimit = 65_536
	defaultEventLimit   = 1 << 20
	defaultTraceEvery   = 1200
	defaultTurnLimit    = 64
	defaultTickLimit    = 18_000
	defaultPart         = 16_384
)

// Handler is Go code of the game that a definition calls by name. It usually runs on a worker.
// Calls for one owner are never concurrent, and are in the order of the owner's events; calls for
// different owners may be concurrent. A handler accesses the engine through c, which is valid
// until the handler returns.
type Handler func(c *Context, e buff.Event)

// Handlers maps names to handlers.
type Handlers map[string]Handler

// Options configures an [Engine]. The zero value of each field is a usable default, except that
// some fields are required in some cases; New fails if such a field is missing.
type Options struct {
	// Catalog has the definitions. If Catalog is nil, there are no definitions, and the engine has
	// only timeouts.
	Catalog *buff.Catalog

	// Each handler that a definition of the Catalog calls must be in Handlers or in QuickHandlers,
	// but not in both. Both may have further handlers, which only timeouts call.
	Handlers Handlers

	// QuickHandlers are handlers that never block: they hold no lock for long, and use no channel,
	// no network and no disk. They may run on the loop goroutine, so that small frames need not
	// wake a worker. A panic is contained as in any other handler. However, a quick handler that
	// does not return blocks the loop, and a quick handler that calls runtime.Goexit ends the
	// loop's goroutine. The results do not depend on where a handler runs.
	QuickHandlers Handlers

	// Workers is the largest number of handlers that run concurrently. The default is
	// runtime.GOMAXPROCS(0). The order of events does not depend on Workers.
	Workers int

	// Pool, if not nil, runs the workers of this engine and of all other engines that share the
	// pool: see [NewPool]. Engine.Close does not close the Pool. If Pool is nil, the engine has its
	// own pool. The order of events does not depend on the pool.
	Pool *Pool

	// If Synchronous is set, handlers run inside Tick on the loop goroutine, one after the other,
	// without a pool. Workers and Budget are then ignored. This is meant for tests and tiny
	// servers. A handler that calls runtime.Goexit (in a test, t.FailNow calls it) ends the loop's
	// goroutine and the Tick; another goroutine may continue to use the engine.
	Synchronous bool

	// Budget is how long one Tick may wait for handlers. If Budget is zero, the limit is
	// DefaultBudget; if Budget is negative, there is no limit. If an owner's handler is still
	// running when the Budget is used up, the owner becomes busy, and later Ticks do not wait for
	// it until its turn has ended. A stuck handler therefore costs one long frame. Budget is a
	// guard against stuck handlers, not a time slice. If it is below about 100 ms, owners with fast
	// handlers may become busy on a loaded machine, because their handlers do not get a processor
	// in time.
	Budget time.Duration

	// CatchUp says what happens to elapsed time for which a Tick has no quota left: Carry, the
	// default, or Dilate.
	CatchUp CatchUp

	// Seed is the seed of all random decisions. A decision depends on the seed, the owner and the
	// number of the owner's earlier rolls. The same calls with the same Seed therefore lead to the
	// same events.
	Seed uint64

	// Number distinguishes this engine's handles from those of other engines, so that a handle of
	// another engine is invalid here. Engines that may receive each other's handles, even on
	// different machines, need different numbers, preferably small ones. If Number is zero, New
	// uses the number of engines that this process has made without a Number so far, including this
	// one.
	//
	// A handle of another engine is guaranteed to be invalid here as long as the Numbers of both
	// are at most 2^k, and no slot of an owner in either engine has been used 2^(32-k) times. With
	// 256 engines, for example, each slot can have 16 million buffs, one after the other. Beyond
	// that, the chance that the handle matches a slot in use is below 1 in 2^(32-k). Engines with
	// the same number have the same handles.
	Number uint32

	// Members finds the owners that are in the range of an aura now, and calls `found` for each of
	// them, in any order. Duplicates and owners that are not in the engine are ignored. The bearer
	// is a member of its own aura only if Members calls `found` for it. Members is required if the
	// Catalog has an aura.
	//
	// Members is called on the loop, at the end of a Tick. It must not call the Engine, nor access
	// the data of a busy owner; the data that it needs, such as positions, should belong to the
	// loop. If Members panics, the current search finds no members, and a Faulted event reports it.
	Members func(q AuraQuery, found func(id buff.OwnerID))

	// Epoch is the wall-clock time of the engine's instant 0. The wall-clock times of all other
	// instants follow from it. Set it to time.Now(), or to a time in the past to repeat a recorded
	// day. If Epoch is zero, instant 0 is the start of 1970 in each run, so no time would pass for
	// an owner between two runs. Epoch is therefore required if a definition in the Catalog has the
	// setting `clock: wall`.
	Epoch time.Time

	// Uptime is the total run time of the world before this run: zero in the first run, and in
	// later runs the value of Engine.Moment().Uptime at the end of the previous run. Uptime must
	// not be negative. If it is less than in an earlier save, buff.Restoration.UptimeStepped is
	// set.
	Uptime time.Duration

	// OnFault, if not nil, is called when a function of the game panics or ends its goroutine: a
	// handler, Members, Record and so on, see [view.Fault]. OnFault is called at most once per
	// second of game time for the same site, that is, one handler of one definition, or one other
	// function. Each call reports how many faults were suppressed since the last call. Stats counts
	// all faults, and each fault of a handler or of Members is also an event.
	//
	// OnFault is called where the fault occurred, on a worker or on the loop, and must be safe for
	// concurrent use. It must not call the Engine. If OnFault panics, the panic is ignored.
	OnFault func(view.Fault)

	// Limits bounds the engine's queues, and the work of a Tick.
	Limits Limits

	// Trace configures what the engine records about its run: all inputs, for a replay; the events
	// of the last minute; and traces of slow frames.
	Trace Trace

	defaultEpoch bool // Epoch was zero
	part         int  // cost limit of each kind of end-of-frame work: see Limits.Tick
}

// Limits bounds the memory of an engine and the work of one Tick. A zero field has the default
// given in its comment; New fails if a field is out of range. A call that exceeds a limit either
// fails with one of the package's errors or is counted in Stats.
type Limits struct {
	// Tick bounds the work of one Tick, counted as the number of deadlines, deferred handlers, and
	// queued commands of owners. If one of these causes several events, each event counts, but it
	// is not divided. When the limit is reached, time stops advancing, and Options.CatchUp decides
	// what happens to the remaining time. Because the limit is a count and not a duration, the same
	// calls stop at the same point on every machine, with any number of workers. Even the deadlines
	// of a single millisecond are divided: among owners, and between the events of one owner.
	//
	// The default is 18,000. That is enough for the pulses of a million buffs every 3 s at 20 Ticks
	// a second. The default is also low enough for short frames: if 300,000 buffs end in one
	// millisecond, no Tick takes longer than about 20 ms, and the last of these buffs end 850 ms
	// late. Raise the limit for a larger world; lower it if a long frame is worse than a late
	// event.
	//
	// In addition, each of the following kinds of work may cost a quarter of Tick (or 16,384 if
	// Tick has its default): notifying owners of a changed area time, commands for other owners,
	// searches of auras, and the Inbox. A command costs one, plus one for each of its events, plus
	// one for every 16 buffs that it visits; a deadline that it moves counts as eight visited
	// buffs. Work above the limit comes first in the next Tick. A single command, or a single
	// search of an aura, is not divided.
	Tick int

	// Turn is the number of events after which an owner yields to other owners. The default is 64.
	// Lower the limit if handlers are slow and a few owners have very many events.
	Turn int

	// Owners is the largest number of owners that exist at the same time, up to buff.MaxOwners,
	// which is also the default.
	Owners int

	// Buffs is the largest number of buffs, and also of timeouts, on one owner, up to
	// buff.MaxPerOwner. The default is 1,024. Raise the limit for a boss that carries the debuffs
	// of a whole zone.
	Buffs int

	// Mailbox is the largest number of commands that may wait for one busy owner, up to 2^20. The
	// default is 1,024.
	Mailbox int

	// Handlers is the largest number of handlers of one owner that calls of the loop may defer to
	// the owner's next turn, up to 2^24. The default is 65,536.
	Handlers int

	// Inbox is the largest number of commands from other goroutines that may wait, shared equally
	// by their producers (see Inbox.For). The same number also limits another queue: the commands
	// of handlers for other owners that did not fit into a Tick. The default is 65,536, and the
	// maximum is 2^24.
	Inbox int

	// Events is the number of events of the loop's calls after which further calls are refused. The
	// next Tick moves the events to its Frame, so that calls succeed again. The default is 2^20,
	// and the maximum is 2^30.
	Events int
}

// Trace configures what an engine records about its run. The zero value records nothing.
type Trace struct {
	// Record, if not nil, receives all inputs of the engine, for replay.Run: the calls of the loop,
	// the lengths of the Ticks and the commands of the Inbox, with a digest of each frame. The loop
	// writes to Record once per Tick, so a Write must not block. To record to a file, use a buffer
	// or a separate goroutine. The first error, or a panic, ends the recording; Close returns it.
	Record io.Writer

	// History is the size in bytes of the flight recorder, which keeps the events of the last
	// minute of game time: see [Engine.History]. If History is zero, there is no flight recorder,
	// and the live page cannot show the last minute of a player. history.DefaultBytes, 32 MiB,
	// holds some 800,000 events; the minimum is history.MinBytes. With the flight recorder, an
	// event costs about a tenth more.
	History int

	// SlowFrame is the duration above which a frame counts as slow: see [view.Watch.Frame]. If
	// SlowFrame is zero, no frame is slow.
	SlowFrame time.Duration

	// Flight, if not nil, is a flight recorder of the Go runtime that the game has started. After a
	// slow frame, the engine writes its content to the writer that Writer returns.
	Flight *trace.FlightRecorder

	// Writer returns the writer for the trace of a slow frame, or nil to skip this trace. Writer is
	// called on the loop. If Writer or the writer that it returned panics, the trace ends, and
	// Close returns an error for the panic.
	Writer func(f *Frame) io.WriteCloser

	// Every is the smallest number of frames between two traces, up to 2^30. The default is 1,200.
	Every int

	// Labels sets the profiler labels "buff" and "owner" (see runtime/pprof) on the goroutine that
	// runs a handler, so that go tool pprof -tagfocus can select one definition. The labels cost
	// about 700 ns and six allocations per call of a handler. Handlers that run on the loop have
	// no labels. In an execution trace (runtime/trace), each call has a region even without
	// Labels.
	Labels bool
}

// missing returns an error for each requirement of the catalog that the options do not meet.
func (o *Options) missing(c *buff.Catalog) (errs []error) {
	for _, name := range c.Handlers() {
		if c.Calls(name) && o.Handlers[name] == nil && o.QuickHandlers[name] == nil {
			errs = append(errs, fmt.Errorf("%w: %q, which the catalog calls", ErrUnknownHandler, name))
		}
	}
	for s := range c.All() {
		if s.Clock == define.Wall && (o.Epoch.IsZero() || o.defaultEpoch) {
			errs = append(errs, fmt.Errorf("%w, and %q uses the wall clock", ErrNoEpoch, s.ID))
		}
		if s.Aura.Apply != "" && o.Members == nil {
			errs = append(errs, fmt.Errorf("engine: Options.Members is missing, but %q is an aura", s.ID))
		}
	}
	return errs
}

// complete fills in defaults and returns all errors of the options.
func (o *Options) complete() error {
	var errs []error
	limit := func(name string, v *int, def, most int) {
		if *v == 0 {
			*v = def
		}
		if *v < 1 || *v > most {
			errs = append(errs, fmt.Errorf("engine: Options.%s must be from 1 to %d, not %d", name, most, *v))
		}
	}
	if o.Catalog == nil {
		o.Catalog, _ = buff.NewCatalog() // cannot fail
	}
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	limit("Workers", &o.Workers, runtime.GOMAXPROCS(0), 1<<16)
	l, t := &o.Limits, &o.Trace
	limit("Limits.Tick", &l.Tick, defaultTickLimit, 1<<30)
	if o.part = max(1, l.Tick/4); l.Tick == defaultTickLimit {
		o.part = defaultPart
	}
	limit("Limits.Turn", &l.Turn, defaultTurnLimit, 1<<30)
	limit("Limits.Owners", &l.Owners, defaultMaxOwners, buff.MaxOwners)
	limit("Limits.Buffs", &l.Buffs, defaultMaxBuffs, buff.MaxPerOwner)
	limit("Limits.Mailbox", &l.Mailbox, defaultMailboxLimit, 1<<20)
	limit("Limits.Handlers", &l.Handlers, defaultHandlerLimit, 1<<24)
	limit("Limits.Inbox", &l.Inbox, defaultInboxLimit, 1<<24)
	limit("Limits.Events", &l.Events, defaultEventLimit, 1<<30)
	limit("Trace.Every", &t.Every, defaultTraceEvery, 1<<30)
	if h := t.History; h != 0 && (h < history.MinBytes || h > 1<<40) {
		errs = append(errs, fmt.Errorf("engine: Options.Trace.History must be zero, for none, or from %d to %d, not %d", history.MinBytes, 1<<40, h))
	}
	errs = append(errs, o.missing(o.Catalog)...)
	for name := range o.QuickHandlers {
		if _, twice := o.Handlers[name]; twice {
			errs = append(errs, fmt.Errorf("engine: handler %q is in Options.Handlers and in QuickHandlers; keep it in one of them", name))
		}
	}
	if o.CatchUp > Dilate {
		errs = append(errs, fmt.Errorf("engine: Options.CatchUp must be Carry or Dilate, not %d", o.CatchUp))
	}
	if o.Uptime < 0 {
		errs = append(errs, fmt.Errorf("engine: Options.Uptime must not be negative, not %v", o.Uptime))
	}
	if o.Epoch.IsZero() {
		o.Epoch, o.defaultEpoch = time.UnixMilli(0), true
	}
	if o.Synchronous {
		o.Workers = 1
	}
	return errors.Join(errs...)
}

// engines is the number of engines made without an Options.Number.
var engines atomic.Uint32

// numbered sets Number if it is zero.
func (o *Options) numbered() {
	for o.Number == 0 { // skips 0 when the counter wraps around
		o.Number = engines.Add(1)
	}
}

// originOf returns the first generation of an engine's handles, which is number-1 with its bits in
// reverse order. The origins of any two of the first 2^k engines are at least 2^(32-k) apart, and
// the origin of engine number 1 is 0. Origins are even.
func originOf(number uint32) uint32 { return bits.Reverse32(number-1) &^ 1 }
