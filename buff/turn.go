package buff

import (
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/wheel"
)

// The cascade guard: what one event or command may set off within its instant.
const (
	MaxRounds   = 16     // commands that trigger commands that trigger …
	MaxCommands = 10_000 // in all
)

// Turn holds the working state of a Set: its output, such as events, and the queue of commands
// that handlers have issued. One Turn serves many Sets, one after the other.
type Turn struct {
	// Now is the time of the frame, which events have as Seen.
	Now wheel.Time

	// Events collects the events. New ones are appended.
	Events []Event

	// Dropped counts due events and handler calls that turned out, when checked just before
	// running, to be no longer due.
	Dropped uint64

	// Failed counts commands of handlers and of definitions that could not be executed and
	// left no event, because their handle named nothing.
	Failed uint64

	// MostEvents and MostCalls limit the events and handler calls that [Set.Restore] may make at
	// once from a blob, not counting those that follow from them. A blob with more fails with
	// [ErrRoom]. Zero means no limit.
	MostEvents, MostCalls int

	// Catalog resolves the names of definitions and tags. If nil, what a definition applies is
	// of its own version, and AddTag and DropTag panic.
	Catalog *Catalog

	// Order numbers the turns and commands of all Sets in sequence: see [Set.TakeDeadline]. It
	// wraps around. The caller increments it before each, or never if the order of Sets does not
	// matter to it.
	Order uint32

	// Memory stores the instances of the Sets. If nil, each Set has its own piece of the heap. A
	// Set must always be used with the same Memory.
	Memory *Memory

	// Seed determines chance, together with the owner and the number of the roll.
	Seed uint64

	// Ran counts the due events and deferred handlers that Run has processed.
	Ran uint64

	// Outbox collects the commands of the rules for other owners. New ones are appended.
	Outbox []Outgoing

	// Call calls the Go handler of c and returns NoReason, or why it failed. If nil,
	// no handler is called.
	Call func(t *Turn, c *Call) Reason

	// FormulaFailed, if not nil, is called when a [Formula] panics, with the value of the panic,
	// or nil if the formula ended its goroutine. The event says when, on which owner and of which
	// definition. It is called in the deferred function that has recovered.
	FormulaFailed func(of *Event, with any)

	// Source, if not nil, returns the Set of an owner for [Set.Reread] and [Set.Restore], or nil if it cannot be read now.
	Source func(OwnerID) *Set

	// TimeChanged, if not nil, is called for each change of the rate at which time passes.
	TimeChanged func(TimeChange)

	// SheetChanged, if not nil, is called with earlier inputs of attributes that no event reports: see [SheetChange].
	SheetChanged func(SheetChange)

	at        wheel.Time // the instant that is being worked off
	now       wheel.Time // the same in the owner's time
	inside    bool       // within Run: handlers are called, not put off
	round     int8       // how many commands led to the one that is running
	issued    int        // commands so far
	truncated bool       // the guard has dropped a command, and no Faulted has reported it yet
	quiet     bool       // in the chain of a reaction to damage: no buff reacts to damage

	calling bool // current is running

	items    []item
	head     int
	commands []Command
	calls    []waitingCall

	current   *Call       // the one that is called, or was last
	deferred  waitingCall // one that was put off, while it is called
	pulseCall waitingCall // that of Set.pulseOnly

	share    share      // of the application that is carried out
	backdate backdate   // the same
	ended    backdate   // of the removal whose actions are queued
	worked   worked     // the numbers of the application that is carried out
	loot     loot       // room for those of stolen buffs
	captured []Captured // of those that wait

	scratch *scratch // not lent; nil: there are none

	displaced []goer      // who gives way to a new instance
	best      []strongest // of the groups of an owner
	chosen    []Handle    // what a query found

	restores *restorer // with its memory; nil until the first Restore
}

// item is one waiting command or call: FIFO over both.
type item struct {
	at    int32 // in commands or calls
	round int8
	call  bool
	quiet bool // see Turn.quiet
}

// At returns the instant that is being worked off: that of commands issued now.
func (t *Turn) At() wheel.Time { return t.at }

// Issue puts a command behind those that wait. Only inside the handler.
//
// It runs after the handler has returned and before the owner's next due event. If it belongs to a
// round after MaxRounds of its chain, or comes after MaxCommands others, it is dropped. A Faulted
// reports that once for each chain, after everything else of the chain.
func (t *Turn) Issue(s *Set, c *Command) { t.issue(s, c) }

// Chain makes a command for another owner part of the running chain: in that of a reaction to damage, no
// buff reacts to the damage that the command leads to. Issue does so itself.
func (t *Turn) Chain(c *Command) { c.quiet = t.quiet }

// issue is Issue, and reports whether the command is in the list.
func (t *Turn) issue(s *Set, c *Command) bool {
	if t.round >= MaxRounds || t.issued >= MaxCommands {
		t.truncated = true // reported by step
		return false
	}
	t.issued++
	t.items = append(t.items, item{at: int32(len(t.commands)), round: t.round + 1, quiet: t.quiet})
	t.commands = append(t.commands, *c)
	return true
}

// begin starts a chain: a due event, inside Run, or a command of the loop. What it sets off directly is
// round 1 of the chain.
func (t *Turn) begin(at, now wheel.Time, inside bool) {
	t.at, t.now, t.inside, t.round, t.issued, t.truncated, t.quiet = at, now, inside, 0, 0, false, false
	t.backdate = backdate{}
	if len(t.items) == 0 {
		t.captured = t.captured[:0]
	}
}

// dequeue takes the item at the head.
func (t *Turn) dequeue() item {
	it := t.items[t.head]
	t.head++
	t.round, t.quiet = it.round, it.quiet
	return it
}

// resetQueue empties the queue's memory once everything has been taken.
func (t *Turn) resetQueue() {
	if t.head == len(t.items) && t.head > 0 {
		clear(t.commands)
		for k := range t.calls {
			t.calls[k].forget()
		}
		t.items, t.commands, t.calls, t.head = t.items[:0], t.commands[:0], t.calls[:0], 0
		t.captured = t.captured[:0]
	}
}

// Do carries out one command at the instant at, which must not be before anything that has run.
// The definitions' own actions follow at once; Go handlers are put off to the head of the next
// [Set.Run].
func (s *Set) Do(t *Turn, at wheel.Time, c Command) Result { return s.Obey(t, at, &c) }

// Obey is Do without a copy of the command. It may fill in what was left out of it, and does
// not keep it.
func (s *Set) Obey(t *Turn, at wheel.Time, c *Command) Result {
	t.begin(at, s.timeScale().firstReached(at), false)
	t.quiet = c.quiet
	r := s.execute(t, c)
	s.finish(t, at)
	return r
}

// Apply is [Set.Do] of an Apply of a, which it may fill in and does not keep. It returns what
// the Result would have. It is for those who apply often: a Command and a Result are longer
// than what there is to do.
func (s *Set) Apply(t *Turn, at wheel.Time, a *Application) (Handle, EventKind, Reason, error) {
	t.begin(at, s.timeScale().firstReached(at), false)
	r := s.apply(t, a)
	s.finish(t, at)
	return r.handle, r.kind, r.why, r.err
}

// Remove is [Set.Do] of a Remove of n stacks of h, in the manner of Apply.
func (s *Set) Remove(t *Turn, at wheel.Time, h Handle, n int, why Reason) (Handle, EventKind, Reason, error) {
	t.begin(at, s.timeScale().firstReached(at), false)
	r := s.remove(t, h, n, removalReason(why))
	s.finish(t, at)
	return r.handle, r.kind, r.why, r.err
}

// finish ends a command at the instant at: what it has set off follows, and what it has
// changed finds its place.
func (s *Set) finish(t *Turn, at wheel.Time) {
	s.conclude(t)
	if len(t.items) > 0 {
		s.drainQueue(t)
	}
	s.reschedule(t, at)
}

// conclude ends a command or a due event, before what it has set off: conditions are evaluated again, and
// bases are cut down to maxima that have fallen.
func (s *Set) conclude(t *Turn) {
	b := s.rare
	if b == nil {
		return
	}
	if b.gates != nil {
		s.reconsider(t)
	}
	if b.sheet != nil && b.sheet.Moved() {
		s.cutBases(t)
	}
}

// drainQueue carries out all that waits.
func (s *Set) drainQueue(t *Turn) {
	for t.head < len(t.items) {
		s.runNext(t)
	}
	t.resetQueue()
}

// Run works off, in order, the handlers that were put off and everything that is
// due up to and including until, also what comes to be due on the way. Between two of these it stops, once there have been limit of
// them, or limit Events, and reports whether it came to the end; if not, it must be called
// again, with the same until or a later one, before anything else is asked of the Set.
func (s *Set) Run(t *Turn, until wheel.Time, limit int) bool {
	most := len(t.Events) + limit
	if s.scheduler.next <= until {
		limit -= s.runFirst(t, until, limit)
	}
	for {
		if t.head < len(t.items) {
			s.runNext(t)
			continue
		}
		if s.deferredCalls() == 0 {
			t.resetQueue()
			s.reschedule(t, until)
			if s.scheduler.dueCount() == 0 {
				return true
			}
		}
		if limit <= 0 || len(t.Events) >= most {
			return false
		}
		limit--
		t.Ran++
		if s.deferredCalls() > 0 {
			s.callDeferred(t)
		} else {
			s.dispatch(t, s.scheduler.scratch.due.pop())
		}
	}
}

// Pending returns how many handlers have been put off, and how many events are due at the
// instant of the last Do, which has let a time go on. If it is not zero, the Set wants a Run
// even if no timer fires.
func (s *Set) Pending() int { return s.deferredCalls() + s.scheduler.dueCount() }

// Abort tells the Set that the handler it called will never come back: it ended its goroutine.
// [Set.Run] may then be called again.
func (s *Set) Abort(t *Turn) {
	if t.calling {
		t.calling = false
		s.fault(t, Goexit)
	}
}

// runNext carries out one item of the queue. After the last one of a chain that was cut off it reports that.
func (s *Set) runNext(t *Turn) {
	s.runItem(t, t.dequeue())
	if t.truncated && t.head == len(t.items) {
		t.truncated = false
		t.newEvent(s, Faulted).Why = Cascade
	}
}

// runItem carries out one item of the queue.
func (s *Set) runItem(t *Turn, it item) {
	if !it.call {
		t.backdate = backdate{} // unless the command is an application that has one
		// What is issued meanwhile may move the list, and leaves the old one as it is.
		if r := s.execute(t, &t.commands[it.at]); r.Err != nil && r.Kind == 0 {
			t.Failed++
		}
		s.conclude(t)
		return
	}
	t.calls[it.at].makeCurrent(t) // where it stays: handlers issue commands, and no calls
	s.call(t)
}

// queueActions queues the actions that a definition has for the event reported last, with the
// numbers of the buff.
func (s *Set) queueActions(t *Turn, ops []op, k *magnitudes) {
	if len(ops) > 0 {
		e := &t.Events[len(t.Events)-1]
		s.queueEventActions(t, ops, e, e.Source, k)
	}
}

// queueActionsFrom is follow for an event that an application has caused: what the actions apply is
// of its source, whoever began the buff.
func (s *Set) queueActionsFrom(t *Turn, ops []op, source OwnerID, k *magnitudes) {
	if len(ops) > 0 {
		s.queueEventActions(t, ops, &t.Events[len(t.Events)-1], source, k)
	}
}

// queueEventActions is follow for an event that need not be the last, with the source of the actions.
// More events may be told meanwhile: it stays as it is, even if the list moves.
func (s *Set) queueEventActions(t *Turn, ops []op, e *Event, source OwnerID, k *magnitudes) {
	for j := range ops {
		switch o := &ops[j]; o.do {
		case define.DoCall:
			s.queueCall(t, e, nil, o.handler, 0)
		case define.DoApply:
			s.issueAction(t, o, e, source, &Command{Verb: verb.Apply, Application: Application{
				Spec: &t.Catalog.newest(o.spec).Spec, Source: source, Magnitude: e.Magnitude, Level: int(e.Level), Captured: t.inherit(k), share: t.shareOf(e), backdate: t.backdateOf(e),
			}})
		case define.DoRemove:
			s.issueAction(t, o, e, source, &Command{Verb: verb.RemoveSpec, Application: Application{Spec: &o.spec.Spec, Source: source}, Reason: o.reason})
		case define.DoKill:
			s.issueAction(t, o, e, source, &Command{Verb: verb.Kill, Application: Application{Spec: e.Spec, Source: source}})
		case define.DoChange, define.DoDamage:
			s.followChange(t, o, e, source, k)
		}
	}
}

// issueAction issues the command of an action, or sends it to the owner that it is for. If that is nobody,
// a Missed says so. Of the captured attributes only those of the cast are sent: the engine reads the others
// when it delivers the command.
func (s *Set) issueAction(t *Turn, o *op, e *Event, source OwnerID, c *Command) {
	to := s.owner
	switch o.to {
	case define.ToSource:
		to = source
	case define.ToTarget:
		to = e.Target
	}
	if to == s.owner {
		t.Issue(s, c)
		return
	}
	cause := Cause{Spec: e.Spec, Source: e.Source, Handle: e.Handle, action: o}
	if to == 0 { // the game is no owner
		s.emitMissed(t, to, &cause)
		return
	}
	c.Owner, c.Application.Captured, c.Application.backdate, c.quiet = to, ofCast(c.Application.Captured), backdate{}, t.quiet
	t.Outbox = append(t.Outbox, Outgoing{At: t.at, From: s.owner, To: to, Command: *c, Cause: cause})
}

// emitMissed reports that an action found nobody.
func (s *Set) emitMissed(t *Turn, who OwnerID, c *Cause) {
	t.emit(s, &Event{Kind: Missed, Spec: c.Spec, Source: c.Source, Handle: c.Handle, Target: who, Name: c.name(), End: wheel.Never})
}

// Miss reports, with a [Missed] at the instant at, that the owner of an [Outgoing] is not there. The
// instant is not before anything that has run.
func (s *Set) Miss(t *Turn, at wheel.Time, who OwnerID, c *Cause) {
	t.begin(at, s.timeScale().firstReached(at), false)
	s.emitMissed(t, who, c)
}

// inherit returns what is known of a buff's source, for what the buff sets off. It stays
// good until the queue is empty.
func (t *Turn) inherit(k *magnitudes) []Captured {
	from := len(t.captured)
	t.captured = append(t.captured, k.captured...)
	return t.captured[from:len(t.captured):len(t.captured)]
}

// emit reports an event of s at the running instant.
func (t *Turn) emit(s *Set, e *Event) {
	e.Seq = s.Count()
	t.emitUnnumbered(s, e)
}

// emitUnnumbered is emit for what has no number: see [Event.Seq].
func (t *Turn) emitUnnumbered(s *Set, e *Event) {
	to := t.appendEvent()
	*to = *e
	to.At, to.Seen, to.Owner = t.at, t.Now, s.owner
}

// newEvent reports an event of s at the running instant, and returns it: it may be completed
// until another one is told.
func (t *Turn) newEvent(s *Set, kind EventKind) *Event {
	e := t.appendEvent()
	e.At, e.Seen, e.Owner, e.End, e.Kind = t.at, t.Now, s.owner, wheel.Never, kind
	if kind != Restored {
		e.Seq = s.Count()
	}
	return e
}

// Count counts one more event of the owner, and returns its number: see [Event.Seq]. It is for who tells an
// event about the owner that the Set does not tell itself.
func (s *Set) Count() uint64 {
	s.events++
	return s.events
}

// appendEvent makes room for one more event, an empty one. An event is more than two cache lines:
// one that is made where it stays is not moved there.
func (t *Turn) appendEvent() *Event {
	n := len(t.Events)
	if n == cap(t.Events) {
		// Twice as much: append gives a long list a quarter more, and to bring back a million buffs would
		// be to move each event five times.
		t.Events = append(slices.Grow(t.Events, max(n, 1)), Event{})
	} else {
		t.Events = t.Events[:n+1]
		t.Events[n] = Event{}
	}
	return &t.Events[n]
}
