package engine

import (
	"fmt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/stat"
)

// Damage in the three lanes. All panic if the school, or the attribute, is not of the engine's
// catalog.

// Absorb lets an amount of damage of a school, or of none if that is 0, meet the shields of an
// owner, and returns what is left of it; see [buff.Absorb].
//
// It fails with buff.ErrAmount if the amount is negative, and as Do does. While the owner is busy
// it fails with [ErrBusy]: its shields cannot be asked. Where it fails nothing is absorbed, and
// rest is the amount.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner), for each shield that it
// spends.
func (e *Engine) Absorb(id buff.OwnerID, amount int64, school buff.Tag) (rest int64, err error) {
	e.enter("Absorb")
	c := buff.Command{Verb: buff.VerbAbsorb, Owner: id, Amount: amount, Tag: e.known("Absorb", school)} // in place: it is long
	if o := e.byID[id]; o != nil && !e.idle(o) && !e.closed {
		return amount, &ownerError{ErrBusy, id}
	}
	if r := e.ask(&c); r.Err != nil {
		return amount, r.Err
	} else {
		return r.Amount, nil
	}
}

// Damage takes an amount off the base of an attribute of an owner, after its shields: see
// [buff.Damage].
//
// Only the loop goroutine may call it. It costs what [Engine.Absorb] costs.
func (e *Engine) Damage(id buff.OwnerID, attr stat.Attr, amount float64, school buff.Tag) buff.Result {
	e.enter("Damage")
	c := buff.Command{Verb: buff.VerbDamage, Owner: id, Attr: e.attr("Damage", attr), Value: amount, Tag: e.known("Damage", school)}
	return e.ask(&c)
}

// Absorb lets an amount of damage of a school, or of none if that is 0, meet the shields of the
// handler's own owner, and returns what is left of it at once. Shields that are spent absorb
// nothing more and break after the handler has returned. It panics if the amount is negative.
//
// For damage to another owner, have a handler of that one do it: AddTimeout.
//
// Only inside the handler. It costs O(buffs of that owner), for each shield that it spends.
func (c *Context) Absorb(amount int64, school buff.Tag) (rest int64) {
	l := c.live()
	if amount < 0 {
		panic("engine: Absorb of a negative amount")
	}
	rest = l.owner.set.Absorb(amount, l.engine.known("Absorb", school))
	if rest < amount {
		l.turn.Issue(&l.owner.set, &buff.Command{Verb: buff.VerbAbsorb})
	}
	return rest
}

// Damage takes an amount off the base of an attribute of an owner, after its shields; see
// [buff.Damage].
//
// Only inside the handler.
func (c *Context) Damage(owner buff.OwnerID, attr stat.Attr, amount float64, school buff.Tag) {
	e := c.live().engine
	cmd := buff.Command{Verb: buff.VerbDamage, Owner: owner, Attr: e.attr("Damage", attr), Value: amount, Tag: e.known("Damage", school)}
	c.ask(&cmd)
}

// Absorb lets an amount of damage of a school, or of none if that is 0, meet the shields of an
// owner in the next Tick. Nobody is told what is left of it: whoever must know asks with
// [Inbox.Ask], or has a handler of that owner do it. It fails with [ErrInboxFull], [ErrClosed] or,
// if the amount is negative, buff.ErrAmount.
//
// Any goroutine may call it.
func (in *Inbox) Absorb(owner buff.OwnerID, amount int64, school buff.Tag) error {
	if amount < 0 {
		return fmt.Errorf("%w: %d of damage", buff.ErrAmount, amount)
	}
	return in.post(&envelope{cmd: buff.Absorb(owner, amount, in.engine.known("Absorb", school))})
}

// Damage takes an amount off the base of an attribute of an owner in the next Tick, after its
// shields; see [buff.Damage]. It fails with [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Damage(owner buff.OwnerID, attr stat.Attr, amount float64, school buff.Tag) error {
	e := in.engine
	return in.post(&envelope{cmd: buff.Damage(owner, e.attr("Damage", attr), amount, e.known("Damage", school))})
}

// known returns the tag and panics if it cannot be one of the engine's catalog.
func (e *Engine) known(method string, tag buff.Tag) buff.Tag {
	if tag != 0 && e.Catalog().TagName(tag) == "" {
		panic("engine: " + method + " with a tag that is not of this engine's catalog")
	}
	return tag
}
