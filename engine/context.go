package engine

import (
	"iter"
	"strconv"
	"time"

	"github.com/bufftick/bufftick/buff"
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
	lane *lane
}

// cross is a command for another owner.
type cross struct {
	at   wheel.Time // of its cause
	from buff.OwnerID
	to   buff.OwnerID
	num  uint32 // of the owner, if the command is for a handle
	by   bool   // num says who it is for
	own  bool   // the engine's, see Engine.evict
	cmd  buff.Command
}

func (c *Context) live() *lane {
	if c.lane == nil {
		panic("engine: a Context was used after its handler had returned")
	}
	return c.lane
}

// Owner returns whose handler it is.
//
// Only inside the handler.
func (c *Context) Owner() buff.OwnerID { return c.live().owner.id }

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
	cmd := buff.Command{Verb: buff.Apply, Application: a}
	if byLoop {
		c.lane.send(cross{to: to, cmd: cmd})
		return
	}
	c.to(to, cmd)
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
	c.to(to, buff.Command{Verb: buff.AddTimeout, By: delay, Do: f})
}

// AddTimeoutByName is AddTimeout for the handler of that name in Options.Handlers.
// It panics if there is none.
//
// Only inside the handler.
func (c *Context) AddTimeoutByName(to buff.OwnerID, delay time.Duration, handler string) {
	h, ok := c.live().engine.names[handler]
	if !ok {
		panic("engine: AddTimeoutByName: no handler " + strconv.Quote(handler))
	}
	c.to(to, buff.Command{Verb: buff.AddTimeout, By: delay, Name: handler, Handler: h})
}

// Remove ends the buff of a handle, for the reason Cancelled.
//
// Only inside the handler.
func (c *Context) Remove(h buff.Handle) { c.RemoveStacks(h, 0, buff.Cancelled) }

// RemoveStacks takes n stacks off the buff of a handle, all of it if n is not
// above zero or it has no more.
//
// Only inside the handler.
func (c *Context) RemoveStacks(h buff.Handle, n int, why buff.Reason) {
	c.by(h.Number(), buff.Command{Verb: buff.Remove, Handle: h, Stacks: n, Reason: removal(why)})
}

// Extend moves the end of the buff of a handle by d, which may be negative.
//
// Only inside the handler.
func (c *Context) Extend(h buff.Handle, d time.Duration) {
	c.by(h.Number(), buff.Command{Verb: buff.Extend, Handle: h, By: d})
}

// Cancel takes a timeout back.
//
// Only inside the handler.
func (c *Context) Cancel(t buff.TimeoutHandle) {
	c.by(t.Number(), buff.Command{Verb: buff.Cancel, Timeout: t})
}

// Kill says that an owner dies: see [buff.Spec].OnDeath.
//
// Only inside the handler.
func (c *Context) Kill(owner buff.OwnerID) { c.to(owner, buff.Command{Verb: buff.Kill}) }

func (c *Context) to(owner buff.OwnerID, cmd buff.Command) {
	l := c.live()
	if owner == l.owner.id {
		l.turn.Issue(&l.owner.set, cmd)
		return
	}
	l.send(cross{to: owner, cmd: cmd})
}

func (c *Context) by(number uint32, cmd buff.Command) {
	l := c.live()
	if number == l.owner.number {
		l.turn.Issue(&l.owner.set, cmd)
		return
	}
	l.send(cross{num: number, by: true, cmd: cmd})
}

// send puts a command of the handler that runs among those for other owners. After
// buff.MaxCommands of them the rest is dropped, and an event says so, once.
func (l *lane) send(c cross) {
	if l.issued++; l.issued > buff.MaxCommands {
		if l.issued == buff.MaxCommands+1 {
			l.turn.Events = append(l.turn.Events, buff.Event{
				At: l.turn.At(), Seen: l.turn.Now, Owner: l.owner.id, End: wheel.Never, Kind: buff.Faulted, Why: buff.Cascade,
			})
		}
		return
	}
	l.passOn()
	c.at, c.from = l.turn.At(), l.owner.id
	l.cross = append(l.cross, c)
}

// removal panics if why is not a reason that ends a buff.
func removal(why buff.Reason) buff.Reason {
	if !why.Removes() {
		panic("engine: " + why.String() + " is not a reason that ends a buff")
	}
	return why
}
