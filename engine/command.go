package engine

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// AddBuff applies a buff to an owner, at the instant of the last Tick and after
// everything that was due then. The definition's own actions follow at once; Go
// handlers run in the next Tick, before anything that is due then.
//
// If the definition reads attributes of its source, they are read now. A source that is
// unknown or busy has none: what then has no default is Denied for the reason NoParam.
//
// Result.Err is, besides those of package buff, [ErrUnknownOwner],
// [ErrUnknownSpec], [ErrRemoved], [ErrClosed] or [ErrOverloaded]. If the owner is busy, the
// command waits, Result.Queued says so, and the Handle is zero.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner) to find
// the instance that is joined.
func (e *Engine) AddBuff(id buff.OwnerID, a buff.Application) (buff.Handle, buff.Result) {
	e.enter("AddBuff")
	if !e.loop.Catalog.Has(a.Spec) {
		spec, err := e.version(a.Spec)
		if err != nil {
			return 0, buff.Result{Err: err}
		}
		a.Spec = spec
	}
	o := e.byID[id]
	if !e.ready(o) {
		r := e.add(id, &a)
		return r.Handle, r
	}
	if a.Spec.Captures() {
		e.capture(id, &a)
	}
	h, kind, why, err := o.set.Apply(e.turn(), e.now, &a)
	e.done(o)
	return h, buff.Result{Handle: h, Kind: kind, Why: why, Err: err}
}

// add is AddBuff where it goes the way of all commands.
//
//go:noinline
func (e *Engine) add(id buff.OwnerID, a *buff.Application) buff.Result {
	return e.to(id, &buff.Command{Verb: buff.Apply, Application: *a})
}

// ready reports whether a buff can be put on an owner, or taken off, at once and without a
// Command, which is far more to write than what there is to do. Otherwise it goes the way of
// all commands, which finds out what is in the way, records it, or lets it wait.
func (e *Engine) ready(o *owner) bool {
	return o != nil && e.record == nil && !e.closed && len(e.loop.Events) < e.opts.EventLimit &&
		e.idle(o) && !o.leaving && o.set.Pending() < e.opts.HandlerLimit
}

// done is what follows once the Set of an owner has carried out a command.
func (e *Engine) done(o *owner) {
	e.obey(o)
	if e.ledger.all != 0 {
		e.noteLoop()
	}
	if len(e.loop.Sent) > 0 {
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
	r := e.to(id, &buff.Command{Verb: buff.AddTimeout, By: delay, Do: f})
	return r.Timeout, r.Err
}

// AddTimeoutByName is AddTimeout for the handler of that name in Options.Handlers.
// It also fails with [ErrUnknownHandler].
//
// Only the loop goroutine may call it.
func (e *Engine) AddTimeoutByName(id buff.OwnerID, delay time.Duration, handler string) (buff.TimeoutHandle, error) {
	e.enter("AddTimeoutByName")
	h, ok := e.names[handler]
	if !ok {
		return 0, fmt.Errorf("%w: %q", ErrUnknownHandler, handler)
	}
	r := e.to(id, &buff.Command{Verb: buff.AddTimeout, By: delay, Name: handler, Handler: h})
	return r.Timeout, r.Err
}

// Remove ends the buff of a handle, for the reason Cancelled. For a handle that
// names nothing Result.Err is buff.ErrStale, and nothing happens. Once Remove has
// returned without Queued, no event of that buff follows but its removal.
//
// Only the loop goroutine may call it.
func (e *Engine) Remove(h buff.Handle) (r buff.Result) {
	e.enter("Remove")
	e.take(&r, h, 0, buff.Cancelled)
	return r
}

// RemoveStacks takes n stacks off the buff of a handle, for a reason that ends
// buffs; all of it if n is not above zero or it has no more. The timers of what
// is left stay as they are.
//
// Only the loop goroutine may call it.
func (e *Engine) RemoveStacks(h buff.Handle, n int, why buff.Reason) (r buff.Result) {
	e.enter("RemoveStacks")
	e.take(&r, h, n, removal(why))
	return r
}

// take is RemoveStacks. It fills in a Result, since one that is returned is copied, and the
// copy waits for what was just written.
func (e *Engine) take(r *buff.Result, h buff.Handle, n int, why buff.Reason) {
	o := e.at(h.Number())
	if !e.ready(o) {
		*r = e.remove(h, n, why)
		return
	}
	r.Handle, r.Kind, r.Why, r.Err = o.set.Remove(e.turn(), e.now, h, n, why)
	e.done(o)
}

// remove is take where it goes the way of all commands.
//
//go:noinline
func (e *Engine) remove(h buff.Handle, n int, why buff.Reason) buff.Result {
	return e.by(h.Number(), &buff.Command{Verb: buff.Remove, Handle: h, Stacks: n, Reason: why})
}

// Cancel takes a timeout back. Once it has returned with Kind Removed, its
// function will not be called.
//
// Only the loop goroutine may call it.
func (e *Engine) Cancel(t buff.TimeoutHandle) buff.Result {
	e.enter("Cancel")
	return e.by(t.Number(), &buff.Command{Verb: buff.Cancel, Timeout: t})
}

// Extend moves the end of the buff of a handle by d, which may be negative. If the
// end would not be after now, the buff expires at once, without a pulse.
//
// Only the loop goroutine may call it.
func (e *Engine) Extend(h buff.Handle, d time.Duration) buff.Result {
	e.enter("Extend")
	return e.by(h.Number(), &buff.Command{Verb: buff.Extend, Handle: h, By: d})
}

// Kill says that an owner dies: its buffs go, without a last pulse, for the reason
// Death, unless their definition keeps them.
//
// Only the loop goroutine may call it.
func (e *Engine) Kill(id buff.OwnerID) buff.Result {
	e.enter("Kill")
	return e.to(id, &buff.Command{Verb: buff.Kill})
}

// to, by, do and deliver may fill the command in, and do not keep it.
func (e *Engine) to(id buff.OwnerID, c *buff.Command) buff.Result {
	e.record.command(opTo, uint64(id), c)
	o := e.byID[id]
	if o == nil {
		return buff.Result{Err: fmt.Errorf("%w: %d", ErrUnknownOwner, id)}
	}
	if c.Verb == buff.Apply {
		e.capture(id, &c.Application)
	}
	return e.do(o, c)
}

func (e *Engine) by(number uint32, c *buff.Command) buff.Result {
	e.record.command(opBy, uint64(number), c)
	o := e.at(number)
	switch {
	case o != nil:
		return e.do(o, c)
	case c.Verb == buff.Cancel:
		return buff.Result{Err: fmt.Errorf("%w: timeout %v", buff.ErrStale, c.Timeout)}
	}
	return buff.Result{Err: fmt.Errorf("%w: %v", buff.ErrStale, c.Handle)}
}

// do carries a command out, or queues it if the owner is busy.
func (e *Engine) do(o *owner, c *buff.Command) buff.Result {
	switch {
	case e.closed:
		return buff.Result{Err: ErrClosed}
	case len(e.loop.Events) >= e.opts.EventLimit:
		return e.overload(o, e.opts.EventLimit, "events for the next Frame")
	}
	return e.deliver(o, c)
}

func (e *Engine) deliver(o *owner, c *buff.Command) buff.Result {
	if !e.idle(o) {
		return e.queue(o, c)
	}
	if setsOff(c.Verb) && o.set.Pending() >= e.opts.HandlerLimit {
		return e.overload(o, e.opts.HandlerLimit, "handlers for its next turn")
	}
	if c.Verb == buff.Steal && e.byID[c.Query.To] == nil {
		return buff.Result{Err: fmt.Errorf("%w: %d, who steals", ErrUnknownOwner, c.Query.To)}
	}
	r := o.set.Obey(e.turn(), e.now, c)
	e.done(o)
	return r
}

// setsOff reports whether a command may put off handlers as often as it is given. The
// others can only end something that an Apply has begun.
func setsOff(v buff.Verb) bool {
	switch v {
	case buff.Apply, buff.Enter, buff.AddTag, buff.DropTag, buff.Release:
		return true
	}
	return false
}

// queue lets a command wait until the owner is home.
func (e *Engine) queue(o *owner, c *buff.Command) buff.Result {
	if int(o.handed+o.late) >= e.opts.MailboxLimit {
		return e.overload(o, e.opts.MailboxLimit, "commands, since it is busy")
	}
	if o.box.Home() {
		o.handed++
	} else {
		o.late++
	}
	kept := *c
	borrow(&kept)
	e.run(o) // what was due by now, and handlers put off in earlier frames, come first
	e.send(o, message{kind: do, at: e.now, cmd: &kept})
	return buff.Result{Queued: true}
}

func (e *Engine) overload(o *owner, limit int, what string) buff.Result {
	e.stats.Refused++
	return buff.Result{Err: fmt.Errorf("%w: owner %d, %d %s", ErrOverloaded, o.id, limit, what)}
}

// turn returns the loop's own scratch.
func (e *Engine) turn() *buff.Turn {
	e.loop.Now = e.now
	return &e.loop
}

// obey puts the owner's wishes on the wheel, and reports whether something came due
// while the owner was busy. The owner is home.
func (e *Engine) obey(o *owner) (late bool) {
	for _, w := range o.set.Orders() {
		late = e.meet(o, w) || late
	}
	o.set.ClearOrders()
	if o.set.Pending() > 0 && !o.leaving && !o.rests {
		e.want(o)
	}
	return late
}

// meet meets one of its wishes.
func (e *Engine) meet(o *owner, w buff.Order) (late bool) {
	now := e.now
	if o.leaving {
		now = o.left
	}
	switch {
	case w.Due == wheel.Never:
		e.wheel.Remove(w.Timer)
	case w.Due <= now: // it came due while the owner was busy
		o.set.Wake(w.Ref)
		return true
	case o.leaving: // it will never come
	case w.Timer != 0:
		e.wheel.Move(w.Timer, w.Due)
	default:
		e.arm(o, w)
	}
	return false
}

// arm gives a timer to something that had none when it asked for one.
func (e *Engine) arm(o *owner, w buff.Order) {
	switch timer, live := o.set.Timer(w); {
	case !live:
	case timer == 0:
		o.set.SetTimer(w, e.wheel.Add(w.Due, uint64(o.number)<<16|uint64(w.Ref)))
	default:
		e.wheel.Move(timer, w.Due)
	}
}

// want notes that the owner wants a turn in the next Tick.
func (e *Engine) want(o *owner) {
	if !o.wanted {
		o.wanted = true
		e.wanted = append(e.wanted, o)
	}
}

// run has the owner work off everything that is due by now, once in a slice of a Tick.
func (e *Engine) run(o *owner) {
	if o.ran != e.round {
		o.ran = e.round
		at := e.now
		if o.leaving {
			at = o.left
		}
		e.send(o, message{kind: run, at: at})
	}
}

// send puts a message into the owner's mailbox.
func (e *Engine) send(o *owner, m message) {
	if err := e.group.Send(&o.box, m); err != nil {
		panic("engine: " + err.Error() + ": wakeRoom is too small")
	}
}
