package engine

import (
	"time"

	"github.com/bufftick/bufftick/buff"
)

// Verbs of a handler about time: what they do is said at the Engine's.

// ExtendUpTo is Extend that never leaves more than most; see [Engine.ExtendUpTo].
//
// Only inside the handler.
func (c *Context) ExtendUpTo(h buff.Handle, d, most time.Duration) {
	c.by(h.Number(), extendUpTo(h, d, most))
}

// SetRemaining makes the buff of a handle end after d; see [Engine.SetRemaining].
//
// Only inside the handler.
func (c *Context) SetRemaining(h buff.Handle, d time.Duration) {
	c.by(h.Number(), buff.Command{Verb: buff.SetRemaining, Handle: h, By: d})
}

// SetPeriod changes the period of the buff of a handle; see [Engine.SetPeriod].
//
// Only inside the handler.
func (c *Context) SetPeriod(h buff.Handle, d time.Duration) {
	c.by(h.Number(), buff.Command{Verb: buff.SetPeriod, Handle: h, By: d})
}

// Pause stops the time of an owner. What is due at this very instant and has not run
// waits too.
//
// Only inside the handler.
func (c *Context) Pause(owner buff.OwnerID) {
	c.to(owner, buff.Command{Verb: buff.Hold, Whose: buff.OfOwner})
}

// Resume lets the time of an owner go on where Pause stopped it.
//
// Only inside the handler.
func (c *Context) Resume(owner buff.OwnerID) {
	c.to(owner, buff.Command{Verb: buff.Resume, Whose: buff.OfOwner})
}

// SetRate lets the time of an owner pass at a rate; see [Engine.SetRate].
//
// Only inside the handler.
func (c *Context) SetRate(owner buff.OwnerID, r buff.Ratio) {
	c.to(owner, buff.Command{Verb: buff.SetRate, Whose: buff.OfOwner, Rate: r})
}

// PauseBuff stops the time of one buff.
//
// Only inside the handler.
func (c *Context) PauseBuff(h buff.Handle) {
	c.by(h.Number(), buff.Command{Verb: buff.Hold, Handle: h})
}

// ResumeBuff lets the time of one buff go on where PauseBuff stopped it.
//
// Only inside the handler.
func (c *Context) ResumeBuff(h buff.Handle) {
	c.by(h.Number(), buff.Command{Verb: buff.Resume, Handle: h})
}

// SetBuffRate lets the time of one buff pass at a rate; see [Engine.SetBuffRate].
//
// Only inside the handler.
func (c *Context) SetBuffRate(h buff.Handle, r buff.Ratio) {
	c.by(h.Number(), buff.Command{Verb: buff.SetRate, Handle: h, Rate: r})
}
