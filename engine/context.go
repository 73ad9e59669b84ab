package engine

import (
	"iter"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/wheel"
)

// Context gives a handler access to its owner, and lets it issue commands.
//
// A command for the handler's own owner runs after the handler has returned and before the
// owner's next due event, in the order of issue, at the same instant. A command for another owner
// runs at the end of the frame. Neither returns an answer: the outcome is an event. A command
// with an unknown owner or a stale handle, or for another owner whose mailbox is full, is counted
// in Stats.Undelivered. One handler may issue buff.MaxCommands commands for other owners; the
// rest is dropped, with a Faulted event for the reason Cascade.
//
// A Context is valid until its handler returns. Later calls of its methods panic, or, if the same
// worker is running another handler by then, apply to that handler.
type Context struct {
	worker *workerState // nil if it was not made by the engine
	over   bool         // no handler is running
}

// outgoing is a command for another owner.
type outgoing struct {
	at   wheel.Time // time of its cause
	from buff.OwnerID
	own  bool // a command of the engine: see Engine.evict
	cmd  buff.Command
	why  buff.Cause // the cause, for a command that an action has issued
}

func (c *Context) live() *workerState {
	if c.worker == nil || c.over {
		panic("engine: a Context was used after its handler had returned")
	}
	return c.worker
}

// Owner returns the owner that the handler was called for.
//
// Only inside the handler.
func (c *Context) Owner() buff.OwnerID { return c.live().owner.id() }

// Data returns the value that was passed to Spawn for the owner. The handler may change the data
// that it points to: no other handler of this owner runs at the same time, and the loop does not
// access it.
//
// Only inside the handler.
func (c *Context) Data() any { return c.live().owner.data }

// Now returns the instant of the event by the rules; in a late frame it is before the loop's
// time.
//
// Only inside the handler.
func (c *Context) Now() wheel.Time { return c.live().turn.At() }

// Seen returns the time of the frame that processes the event. Seen − Now is how late the event
// is, because the frame was late or coarse. The loop's own time may be later, if the handler is
// slow.
//
// Only inside the handler.
func (c *Context) Seen() wheel.Time { return c.live().turn.Now }

// Catalog returns the current definitions: those of the last [Engine.Reload] before the turn of
// this handler's owner started.
//
// Only inside the handler.
func (c *Context) Catalog() *buff.Catalog { return c.live().turn.Catalog }

// Buffs returns the owner's buffs, the oldest application first, without the effects of this
// handler's commands.
//
// Only inside the handler.
func (c *Context) Buffs() iter.Seq[buff.Instance] { return c.live().owner.set.All() }

// Find returns the owner's buff of that handle and reports whether it is running. It reports
// false for a handle of another owner.
//
// Only inside the handler.
func (c *Context) Find(h buff.Handle) (buff.Instance, bool) { return c.live().owner.set.Find(h) }

// Dead reports whether the handler's owner has been killed and not revived since, without the
// effects of this handler's commands.
//
// Only inside the handler.
func (c *Context) Dead() bool { return c.live().owner.set.Dead() }

// AddBuff applies a buff to an owner. It panics if the definition belongs to neither the engine's
// catalog nor an earlier version of it. If the definition has been removed by a Reload, the
// application is Denied for the reason Reload. The list a.Params is copied.
//
// If a definition reads attributes of its source, and the handler's own owner is the source, the
// present values are used. Otherwise the loop reads them at the end of the frame and applies the
// buff then, even if it is for the handler's own owner.
//
// Only inside the handler.
func (c *Context) AddBuff(to buff.OwnerID, a buff.Application) {
	l := c.live()
	newest, ok := l.engine.Catalog().Newest(a.Spec)
	if !ok {
		panic("engine: AddBuff with a definition that is not of this engine's catalog")
	}
	if newest != nil {
		a.Spec = newest
	}
	a.Params = l.commandData.params(a.Params)
	byLoop := l.capture(to, &a)
	cmd := buff.Command{Verb: verb.Apply, Owner: to, Application: a}
	if byLoop {
		l.send(&cmd)
		return
	}
	c.issue(&cmd)
}

// AddTimeout calls f for an owner after the delay, or in the next millisecond if the delay is not
// positive. It panics if f is nil.
//
// Only inside the handler.
func (c *Context) AddTimeout(to buff.OwnerID, delay time.Duration, f func(*Context)) {
	c.live()
	if f == nil {
		panic("engine: AddTimeout without a function")
	}
	c.issue(&buff.Command{Verb: verb.AddTimeout, Owner: to, By: delay, Do: f})
}

// Remove ends the buff of a handle, for the reason Cancelled.
//
// Only inside the handler.
func (c *Context) Remove(h buff.Handle) { c.issue(&buff.Command{Verb: verb.Remove, Handle: h}) }

// Cancel cancels a timeout.
//
// Only inside the handler.
func (c *Context) Cancel(t buff.TimeoutHandle) {
	c.issue(&buff.Command{Verb: verb.Cancel, Timeout: t})
}

// Do executes a command after the handler has returned: at this instant if it is for the
// handler's own owner, at the end of the frame if it is for another owner, for several owners, or
// for a zone. It panics as [Engine.Do] does, and if the definition or the handler that the
// command names is unknown to the engine.
//
// Refusals by the rules are events. After buff.Pause of the handler's own owner, the other events
// of this instant that have not run are paused too. A buff that buff.Steal removes from the
// handler's own owner is lost, and counted in Stats.Undelivered, if at the end of the frame the
// thief is unknown or has no room.
//
// Only inside the handler.
func (c *Context) Do(cmd buff.Command) {
	l := c.live()
	if cmd.Verb == verb.Apply {
		c.AddBuff(cmd.Owner, cmd.Application)
		return
	}
	l.engine.mustBeValid(&cmd)
	if err := l.engine.resolveHandler(&cmd); err != nil {
		panic("engine: Do: " + err.Error())
	}
	c.issue(&cmd)
}

// issue queues a command for the handler's own owner or for the end of the frame.
func (c *Context) issue(cmd *buff.Command) {
	l := c.live()
	own := cmd.Owner == l.owner.id()
	if number, by := cmd.Number(); by {
		own = number == l.owner.number
	}
	if own && !concernsMany(cmd) {
		l.turn.Issue(&l.owner.set, cmd)
		return
	}
	l.send(cmd)
}

// send adds a command to those for other owners. Commands after the first buff.MaxCommands of a
// handler are dropped, with a single event.
func (l *workerState) send(cmd *buff.Command) {
	if l.issued++; l.issued > buff.MaxCommands {
		if l.issued == buff.MaxCommands+1 {
			l.turn.Events = append(l.turn.Events, buff.Event{
				At: l.turn.At(), Seen: l.turn.Now, Seq: l.owner.set.Count(), Owner: l.owner.id(), End: wheel.Never, Kind: buff.Faulted, Why: buff.Cascade,
			})
		}
		return
	}
	l.flushOutbox()
	l.turn.Chain(cmd)
	l.outbox = append(l.outbox, outgoing{at: l.turn.At(), from: l.owner.id(), cmd: *cmd})
}
