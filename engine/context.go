package engine

import (
	"iter"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/wheel"
)

// Context is the lane of a handler: what it may know, and what it may ask for.
//
// A command for the handler's own owner runs after the handler has returned and
// before the owner's next due event, in the order of issue, at the same instant.
// A command for another owner runs at the end of the frame. Neither answers: what
// came of it is an event. What finds no such owner, nothing under its handle or no
// room in the other's mailbox is counted in Stats.Undelivered. One handler may ask for
// buff.MaxCommands things of others; the rest is dropped, and a Faulted with the reason
// Cascade says so.
//
// A Context is good until its handler returns. After that its methods panic, or, if
// the same worker is in another handler by then, do their work for that one.
type Context struct {
	worker *workerState // nil: nobody's, the game made it
	over   bool         // no handler is running
}

// outgoing is a command for another owner.
type outgoing struct {
	at   wheel.Time // of its cause
	from buff.OwnerID
	own  bool // the engine's, see Engine.evict
	cmd  buff.Command
	why  buff.Cause // of an action
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

// Data returns what Spawn was given for the owner. The handler may change what it
// points to: no other handler of this owner runs, and the loop keeps off.
//
// Only inside the handler.
func (c *Context) Data() any { return c.live().owner.data }

// Now returns the instant of the event by the rules; in a late frame it is before
// the loop's.
//
// Only inside the handler.
func (c *Context) Now() wheel.Time { return c.live().turn.At() }

// Seen returns the time of the frame that works the event out: by as much as it is later than Now, the event
// is late, because the frame was late or coarse. The loop may have gone on if the handler is slow.
//
// Only inside the handler.
func (c *Context) Seen() wheel.Time { return c.live().turn.Now }

// Catalog returns the definitions that are in force: those of the last [Engine.Reload] before this
// handler's owner was taken in hand.
//
// Only inside the handler.
func (c *Context) Catalog() *buff.Catalog { return c.live().turn.Catalog }

// Buffs returns what the owner carries, the oldest application first, before the
// commands of this handler.
//
// Only inside the handler.
func (c *Context) Buffs() iter.Seq[buff.Instance] { return c.live().owner.set.All() }

// Find returns the owner's buff of that handle and reports whether it runs; for
// another owner's handle it reports false.
//
// Only inside the handler.
func (c *Context) Find(h buff.Handle) (buff.Instance, bool) { return c.live().owner.set.Find(h) }

// Dead reports whether the handler's owner has been killed and not revived since, before the commands of
// this handler.
//
// Only inside the handler.
func (c *Context) Dead() bool { return c.live().owner.set.Dead() }

// AddBuff applies a buff to an owner. It panics if the definition is not of the
// engine's catalog, or of one before it; one that is not there any more is Denied for the
// reason Reload. The list a.Params is copied.
//
// A definition that reads attributes of its source has them as they are now if the handler's
// own owner is the source. Otherwise the loop reads them at the end of the frame, and brings
// the buff then, also to the handler's own owner.
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
	a.Params = l.lent.params(a.Params)
	byLoop := l.capture(to, &a)
	cmd := buff.Command{Verb: verb.Apply, Owner: to, Application: a}
	if byLoop {
		l.send(&cmd)
		return
	}
	c.ask(&cmd)
}

// AddTimeout has f called for an owner after the delay, or at the next millisecond
// if that is not above zero. It panics if f is nil.
//
// Only inside the handler.
func (c *Context) AddTimeout(to buff.OwnerID, delay time.Duration, f func(*Context)) {
	c.live()
	if f == nil {
		panic("engine: AddTimeout without a function")
	}
	c.ask(&buff.Command{Verb: verb.AddTimeout, Owner: to, By: delay, Do: f})
}

// Remove ends the buff of a handle, for the reason Cancelled.
//
// Only inside the handler.
func (c *Context) Remove(h buff.Handle) { c.ask(&buff.Command{Verb: verb.Remove, Handle: h}) }

// Cancel takes a timeout back.
//
// Only inside the handler.
func (c *Context) Cancel(t buff.TimeoutHandle) {
	c.ask(&buff.Command{Verb: verb.Cancel, Timeout: t})
}

// Do has a command carried out after the handler has returned: of the handler's own owner at this
// instant, of another one at the end of the frame. A command for more than one owner, or about a
// zone, is one for others. It panics as [Engine.Do] does, and if the definition or the handler that
// the command names is not the engine's.
//
// What the rules refuse is an event. With buff.Pause of the handler's own owner, what is due at
// this very instant and has not run waits too. What buff.Steal takes off the handler's own owner is
// lost, and counted in Stats.Undelivered, if at the end of the frame the thief is unknown or has no
// room.
//
// Only inside the handler.
func (c *Context) Do(cmd buff.Command) {
	l := c.live()
	if cmd.Verb == verb.Apply {
		c.AddBuff(cmd.Owner, cmd.Application)
		return
	}
	l.engine.sound(&cmd)
	if err := l.engine.find(&cmd); err != nil {
		panic("engine: Do: " + err.Error())
	}
	c.ask(&cmd)
}

// ask hands a command on.
func (c *Context) ask(cmd *buff.Command) {
	l := c.live()
	own := cmd.Owner == l.owner.id()
	if number, by := cmd.Number(); by {
		own = number == l.owner.number
	}
	if own && !many(cmd) {
		l.turn.Issue(&l.owner.set, cmd)
		return
	}
	l.send(cmd)
}

// send puts a command of the handler that runs among those for other owners. After
// buff.MaxCommands of them the rest is dropped, and an event says so, once.
func (l *workerState) send(cmd *buff.Command) {
	if l.issued++; l.issued > buff.MaxCommands {
		if l.issued == buff.MaxCommands+1 {
			l.turn.Events = append(l.turn.Events, buff.Event{
				At: l.turn.At(), Seen: l.turn.Now, Seq: l.owner.set.Count(), Owner: l.owner.id(), End: wheel.Never, Kind: buff.Faulted, Why: buff.Cascade,
			})
		}
		return
	}
	l.passOn()
	l.turn.Chain(cmd)
	l.outbox = append(l.outbox, outgoing{at: l.turn.At(), from: l.owner.id(), cmd: *cmd})
}
