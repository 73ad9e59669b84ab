package engine

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
)

// Verbs of the Inbox that take something off an owner, or give it back.

// Dispel takes off what a query finds on an owner in the next Tick. It fails with
// [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Dispel(owner buff.OwnerID, q buff.Query) error {
	return in.to(owner, buff.Command{Verb: buff.Purge, Query: &q})
}

// Steal takes what a query finds off one owner and applies it to another in the next
// Tick;
// see [Engine.Steal]. It fails with [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Steal(from, to buff.OwnerID, q buff.Query, most time.Duration) error {
	q.To = to
	return in.to(from, buff.Command{Verb: buff.Steal, Query: &q, By: most})
}

// Interrupt says that an owner does something in the next Tick that may end buffs.
// It fails with [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Interrupt(owner buff.OwnerID, act buff.Act) error {
	return in.to(owner, buff.Command{Verb: buff.Interrupted, Act: act})
}

// Consume says that an owner does something in the next Tick that may use charges.
// It fails with [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Consume(owner buff.OwnerID, act buff.Act) error {
	return in.to(owner, buff.Command{Verb: buff.Consume, Act: act})
}

// ConsumeCharges uses n charges of one buff in the next Tick, one if n is below. It
// fails with [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) ConsumeCharges(h buff.Handle, n int) error {
	return in.by(h.Number(), buff.Command{Verb: buff.Consume, Handle: h, Stacks: n})
}

// Absorb lets an amount of damage of a school, or of none if that is 0, meet the
// shields of
// an owner in the next Tick. Nobody is told what is left of it: whoever must know has a
// handler of that owner do it. It fails with [ErrInboxFull], [ErrClosed] or, if the
// amount
// is negative, buff.ErrAmount, and panics if the school is not of the engine's catalog.
//
// Any goroutine may call it.
func (in *Inbox) Absorb(owner buff.OwnerID, amount int64, school buff.Tag) error {
	if amount < 0 {
		return fmt.Errorf("%w: %d of damage", buff.ErrAmount, amount)
	}
	return in.to(owner, buff.Command{Verb: buff.Absorb, Amount: amount, Tag: in.engine.known("Absorb", school)})
}

// Revive says that an owner lives again in the next Tick. It fails with
// [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Revive(owner buff.OwnerID) error {
	return in.to(owner, buff.Command{Verb: buff.Revive})
}
