package engine

import (
	"time"

	"github.com/bufftick/bufftick/buff"
)

// Verbs of a handler that take something off an owner, or give it back.

// Dispel takes off what a query finds on an owner; see [Engine.Dispel].
//
// Only inside the handler.
func (c *Context) Dispel(owner buff.OwnerID, q buff.Query) {
	c.to(owner, buff.Command{Verb: buff.Purge, Query: c.live().lent.query(q)})
}

// Steal takes what a query finds off one owner and applies it to another, at the end of
// the frame; see [Engine.Steal]. If by then the thief is unknown, or has no room, and the
// first owner was the handler's own, what was taken is lost, and counted in
// Stats.Undelivered.
//
// Only inside the handler.
func (c *Context) Steal(from, to buff.OwnerID, q buff.Query, most time.Duration) {
	q.To = to
	c.to(from, buff.Command{Verb: buff.Steal, Query: c.live().lent.query(q), By: most})
}

// Interrupt says that an owner did something: its buffs that are interrupted by the act
// go.
//
// Only inside the handler.
func (c *Context) Interrupt(owner buff.OwnerID, act buff.Act) {
	c.to(owner, buff.Command{Verb: buff.Interrupted, Act: act})
}

// Consume says that an owner did something: its buffs that are consumed on the act lose
// a charge each.
//
// Only inside the handler.
func (c *Context) Consume(owner buff.OwnerID, act buff.Act) {
	c.to(owner, buff.Command{Verb: buff.Consume, Act: act})
}

// ConsumeCharges uses n charges of one buff, one if n is below.
//
// Only inside the handler.
func (c *Context) ConsumeCharges(h buff.Handle, n int) {
	c.by(h.Number(), buff.Command{Verb: buff.Consume, Handle: h, Stacks: n})
}

// Absorb lets an amount of damage of a school, or of none if that is 0, meet the shields
// of the handler's own owner, and returns what is left of it at once. Shields that are
// spent absorb nothing more and break after the handler has returned. It panics if the
// amount is negative or the school is not of the engine's catalog.
//
// For damage to another owner, have a handler of that one do it: AddTimeout.
//
// Only inside the handler. It costs O(buffs of that owner), for each shield that it
// spends.
func (c *Context) Absorb(amount int64, school buff.Tag) (rest int64) {
	l := c.live()
	if amount < 0 {
		panic("engine: Absorb of a negative amount")
	}
	rest = l.owner.set.Absorb(amount, l.engine.known("Absorb", school))
	if rest < amount {
		l.turn.Issue(&l.owner.set, buff.Command{Verb: buff.Absorb})
	}
	return rest
}

// Revive says that an owner lives again: what its death has paused goes on.
//
// Only inside the handler.
func (c *Context) Revive(owner buff.OwnerID) { c.to(owner, buff.Command{Verb: buff.Revive}) }
