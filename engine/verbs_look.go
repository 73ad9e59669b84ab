package engine

import (
	"time"

	"github.com/bufftick/bufftick/buff"
)

// What the loop and a handler can ask of an owner.

// HasTag reports whether an owner has a tag: by what its buffs grant, or by AddTag. For an
// unknown owner and for one that is busy it reports false.
//
// Only the loop goroutine may call it.
func (e *Engine) HasTag(id buff.OwnerID, tag buff.Tag) bool {
	e.enter("HasTag")
	o := e.byID[id]
	return o != nil && e.idle(o) && o.set.Has(tag)
}

// Remaining returns the longest time left among the buffs of an owner with a tag, in Tags
// or Grants or below it there, and reports whether there is one: a cooldown is a buff with
// a tag. Of one whose time stands still it is what would be left if its time went on now,
// and of an infinite one the longest Duration there is. For an unknown owner and for one
// that is busy it reports false.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) Remaining(id buff.OwnerID, tag buff.Tag) (time.Duration, bool) {
	e.enter("Remaining")
	if o := e.byID[id]; o != nil && e.idle(o) {
		return o.set.Remaining(tag, e.now)
	}
	return 0, false
}

// Param returns a parameter of the buff of a handle, by its name in the definition, and
// reports whether there is one. For a busy owner it reports false.
//
// Only the loop goroutine may call it. It costs O(parameters of the definition).
func (e *Engine) Param(h buff.Handle, name string) (float64, bool) {
	e.enter("Param")
	if o := e.at(h.Number()); o != nil && e.idle(o) {
		return o.set.Param(h, name)
	}
	return 0, false
}

// HasTag reports whether the handler's own owner has a tag, before the commands of this
// handler.
//
// Only inside the handler.
func (c *Context) HasTag(tag buff.Tag) bool { return c.live().owner.set.Has(tag) }

// Remaining returns the longest time left among the buffs of the handler's own owner with
// a tag, and reports whether there is one: see [Engine.Remaining].
//
// Only inside the handler. It costs O(buffs of that owner).
func (c *Context) Remaining(tag buff.Tag) (time.Duration, bool) {
	l := c.live()
	return l.owner.set.Remaining(tag, l.turn.At())
}

// Param returns a parameter of a buff of the handler's own owner, by its name in the
// definition, and reports whether there is one. The buff of an event that it has ended
// has none any more.
//
// Only inside the handler. It costs O(parameters of the definition).
func (c *Context) Param(h buff.Handle, name string) (float64, bool) {
	return c.live().owner.set.Param(h, name)
}
