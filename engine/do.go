package engine

import (
	"fmt"
	"math/bits"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/rules"
)

// Do executes a command at the instant of the last Tick, after all events that were due then:
//
//	r := eng.Do(buff.Extend(h, 2*time.Second))
//	r = eng.Do(buff.Dispel(7, buff.Query{Type: "curse"}))
//
// The functions of package buff that make commands document each command, the meaning of its
// Result.Amount, and the errors of the rules. Other values of Result.Failure are [ErrUnknownOwner],
// [ErrUnknownSpec], [ErrRemoved], [ErrUnknownHandler], [ErrClosed], [ErrOverloaded] and
// [ErrTooManyAreas], and buff.ErrStale for the handle of a buff or timeout that has ended. If the
// owner is busy, the command waits in its mailbox and Result.Queued is set.
//
// A command for several owners (buff.Compensate, buff.LoseSource, or a change of an area's time) is
// either executed for all of them, or fails with ErrOverloaded and is executed for none. Busy
// owners execute it when their turn is over, and are not included in Result.Amount. buff.SetArea is
// not queued: even a busy owner changes its area at once. SetArea fails with ErrOverloaded if the
// owner's mailbox is full and the catalog has a definition whose buffs end on a change of area.
//
// Do panics if the tag, the school or the attribute does not belong to the engine's catalog, or if
// no function of package buff could have made the command.
//
// Only the loop goroutine may call it. It costs at most O(buffs of the owner), for each owner of
// the command.
func (e *Engine) Do(c buff.Command) buff.Result {
	e.enter("Do")
	if c.Verb == verb.Apply {
		r := e.AddBuff(c.Owner, c.Application)
		return r
	}
	e.mustBeValid(&c)
	if err := e.resolveHandler(&c); err != nil {
		return buff.Result{Failure: err}
	}
	return e.execute(&c)
}

// mustBeValid panics if a command is invalid for this engine. Any goroutine may call it.
func (e *Engine) mustBeValid(c *buff.Command) {
	if err := c.Check(e.Catalog()); err != nil {
		panic("engine: Do: " + err.Error())
	}
	if c.Do != nil {
		if f, ok := c.Do.(func(*Context)); !ok || f == nil {
			panic(fmt.Sprintf("engine: Do: a timeout that calls a %T, want a func(*engine.Context)", c.Do))
		}
	}
}

// resolveHandler looks up the handler that a timeout names. Any goroutine may call it.
func (e *Engine) resolveHandler(c *buff.Command) error {
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

// execute runs a command of the loop, or queues it. execute and the functions that it calls may
// fill in fields of the command, but do not keep the pointer after they return.
func (e *Engine) execute(c *buff.Command) buff.Result {
	e.record.command(c)
	if concernsMany(c) {
		return e.executeForMany(c)
	}
	o := e.targetOf(c)
	if o == nil {
		return notFound(c)
	}
	if c.Verb == verb.Apply {
		if source := e.capture(c.Owner, &c.Application); source != nil {
			return e.queueAtSource(source, c)
		}
	}
	return e.deliverWithinLimits(o, c)
}

// targetOf returns the owner that a command is for, or nil if that owner is unknown.
func (e *Engine) targetOf(c *buff.Command) *owner {
	if number, by := c.Number(); by {
		return e.at(number)
	}
	return e.ownerOf(c.Owner)
}

// notFound returns the Result of a command for an unknown owner or a stale handle.
func notFound(c *buff.Command) buff.Result {
	switch _, by := c.Number(); {
	case c.Verb == verb.Cancel:
		return buff.Result{Failure: fmt.Errorf("%w: timeout %v", buff.ErrStale, c.Timeout)}
	case by:
		return buff.Result{Failure: fmt.Errorf("%w: %v", buff.ErrStale, c.Handle)}
	}
	return buff.Result{Failure: &ownerError{ErrUnknownOwner, c.Owner}}
}

// concernsMany reports whether a command concerns more than one owner, or data that is not part
// of a [rules.Owner]. Such a command is executed by the loop, even if a handler or the Inbox has
// issued it.
func concernsMany(c *buff.Command) bool { return c.Verb == verb.SetArea || c.Many() }

// executeForMany executes a command for which concernsMany is true.
func (e *Engine) executeForMany(c *buff.Command) buff.Result {
	switch {
	case e.closed:
		return buff.Result{Failure: ErrClosed}
	case c.Verb == verb.Compensate:
		return e.compensate(c)
	case c.Verb == verb.LoseSource:
		return e.loseSource(c.Application.Source)
	case c.Verb == verb.SetArea:
		return e.setArea(c.Owner, c.Area)
	}
	return e.setAreaTime(c)
}

// mergeResults merges the Result of one owner into the Result of several owners. The merged Result
// has the first error, the sum of the amounts, and the first kind other than Done.
func mergeResults(all *buff.Result, r buff.Result) {
	all.Amount += r.Amount
	if all.Failure == nil {
		all.Failure = r.Failure
	}
	if r.Failure == nil && r.Kind != 0 && (all.Kind == 0 || all.Kind == buff.Done) {
		all.Kind, all.Why = r.Kind, r.Why
	}
}

// compensate executes a Compensate for all owners.
func (e *Engine) compensate(c *buff.Command) (all buff.Result) {
	if err := e.checkRoomForAll(0, "all of", uint64(e.byID.n), e.eachOwner); err != nil {
		return buff.Result{Failure: err}
	}
	for o := range e.eachOwner {
		mergeResults(&all, e.deliver(o, c))
	}
	return all
}

// forward executes a command of a handler or of the Inbox. If the rules refuse it, an event
// reports that. A failure without an event is counted in Stats.Undelivered.
func (e *Engine) forward(c *buff.Command) buff.Result {
	if concernsMany(c) {
		e.loopWork.commands++
		return e.countFailed(e.executeForMany(c))
	}
	o := e.targetOf(c)
	if o == nil {
		e.loopWork.commands++
		return e.countFailed(notFound(c))
	}
	if c.Verb == verb.Apply {
		if source := e.capture(o.id(), &c.Application); source != nil {
			return e.countFailed(e.queueAtSource(source, c))
		}
	}
	return e.countFailed(e.deliver(o, c))
}

// deliverAcross does the same as the method forward, for a command that one owner has issued for
// another owner. If the target does not exist, there are two special cases. If an action of a buff
// issued the command, the owner of that buff gets an event; if this owner has left or is busy, the
// failure is only counted. If the command is a damage report for a source, it is dropped. A command
// for bearers is delivered to each of them.
func (e *Engine) deliverAcross(from buff.OwnerID, c *buff.Command, why *rules.Cause) {
	if of := why.Bearers(); of != nil {
		e.deliverToBearers(c, of)
		return
	}
	if why.Damage && e.targetOf(c) == nil {
		e.loopWork.commands++
		return
	}
	if why.Spec != nil && e.targetOf(c) == nil {
		if o := e.ownerOf(from); o != nil && e.idle(o) {
			e.loopWork.commands++
			e.beforeChange(o)
			o.set.Miss(e.turn(), e.now, c.Owner, why)
			return
		}
	}
	e.forward(c)
}

// countFailed counts a command that fails without an event.
func (e *Engine) countFailed(r buff.Result) buff.Result {
	if r.Failure != nil && r.Kind == 0 {
		e.stats.Undelivered++
	}
	return r
}

// DoAll executes many commands, in their order, and appends their results to dst. The effect is
// the same as that of a loop over [Engine.Do]. In a large game DoAll is faster, because it
// prefetches the owners of 32 commands at a time, so that their cache misses overlap.
//
//	results = eng.DoAll(results[:0], commands)
//
// Use it for commands to many different owners, such as all commands of a frame for a whole zone.
// For repeated commands to the same few owners, Do is as fast.
//
// Like Do, DoAll is not limited by Budget or Limits.Tick: all commands are done when it returns.
// It is limited by Limits.Events: each command for which there is no room fails with
// [ErrOverloaded].
//
// Only the loop goroutine may call it. It costs as much as Do for each command. It does not
// allocate if dst has room.
func (e *Engine) DoAll(dst []buff.Result, commands []buff.Command) []buff.Result {
	e.enter("DoAll")
	if len(commands) == 0 {
		return dst
	}
	e.resetPrefetch()
	defer e.prefetching.reset() // even if a command panics
	for k := range commands {
		if k%prefetchBatch == 0 {
			e.resetPrefetch()
			for n := k; n < min(k+prefetchBatch, len(commands)); n++ {
				e.prefetching.add(&commands[n])
			}
			e.prefetch()
		}
		dst = append(dst, buff.Result{})
		e.doOne(&dst[len(dst)-1], &commands[k], e.prefetching.owners[k%prefetchBatch])
	}
	return dst
}

// doOne is Do for a command that must not be changed. A Command is large, so doOne copies only the
// necessary parts. The parameter `o` is the owner that prefetch found, or nil. That owner is still
// present, since no command spawns or despawns owners.
func (e *Engine) doOne(r *buff.Result, c *buff.Command, o *owner) {
	switch {
	case c.Verb == verb.Apply:
		a := c.Application
		if o == nil {
			o = e.ownerOf(c.Owner)
		}
		e.apply(r, o, c.Owner, &a)
	case c.Verb == verb.Remove && c.Stacks == 0 && c.Reason == reason.None && c.Whose == 0 && c.Tag == 0 && c.Query.Tag == 0:
		e.removeBuff(r, c.Handle) // the command that buff.Remove makes
	default:
		*r = e.Do(*c)
	}
}

// prefetchBatch is the number of commands to prefetch at once. In a larger batch, data for the
// first commands might be evicted from the cache before they are executed.
const prefetchBatch = 32

// prefetchList holds the commands to prefetch.
type prefetchList struct {
	commands [prefetchBatch]*buff.Command
	owners   [prefetchBatch]*owner
	recent   [256]uint32 // hash table of the owners of recent commands: 1 + owner number
	n        int
	sink     uint64 // sum of prefetched values; it keeps the compiler from removing the reads
}

// resetPrefetch empties the prefetch list. The list is allocated on first use, so that a game
// without large batches does not pay for it.
func (e *Engine) resetPrefetch() {
	if e.prefetching == nil {
		e.prefetching = new(prefetchList)
	}
	e.prefetching.reset()
}

func (a *prefetchList) add(c *buff.Command) { a.commands[a.n], a.n = c, a.n+1 }

// prefetch reads the owners of the listed commands before they are executed, so that their cache
// misses overlap. It first reads the owners, then the keys of their slots, and then the instance
// that each command names. Owners of recent commands are skipped, because they are in cache.
func (e *Engine) prefetch() {
	a := e.prefetching
	// Each bit that is set in `cold` marks a command whose owner is not in cache.
	touched, cold := uint64(0), uint32(0)
	for k, c := range a.commands[:a.n] {
		a.owners[k] = nil
		if !concernsMany(c) {
			a.owners[k] = e.targetOf(c)
		}
	}
	for k, o := range a.owners[:a.n] {
		if o == nil || !e.idle(o) {
			a.owners[k] = nil // a worker may be running this owner
			continue
		}
		if recent := &a.recent[o.number%uint32(len(a.recent))]; *recent != o.number+1 {
			*recent = o.number + 1
			cold |= 1 << k
			touched += o.set.Ahead()
		}
	}
	for left := cold; left != 0; left &= left - 1 {
		touched += a.owners[bits.TrailingZeros32(left)].set.AheadKeys()
	}
	for left := cold; left != 0; left &= left - 1 {
		k := bits.TrailingZeros32(left)
		touched += a.owners[k].set.AheadCommand(e.loop.Memory, a.commands[k])
	}
	a.sink = touched
}

// reset clears the prefetch list, so that the list does not keep owners alive after they have left.
func (a *prefetchList) reset() {
	clear(a.owners[:a.n])
	clear(a.commands[:a.n])
	a.n = 0
}

// Methods that deal damage, at once or by a command that is executed later. All of them panic if
// the school or the attribute does not belong to the engine's catalog.

// Absorb applies an amount of damage to the shields of an owner and returns the damage that is
// left; see [buff.Absorb]. A school of 0 means damage without a school.
//
// It fails in the same cases as Do, and with buff.ErrAmount if the amount is negative. If the owner
// is busy, it fails with [ErrBusy], because the owner's shields cannot be read. If Absorb fails,
// nothing is absorbed, and `rest` is the given amount.
//
// Only the loop goroutine may call it. It costs O(buffs of that owner) for each shield that it
// uses up.
func (e *Engine) Absorb(id buff.OwnerID, amount int64, school buff.Tag) (rest int64, err error) {
	e.enter("Absorb")
	// Use a literal, because copying a Command is expensive.
	c := buff.Command{Verb: verb.Absorb, Owner: id, Amount: amount, Tag: e.known("Absorb", school)}
	if o := e.ownerOf(id); o != nil && !e.idle(o) && !e.closed {
		return amount, &ownerError{ErrBusy, id}
	}
	if r := e.execute(&c); r.Failure != nil {
		return amount, r.Failure
	} else {
		return r.Amount, nil
	}
}

// Damage subtracts an amount from the base of an owner's attribute, after its shields: see
// [buff.Damage].
//
// Only the loop goroutine may call it. It costs as much as [Engine.Absorb].
func (e *Engine) Damage(id buff.OwnerID, attr stat.Attr, amount float64, school buff.Tag) buff.Result {
	e.enter("Damage")
	c := buff.Command{Verb: verb.Damage, Owner: id, Attr: e.attr("Damage", attr), Value: amount, Tag: e.known("Damage", school)}
	return e.execute(&c)
}

// Absorb applies an amount of damage to the shields of the handler's own owner and returns the
// damage that is left. A school of 0 means damage without a school. A shield that is used up
// absorbs nothing more, and breaks after the handler has returned. Absorb panics if the amount is
// negative.
//
// To let another owner's shields absorb damage, call Absorb in a handler of that owner: see
// AddTimeout.
//
// It may be called only inside the handler. It costs O(buffs of that owner) for each shield that it
// uses up.
func (c *Context) Absorb(amount int64, school buff.Tag) (rest int64) {
	l := c.live()
	if amount < 0 {
		panic("engine: Absorb of a negative amount")
	}
	rest = l.owner.set.Absorb(amount, l.engine.known("Absorb", school))
	l.turn.Issue(&l.owner.set, &buff.Command{Verb: verb.Absorb}) // breaks used-up shields
	return rest
}

// Damage subtracts an amount from the base of an owner's attribute, after its shields; see
// [buff.Damage].
//
// It may be called only inside the handler.
func (c *Context) Damage(owner buff.OwnerID, attr stat.Attr, amount float64, school buff.Tag) {
	e := c.live().engine
	cmd := buff.Command{Verb: verb.Damage, Owner: owner, Attr: e.attr("Damage", attr), Value: amount, Tag: e.known("Damage", school)}
	c.issue(&cmd)
}

// Absorb applies an amount of damage to the shields of an owner in the next Tick. A school of 0
// means damage without a school. The damage that the shields do not absorb is not reported: to get
// it, use [Inbox.Ask], or call Absorb in a handler of that owner. Absorb fails with [ErrInboxFull],
// [ErrClosed] or, if the amount is negative, buff.ErrAmount.
//
// Any goroutine may call it.
func (in *Inbox) Absorb(owner buff.OwnerID, amount int64, school buff.Tag) error {
	if amount < 0 {
		return fmt.Errorf("%w: %d of damage", buff.ErrAmount, amount)
	}
	return in.post(&envelope{cmd: buff.Absorb(owner, amount, in.engine.known("Absorb", school))})
}

// Damage subtracts an amount from the base of an owner's attribute in the next Tick, after its
// shields; see [buff.Damage]. It fails with [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Damage(owner buff.OwnerID, attr stat.Attr, amount float64, school buff.Tag) error {
	e := in.engine
	return in.post(&envelope{cmd: buff.Damage(owner, e.attr("Damage", attr), amount, e.known("Damage", school))})
}

// known returns the tag. It panics if the tag is neither 0 nor in the engine's catalog.
func (e *Engine) known(method string, tag buff.Tag) buff.Tag {
	if tag != 0 && e.Catalog().TagName(tag) == "" {
		panic("engine: " + method + " with a tag that is not of this engine's catalog")
	}
	return tag
}
