package engine

import (
	"fmt"
	"time"

	"github.com/bufftick/bufftick/buff"
)

// Verbs of the loop that take something off an owner, or give it back. They fail in the
// manner of those about time.

// Dispel takes off what a query finds on an owner, the oldest application first, by the
// Dispel of each definition: one stack, one charge or the whole buff, up to Query.Most
// portions. What needs a higher grade than Query.Grade stays. Result.Amount says how
// many portions were used up, those that resisted with them.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) Dispel(id buff.OwnerID, q buff.Query) buff.Result {
	e.enter("Dispel")
	return e.to(id, &buff.Command{Verb: buff.Purge, Query: e.ask(q)})
}

// Steal takes what a query finds off one owner and applies it to another, with what was
// left of it, but not more than most if that is above zero. Result.Amount says how many
// buffs went; what came of them on the other side is an event. It also fails, and takes
// nothing, if the thief is unknown. What the thief has no room for is lost.
//
// Only the loop goroutine may call it. It costs O(buffs of both owners).
func (e *Engine) Steal(from, to buff.OwnerID, q buff.Query, most time.Duration) buff.Result {
	e.enter("Steal")
	q.To = to
	return e.to(from, &buff.Command{Verb: buff.Steal, Query: e.ask(q), By: most})
}

// Interrupt says that an owner did something: its buffs that are interrupted by the act
// go. Result.Amount says how many. An act that no definition speaks of does nothing.
//
// Only the loop goroutine may call it. It costs O(1) if no buff of the owner has that
// act, otherwise O(buffs of that owner).
func (e *Engine) Interrupt(id buff.OwnerID, act buff.Act) buff.Result {
	e.enter("Interrupt")
	return e.to(id, &buff.Command{Verb: buff.Interrupted, Act: act})
}

// Consume says that an owner did something: each buff of it that is consumed on the act
// loses a charge, and goes with the last. Result.Amount says how many lost one.
//
// Only the loop goroutine may call it. It costs what Interrupt costs.
func (e *Engine) Consume(id buff.OwnerID, act buff.Act) buff.Result {
	e.enter("Consume")
	return e.to(id, &buff.Command{Verb: buff.Consume, Act: act})
}

// ConsumeCharges uses n charges of one buff, one if n is below; without any left it goes.
// A buff without charges is left as it is.
//
// Only the loop goroutine may call it.
func (e *Engine) ConsumeCharges(h buff.Handle, n int) buff.Result {
	e.enter("ConsumeCharges")
	return e.by(h.Number(), &buff.Command{Verb: buff.Consume, Handle: h, Stacks: n})
}

// Absorb lets an amount of damage of a school, or of none if that is 0, meet the shields
// of an owner, and returns what is left of it; shields that are spent break. The one of
// the highest priority comes first, then the oldest.
//
// It fails with buff.ErrAmount if the amount is negative, and as AddBuff does. While the
// owner is busy it fails with [ErrBusy]: its shields cannot be asked. Where it fails
// nothing is absorbed, and rest is the amount. It panics if the school is not of the
// engine's catalog.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner), for each shield
// that it spends.
func (e *Engine) Absorb(id buff.OwnerID, amount int64, school buff.Tag) (rest int64, err error) {
	e.enter("Absorb")
	c := buff.Command{Verb: buff.Absorb, Amount: amount, Tag: e.known("Absorb", school)}
	if o := e.byID[id]; o != nil && !e.idle(o) && !e.closed {
		return amount, fmt.Errorf("%w: %d", ErrBusy, id)
	}
	if r := e.to(id, &c); r.Err != nil {
		return amount, r.Err
	} else {
		return r.Amount, nil
	}
}

// Revive says that an owner lives again: what its death has paused goes on.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) Revive(id buff.OwnerID) buff.Result {
	e.enter("Revive")
	return e.to(id, &buff.Command{Verb: buff.Revive})
}
