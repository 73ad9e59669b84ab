package engine

import (
	"time"

	"github.com/bufftick/bufftick/buff"
)

// Verbs of the loop about time. Those with a handle fail with buff.ErrStale if it names
// nothing that runs, those with an owner as AddBuff does.

// ExtendUpTo is Extend that never leaves more than most: the end is not moved beyond
// most from now, and one that is further away already stays.
//
// Only the loop goroutine may call it.
func (e *Engine) ExtendUpTo(h buff.Handle, d, most time.Duration) buff.Result {
	e.enter("ExtendUpTo")
	c := extendUpTo(h, d, most)
	return e.by(h.Number(), &c)
}

func extendUpTo(h buff.Handle, d, most time.Duration) buff.Command {
	return buff.Command{Verb: buff.Extend, Handle: h, By: d, Application: buff.Application{Duration: buff.For(most)}}
}

// SetRemaining makes the buff of a handle end after d, also one without an end. If d is
// not above zero, it expires at once, without a pulse.
//
// Only the loop goroutine may call it.
func (e *Engine) SetRemaining(h buff.Handle, d time.Duration) buff.Result {
	e.enter("SetRemaining")
	return e.by(h.Number(), &buff.Command{Verb: buff.SetRemaining, Handle: h, By: d})
}

// SetPeriod changes the period of the buff of a handle, by the Haste of its definition.
// It fails with buff.ErrPeriod if the buff does not pulse, or d is not in whole
// milliseconds from buff.MinPeriod to buff.MaxDuration.
//
// Only the loop goroutine may call it.
func (e *Engine) SetPeriod(h buff.Handle, d time.Duration) buff.Result {
	e.enter("SetPeriod")
	return e.by(h.Number(), &buff.Command{Verb: buff.SetPeriod, Handle: h, By: d})
}

// Pause stops the time of an owner: nothing that it carries, no timeout either, is due
// before Resume. To pause twice is the same as once.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) Pause(id buff.OwnerID) buff.Result {
	e.enter("Pause")
	return e.to(id, &buff.Command{Verb: buff.Hold, Whose: buff.OfOwner})
}

// Resume lets the time of an owner go on where Pause stopped it.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) Resume(id buff.OwnerID) buff.Result {
	e.enter("Resume")
	return e.to(id, &buff.Command{Verb: buff.Resume, Whose: buff.OfOwner})
}

// SetRate lets the time of an owner pass at a rate: with 2/1 all that it carries, its
// timeouts too, comes twice as fast. The zero Ratio is 1. It fails with buff.ErrRate if a
// part of r is 0 or above buff.MaxRate.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner).
func (e *Engine) SetRate(id buff.OwnerID, r buff.Ratio) buff.Result {
	e.enter("SetRate")
	return e.to(id, &buff.Command{Verb: buff.SetRate, Whose: buff.OfOwner, Rate: r})
}

// PauseBuff stops the time of one buff.
//
// Only the loop goroutine may call it.
func (e *Engine) PauseBuff(h buff.Handle) buff.Result {
	e.enter("PauseBuff")
	return e.by(h.Number(), &buff.Command{Verb: buff.Hold, Handle: h})
}

// ResumeBuff lets the time of one buff go on where PauseBuff stopped it. While its owner
// is paused, it stands still all the same.
//
// Only the loop goroutine may call it.
func (e *Engine) ResumeBuff(h buff.Handle) buff.Result {
	e.enter("ResumeBuff")
	return e.by(h.Number(), &buff.Command{Verb: buff.Resume, Handle: h})
}

// SetBuffRate is SetRate for the time of one buff, which then passes at the product of its
// own rate and its owner's.
//
// Only the loop goroutine may call it.
func (e *Engine) SetBuffRate(h buff.Handle, r buff.Ratio) buff.Result {
	e.enter("SetBuffRate")
	return e.by(h.Number(), &buff.Command{Verb: buff.SetRate, Handle: h, Rate: r})
}

// Compensate moves the ends of all that a query finds, on all owners, by d, which may be
// negative: what players are given back after an outage. The fields To, Most and Grade
// of the query mean nothing. It returns how many buffs it has moved, without those of
// busy owners, who do it when their turn is over, and the first error, if any.
//
// Only the loop goroutine may call it. It costs O(buffs of all owners).
func (e *Engine) Compensate(q buff.Query, d time.Duration) (moved int, first error) {
	e.enter("Compensate")
	c := buff.Command{Verb: buff.ExtendAll, Query: e.ask(q), By: d}
	e.record.command(opCompensate, 0, &c)
	for _, o := range e.owners {
		if o == nil || o.leaving {
			continue
		}
		r := e.do(o, &c)
		moved += int(r.Amount)
		if first == nil {
			first = r.Err
		}
	}
	return moved, first
}
