package rules

import (
	"fmt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/handle"
	"github.com/bufftick/bufftick/internal/rules/clock"
	"github.com/bufftick/bufftick/internal/rules/deadline"
	"github.com/bufftick/bufftick/wheel"
)

// execute executes one command at the current instant. The caller calls evaluateConditions
// afterwards.
func execute(t *Turn, s *Owner, c *buff.Command) buff.Result {
	c.Reason = removalReason(c.Reason)
	switch c.Verb {
	case verb.Apply:
		if c.Application.Origin.Head != 0 {
			return applyLink(t, s, &c.Application).result()
		}
		return apply(t, s, &c.Application).result()
	case verb.Remove:
		return remove(t, s, c.Handle, c.Stacks, c.Reason).result()
	case verb.Extend, verb.SetRemaining, verb.SetPeriod, verb.Inhibit, verb.Release, verb.ConsumeCharges:
		return executeOnBuff(t, s, c)
	case verb.RemoveSpec:
		if c.Application.Origin.Links {
			return unlink(t, s, c)
		} else if i := s.oldestInstance(compile.Of(c.Application.Spec), c.Application.Source); i.exists() {
			return removeStacks(t, i, c.Stacks, c.Reason).result()
		}
		return buff.Result{}
	case verb.AddTimeout:
		return addTimeout(t, s, c)
	case verb.Cancel:
		return cancel(t, s, c.Timeout)
	}
	return executeOnOwner(t, s, c)
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

// executeOnBuff executes a command for one running buff.
func executeOnBuff(t *Turn, s *Owner, c *buff.Command) buff.Result {
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
		return handleAct(t, s, c.Act, c.Application.Source, c.Amount)
	case verb.Absorb:
		return absorb(t, s, c)
	case verb.SetZone:
		return leaveZone(t, s)
	case verb.AddBase, verb.SetBase, verb.Damage:
		return changeBase(t, s, c)
	case verb.Enter:
		return enterAura(t, s, &c.Application)
	case verb.Leave:
		return leaveAura(t, s, &c.Application, c.By)
	}
	panic(fmt.Sprintf("buff: a Command with the verb %d", c.Verb))
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

// nextEvent returns the next event of an instance: its instant in owner time (due) and in buff
// time (own), its rank and its age.
func (i instance) nextEvent() (due clock.OwnerTime, own clock.BuffTime, r deadline.Rank, age uint64) {
	own, r, age = i.nextOwnEvent()
	return i.timeScale().ToOuter(own), own, r, age
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
		expirePart(t, i)
	default:
		expire(t, i)
	}
	evaluateConditions(t, i.owner)
}
