package engine

import (
	"fmt"

	"github.com/bufftick/bufftick/buff"
)

// Do carries a command out at the instant of the last Tick, after everything that was due then:
//
//	r := eng.Do(buff.Extend(h, 2*time.Second))
//	r = eng.Do(buff.Dispel(7, buff.Query{Type: "curse"}))
//
// The functions of package buff that make commands say what each does, what its Result.Amount is,
// and how it fails by the rules. Besides that Result.Err is [ErrUnknownOwner], [ErrUnknownSpec],
// [ErrRemoved], [ErrUnknownHandler], [ErrClosed], [ErrOverloaded] or [ErrTooManyZones], and
// buff.ErrStale for a handle that names nothing that runs. If the owner is busy, the command waits
// in its mailbox and Result.Queued says so.
//
// A command for more than one owner (buff.Compensate, buff.LoseSource, and the time of a zone) is
// done for all or, with ErrOverloaded, for none; those of them who are busy do it when their turn
// is over, and are not in Result.Amount. buff.SetZone waits for nobody: whoever is busy is in the
// other zone at once. It fails with ErrOverloaded if some buff may go and there is no room in the
// mailbox.
//
// It panics if the tag, the school or the attribute is not of the engine's catalog, and if no
// function could have made the command.
//
// Only the loop goroutine may call it. It costs O(buffs of the owner) at most, for all owners of
// the command.
func (e *Engine) Do(c buff.Command) buff.Result {
	e.enter("Do")
	if c.Verb == buff.VerbApply {
		_, r := e.AddBuff(c.Owner, c.Application)
		return r
	}
	e.sound(&c)
	if err := e.find(&c); err != nil {
		return buff.Result{Err: err}
	}
	return e.ask(&c)
}

// sound panics if a command could not have been made for this engine. Any goroutine may call it.
func (e *Engine) sound(c *buff.Command) {
	if err := c.Check(e.Catalog()); err != nil {
		panic("engine: Do: " + err.Error())
	}
	if c.Do != nil {
		if f, ok := c.Do.(func(*Context)); !ok || f == nil {
			panic(fmt.Sprintf("engine: Do: a timeout that calls a %T, want a func(*engine.Context)", c.Do))
		}
	}
}

// find finds the handler that a timeout names. Any goroutine may call it.
func (e *Engine) find(c *buff.Command) error {
	if c.Verb != buff.VerbAddTimeout || c.Do != nil {
		return nil
	}
	h, ok := e.names[c.Name]
	if !ok {
		return fmt.Errorf("%w: %q", ErrUnknownHandler, c.Name)
	}
	c.Handler = h
	return nil
}

// ask carries out a command of the loop. Here, and in those that it calls, the command may be
// filled in, and is not kept.
func (e *Engine) ask(c *buff.Command) buff.Result {
	e.record.command(c)
	if many(c) {
		return e.forMany(c)
	}
	o := e.whom(c)
	if o == nil {
		return missing(c)
	}
	if c.Verb == buff.VerbApply {
		if source := e.capture(c.Owner, &c.Application); source != nil {
			return e.viaSource(source, c)
		}
	}
	return e.do(o, c)
}

// whom returns the owner that a command is for, nil if there is none.
func (e *Engine) whom(c *buff.Command) *owner {
	if number, by := c.Number(); by {
		return e.at(number)
	}
	return e.byID[c.Owner]
}

// missing is the answer to a command for somebody who is not there.
func missing(c *buff.Command) buff.Result {
	switch _, by := c.Number(); {
	case c.Verb == buff.VerbCancel:
		return buff.Result{Err: fmt.Errorf("%w: timeout %v", buff.ErrStale, c.Timeout)}
	case by:
		return buff.Result{Err: fmt.Errorf("%w: %v", buff.ErrStale, c.Handle)}
	}
	return buff.Result{Err: &ownerError{ErrUnknownOwner, c.Owner}}
}

// many reports whether a command concerns more than one Set, or what is beside it: it is the
// loop's to carry out, whoever has asked for it.
func many(c *buff.Command) bool { return c.Verb == buff.VerbSetZone || c.Many() }

// forMany carries out such a command.
func (e *Engine) forMany(c *buff.Command) buff.Result {
	switch {
	case e.closed:
		return buff.Result{Err: ErrClosed}
	case c.Verb == buff.VerbCompensate:
		return e.compensate(c)
	case c.Verb == buff.VerbLoseSource:
		return buff.Result{Err: e.loseSource(c.Application.Source)}
	case c.Verb == buff.VerbSetZone:
		return buff.Result{Err: e.setZone(c.Owner, c.Zone)}
	}
	return buff.Result{Err: e.setZoneTime(c)}
}

// compensate moves the ends of all that a query finds, on all owners.
func (e *Engine) compensate(c *buff.Command) (all buff.Result) {
	if err := e.roomForAll(0, "all of", uint64(len(e.byID)), e.all); err != nil {
		return buff.Result{Err: err}
	}
	for o := range e.all {
		r := e.deliver(o, c)
		all.Amount += r.Amount
		if all.Err == nil {
			all.Err = r.Err
		}
	}
	return all
}

// forward carries out a command across owners or of the Inbox. What the rules refuse is an event;
// that of which nothing would be seen is counted.
func (e *Engine) forward(c *buff.Command) buff.Result {
	if many(c) {
		e.did.commands++
		return e.missed(e.forMany(c))
	}
	o := e.whom(c)
	if o == nil {
		e.did.commands++
		return e.missed(missing(c))
	}
	if c.Verb == buff.VerbApply {
		if source := e.capture(o.id, &c.Application); source != nil {
			return e.missed(e.viaSource(source, c))
		}
	}
	return e.missed(e.deliver(o, c))
}

// missed counts a command of which nothing will be seen.
func (e *Engine) missed(r buff.Result) buff.Result {
	if r.Err != nil && r.Kind == 0 {
		e.stats.Undelivered++
	}
	return r
}
