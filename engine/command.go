package engine

import (
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/wheel"
)

// AddBuff applies a buff to an owner, at the instant of the last Tick and after
// everything that was due then. The definition's own actions follow at once; Go
// handlers run in the next Tick, before anything that is due then.
//
// If the definition reads attributes of its source, they are read now. A source that is not
// there has none: what then has no default is Denied for the reason NoParam. One that is busy
// cannot be asked: the command waits until it can, as it does for a busy owner.
//
// Result.Err is, besides those of package buff, [ErrUnknownOwner],
// [ErrUnknownSpec], [ErrRemoved], [ErrClosed] or [ErrOverloaded]. If the owner is busy, or
// the source that must be asked, the command waits, Result.Queued says so, and the Handle is
// zero.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner) to find
// the instance that is joined.
func (e *Engine) AddBuff(id buff.OwnerID, a buff.Application) (buff.Handle, buff.Result) {
	e.enter("AddBuff")
	var r buff.Result
	e.apply(&r, e.ownerOf(id), id, &a)
	return r.Handle, r
}

// apply is AddBuff for the owner of that ID, nil if there is none, and may change the application. It fills in a Result, as take does.
func (e *Engine) apply(r *buff.Result, o *owner, id buff.OwnerID, a *buff.Application) {
	if !e.loop.Catalog.Has(a.Spec) {
		if a.Spec, r.Err = e.version(a.Spec); r.Err != nil {
			return
		}
	}
	if !e.ready(o) || a.Spec.Captures() && e.capture(id, a) != nil {
		*r = e.add(id, a)
		return
	}
	e.alter(o)
	r.Handle, r.Kind, r.Why, r.Err = o.set.Apply(e.turn(), e.now, a)
	e.done(o)
}

// add is AddBuff where it goes the way of all commands.
//
//go:noinline
func (e *Engine) add(id buff.OwnerID, a *buff.Application) buff.Result {
	return e.ask(&buff.Command{Verb: verb.Apply, Owner: id, Application: *a})
}

// ready reports whether a buff can be put on an owner, or taken off, at once and without a
// Command, which is far more to write than what there is to do. Otherwise it goes the way of
// all commands, which finds out what is in the way, records it, or lets it wait.
func (e *Engine) ready(o *owner) bool {
	return o != nil && e.record == nil && !e.closed && len(e.loop.Events) < e.opts.Limits.Events &&
		e.idle(o) && !o.leaving() && o.set.Pending() < e.opts.Limits.Handlers
}

// done is what follows once the Set of an owner has carried out a command.
func (e *Engine) done(o *owner) {
	e.obey(o)
	if e.index.all != 0 {
		e.noteLoop()
	}
	if len(e.loop.Outbox) > 0 {
		e.passOn()
	}
}

// AddTimeout has f called for an owner after the delay, rounded up to whole
// milliseconds; a delay that is not above zero is due at the next millisecond. f
// is called on a worker, in order with the owner's other events and after those of
// the same instant. It fails as AddBuff does; if the owner is busy, the timeout
// counts from now all the same, and the handle is zero.
//
// Only the loop goroutine may call it.
func (e *Engine) AddTimeout(id buff.OwnerID, delay time.Duration, f func(*Context)) (buff.TimeoutHandle, error) {
	e.enter("AddTimeout")
	if f == nil {
		panic("engine: AddTimeout without a function")
	}
	r := e.ask(&buff.Command{Verb: verb.AddTimeout, Owner: id, By: delay, Do: f})
	return r.Timeout, r.Err
}

// Remove ends the buff of a handle, for the reason Cancelled. For a handle that
// names nothing Result.Err is buff.ErrStale, and nothing happens. Once Remove has
// returned without Queued, no event of that buff follows but its removal.
//
// If the owner is busy, Result.Queued says that it has not been removed: what is due up to now
// comes first, its handlers too, and they may ask [Context.Revoked]. The Removed that ends it
// has this call's reason and its instant as At; if it has ended before by itself, its Removed
// says why, and nothing comes of the call but one more in Stats.Undelivered.
//
// Only the loop goroutine may call it.
func (e *Engine) Remove(h buff.Handle) (r buff.Result) {
	e.enter("Remove")
	e.take(&r, h)
	return r
}

// take takes a buff off. It fills in a Result, since one that is returned is copied, and the
// copy waits for what was just written.
func (e *Engine) take(r *buff.Result, h buff.Handle) {
	o := e.at(h.Number())
	if !e.ready(o) {
		*r = e.ask(&buff.Command{Verb: verb.Remove, Handle: h})
		return
	}
	e.alter(o)
	r.Handle, r.Kind, r.Why, r.Err = o.set.Remove(e.turn(), e.now, h, 0, buff.Cancelled)
	e.done(o)
}

// Cancel takes a timeout back. Once it has returned with Kind Removed, its function will not be called. If
// the owner is busy, Result.Queued says that it has not been taken back: if it is due up to now, it still
// fires, a TimedOut says so, and its function may ask [Context.Revoked]. No event says that it has been
// cancelled.
//
// Only the loop goroutine may call it.
func (e *Engine) Cancel(t buff.TimeoutHandle) buff.Result {
	e.enter("Cancel")
	return e.ask(&buff.Command{Verb: verb.Cancel, Timeout: t})
}

// do carries a command out, or queues it if the owner is busy.
func (e *Engine) do(o *owner, c *buff.Command) buff.Result {
	switch {
	case e.closed:
		return buff.Result{Err: ErrClosed}
	case len(e.loop.Events) >= e.opts.Limits.Events:
		return e.overload(o, e.opts.Limits.Events, "events for the next Frame")
	}
	return e.deliver(o, c)
}

func (e *Engine) deliver(o *owner, c *buff.Command) buff.Result {
	e.did.commands++
	if !e.idle(o) {
		return e.queue(o, c, false)
	}
	if setsOff(c.Verb) && o.set.Pending() >= e.opts.Limits.Handlers {
		return e.overload(o, e.opts.Limits.Handlers, "handlers for its next turn")
	}
	if c.Verb == verb.Steal && e.ownerOf(c.Query.To) == nil {
		return buff.Result{Err: fmt.Errorf("%w: %d, who steals", ErrUnknownOwner, c.Query.To)}
	}
	e.alter(o)
	before := o.set.Looked()
	r := o.set.Obey(e.turn(), e.now, c)
	e.did.looked += uint64(o.set.Looked() - before)
	e.done(o)
	return r
}

// setsOff reports whether a command may put off handlers as often as it is given. The
// others can only end something that an Apply has begun.
func setsOff(v verb.Verb) bool {
	switch v {
	case verb.Apply, verb.Enter, verb.AddTag, verb.DropTag, verb.Release:
		return true
	}
	return false
}

// queue lets a command wait until the owner is idle; by way of it, if it is for another.
func (e *Engine) queue(o *owner, c *buff.Command, via bool) buff.Result {
	if o.waiting() >= e.opts.Limits.Mailbox {
		return e.overload(o, e.opts.Limits.Mailbox, "commands, since it is busy")
	}
	if b := o.note(); o.box.Idle() {
		b.handed++
	} else {
		b.late++
	}
	kept := *c
	borrow(&kept)
	e.enlist(o)
	e.run(o) // what was due by now, and handlers put off in earlier frames, come first
	e.send(o, message{kind: do, via: via, at: e.now, cmd: &kept})
	if e.copies != nil {
		e.copies.wait(o, &kept)
	}
	o.revoke(&kept)
	return buff.Result{Queued: true}
}

func (e *Engine) overload(o *owner, limit int, what string) buff.Result {
	e.stats.Refused++
	return buff.Result{Err: fmt.Errorf("%w: owner %d, %d %s", ErrOverloaded, o.id(), limit, what)}
}

// turn returns the loop's own scratch, for one command.
func (e *Engine) turn() *buff.Turn {
	e.loop.Now = e.now
	e.loop.Order++
	return &e.loop
}

// nextOrder numbers a turn that a worker is given: see buff.Turn.
func (e *Engine) nextOrder() uint32 {
	e.loop.Order++
	return e.loop.Order
}

// obey files when an owner wants its next turn, and reports whether something came due
// while it was busy. The owner is idle.
func (e *Engine) obey(o *owner) (late bool) {
	next, order, moved := o.set.TakeDeadline(&e.loop)
	late = e.wants(o, next, order, moved)
	if o.set.Pending() > 0 && !o.leaving() && !o.rests() {
		e.want(o)
	}
	return late
}

// wants takes in when an owner wants its next turn, if that has moved, and reports whether it is past: something came due while
// the owner was busy.
func (e *Engine) wants(o *owner, next wheel.Time, order uint32, moved bool) (late bool) {
	switch {
	case o.leaving(): // what comes after it left will never come
		return next <= o.came
	case moved:
		e.file(o.number, next, order)
	}
	return next <= e.now
}

// want notes that the owner wants a turn in the next Tick.
func (e *Engine) want(o *owner) {
	if !o.wanted {
		o.wanted = true
		e.wanted = append(e.wanted, o.ref())
	}
}

// run has the owner work off everything that is due by now, once in a slice of a Tick.
func (e *Engine) run(o *owner) {
	if b := o.note(); b.ran != e.round {
		b.ran = e.round
		at := e.now
		if o.leaving() {
			at = o.came
		}
		e.send(o, message{kind: run, at: at})
	}
}

// send puts a message into the owner's mailbox.
func (e *Engine) send(o *owner, m message) {
	if !e.group.Send(&o.box, m) {
		panic("engine: a mailbox is full: runRoom is too small")
	}
}

// revoked is a buff or a timeout whose end the loop has asked for while its owner was busy:
// the command waits in the mailbox. The loop puts them in front of the list and cuts it off
// while the owner is idle; handlers of the owner read it meanwhile.
type revoked struct {
	handle  buff.Handle
	timeout buff.TimeoutHandle
	next    *revoked // older
}

// revoke notes what a command that has to wait will end.
func (o *owner) revoke(c *buff.Command) {
	b := o.note()
	switch {
	case c.Verb == verb.Remove && c.Stacks <= 0:
		b.revoked.Store(&revoked{handle: c.Handle, next: b.revoked.Load()})
	case c.Verb == verb.Cancel:
		b.revoked.Store(&revoked{timeout: c.Timeout, next: b.revoked.Load()})
	}
}

// forgetRevoked drops what has been carried out. No worker has the owner in hand, and so many
// commands still wait.
func (b *beside) forgetRevoked(waiting int32) {
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

// Revoked reports whether the loop has asked for the end of what the handler was called for:
// of the buff by Remove, or buff.RemoveStacks without a number, or of the timeout by Cancel. That
// was Queued then, since this owner was busy, and what was due before it comes first: this
// handler. It is exact: a handler that is called after the loop's call has returned finds it
// true, one that returns before it finds it false. A handler that must not work for what
// has been revoked asks first and returns. What the Inbox or another handler has asked for
// does not count.
//
// Only inside the handler. It costs O(commands that wait for the owner).
func (c *Context) Revoked() bool {
	l := c.live()
	for r := l.owner.noted().revoked.Load(); r != nil; r = r.next {
		if r.handle != 0 && r.handle == l.handle || r.timeout != 0 && r.timeout == l.timeout {
			return true
		}
	}
	return false
}

// roomFor fails with ErrOverloaded if the events of the loop's calls have reached Limits.Events.
// What a call leads to may go beyond it, by no more than what its owners carry.
func (e *Engine) roomFor(what string, id uint64) error {
	if e.closed || len(e.loop.Events) < e.opts.Limits.Events {
		return nil // a closed engine has another error
	}
	e.stats.Refused++
	return fmt.Errorf("%w: %s %d, %d events for the next Frame", ErrOverloaded, what, id, e.opts.Limits.Events)
}

// roomForAll is roomFor for a call that makes up to n events for many owners, and must not do
// half of it: it is refused if they have no room beside what there is, and if one of the owners
// is busy and has none in its mailbox.
func (e *Engine) roomForAll(n int, what string, id uint64, owners iter.Seq[*owner]) error {
	if err := e.roomFor(what, id); err != nil {
		return err
	}
	if there := len(e.loop.Events); there > 0 && there+n > e.opts.Limits.Events {
		e.stats.Refused++
		return fmt.Errorf("%w: %s %d, %d events more, and there is room for %d", ErrOverloaded, what, id, n, e.opts.Limits.Events-there)
	}
	for o := range owners {
		if !e.idle(o) && o.waiting() >= e.opts.Limits.Mailbox {
			return e.overload(o, e.opts.Limits.Mailbox, "commands, since it is busy").Err
		}
	}
	return nil
}

// all yields the owners that are there, by number.
func (e *Engine) all(yield func(*owner) bool) {
	for k := range e.owners.len() {
		o := e.owners.at(uint32(k))
		if o != nil && !o.leaving() && !yield(o) {
			return
		}
	}
}

// restoreRoom gives a Restore the room that there is.
func (e *Engine) restoreRoom() *buff.Turn {
	t := e.turn()
	t.MostEvents, t.MostCalls = e.opts.Limits.Events-len(e.loop.Events), e.opts.Limits.Handlers
	return t
}

// overfull makes of an error of Set.Restore one of the engine.
func (e *Engine) overfull(id buff.OwnerID, err error) error {
	if errors.Is(err, buff.ErrRoom) {
		e.stats.Refused++
		return fmt.Errorf("%w: restore owner %d: %w", ErrOverloaded, id, err)
	}
	return fmt.Errorf("engine: restore owner %d: %w", id, err)
}
