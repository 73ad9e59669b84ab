package engine

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/bufftick/bufftick/buff"
)

// Inbox is the lane of other goroutines: network handlers, timers, tools. What
// they ask for waits until the next Tick that has room for it and is carried out at its instant,
// after everything that is due, in the order in which it came in. One goroutine's
// commands keep their order.
//
// A Tick does so much for the Inbox as a quarter of Options.TickLimit: each command costs one, one
// for each event that it leads to, and one for every 16 buffs that are looked at for it, where a
// deadline that moves is eight. The rest waits for the next Tick, in order. One command is not
// divided, whatever it costs.
//
// A part of the program that posts much, or whose commands come from strangers, gets an Inbox of
// its own by [Inbox.For]: who posts too much then waits, and is refused, without the others.
//
// Do answers only whether the command was accepted; Ask waits for the Result, and Run for a
// function that the loop has called. An accepted command that then
// finds no such owner, nothing under its handle, or no room in the owner's mailbox is
// counted in Stats.Undelivered; what comes of the others is an event.
//
// No other call waits for the loop or for another goroutine.
type Inbox struct {
	engine *Engine
	name   string
	never  error // why it takes nothing

	newest  atomic.Pointer[envelope] // what was posted since the loop has looked, the newest first
	room    atomic.Pointer[room]
	held    atomic.Int64 // commands that were accepted and not delivered
	refused atomic.Uint64

	// The loop's.
	first, last *envelope // what it has taken over and not delivered, in order
	credit      int       // what its commands may cost before another one has its turn
}

// AddBuff applies a buff to an owner in the next Tick. It fails with
// [ErrUnknownSpec], [ErrRemoved], [ErrInboxFull] or [ErrClosed]. The list a.Params is copied.
//
// Any goroutine may call it.
func (in *Inbox) AddBuff(to buff.OwnerID, a buff.Application) error {
	return in.Do(buff.Command{Verb: buff.VerbApply, Owner: to, Application: a})
}

// AddTimeout has f called for an owner after the delay, counted from the next
// Tick. It fails with [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) AddTimeout(to buff.OwnerID, delay time.Duration, f func(*Context)) error {
	if f == nil {
		panic("engine: AddTimeout without a function")
	}
	return in.post(&envelope{cmd: buff.Command{Verb: buff.VerbAddTimeout, Owner: to, By: delay, Do: f}})
}

// Remove ends the buff of a handle in the next Tick, for the reason Cancelled. It
// fails with [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Remove(h buff.Handle) error {
	return in.post(&envelope{cmd: buff.Command{Verb: buff.VerbRemove, Handle: h}})
}

// Cancel takes a timeout back in the next Tick. It fails with [ErrInboxFull] or
// [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Cancel(t buff.TimeoutHandle) error {
	return in.post(&envelope{cmd: buff.Command{Verb: buff.VerbCancel, Timeout: t}})
}

// Do has a command carried out in the next Tick that has room for it. It fails with [ErrInboxFull]
// or [ErrClosed], with [ErrUnknownSpec] or [ErrRemoved] if the definition of an Apply is not the
// engine's, with [ErrUnknownHandler], and with buff.ErrAmount if an Absorb has less than 0. It
// panics as [Engine.Do] does. The list Application.Params is copied.
//
// Nothing answers but that it was accepted; [Inbox.Ask] waits for the answer.
//
// Any goroutine may call it.
func (in *Inbox) Do(c buff.Command) error {
	l := envelope{cmd: c}
	if err := in.prepare(&l.cmd); err != nil {
		return err
	}
	return in.post(&l)
}

// prepare completes a command before it is posted, and says what is wrong with it.
func (in *Inbox) prepare(c *buff.Command) error {
	switch c.Verb {
	case buff.VerbApply:
		spec, err := in.engine.version(c.Application.Spec)
		if err != nil {
			return err
		}
		c.Application.Spec = spec
		c.Application.Params = slices.Clone(c.Application.Params)
		return nil
	case buff.VerbAbsorb:
		if c.Amount < 0 {
			return fmt.Errorf("%w: %d of damage", buff.ErrAmount, c.Amount)
		}
	}
	in.engine.sound(c)
	return in.engine.find(c)
}

// Len returns how many commands of this lane wait.
//
// Any goroutine may call it.
func (in *Inbox) Len() int { return int(in.held.Load()) }
