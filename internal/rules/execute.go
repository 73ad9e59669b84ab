package rules

import (
	"fmt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/handle"
	"github.com/bufftick/bufftick/wheel"
)

// A command is executed at once, with the actions of definitions that follow from it. Its result
// says what has happened.

// Do executes one command at the instant `at`, which must not be before any earlier command or
// event. Actions of definitions run at once; Go handlers are deferred to the start of the next
// [Owner.Run].
func (s *Owner) Do(t *Turn, at wheel.Time, c buff.Command) buff.Result { return s.Obey(t, at, &c) }

// Obey does the same as Do, but does not copy the command. It may fill in omitted fields of the
// command, and does not keep it.
func (s *Owner) Obey(t *Turn, at wheel.Time, c *buff.Command) buff.Result {
	t.begin(at, s.timeScale().ToInner(at), false)
	t.quiet = c.Application.Origin.Quiet
	r := execute(t, s, c)
	finish(t, s, at)
	return r
}

// Apply is [Owner.Do] for an Apply command with the application a. It may fill in omitted fields of
// a, and does not keep it. It returns the fields of the Result. It is faster than Do, because a
// Command and a Result are large.
func (s *Owner) Apply(t *Turn, at wheel.Time, a *buff.Application) (buff.Handle, buff.EventKind, reason.Reason, error) {
	t.begin(at, s.timeScale().ToInner(at), false)
	r := apply(t, s, a)
	finish(t, s, at)
	return r.handle, r.kind, r.why, r.err
}

// Remove is [Owner.Do] for a Remove command that removes n stacks of h. Like Apply, it returns the
// fields of the Result.
func (s *Owner) Remove(t *Turn, at wheel.Time, h buff.Handle, n int, why reason.Reason) (buff.Handle, buff.EventKind, reason.Reason, error) {
	t.begin(at, s.timeScale().ToInner(at), false)
	r := remove(t, s, h, n, removalReason(why))
	finish(t, s, at)
	return r.handle, r.kind, r.why, r.err
}

// finish ends a command at the instant `at`: it runs the queue and reschedules changed deadlines.
func finish(t *Turn, s *Owner, at wheel.Time) {
	evaluateConditions(t, s)
	if len(t.items) > 0 {
		drainQueue(t, s)
	}
	reschedule(t, s, at)
}

// evaluateConditions evaluates the conditions of all buffs again. If the maximum of an attribute
// has fallen below its base, evaluateConditions lowers the base to the maximum. It runs after a
// command or a due event, before the queued actions.
func evaluateConditions(t *Turn, s *Owner) {
	b := s.rare
	if b == nil {
		return
	}
	if b.gates != nil {
		reevaluate(t, s)
	}
	if b.sheet != nil && b.sheet.Moved() {
		clampBases(t, s)
	}
	if b.rescales {
		rescaleAll(t, s)
	}
	if b.watches {
		testWhen(t, s)
	}
}

// execute executes one command at the current instant. The caller calls evaluateConditions
// afterwards.
func execute(t *Turn, s *Owner, c *buff.Command) buff.Result {
	c.Reason = removalReason(c.Reason)
	if t.by = c.Application.Source; c.Verb == verb.Steal {
		t.by = c.Query.To
	}
	if c.Application.Origin.Bears != nil && !s.bears(c) {
		return buff.Result{}
	}
	switch c.Verb {
	case verb.Apply:
		if c.Application.Origin.Head != 0 {
			return applyLink(t, s, &c.Application).result()
		}
		return apply(t, s, &c.Application).result()
	case verb.Remove:
		return remove(t, s, c.Handle, c.Stacks, c.Reason).result()
	case verb.Extend:
		if c.Application.Origin.Selects && c.Application.Spec == nil {
			return compensate(t, s, c)
		}
		return executeOnBuff(t, s, c)
	case verb.SetRemaining, verb.SetPeriod, verb.Inhibit, verb.Release, verb.ConsumeCharges:
		return executeOnBuff(t, s, c)
	case verb.RemoveSpec:
		if c.Application.Origin.Links {
			return unlink(t, s, c)
		}
		return removeSelected(t, s, c)
	case verb.AddTimeout:
		return addTimeout(t, s, c)
	case verb.Cancel:
		return cancel(t, s, c.Timeout)
	}
	return executeOnOwner(t, s, c)
}

// executeOnBuff executes a command for one running buff.
func executeOnBuff(t *Turn, s *Owner, c *buff.Command) buff.Result {
	if !s.findNamed(c) {
		return buff.Result{}
	}
	if !s.isLive(c.Handle) {
		return stale(c.Handle)
	}
	switch at := handle.Slot(c.Handle); c.Verb {
	case verb.Extend:
		return extend(t, s.slot(at), c.By, c.Application.Duration)
	case verb.SetRemaining:
		return setRemaining(t, s.slot(at), c.By)
	case verb.SetPeriod:
		return setPeriod(t, s.slot(at), c.By)
	case verb.ConsumeCharges:
		return useCharges(t, s.slot(at), int32(min(max(c.Stacks, 1), define.MaxStacks)), reason.Consumed)
	default:
		return inhibit(t, s.slot(at), c.Verb == verb.Inhibit)
	}
}

// executeOnOwner executes a command that concerns the owner as a whole.
func executeOnOwner(t *Turn, s *Owner, c *buff.Command) buff.Result {
	switch c.Verb {
	case verb.Kill:
		return kill(t, s, c)
	case verb.Revive:
		return revive(t, s)
	case verb.LoseSource:
		return loseSource(t, s, c.Application.Source)
	case verb.Pause, verb.Resume, verb.SetRate:
		return setTimeScale(t, s, c)
	case verb.AddTag, verb.DropTag:
		return tag(t, s, c)
	case verb.Immunize, verb.DropImmunity:
		return immunize(t, s, c)
	case verb.Dispel:
		return purge(t, s, &c.Query)
	case verb.Steal:
		return steal(t, s, &c.Query, c.By)
	case verb.Compensate:
		return compensate(t, s, c)
	case verb.Interrupt:
		return interrupt(t, s, c.Act)
	case verb.Consume:
		return consume(t, s, c.Act)
	case verb.Happened:
		return handleAct(t, s, c.Act, c.Application.Source, c.Amount, c.Tag)
	case verb.Absorb:
		return absorb(t, s, c)
	case verb.SetArea:
		return leaveArea(t, s)
	case verb.AddBase, verb.SetBase, verb.Damage:
		return changeBase(t, s, c)
	case verb.Enter:
		return enterAura(t, s, &c.Application)
	case verb.Leave:
		return leaveAura(t, s, &c.Application, c.By)
	}
	panic(fmt.Sprintf("buff: a Command with the verb %d", c.Verb))
}

// named returns the buff that a command of an action names: the oldest that the source applied or,
// unless the command is limited to buffs of the source, the oldest from any source.
//
// Example: testdata/stat/verbs.txt.
func (s *Owner) named(c *buff.Command) instance {
	i := s.oldestInstance(compile.Of(c.Application.Spec), c.Application.Source)
	if i.exists() && c.Query.Source != 0 && i.source != c.Query.Source {
		return instance{}
	}
	return i
}

// bears reports whether the owner still has the buff for which an action has selected it.
func (s *Owner) bears(c *buff.Command) bool {
	of := compile.Of(c.Application.Origin.Bears)
	for i := s.first(); i.exists(); i = i.next() {
		s.visited++
		if i.source == c.Application.Source && s.sameDefinition(i.program(), of) {
			return true
		}
	}
	return false
}

// findNamed sets the handle of a command that names a buff by its definition. It reports false if
// there is no such buff.
func (s *Owner) findNamed(c *buff.Command) bool {
	if !c.Application.Origin.Selects {
		return true
	}
	i := s.named(c)
	if i.exists() {
		c.Handle = i.handle()
	}
	return i.exists()
}

// removeSelected executes a RemoveSpec: for the buff that it names or, without a definition, for
// the buffs that its query matches.
func removeSelected(t *Turn, s *Owner, c *buff.Command) buff.Result {
	if c.Application.Spec != nil {
		if i := s.named(c); i.exists() {
			return removeStacks(t, i, c.Stacks, c.Reason).result()
		}
		return buff.Result{}
	}
	var r buff.Result
	eachMatch(t, s, &c.Query, func(i instance) bool {
		if c.Query.Most > 0 && int(r.Amount) >= c.Query.Most {
			return false
		}
		removeStacks(t, i, c.Stacks, c.Reason)
		r.Kind, r.Why = buff.Removed, c.Reason
		r.Amount++
		return true
	})
	return r
}

// removalReason returns the reason for a removal, which is Cancelled if the command gives none. It
// panics if the reason is not one that ends a buff.
func removalReason(why reason.Reason) reason.Reason {
	switch {
	case why == reason.None:
		return reason.Cancelled
	case !why.Removes():
		panicReason(why)
	}
	return why
}

//go:noinline
func panicReason(why reason.Reason) {
	panic(fmt.Sprintf("buff: a Command with the reason %v, which does not end a buff", why))
}

// remove removes n stacks of the buff with handle h.
func remove(t *Turn, s *Owner, h buff.Handle, n int, why reason.Reason) outcome {
	if !s.isLive(h) {
		return outcome{err: staleError{h}}
	}
	return removeStacks(t, s.slot(handle.Slot(h)), n, why)
}

// staleError is the error for a handle that refers to no running buff. Its text is formatted
// lazily, because such errors are frequent and mostly ignored.
type staleError struct{ h buff.Handle }

func (e staleError) Error() string { return fmt.Sprintf("%v: %v", buff.ErrStale, e.h) }

func (e staleError) Unwrap() error { return buff.ErrStale }

func stale(h buff.Handle) buff.Result { return buff.Result{Failure: staleError{h}} }

// outcome is the result of an application or a removal. Unlike a Result, it is small enough to
// stay in registers.
type outcome struct {
	handle buff.Handle
	err    error
	kind   buff.EventKind
	why    reason.Reason
}

func (o outcome) result() buff.Result {
	return buff.Result{Handle: o.handle, Kind: o.kind, Why: o.why, Failure: o.err}
}
