package rules

import (
	"slices"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/internal/rules/deadline"
	"github.com/bufftick/bufftick/internal/rules/slots"
	"github.com/bufftick/bufftick/wheel"
)

// Memory stores the records of many Owners. Its zero value is ready for use.
type Memory = slots.Memory

// Limits of the chain that one event or command may cause within its instant.
const (
	MaxRounds   = 16     // depth: commands that cause commands, and so on
	MaxCommands = 10_000 // number of commands in the chain
)

// Turn holds the working state of an Owner: its output, such as events, and the queue of commands
// that handlers have issued. One Turn serves many Owners, one after the other.
type Turn struct {
	// Now is the time of the frame, which is stored in Event.Seen.
	Now wheel.Time

	// Events collects the events. New ones are appended.
	Events []buff.Event

	// Dropped counts due events and handler calls that turned out, when checked just before
	// running, to be no longer due.
	Dropped uint64

	// Failed counts the commands from handlers or definitions that failed because their handle was
	// stale. Such a command emits no event.
	Failed uint64

	// MostEvents and MostCalls limit the events and handler calls that [Owner.Restore] may make at
	// once from a blob, not counting those that follow from them. A blob with more fails with
	// [buff.ErrRoom]. Zero means no limit.
	MostEvents, MostCalls int

	// Catalog resolves the names of definitions and tags. If it is nil, actions of a buff use the
	// definitions in the catalog of that buff, and AddTag and DropTag panic.
	Catalog *buff.Catalog

	// List collects the instants at which the Owners need a Run: see [Owner.Waits].
	deadline.List

	// Memory stores the records of the Owners. If Memory is nil, each Owner has its own piece of
	// the heap. An Owner must always be used with the same Memory.
	Memory *Memory

	// Seed determines the random rolls, together with the owner and the number of the roll.
	Seed uint64

	// Ran counts the due events and deferred handlers that Run has processed.
	Ran uint64

	// Outbox collects the commands that the rules issue to other owners. New ones are appended.
	Outbox []Outgoing

	// Call calls the Go handler of c and returns reason.None, or the reason why the handler failed.
	// If Call is nil, no handler is called.
	Call func(t *Turn, c *Call) reason.Reason

	// FormulaFailed, if not nil, is called when a [define.Formula] panics, with the value of the
	// panic, or nil if the formula called runtime.Goexit. The event has the time, the owner and the
	// definition. The deferred function that has recovered makes the call.
	FormulaFailed func(of *buff.Event, with any)

	// Source, if not nil, returns the Owner of an owner for [Owner.Reread] and [Owner.Restore], or
	// nil if that owner cannot be read now.
	Source func(buff.OwnerID) *Owner

	// TimeChanged, if not nil, is called after each pause, resumption or change of a rate.
	TimeChanged func(buff.TimeChange)

	// SheetChanged, if not nil, is called with earlier inputs of attributes that no event
	// reports: see [buff.SheetChange].
	SheetChanged func(buff.SheetChange)

	at        wheel.Time      // the current instant
	now       clock.OwnerTime // the current instant in the owner's time
	inside    bool            // a Run is in progress, so handlers are called; otherwise they are deferred
	round     int8            // length of the chain of commands that caused the current one
	issued    int             // commands issued in the chain so far
	truncated bool            // a command was dropped at a limit and no Faulted has reported it yet
	by        buff.OwnerID    // the owner that issued the current command, or 0; see compile.HasRemover
	quiet     bool            // the current command is in the chain of a reaction to damage, so further damage causes no reactions

	calling bool // the call in `current` is running

	items    []item
	head     int
	commands []buff.Command
	calls    []waitingCall
	late     []lateAction
	absorbed []absorbed // see queueAbsorbActions

	current   *Call       // the call that is running, or the last one
	deferred  waitingCall // a deferred call while it is running
	pulseCall waitingCall // the call of pulseOnly

	share     buff.Share      // share of the current application
	backdate  buff.Backdate   // backdate of the current application
	ended     buff.Backdate   // backdate for the actions of the removal that is being executed
	endedView buffView        // the buff that ended while its owner was away and whose end is being reported
	evaluated evaluation      // evaluated numbers of the current application
	stolen    stolenMemory    // memory for stolen buffs
	captured  []buff.Captured // captured attributes of the queued applications

	overflowing buff.Handle // the buff whose overflow actions are being queued, or 0 if it has ended
	over        int32       // the number of stacks for which it has no room

	displaced []displaced   // instances that a new one displaces
	strongest []strongest   // the strongest instance of each group
	matches   []buff.Handle // results of a query

	restores *restorer // kept for its memory; nil until the first Restore
}

// item is one element of the queue, which is first in, first out: a command or a call.
type item struct {
	at    int32 // index in commands or calls
	round int8
	call  bool
	quiet bool  // see Turn.quiet
	late  int32 // index in Turn.late, counted from 1; 0 if nothing is evaluated late
}

// compiled returns the compiled form of Turn.Catalog, or nil if there is none.
func (t *Turn) compiled() *compile.Catalog {
	if t.Catalog == nil {
		return nil
	}
	return compiledOf(t.Catalog)
}

func compiledOf(c *buff.Catalog) *compile.Catalog { return c.Compiled().(*compile.Catalog) }

// At returns the current instant, at which issued commands will run.
func (t *Turn) At() wheel.Time { return t.at }

// Issue appends a command to the queue. It may be called only inside a handler.
//
// The command runs after the handler has returned and before the owner's next due event. It is
// dropped if it exceeds MaxRounds or MaxCommands of its chain. A Faulted at the end of the chain
// reports that once.
func (t *Turn) Issue(s *Owner, c *buff.Command) { t.issue(s, c) }

// Chain makes a command for another owner part of the running chain. In the chain of a reaction to
// damage, damage that the command causes triggers no further reactions. Issue does this
// automatically.
func (t *Turn) Chain(c *buff.Command) { c.Application.Origin.Quiet = t.quiet }

// issue does the same as Issue, and reports whether the command was appended.
func (t *Turn) issue(s *Owner, c *buff.Command) bool {
	if t.round >= MaxRounds || t.issued >= MaxCommands {
		t.truncated = true // reported by runNext
		return false
	}
	t.issued++
	t.items = append(t.items, item{at: int32(len(t.commands)), round: t.round + 1, quiet: t.quiet})
	t.commands = append(t.commands, *c)
	return true
}

// begin starts a chain, for a due event (inside Run) or for a command of the caller. Commands that
// it causes directly are round 1.
func (t *Turn) begin(at wheel.Time, now clock.OwnerTime, inside bool) {
	t.at, t.now, t.inside, t.round, t.issued, t.truncated, t.quiet = at, now, inside, 0, 0, false, false
	t.backdate, t.by = buff.Backdate{}, 0
	if len(t.items) == 0 {
		t.captured = t.captured[:0]
	}
}

// dequeue removes and returns the item at the head.
func (t *Turn) dequeue() item {
	it := t.items[t.head]
	t.head++
	t.round, t.quiet = it.round, it.quiet
	return it
}

// resetQueue releases the references of the queue if all items have been removed, and keeps its
// memory.
func (t *Turn) resetQueue() {
	if t.head == len(t.items) && t.head > 0 {
		clear(t.commands)
		for k := range t.calls {
			t.calls[k].forget()
		}
		clear(t.late)
		t.items, t.commands, t.calls, t.late, t.head = t.items[:0], t.commands[:0], t.calls[:0], t.late[:0], 0
		t.captured = t.captured[:0]
	}
}

// drainQueue runs all items of the queue.
func drainQueue(t *Turn, s *Owner) {
	for t.head < len(t.items) {
		runNext(t, s)
	}
	t.resetQueue()
}

// Run processes, in order, the deferred handlers and everything that is due at `until` or earlier,
// including events that become due meanwhile. It stops after `limit` of these, or after `limit`
// Events, and reports whether it has finished. If it reports false, the caller must call it again,
// with the same `until` or a later one, before any other call on the Owner.
func (s *Owner) Run(t *Turn, until wheel.Time, limit int) bool {
	return runDue(t, s, collectDue(t, s, until), until, limit)
}

// RunPlace does the same as Run, for a caller that knows that only deadlines of the place p may
// have been reached.
func (s *Owner) RunPlace(t *Turn, p Place, until wheel.Time, limit int) bool {
	at := p.Slot()
	if p.IsTimeout() || at >= s.records.Used() {
		return s.Run(t, until, limit)
	}
	return runDue(t, s, collectOne(t, s, at, until), until, limit)
}

// runDue is the part of Run after the due deadlines have been collected. The parameter "only" is
// the only due slot, or noSlot.
func runDue(t *Turn, s *Owner, only uint16, until wheel.Time, limit int) bool {
	most := len(t.Events) + limit
	switch {
	case only == noSlot:
	case limit > 0 && pulseOnly(t, s.slot(only), until):
		if s.agenda.Empty() && t.head == len(t.items) && s.deferredCalls() == 0 {
			return true
		}
		limit--
	default:
		limit -= dispatchOnly(t, s.slot(only), until, limit)
	}
	for {
		if t.head < len(t.items) {
			runNext(t, s)
			continue
		}
		if s.deferredCalls() == 0 {
			t.resetQueue()
			reschedule(t, s, until)
			if s.agenda.Due() == 0 {
				return true
			}
		}
		if limit <= 0 || len(t.Events) >= most {
			return false
		}
		limit--
		t.Ran++
		if s.deferredCalls() > 0 {
			callDeferred(t, s)
		} else {
			dispatch(t, s, s.agenda.Pop())
		}
	}
}

// dispatch runs the event of an entry from the agenda, unless the entry is out of date. An
// earlier event may have moved or paused the event, or ended the instance. To find out, dispatch
// compares the instant, rank and age of the entry with those of the instance's next event. So
// out-of-date entries need not be removed from the agenda.
func dispatch(t *Turn, s *Owner, e deadline.Event) {
	at := e.Ref.Slot()
	if e.Ref.IsTimeout() {
		fireTimeout(t, s, at, e)
		return
	}
	i := s.slot(at)
	if i.def == 0 {
		t.Dropped++
		return
	}
	due, own, r, age := i.nextEvent()
	if due != e.At || deadline.KeyOf(r, age) != e.Key {
		t.Dropped++
		return
	}
	runEvent(t, i, due, own, r)
}

// dispatchOnly runs the event of the only due instance, without the agenda, and returns 1. If the
// limit is zero, or if the instant of the event has not been reached, it leaves the event to
// reschedule and returns 0.
func dispatchOnly(t *Turn, i instance, until wheel.Time, limit int) int {
	due, own, r, _ := i.nextEvent()
	if limit <= 0 || due > i.owner.timeScale().Reached(until) {
		i.markDirty(t)
		return 0
	}
	t.resetQueue()
	i.countReschedule()
	t.Ran++
	runEvent(t, i, due, own, r)
	return 1
}

// runEvent runs an event of an instance. The instant of the event is given in owner time (due) and
// in buff time (own).
func runEvent(t *Turn, i instance, due clock.OwnerTime, own clock.BuffTime, r deadline.Rank) {
	t.begin(i.owner.timeScale().ToOuter(due), due, true)
	i.markDirty(t)
	switch r {
	case deadline.Pulse:
		firePulse(t, i, own)
	case deadline.StackEnd:
		if i.flags&recharging != 0 && i.extra().nextCharge == own {
			recharge(t, i)
		} else {
			expirePart(t, i)
		}
	default:
		expire(t, i)
	}
	evaluateConditions(t, i.owner)
}

// Pending returns the number of deferred handlers, plus the number of events that became due when
// the last Do resumed the owner's time or the time of a buff. If it is not zero, Run must be called
// even if no timer fires.
func (s *Owner) Pending() int { return s.deferredCalls() + s.agenda.Due() }

// runNext runs one item of the queue. After the last item of a truncated chain it emits a Faulted.
func runNext(t *Turn, s *Owner) {
	runItem(t, s, t.dequeue())
	if t.truncated && t.head == len(t.items) {
		t.truncated = false
		t.newEvent(s, buff.Faulted).Why = reason.Cascade
	}
}

// runItem runs one item of the queue.
func runItem(t *Turn, s *Owner, it item) {
	if it.late != 0 {
		var none buff.Command // of a call
		c := &none
		if !it.call {
			c = &t.commands[it.at]
		}
		l := &t.late[it.late-1]
		if !l.prepare(t, s, c) {
			return
		}
		if l.op.SetsVar() {
			l.assign(t, s)
			return
		}
	}
	if !it.call {
		t.backdate = buff.Backdate{} // only an application can have a backdate
		// Commands issued meanwhile may reallocate the list; the pointer then refers to the old
		// array, which does not change.
		if r := execute(t, s, &t.commands[it.at]); r.Failure != nil && r.Kind == 0 {
			t.Failed++
		}
		evaluateConditions(t, s)
		return
	}
	t.calls[it.at].makeCurrent(t) // in place: handlers issue commands but queue no calls
	call(t, s)
}

// emit appends an event of s at the current instant.
func (t *Turn) emit(s *Owner, e *buff.Event) {
	e.Seq = s.Count()
	t.emitUnnumbered(s, e)
}

// emitUnnumbered does the same as emit, for an event without a number: see [buff.Event.Seq].
func (t *Turn) emitUnnumbered(s *Owner, e *buff.Event) {
	to := t.appendEvent()
	*to = *e
	to.At, to.Seen, to.Owner = t.at, t.Now, s.id
}

// newEvent appends an event of s at the current instant and returns it, so that the caller can
// complete it before the next event is appended.
func (t *Turn) newEvent(s *Owner, kind buff.EventKind) *buff.Event {
	e := t.appendEvent()
	e.At, e.Seen, e.Owner, e.End, e.Kind = t.at, t.Now, s.id, wheel.Never, kind
	if kind != buff.Restored {
		e.Seq = s.Count()
	}
	return e
}

// Count increments the owner's event number and returns it: see [buff.Event.Seq]. It is for callers
// that emit events about the owner themselves.
func (s *Owner) Count() uint64 {
	s.events++
	return s.events
}

// appendEvent appends an empty event. An event spans more than two cache lines, so it is built in
// place.
func (t *Turn) appendEvent() *buff.Event {
	n := len(t.Events)
	if n == cap(t.Events) {
		// append grows long lists by a quarter, so that restoring a million buffs would copy each
		// event five times; doubling copies less.
		t.Events = append(slices.Grow(t.Events, max(n, 1)), buff.Event{})
	} else {
		t.Events = t.Events[:n+1]
		t.Events[n] = buff.Event{}
	}
	return &t.Events[n]
}

// newEvent returns a new event of the given kind about the instance.
func (i instance) newEvent(kind buff.EventKind) buff.Event {
	return buff.Event{
		Kind: kind, Spec: &i.program().Spec, Source: i.source, Handle: i.handle(), Stacks: int32(i.stacks), Level: i.level,
		Magnitude: i.magnitude, End: wheel.Never,
	}
}

// emit emits an event about the instance and returns the event. The caller may set further fields
// of it until the next event is emitted.
func (i instance) emit(t *Turn, kind buff.EventKind) *buff.Event {
	e := t.newEvent(i.owner, kind)
	e.Spec, e.Source, e.Handle = &i.program().Spec, i.source, i.handle()
	e.Stacks, e.Level, e.Magnitude = int32(i.stacks), i.level, i.magnitude
	return e
}
