package engine

import (
	"iter"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
)

// Context gives a handler access to its owner, and lets it issue commands.
//
// A command for the handler's own owner runs after the handler has returned and before the owner's
// next due event, in the order of issue, at the same instant. A command for another owner runs at
// the end of the frame. The handler does not get the result of a command: the outcome is an event.
// Stats.Undelivered counts commands for an unknown owner or with a stale handle, and commands for
// another owner whose mailbox is full. One handler may issue at most buff.MaxCommands commands for
// other owners; further ones are dropped, with a single Faulted event for the reason Cascade.
//
// A Context is valid until its handler returns. If one of its methods is called later, the method
// panics, unless the same worker is running another handler by then: the method then acts for that
// handler.
type Context struct {
	worker *workerState // nil if the Context was not made by the engine
	over   bool         // the handler of this Context has returned
}

// outgoing is a command for another owner.
type outgoing struct {
	at   wheel.Time   // time of the event that caused the command
	from buff.OwnerID // owner that issued the command
	own  bool         // a command of the engine: see Engine.evict
	cmd  buff.Command
	why  rules.Cause // the action or damage report that issued `cmd`; zero for a handler
}

func (c *Context) live() *workerState {
	if c.worker == nil || c.over {
		panic("engine: a Context was used after its handler had returned")
	}
	return c.worker
}

// Owner returns the owner that the handler was called for.
//
// It may be called only inside the handler.
func (c *Context) Owner() buff.OwnerID { return c.live().owner.id() }

// Data returns the value that was passed to Spawn for the owner. The handler may change the data
// to which this value points, because no other handler of this owner runs at the same time, and
// the loop does not access the data then.
//
// It may be called only inside the handler.
func (c *Context) Data() any { return c.live().owner.data }

// Data returns the data of the handler's own owner, like [Context.Data], with its type. It panics if
// the owner was spawned with data of another type.
//
// It may be called only inside the handler.
func Data[T any](c *Context) T { return c.Data().(T) }

// Now returns the instant of the event in game time. For a due event, that is the instant at which
// it was due; in a late frame, this is before the loop's time.
//
// It may be called only inside the handler.
func (c *Context) Now() wheel.Time { return c.live().turn.At() }

// Seen returns the game time of the frame that processes the event. Seen − Now is the delay of the
// event; it is positive if the frame was late or long. If the handler is slow, the loop may have
// advanced further.
//
// It may be called only inside the handler.
func (c *Context) Seen() wheel.Time { return c.live().turn.Now }

// Catalog returns the definitions that this turn of the handler's owner uses: the newest catalog
// when the turn started. A later [Engine.Reload] has no effect on them.
//
// It may be called only inside the handler.
func (c *Context) Catalog() *buff.Catalog { return c.live().turn.Catalog }

// Buffs returns the owner's buffs, the oldest application first. The effects of commands that this
// handler has issued are not visible yet.
//
// It may be called only inside the handler.
func (c *Context) Buffs() iter.Seq[buff.Instance] { return c.live().owner.set.All() }

// Find returns the buff with the given handle and reports whether the buff is running. It reports
// false if the buff belongs to another owner.
//
// It may be called only inside the handler.
func (c *Context) Find(h buff.Handle) (buff.Instance, bool) { return c.live().owner.set.Find(h) }

// Dead reports whether the handler's owner has been killed and not revived since. The effects of
// commands that this handler has issued are not visible yet.
//
// It may be called only inside the handler.
func (c *Context) Dead() bool { return c.live().owner.set.Dead() }

// AddBuff applies a buff to an owner. It panics if the definition belongs neither to the engine's
// catalog nor to an earlier version of it. If the definition has been removed by a Reload, the
// application is Denied for the reason Reload. AddBuff copies a.Params.
//
// If the definition reads attributes of its source, and the source is the handler's own owner, the
// present values are used. For any other source, the loop reads the attributes at the end of the
// frame and applies the buff then, even if the buff is for the handler's own owner.
//
// It may be called only inside the handler.
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
// It may be called only inside the handler.
func (c *Context) AddTimeout(to buff.OwnerID, delay time.Duration, f func(*Context)) {
	c.live()
	if f == nil {
		panic("engine: AddTimeout without a function")
	}
	c.issue(&buff.Command{Verb: verb.AddTimeout, Owner: to, By: delay, Do: f})
}

// Remove ends the buff with the given handle, for the reason Cancelled.
//
// It may be called only inside the handler.
func (c *Context) Remove(h buff.Handle) { c.issue(&buff.Command{Verb: verb.Remove, Handle: h}) }

// Cancel cancels a timeout.
//
// It may be called only inside the handler.
func (c *Context) Cancel(t buff.TimeoutHandle) {
	c.issue(&buff.Command{Verb: verb.Cancel, Timeout: t})
}

// Do executes a command after the handler has returned. A command for the handler's own owner runs
// at the instant of the handler's event, before the owner's next due event. A command for another
// owner, for several owners, or for an area runs at the end of the frame. Do panics in the same
// cases as [Engine.Do], and also if the engine does not know the definition or the handler that the
// command names.
//
// If the rules refuse the command, an event reports it. buff.Pause of the handler's own owner also
// pauses that owner's remaining events of the same instant. If buff.Steal removes a buff from the
// handler's own owner, and at the end of the frame the thief is unknown or has no room, the buff is
// lost and counted in Stats.Undelivered.
//
// It may be called only inside the handler.
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

// issue queues a command. A command for the handler's own owner is added to the queue of the
// running turn. Any other command waits for the end of the frame.
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

// send adds a command to the worker's commands for other owners. Commands after the first
// buff.MaxCommands of a handler are dropped, with a single event.
func (l *workerState) send(cmd *buff.Command) {
	if l.issued++; l.issued > rules.MaxCommands {
		if l.issued == rules.MaxCommands+1 {
			l.turn.Events = append(l.turn.Events, buff.Event{
				At: l.turn.At(), Seen: l.turn.Now, Seq: l.owner.set.Count(), Owner: l.owner.id(), End: wheel.Never, Kind: buff.Faulted, Why: reason.Cascade,
			})
		}
		return
	}
	l.flushOutbox()
	l.turn.Chain(cmd)
	l.outbox = append(l.outbox, outgoing{at: l.turn.At(), from: l.owner.id(), cmd: *cmd})
}
