package engine

import (
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/verb"
)

// Inbox is the lane of other goroutines: network handlers, timers, tools. What
// they ask for waits until the next Tick that has room for it and is carried out at its instant,
// after everything that is due, in the order in which it came in. One goroutine's
// commands keep their order.
//
// In each Tick the Inbox gets a quarter of Options.Limits.Tick: each command costs one, one for each event that
// it leads to, and one for every 16 buffs that are looked at for it, where a deadline that moves is eight.
// The rest waits for the next Tick, in order. One command is not divided, whatever it costs.
//
// A part of the program that posts much, or whose commands come from strangers, gets an Inbox of its own by
// [Inbox.For]: a producer that posts too much then waits, and is refused, without affecting the others.
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
	ahead       int       // of the first commands whose owners were looked at, those that are left
}

// AddBuff applies a buff to an owner in the next Tick. It fails with
// [ErrUnknownSpec], [ErrRemoved], [ErrInboxFull] or [ErrClosed]. The list a.Params is copied.
//
// Any goroutine may call it.
func (in *Inbox) AddBuff(to buff.OwnerID, a buff.Application) error {
	return in.Do(buff.Command{Verb: verb.Apply, Owner: to, Application: a})
}

// AddTimeout has f called for an owner after the delay, counted from the next
// Tick. It fails with [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) AddTimeout(to buff.OwnerID, delay time.Duration, f func(*Context)) error {
	if f == nil {
		panic("engine: AddTimeout without a function")
	}
	return in.post(&envelope{cmd: buff.Command{Verb: verb.AddTimeout, Owner: to, By: delay, Do: f}})
}

// Remove ends the buff of a handle in the next Tick, for the reason Cancelled. It
// fails with [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Remove(h buff.Handle) error {
	return in.post(&envelope{cmd: buff.Command{Verb: verb.Remove, Handle: h}})
}

// Cancel takes a timeout back in the next Tick. It fails with [ErrInboxFull] or
// [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Cancel(t buff.TimeoutHandle) error {
	return in.post(&envelope{cmd: buff.Command{Verb: verb.Cancel, Timeout: t}})
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
	case verb.Apply:
		spec, err := in.engine.version(c.Application.Spec)
		if err != nil {
			return err
		}
		c.Application.Spec = spec
		c.Application.Params = slices.Clone(c.Application.Params)
		return nil
	case verb.Absorb:
		if c.Amount < 0 {
			return fmt.Errorf("%w: %d of damage", buff.ErrAmount, c.Amount)
		}
	}
	in.engine.sound(c)
	return in.engine.find(c)
}

// envelope is a command, or a function, on its way to the loop. A goroutine puts it before those that
// its producer has posted already, and the loop takes all of them at once. Neither ever waits for
// the other: a goroutine that loses its processor in the middle of a call holds nobody up.
type envelope struct {
	cmd      buff.Command
	run      func(*Engine) // if not nil, instead of the command
	question *question     // nil: nobody waits
	next     *envelope
}

// post puts a copy of an envelope in.
func (in *Inbox) post(p *envelope) error {
	all := &in.engine.producers
	if err := in.enter(all); err != nil || all.deaf.Load() {
		return err
	}
	l := all.envelopes.Get().(*envelope)
	*l = *p
	in.put(l)
	return nil
}

// put puts an envelope before the others. There is room for it.
func (in *Inbox) put(l *envelope) {
	for {
		l.next = in.newest.Load()
		if in.newest.CompareAndSwap(l.next, l) {
			return
		}
	}
}

// again puts in what a recording has.
func (in *Inbox) again(l *envelope) {
	in.held.Add(1)
	in.engine.producers.held.Add(1)
	in.put(l)
}

// enter takes room for one command: first of the producer's, then of all. From here on the loop
// counts on the command, also if it is a while until it is there.
func (in *Inbox) enter(all *producers) error {
	switch {
	case in.never != nil:
		return in.never
	case all.isShut():
		return ErrClosed
	case all.deaf.Load():
		return nil
	}
	r := in.room.Load()
	if !add(&in.held, r.limit) {
		return in.refuse(r)
	}
	if add(&all.held, all.limit) {
		return nil
	}
	in.held.Add(-1)
	if all.isShut() {
		return ErrClosed
	}
	return in.refuse(r)
}

// refuse counts a command for which there is no room. Others have the processor first: whoever
// tries again and again would else take the loop's, who alone can make room.
func (in *Inbox) refuse(r *room) error {
	in.refused.Add(1)
	runtime.Gosched()
	return r.full
}

// add adds one to a number that is below the limit, and reports whether it was. With the bit
// shut a number is not.
func add(n *atomic.Int64, limit int64) bool {
	for {
		was := n.Load()
		if was >= limit {
			return false
		}
		if n.CompareAndSwap(was, was+1) {
			return true
		}
	}
}

// gather takes over what has been posted since it was last called, the oldest first, and returns
// how many there were.
func (in *Inbox) gather() (n int) {
	var first, last *envelope
	for l := in.newest.Swap(nil); l != nil; n++ {
		next := l.next
		if last == nil {
			last = l
		}
		l.next, first = first, l
		l = next
	}
	switch {
	case n == 0:
		return 0
	case in.first == nil:
		in.first = first
	default:
		in.last.next = first
	}
	in.last = last
	return n
}

// gather does so for all of them.
func (p *producers) gather() {
	for _, in := range *p.all.Load() {
		p.gathered += in.gather()
	}
}

// next returns the producer whose turn it is, of those that have something; there is one.
func (p *producers) next() *Inbox {
	all := *p.all.Load()
	for {
		if in := all[p.turn]; in.first != nil && in.credit > 0 {
			return in
		}
		p.turn = (p.turn + 1) % len(all)
		in := all[p.turn]
		in.credit = min(in.credit+turnCredit, turnCredit)
	}
}

// turnCredit is what the commands of one producer may cost before the next one has its turn;
// mostDebt is how much more than that they have cost at most, once there is another turn: one
// command may cost very much.
const (
	turnCredit = 16
	mostDebt   = 1 << 14
)

// take takes the next envelope of a producer.
func (p *producers) take(in *Inbox) *envelope {
	l := in.first
	if in.first = l.next; in.first == nil {
		in.last = nil
	}
	p.gathered--
	return l
}

// paid notes what a command has cost, and that it is delivered.
func (p *producers) paid(in *Inbox, l *envelope, cost int) {
	in.credit = max(in.credit-cost, -mostDebt)
	*l = envelope{} // what it points to may go
	p.envelopes.Put(l)
	in.held.Add(-1)
	p.held.Add(-1)
}

// deliverInbox carries out what other goroutines have asked for, as far as its part of the Tick
// goes.
func (e *Engine) deliverInbox() {
	p := &e.producers
	calls := e.record.beginInbox()
	p.gather()
	var in *Inbox
	var l *envelope // in hand
	defer func() {
		if l != nil { // its function has ended this goroutine
			p.paid(in, l, 1)
		}
		e.record.endInbox(calls)
	}()
	for left := e.part(); p.gathered > 0 && (left > 0 || p.deaf.Load()); { // a replay takes what the recording has
		in = p.next()
		if in.ahead == 0 {
			in.ahead = e.lookAheadIn(in.first)
		}
		in.ahead--
		l = p.take(in)
		before := e.spent()
		e.deliverEnvelope(l)
		cost := max(1, e.spent()-before)
		left -= cost
		p.paid(in, l, cost)
		l = nil
	}
}

// lookAheadIn looks at the owners of the first commands of a producer, and returns how many those are.
func (e *Engine) lookAheadIn(l *envelope) (n int) {
	e.beginAhead()
	for ; l != nil && n < aheadCommands; l, n = l.next, n+1 {
		if l.run == nil {
			e.ahead.add(&l.cmd)
		}
	}
	e.lookAhead()
	e.ahead.forget()
	return n
}
