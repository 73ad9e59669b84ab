package engine

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/trace"
	"time"

	"github.com/bufftick/bufftick/buff"
)

// Defaults of [Options], used where a field is zero.
const (
	DefaultBudget       = 10 * time.Millisecond
	DefaultMaxOwners    = buff.MaxOwners
	DefaultMaxBuffs     = 1024
	DefaultMailboxLimit = 1024
	DefaultInboxLimit   = 65_536
	DefaultHandlerLimit = 65_536
	DefaultEventLimit   = 1 << 20
	DefaultTraceEvery   = 1200
	DefaultTurnLimit    = 64
	DefaultTickLimit    = 65_536
)

// Handler is Go code of the game that a definition calls by name. It runs on a
// worker, for one owner at a time, with the owner's events in order; what it wants
// of the engine it asks of c. It must not keep c.
type Handler func(c *Context, e buff.Event)

// Handlers are handlers by name.
type Handlers map[string]Handler

// Options configures an [Engine]. The zero value of every field is a sensible
// default.
type Options struct {
	// Catalog has the definitions. If nil, there are none, and the engine has
	// timeouts only.
	Catalog *buff.Catalog

	// Handlers must have every name that a definition of the Catalog calls, and may
	// have more, for timeouts.
	Handlers Handlers

	// Workers is the number of handlers that run at once. If zero, it is
	// runtime.GOMAXPROCS(0). The order of events does not depend on it.
	Workers int

	// Synchronous runs handlers inside Tick on the loop goroutine, one after the
	// other, without a pool: for tests and tiny servers. Workers and Budget then
	// mean nothing, and a handler that calls runtime.Goexit ends the loop.
	Synchronous bool

	// Budget is what one Tick may wait for handlers. If zero, DefaultBudget; if
	// negative, as long as they take. A player who still runs then is busy.
	Budget time.Duration

	// TurnLimit is the number of events after which an owner lets others pass. If
	// zero, DefaultTurnLimit.
	TurnLimit int

	// TickLimit bounds the work of one Tick: when it has worked off so many deadlines and
	// events it goes no further in time than it has come, and CatchUp says what becomes of
	// the rest. It is a count, not a clock, so that the same calls stop at the same instant
	// on any machine. If zero, DefaultTickLimit. What is due at one millisecond, or in a
	// Tick of up to 50 ms, is not divided.
	TickLimit int

	// CatchUp says what becomes of time that a Tick has no work left for: Carry, the
	// default, or Dilate.
	CatchUp CatchUp

	// Seed is what chance depends on, beside the owner and how often it has rolled: the
	// same calls with the same Seed lead to the same events.
	Seed uint64

	// MaxOwners is how many owners there may be at once, up to buff.MaxOwners;
	// MaxBuffs how many buffs, and as many timeouts, on one owner, up to
	// buff.MaxPerOwner. If zero, DefaultMaxOwners and DefaultMaxBuffs.
	MaxOwners, MaxBuffs int

	// MailboxLimit is how many commands may wait for a busy owner; HandlerLimit how
	// many handlers, set off by the loop's calls, for the owner's next turn; InboxLimit
	// how many commands of other goroutines for the next Tick; EventLimit after how many
	// events the loop's calls are refused until the next Tick takes them away. If zero,
	// DefaultMailboxLimit, DefaultHandlerLimit, DefaultInboxLimit and DefaultEventLimit.
	MailboxLimit, HandlerLimit, InboxLimit, EventLimit int

	// Members tells the engine who is within an aura: it calls found for each owner of
	// whom that is true now; one that it names twice, or that is not there, makes no
	// difference, nor does the order. The bearer is a member of its own aura if Members
	// says so. Required if the Catalog has an aura.
	//
	// It is called on the loop, at the end of a Tick. It must not call the Engine, nor touch
	// the data of a player who is busy; what it needs to know, such as where everybody is,
	// best belongs to the loop.
	Members func(q AuraQuery, found func(id buff.OwnerID))

	// Epoch is the time on the wall clock at the engine's instant 0, from which that of
	// every other instant follows. If zero, the beginning of 1970. Uptime is how long the
	// world had been up before, in all its earlier runs; it is not negative. Both matter
	// to what is saved and restored.
	Epoch  time.Time
	Uptime time.Duration

	// Record, if not nil, gets all that goes into the engine, for [Replay]: the calls of the
	// loop, the spans of time and the commands of the inbox, with a digest of each frame. It
	// is written to once in each Tick, on the loop: it must not block, so that a file wants
	// a buffer, or a goroutine of its own. The first error ends the recording, and Close
	// returns it.
	Record io.Writer

	// SlowFrame is how long a frame may take before [Engine.Observe] counts it as slow; zero
	// for ever. Flight, if not nil, is a flight recorder that the game has started, and
	// SlowTrace where the trace of a slow frame goes: it is called on the loop and returns
	// nil for "not this one". TraceEvery is how many frames there are at least from one
	// trace to the next; if zero, DefaultTraceEvery.
	SlowFrame  time.Duration
	Flight     *trace.FlightRecorder
	SlowTrace  func(f *Frame) io.WriteCloser
	TraceEvery int

	// OnFault, if not nil, is told of each handler that panicked or ended its
	// goroutine. It is called on the worker and must be safe for calls from several
	// workers at once; if it panics, nothing further happens. The fault also becomes
	// an event.
	OnFault func(Fault)
}

// Fault says how a handler failed.
type Fault struct {
	Event buff.Event // that it was called for
	Value any        // what it panicked with; nil if it ended its goroutine
	Stack []byte     // where; nil if it ended its goroutine
}

// missing returns what a catalog wants of the options and does not find.
func (o *Options) missing(c *buff.Catalog) (errs []error) {
	for _, name := range c.Handlers() {
		if c.Calls(name) && o.Handlers[name] == nil {
			errs = append(errs, fmt.Errorf("%w: %q, which the catalog calls", ErrUnknownHandler, name))
		}
	}
	for s := range c.All() {
		if s.Aura.Apply != "" && o.Members == nil {
			errs = append(errs, fmt.Errorf("engine: Options.Members is missing, and %q is an aura", s.ID))
		}
	}
	return errs
}

// complete fills in defaults and returns everything that is wrong.
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
		o.Catalog, _ = buff.NewCatalog() // nothing to be wrong
	}
	if o.Budget == 0 {
		o.Budget = DefaultBudget
	}
	limit("Workers", &o.Workers, runtime.GOMAXPROCS(0), 1<<16)
	limit("TurnLimit", &o.TurnLimit, DefaultTurnLimit, 1<<30)
	limit("TickLimit", &o.TickLimit, DefaultTickLimit, 1<<30)
	limit("MaxOwners", &o.MaxOwners, DefaultMaxOwners, buff.MaxOwners)
	limit("MaxBuffs", &o.MaxBuffs, DefaultMaxBuffs, buff.MaxPerOwner)
	limit("MailboxLimit", &o.MailboxLimit, DefaultMailboxLimit, 1<<20)
	limit("HandlerLimit", &o.HandlerLimit, DefaultHandlerLimit, 1<<24)
	limit("TraceEvery", &o.TraceEvery, DefaultTraceEvery, 1<<30)
	limit("EventLimit", &o.EventLimit, DefaultEventLimit, 1<<30)
	limit("InboxLimit", &o.InboxLimit, DefaultInboxLimit, 1<<24)
	errs = append(errs, o.missing(o.Catalog)...)
	if o.CatchUp > Dilate {
		errs = append(errs, fmt.Errorf("engine: Options.CatchUp must be Carry or Dilate, not %d", o.CatchUp))
	}
	if o.Uptime < 0 {
		errs = append(errs, fmt.Errorf("engine: Options.Uptime must not be negative, not %v", o.Uptime))
	}
	if o.Epoch.IsZero() {
		o.Epoch = time.UnixMilli(0)
	}
	if o.Synchronous {
		o.Workers = 1
	}
	return errors.Join(errs...)
}
