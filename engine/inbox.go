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

// Inbox is the lane for other goroutines, such as network handlers, timers and tools. Its commands
// wait for the next Tick that has room for them, and are executed at the instant of that Tick,
// after all due events, in the order of arrival. Commands of one goroutine keep their order.
//
// In each Tick the commands of the Inbox may cost a quarter of Options.Limits.Tick. A command
// costs one, plus one for each of its events, plus one for every 16 buffs that it visits; a moved
// deadline counts as eight visited buffs. The remaining commands wait for the next Tick, in order.
// The last command may exceed the limit, because a command is not divided.
//
// With [Inbox.For], give a separate Inbox to each part of the program that posts many commands or
// forwards commands of untrusted clients. If such a part posts too much, its own commands wait and
// are refused, but the commands of other producers are not affected.
//
// Do only returns whether the command was accepted. Ask also waits for the Result of the command,
// and Run waits for a function that is called on the loop. If an accepted command fails because of
// an unknown owner, a stale handle or a full mailbox, it is counted in Stats.Undelivered. The
// outcome of every other command is an event.
//
// All methods except Ask and Run return without waiting for the loop or for another goroutine.
type Inbox struct {
	engine *Engine
	name   string
	never  error // if not nil, all posts fail with this error

	newest  atomic.Pointer[envelope] // list of commands posted but not yet gathered, newest first
	room    atomic.Pointer[room]
	held    atomic.Int64 // number of commands accepted but not yet delivered
	refused atomic.Uint64

	// Only the loop accesses the fields below.
	first, last *envelope // list of commands gathered but not yet delivered, in order
	credit      int       // cost left for this producer's commands before the next producer's turn
	prefetched  int       // number of prefetched commands at the front of the list
}

// AddBuff applies a buff to an owner in the next Tick. It fails with
// [ErrUnknownSpec], [ErrRemoved], [ErrInboxFull] or [ErrClosed]. The list a.Params is copied.
//
// Any goroutine may call it.
func (in *Inbox) AddBuff(to buff.OwnerID, a buff.Application) error {
	return in.Do(buff.Command{Verb: verb.Apply, Owner: to, Application: a})
}

// AddTimeout calls f for an owner after the delay, counted from the next Tick. It fails with
// [ErrInboxFull] or [ErrClosed], and panics if f is nil.
//
// Any goroutine may call it.
func (in *Inbox) AddTimeout(to buff.OwnerID, delay time.Duration, f func(*Context)) error {
	if f == nil {
		panic("engine: AddTimeout without a function")
	}
	return in.post(&envelope{cmd: buff.Command{Verb: verb.AddTimeout, Owner: to, By: delay, Do: f}})
}

// Remove ends the buff with the given handle in the next Tick, for the reason Cancelled. It fails
// with [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Remove(h buff.Handle) error {
	return in.post(&envelope{cmd: buff.Command{Verb: verb.Remove, Handle: h}})
}

// Cancel cancels a timeout in the next Tick. It fails with [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Cancel(t buff.TimeoutHandle) error {
	return in.post(&envelope{cmd: buff.Command{Verb: verb.Cancel, Timeout: t}})
}

// Do executes a command in the next Tick that has room for it. It fails with [ErrInboxFull] or
// [ErrClosed]; with [ErrUnknownSpec] or [ErrRemoved] if the definition of an Apply is not in the
// engine's catalog; with [ErrUnknownHandler] if a timeout names an unknown handler; and with
// buff.ErrAmount if the amount of an Absorb is negative. It panics in the same cases as
// [Engine.Do]. The list Application.Params is copied.
//
// A nil error only means that the command was accepted; [Inbox.Ask] waits for its Result.
//
// Any goroutine may call it.
func (in *Inbox) Do(c buff.Command) error {
	l := envelope{cmd: c}
	if err := in.prepare(&l.cmd); err != nil {
		return err
	}
	return in.post(&l)
}

// prepare validates and completes a command before it is posted.
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
	in.engine.mustBeValid(c)
	return in.engine.resolveHandler(c)
}

// envelope holds a command or function on its way to the loop. A poster pushes it onto a lock-free
// list, and the loop takes the whole list at once. Neither ever waits for the other, even if a
// goroutine is preempted in the middle of a call.
type envelope struct {
	cmd      buff.Command
	run      func(*Engine) // if not nil, the loop calls this function instead of executing `cmd`
	question *question     // nil if no caller waits
	next     *envelope
}

// post posts a copy of an envelope.
func (in *Inbox) post(p *envelope) error {
	all := &in.engine.producers
	if err := in.reserve(all); err != nil || all.replaying.Load() {
		return err
	}
	l := all.envelopes.Get().(*envelope)
	*l = *p
	in.put(l)
	return nil
}

// put pushes an envelope onto the list. The caller has reserved room for it.
func (in *Inbox) put(l *envelope) {
	for {
		l.next = in.newest.Load()
		if in.newest.CompareAndSwap(l.next, l) {
			return
		}
	}
}

// postRecorded posts an envelope from a recording during a replay. It ignores the limits.
func (in *Inbox) postRecorded(l *envelope) {
	in.held.Add(1)
	in.engine.producers.held.Add(1)
	in.put(l)
}

// reserve takes room for one command: first from the producer's share, then from the total. The
// command counts as waiting from then on, even though it is not in the list yet.
func (in *Inbox) reserve(all *producers) error {
	switch {
	case in.never != nil:
		return in.never
	case all.isShut():
		return ErrClosed
	case all.replaying.Load():
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

// refuse counts a command for which there is no room. It yields the processor because only the
// loop can make room, and a producer that retries repeatedly could otherwise keep the processor
// from the loop.
func (in *Inbox) refuse(r *room) error {
	in.refused.Add(1)
	runtime.Gosched()
	return r.full
}

// add increments n if it is below the limit, and reports whether it did. After close, n is above
// every limit, because it contains the flag shut.
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

// gather moves the newly posted envelopes to the end of the list of gathered envelopes, the oldest
// first, and returns their number.
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

// gather gathers the envelopes of all producers.
func (p *producers) gather() {
	for _, in := range *p.all.Load() {
		p.gathered += in.gather()
	}
}

// next returns the producer to serve next. At least one producer must have an envelope in its list.
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

// turnCredit limits the cost of one producer's commands before it is the next producer's turn. If
// a command costs more than that, the excess is taken from the producer's following turns, up to
// mostDebt.
const (
	turnCredit = 16
	mostDebt   = 1 << 14
)

// take removes and returns the next envelope of a producer.
func (p *producers) take(in *Inbox) *envelope {
	l := in.first
	if in.first = l.next; in.first == nil {
		in.last = nil
	}
	p.gathered--
	return l
}

// finish charges a delivered command to its producer and frees the envelope.
func (p *producers) finish(in *Inbox, l *envelope, cost int) {
	in.credit = max(in.credit-cost, -mostDebt)
	*l = envelope{} // release references
	p.envelopes.Put(l)
	in.held.Add(-1)
	p.held.Add(-1)
}

// deliverInbox executes the commands of the Inbox until they have used up their share of the Tick.
func (e *Engine) deliverInbox() {
	p := &e.producers
	calls := e.record.beginInbox()
	p.gather()
	var in *Inbox
	var l *envelope // the envelope that is being delivered
	defer func() {
		if l != nil { // a function of Run has ended this goroutine
			p.finish(in, l, 1)
		}
		e.record.endInbox(calls)
	}()
	for left := e.part(); p.gathered > 0 && (left > 0 || p.replaying.Load()); { // a replay delivers exactly the recorded commands
		in = p.next()
		if in.prefetched == 0 {
			in.prefetched = e.prefetchInbox(in.first)
		}
		in.prefetched--
		l = p.take(in)
		before := e.costSoFar()
		e.deliverEnvelope(l)
		cost := max(1, e.costSoFar()-before)
		left -= cost
		p.finish(in, l, cost)
		l = nil
	}
}

// prefetchInbox prefetches the owners of a producer's first commands, and returns the number of
// these commands.
func (e *Engine) prefetchInbox(l *envelope) (n int) {
	e.resetPrefetch()
	for ; l != nil && n < prefetchBatch; l, n = l.next, n+1 {
		if l.run == nil {
			e.prefetching.add(&l.cmd)
		}
	}
	e.prefetch()
	e.prefetching.reset()
	return n
}
