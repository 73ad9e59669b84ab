package engine

import (
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/rules"
)

// AddBuff applies a buff to an owner, at the instant of the last Tick and after all events that
// were due then. Actions of the definition run at once; Go handlers run in the next Tick, before
// any event that is due then.
//
// If the definition reads attributes of the source, AddBuff reads them now. A source that is not in
// the engine has no attributes, so a parameter that reads them gets its default value. If the
// parameter has no default, the application is Denied for the reason NoParam. A busy source cannot
// be read, so the command waits, as it does for a busy owner.
//
// Besides the errors of package buff, Result.Failure is [ErrUnknownOwner], [ErrUnknownSpec],
// [ErrRemoved], [ErrClosed] or [ErrOverloaded]. If the owner is busy, or the source is busy and
// must be read, the command waits, Result.Queued is set, and Result.Handle is zero.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner), because it searches for an
// instance that the application can join.
func (e *Engine) AddBuff(id buff.OwnerID, a buff.Application) (r buff.Result) {
	e.enter("AddBuff")
	e.apply(&r, e.ownerOf(id), id, &a)
	return r
}

// apply is AddBuff for the owner `o`, which is nil if the ID is unknown. It may change the
// application. To avoid a copy, it writes to *r instead of returning a Result.
func (e *Engine) apply(r *buff.Result, o *owner, id buff.OwnerID, a *buff.Application) {
	if !e.loop.Catalog.Has(a.Spec) {
		if a.Spec, r.Failure = e.version(a.Spec); r.Failure != nil {
			return
		}
	}
	if !e.ready(o) || rules.Captures(a.Spec) && e.capture(id, a) != nil {
		*r = e.applyAsCommand(id, a)
		return
	}
	e.beforeChange(o)
	e.refreshSources(o)
	r.Handle, r.Kind, r.Why, r.Failure = o.set.Apply(e.turn(), e.now, a)
	e.afterCommand(o)
}

// applyAsCommand is the slow path of apply: it makes a Command.
//
//go:noinline
func (e *Engine) applyAsCommand(id buff.OwnerID, a *buff.Application) buff.Result {
	return e.execute(&buff.Command{Verb: verb.Apply, Owner: id, Application: *a})
}

// ready reports whether the loop can directly apply a buff to an owner or remove a buff from it.
// Otherwise the caller makes a Command, which costs far more than the change itself. The code for
// commands then reports an error, records the command, or queues it.
func (e *Engine) ready(o *owner) bool {
	return o != nil && e.record == nil && !e.closed && len(e.loop.Events) < e.opts.Limits.Events &&
		e.idle(o) && !o.leaving() && o.set.Pending() < e.opts.Limits.Handlers
}

// afterCommand does the loop's work after an owner has executed a command.
func (e *Engine) afterCommand(o *owner) {
	e.fileDeadlines(o)
	if e.index.needed != 0 {
		e.indexLoopEvents()
	}
	if len(e.loop.Outbox) > 0 {
		e.deliverOutbox()
	}
}

// AddTimeout calls f for an owner after the delay, rounded up to whole milliseconds; if the delay
// is not positive, f is due in the next millisecond. f is called on a worker, in order with the
// owner's other events; at the same instant, the other events come first. AddTimeout fails in the
// same cases as AddBuff. If the owner is busy, the delay still counts from now, and the handle is
// zero. AddTimeout panics if f is nil.
//
// A timeout is the smallest thing that happens later: it has no data besides what f captures, it
// cannot be listed or asked for the time left, and it is not saved. A timeout with the name of a
// handler is saved: see buff.AddTimeout. For anything that has data, that a player sees or that a
// game asks about, apply a buff with a duration: its application has a magnitude, a level and
// parameters, on.remove.expired calls a handler, and Buffs returns the time left.
//
// Only the loop goroutine may call it.
func (e *Engine) AddTimeout(id buff.OwnerID, delay time.Duration, f func(*Context)) (buff.TimeoutHandle, error) {
	e.enter("AddTimeout")
	if f == nil {
		panic("engine: AddTimeout without a function")
	}
	r := e.execute(&buff.Command{Verb: verb.AddTimeout, Owner: id, By: delay, Do: f})
	return r.Timeout, r.Failure
}

// Remove ends the buff with the given handle, for the reason Cancelled. If the buff no longer
// exists, Remove has no effect, and Result.Failure is buff.ErrStale. If Result.Queued is not set, the
// only further event of the buff is its Removed event.
//
// If the owner is busy, Result.Queued is set, and the buff is removed later: events that are due
// up to now come first, including their handlers, which can check [Context.Revoked]. The Removed
// event of the buff then has the reason Cancelled and the instant of this call. If the buff ends
// before that, its Removed event has the reason of that end, and this call only adds one to
// Stats.Undelivered.
//
// Only the loop goroutine may call it.
func (e *Engine) Remove(h buff.Handle) (r buff.Result) {
	e.enter("Remove")
	e.removeBuff(&r, h)
	return r
}

// removeBuff removes a buff. It writes to *r instead of returning a Result, because copying a value
// that was just written stalls the processor.
func (e *Engine) removeBuff(r *buff.Result, h buff.Handle) {
	o := e.at(h.Number())
	if !e.ready(o) {
		*r = e.execute(&buff.Command{Verb: verb.Remove, Handle: h})
		return
	}
	e.beforeChange(o)
	e.refreshSources(o)
	r.Handle, r.Kind, r.Why, r.Failure = o.set.Remove(e.turn(), e.now, h, 0, reason.Cancelled)
	e.afterCommand(o)
}

// Cancel cancels a timeout. If Result.Kind is Removed, the function of the timeout will not be
// called. If the owner is busy, Result.Queued is set, and the timeout is cancelled later. A timeout
// that is already due still fires before that, with a TimedOut event; its function can check
// [Context.Revoked]. A cancellation emits no event.
//
// Only the loop goroutine may call it.
func (e *Engine) Cancel(t buff.TimeoutHandle) buff.Result {
	e.enter("Cancel")
	return e.execute(&buff.Command{Verb: verb.Cancel, Timeout: t})
}

// deliverWithinLimits executes a command, or queues it if the owner is busy. It refuses the command
// if the engine is closed or the frame has too many events.
func (e *Engine) deliverWithinLimits(o *owner, c *buff.Command) buff.Result {
	switch {
	case e.closed:
		return buff.Result{Failure: ErrClosed}
	case len(e.loop.Events) >= e.opts.Limits.Events:
		return e.overload(o, e.opts.Limits.Events, "events for the next Frame")
	}
	return e.deliver(o, c)
}

func (e *Engine) deliver(o *owner, c *buff.Command) buff.Result {
	e.loopWork.commands++
	if !e.idle(o) {
		return e.queue(o, c, false)
	}
	if mayTriggerHandlers(c.Verb) && o.set.Pending() >= e.opts.Limits.Handlers {
		return e.overload(o, e.opts.Limits.Handlers, "handlers for its next turn")
	}
	if c.Verb == verb.Steal && e.ownerOf(c.Query.To) == nil {
		return buff.Result{Failure: fmt.Errorf("%w: %d, the thief", ErrUnknownOwner, c.Query.To)}
	}
	e.beforeChange(o)
	e.refreshSources(o)
	before := o.set.Looked()
	r := o.set.Obey(e.turn(), e.now, c)
	e.loopWork.visited += uint64(o.set.Looked() - before)
	e.afterCommand(o)
	return r
}

// mayTriggerHandlers reports whether a command may trigger any number of handlers if it is issued
// repeatedly. Other commands can only end effects that one of these commands has started.
func mayTriggerHandlers(v verb.Verb) bool {
	switch v {
	case verb.Apply, verb.Enter, verb.AddTag, verb.DropTag, verb.Release:
		return true
	}
	return false
}

// queue holds a command in an owner's mailbox until the owner is idle. If `via` is set, the command
// applies a buff to another owner, and `o` is only the source.
func (e *Engine) queue(o *owner, c *buff.Command, via bool) buff.Result {
	if o.waiting() >= e.opts.Limits.Mailbox {
		return e.overload(o, e.opts.Limits.Mailbox, "commands, since it is busy")
	}
	if b := o.needRare(); o.box.Idle() {
		b.dispatched++
	} else {
		b.undispatched++
	}
	kept := *c
	cloneData(&kept)
	e.turns.startWaiting(o)
	e.turns.run(o) // due events, and handlers deferred in earlier frames, come first
	e.turns.send(o, message{kind: do, throughSource: via, at: e.now, cmd: &kept})
	if e.copies != nil {
		e.copies.wait(o, &kept)
	}
	o.revoke(&kept)
	return buff.Result{Queued: true}
}

func (e *Engine) overload(o *owner, limit int, what string) buff.Result {
	e.stats.Refused++
	return buff.Result{Failure: fmt.Errorf("%w: owner %d, %d %s", ErrOverloaded, o.id(), limit, what)}
}

// turn returns the Turn in which the loop executes its commands, prepared for one command.
func (e *Engine) turn() *rules.Turn {
	e.loop.Now = e.now
	return &e.loop
}

// fileDeadlines adds the deadlines that a command of the loop has set for an idle owner to the
// wheel, and schedules a turn for the owner if it needs one at once.
func (e *Engine) fileDeadlines(o *owner) {
	if len(e.loop.Deadlines) > 0 {
		if e.deadlines.file(e.loop.Deadlines) && !o.leaving() {
			e.turns.scheduleTurn(o)
		}
		e.loop.Deadlines = e.loop.Deadlines[:0]
	}
	if o.set.Pending() > 0 && !o.leaving() && !o.isParked() {
		e.turns.scheduleTurn(o)
	}
}

// scheduleTurn schedules a turn of the owner for the next Tick.
func (d *dispatcher) scheduleTurn(o *owner) {
	if !o.scheduled {
		o.scheduled = true
		d.scheduled = append(d.scheduled, o.ref())
	}
}

// run sends the owner a message to process all events due by now. It sends at most one such message
// in each slice of a Tick.
func (d *dispatcher) run(o *owner) {
	if b := o.needRare(); b.lastRun != d.round {
		b.lastRun = d.round
		at := d.engine.now
		if o.leaving() {
			at = o.since
		}
		if d.engine.readsSources && d.engine.idle(o) {
			d.engine.refreshSources(o)
		}
		d.send(o, message{kind: run, at: at})
	}
}

func (d *dispatcher) send(o *owner, m message) {
	if !d.group.Send(&o.box, m) {
		panic("engine: a mailbox is full: runRoom is too small")
	}
}

// revoked is an entry in an owner's list of buffs and timeouts that queued commands of the loop
// will end. The loop adds entries at the front of the list, and truncates it while no worker runs
// the owner. The owner's handlers may read the list concurrently.
type revoked struct {
	handle  buff.Handle
	timeout buff.TimeoutHandle
	next    *revoked // older
}

// revoke records the buff or timeout that a queued command will end.
func (o *owner) revoke(c *buff.Command) {
	b := o.needRare()
	switch {
	case c.Verb == verb.Remove && c.Stacks <= 0:
		b.revoked.Store(&revoked{handle: c.Handle, next: b.revoked.Load()})
	case c.Verb == verb.Cancel:
		b.revoked.Store(&revoked{timeout: c.Timeout, next: b.revoked.Load()})
	}
}

// forgetRevoked drops the entries of executed commands. The parameter `waiting` is the number of
// commands that are still queued. forgetRevoked must not be called while a worker runs the owner.
func (b *rareState) forgetRevoked(waiting int32) {
	if waiting == 0 {
		b.revoked.Store(nil)
		return
	}
	last := b.revoked.Load()
	for n := int32(1); n < waiting && last != nil; n++ {
		last = last.next
	}
	if last != nil {
		last.next = nil
	}
}

// Revoked reports whether a queued command of the loop will end the buff or timeout that the
// handler was called for. For a buff, this command is Remove, or buff.RemoveStacks without a
// number; for a timeout, it is Cancel. The command is Queued while the owner is busy, and events
// that were due before it come first. The event of this handler may be among them. A handler that
// must not act for a revoked buff or timeout checks Revoked first and returns. The result is exact:
// it is true if the loop's call has returned, and false if that call has not started. Commands of
// the Inbox and of other handlers do not count.
//
// It may be called only inside the handler. It costs O(commands waiting for the owner).
func (c *Context) Revoked() bool {
	l := c.live()
	for r := l.owner.readRare().revoked.Load(); r != nil; r = r.next {
		if r.handle != 0 && r.handle == l.handle || r.timeout != 0 && r.timeout == l.timeout {
			return true
		}
	}
	return false
}

// checkRoom fails with ErrOverloaded if the events of the loop's calls since the last Tick have
// reached Limits.Events. The limit is checked before a call, so one call may exceed it by at most
// the events of its owner's buffs.
func (e *Engine) checkRoom(what string, id uint64) error {
	if e.closed || len(e.loop.Events) < e.opts.Limits.Events {
		return nil // a closed engine fails with another error
	}
	e.stats.Refused++
	return fmt.Errorf("%w: %s %d, %d events for the next Frame", ErrOverloaded, what, id, e.opts.Limits.Events)
}

// checkRoomForAll does the same as checkRoom, for a call that must be executed for all of the
// owners or for none, and that emits up to n events. It fails if n more events do not fit, or if
// one of the owners is busy and its mailbox is full.
func (e *Engine) checkRoomForAll(n int, what string, id uint64, owners iter.Seq[*owner]) error {
	if err := e.checkRoom(what, id); err != nil {
		return err
	}
	if there := len(e.loop.Events); there > 0 && there+n > e.opts.Limits.Events {
		e.stats.Refused++
		return fmt.Errorf("%w: %s %d, %d events more, and there is room for %d", ErrOverloaded, what, id, n, e.opts.Limits.Events-there)
	}
	for o := range owners {
		if !e.idle(o) && o.waiting() >= e.opts.Limits.Mailbox {
			return e.overload(o, e.opts.Limits.Mailbox, "commands, since it is busy").Failure
		}
	}
	return nil
}

// eachOwner yields the present owners, by number.
func (e *Engine) eachOwner(yield func(*owner) bool) {
	for k := range e.owners.len() {
		o := e.owners.at(uint32(k))
		if o != nil && !o.leaving() && !yield(o) {
			return
		}
	}
}

// restoreRoom returns the loop's Turn, limited to the events and deferred handlers for which there
// is room.
func (e *Engine) restoreRoom() *rules.Turn {
	t := e.turn()
	t.MostEvents, t.MostCalls = e.opts.Limits.Events-len(e.loop.Events), e.opts.Limits.Handlers
	return t
}

// restoreError converts an error of [rules.Owner.Restore] to an error of the engine.
func (e *Engine) restoreError(id buff.OwnerID, err error) error {
	if errors.Is(err, buff.ErrRoom) {
		e.stats.Refused++
		return fmt.Errorf("%w: restore owner %d: %w", ErrOverloaded, id, err)
	}
	return fmt.Errorf("engine: restore owner %d: %w", id, err)
}
