package engine

import (
	"fmt"
	"math/bits"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
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
	if c.Verb == verb.Apply {
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
	if c.Verb != verb.AddTimeout || c.Do != nil {
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
	if c.Verb == verb.Apply {
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
	return e.ownerOf(c.Owner)
}

// missing is the answer to a command for somebody who is not there.
func missing(c *buff.Command) buff.Result {
	switch _, by := c.Number(); {
	case c.Verb == verb.Cancel:
		return buff.Result{Err: fmt.Errorf("%w: timeout %v", buff.ErrStale, c.Timeout)}
	case by:
		return buff.Result{Err: fmt.Errorf("%w: %v", buff.ErrStale, c.Handle)}
	}
	return buff.Result{Err: &ownerError{ErrUnknownOwner, c.Owner}}
}

// many reports whether a command concerns more than one Set, or what is beside it: it is the
// loop's to carry out, whoever has asked for it.
func many(c *buff.Command) bool { return c.Verb == verb.SetZone || c.Many() }

// forMany carries out such a command.
func (e *Engine) forMany(c *buff.Command) buff.Result {
	switch {
	case e.closed:
		return buff.Result{Err: ErrClosed}
	case c.Verb == verb.Compensate:
		return e.compensate(c)
	case c.Verb == verb.LoseSource:
		return e.loseSource(c.Application.Source)
	case c.Verb == verb.SetZone:
		return e.setZone(c.Owner, c.Zone)
	}
	return e.setZoneTime(c)
}

// and adds the Result of one owner to that of several: the first error, the sum of the amounts, and the
// kind that says the most.
func and(all *buff.Result, r buff.Result) {
	all.Amount += r.Amount
	if all.Err == nil {
		all.Err = r.Err
	}
	if r.Err == nil && r.Kind != 0 && (all.Kind == 0 || all.Kind == buff.Done) {
		all.Kind, all.Why = r.Kind, r.Why
	}
}

// compensate moves the ends of all that a query finds, on all owners.
func (e *Engine) compensate(c *buff.Command) (all buff.Result) {
	if err := e.roomForAll(0, "all of", uint64(e.byID.n), e.all); err != nil {
		return buff.Result{Err: err}
	}
	for o := range e.all {
		and(&all, e.deliver(o, c))
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
	if c.Verb == verb.Apply {
		if source := e.capture(o.id(), &c.Application); source != nil {
			return e.missed(e.viaSource(source, c))
		}
	}
	return e.missed(e.deliver(o, c))
}

// deliverAcross is forward for a command of one owner for another. An action that finds nobody is an event
// of the owner whose buff has it, unless that has left or is busy; then it is counted. The source of a damage
// may have left.
func (e *Engine) deliverAcross(from buff.OwnerID, c *buff.Command, why *buff.Cause) {
	if why.Damage && e.whom(c) == nil {
		e.did.commands++
		return
	}
	if why.Spec != nil && e.whom(c) == nil {
		if o := e.ownerOf(from); o != nil && e.idle(o) {
			e.did.commands++
			e.alter(o)
			o.set.Miss(e.turn(), e.now, c.Owner, why)
			return
		}
	}
	e.forward(c)
}

// missed counts a command of which nothing will be seen.
func (e *Engine) missed(r buff.Result) buff.Result {
	if r.Err != nil && r.Kind == 0 {
		e.stats.Undelivered++
	}
	return r
}

// DoAll does many commands, in their order, and appends what came of each to dst: exactly what [Engine.Do]
// does with one after the other, and in a large game faster: it reads the owners of 32 commands ahead, so that their
// cache misses overlap.
//
//	results = eng.DoAll(results[:0], commands)
//
// It pays for many different owners, such as all commands of a frame for a whole zone. For the same few
// owners again and again Do is as fast.
//
// As with Do, neither Budget nor Limits.Tick bounds it: all of it is done when it returns. Limits.Events does: those for which
// there is no room fail with [ErrOverloaded], each by itself.
//
// Only the loop goroutine may call it. It costs what Do costs for each command, and allocates nothing where
// dst has room.
func (e *Engine) DoAll(dst []buff.Result, commands []buff.Command) []buff.Result {
	e.enter("DoAll")
	if len(commands) == 0 {
		return dst
	}
	e.beginAhead()
	defer e.ahead.forget() // also if a command panics
	for k := range commands {
		if k%aheadCommands == 0 {
			e.beginAhead()
			for n := k; n < min(k+aheadCommands, len(commands)); n++ {
				e.ahead.add(&commands[n])
			}
			e.lookAhead()
		}
		dst = append(dst, buff.Result{})
		e.doOne(&dst[len(dst)-1], &commands[k], e.ahead.owners[k%aheadCommands])
	}
	return dst
}

// doOne is Do, which may not change what it is given. A Command is long, and copied only as far as it
// is needed. The owner is what the look ahead has found, nil if nothing: who was there then still is, for no command spawns or despawns.
func (e *Engine) doOne(r *buff.Result, c *buff.Command, o *owner) {
	switch {
	case c.Verb == verb.Apply:
		a := c.Application
		if o == nil {
			o = e.ownerOf(c.Owner)
		}
		e.apply(r, o, c.Owner, &a)
	case c.Verb == verb.Remove && c.Stacks == 0 && c.Reason == buff.NoReason && c.Whose == 0 && c.Tag == 0 && c.Query.Tag == 0:
		e.take(r, c.Handle) // as buff.Remove made it
	default:
		*r = e.Do(*c)
	}
}

// aheadCommands is how many commands are looked at ahead. Of more, what was looked at first might be in
// no cache any more when its turn comes.
const aheadCommands = 32

// ahead is the commands whose owners are looked at ahead.
type ahead struct {
	commands [aheadCommands]*buff.Command
	owners   [aheadCommands]*owner
	recent   [256]uint32 // numbers, plus one, of owners of recent commands: they are in the cache
	n        int
	looked   uint64 // keeps the reads from being optimised away
}

// beginAhead forgets those that were looked at. A game that never has many commands at once has no memory
// for them.
func (e *Engine) beginAhead() {
	if e.ahead == nil {
		e.ahead = new(ahead)
	}
	e.ahead.forget()
}

func (a *ahead) add(c *buff.Command) { a.commands[a.n], a.n = c, a.n+1 }

// lookAhead reads the owners of some commands before they are executed, so that their cache misses overlap: first the
// owners, then the keys of their slots, then the instance that each command names. It leaves out owners that recent commands
// have named: in a raid they are all in the cache, and the reads would only cost time.
func (e *Engine) lookAhead() {
	a := e.ahead
	looked, cold := uint64(0), uint32(0) // a bit for each command
	for k, c := range a.commands[:a.n] {
		a.owners[k] = nil
		if !many(c) {
			a.owners[k] = e.whom(c)
		}
	}
	for k, o := range a.owners[:a.n] {
		if o == nil || !e.idle(o) {
			a.owners[k] = nil // a worker may have it
			continue
		}
		if recent := &a.recent[o.number%uint32(len(a.recent))]; *recent != o.number+1 {
			*recent = o.number + 1
			cold |= 1 << k
			looked += o.set.Ahead()
		}
	}
	for left := cold; left != 0; left &= left - 1 {
		looked += a.owners[bits.TrailingZeros32(left)].set.AheadKeys()
	}
	for left := cold; left != 0; left &= left - 1 {
		k := bits.TrailingZeros32(left)
		looked += a.owners[k].set.AheadCommand(e.loop.Memory, a.commands[k])
	}
	a.looked = looked
}

// forget lets go of what was looked at: who leaves must not be kept.
func (a *ahead) forget() {
	clear(a.owners[:a.n])
	clear(a.commands[:a.n])
	a.n = 0
}

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
	c := buff.Command{Verb: verb.Absorb, Owner: id, Amount: amount, Tag: e.known("Absorb", school)} // in place: it is long
	if o := e.ownerOf(id); o != nil && !e.idle(o) && !e.closed {
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
	c := buff.Command{Verb: verb.Damage, Owner: id, Attr: e.attr("Damage", attr), Value: amount, Tag: e.known("Damage", school)}
	return e.ask(&c)
}

// Absorb lets an amount of damage of a school, or of none if that is 0, meet the shields of the
// handler's own owner, and returns what is left of it at once. Shields that are spent absorb
// nothing more and break after the handler has returned. It panics if the amount is negative.
//
// To damage another owner, call a handler of that owner: see AddTimeout.
//
// Only inside the handler. It costs O(buffs of that owner), for each shield that it spends.
func (c *Context) Absorb(amount int64, school buff.Tag) (rest int64) {
	l := c.live()
	if amount < 0 {
		panic("engine: Absorb of a negative amount")
	}
	rest = l.owner.set.Absorb(amount, l.engine.known("Absorb", school))
	l.turn.Issue(&l.owner.set, &buff.Command{Verb: verb.Absorb}) // also if nothing was absorbed: there may be one that is spent
	return rest
}

// Damage takes an amount off the base of an attribute of an owner, after its shields; see
// [buff.Damage].
//
// Only inside the handler.
func (c *Context) Damage(owner buff.OwnerID, attr stat.Attr, amount float64, school buff.Tag) {
	e := c.live().engine
	cmd := buff.Command{Verb: verb.Damage, Owner: owner, Attr: e.attr("Damage", attr), Value: amount, Tag: e.known("Damage", school)}
	c.ask(&cmd)
}

// Absorb lets an amount of damage of a school, or of none if that is 0, meet the shields of an owner in the
// next Tick. What is left of it is not returned: to know it, use [Inbox.Ask], or have a handler of that owner
// do it. It fails with [ErrInboxFull], [ErrClosed] or, if the amount is negative, buff.ErrAmount.
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
