package engine

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bufftick/bufftick/buff"
)

// Inbox is the lane of other goroutines: network handlers, timers, tools. What
// they ask for waits until the next Tick and is carried out at its instant, after
// everything that is due, in the order in which it came in. One goroutine's
// commands keep their order.
//
// Nothing answers but whether the command was accepted. An accepted command that then
// finds no such owner, nothing under its handle, or no room in the owner's mailbox is
// counted in Stats.Undelivered; what comes of the others is an event.
type Inbox struct {
	engine *Engine
	limit  int

	mu     sync.Mutex
	full   []posted
	posts  atomic.Bool // full is not empty; written under the lock
	empty  []posted
	closed bool
	deaf   bool  // accepts and forgets, see Replay
	slack  slack // the loop's
}

// posted is one command with its address.
type posted struct {
	to  buff.OwnerID
	num uint32
	by  bool // num says who it is for
	cmd buff.Command
}

// AddBuff applies a buff to an owner in the next Tick. It fails with
// [ErrUnknownSpec], [ErrRemoved], [ErrInboxFull] or [ErrClosed]. The list a.Params is copied.
//
// Any goroutine may call it.
func (in *Inbox) AddBuff(to buff.OwnerID, a buff.Application) error {
	spec, err := in.engine.version(a.Spec)
	if err != nil {
		return err
	}
	a.Spec = spec
	a.Params = slices.Clone(a.Params)
	return in.to(to, buff.Command{Verb: buff.Apply, Application: a})
}

// AddTimeout has f called for an owner after the delay, counted from the next
// Tick. It fails with [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) AddTimeout(to buff.OwnerID, delay time.Duration, f func(*Context)) error {
	if f == nil {
		panic("engine: AddTimeout without a function")
	}
	return in.to(to, buff.Command{Verb: buff.AddTimeout, By: delay, Do: f})
}

// AddTimeoutByName is AddTimeout for the handler of that name in Options.Handlers.
// It also fails with [ErrUnknownHandler].
//
// Any goroutine may call it.
func (in *Inbox) AddTimeoutByName(to buff.OwnerID, delay time.Duration, handler string) error {
	h, ok := in.engine.names[handler]
	if !ok {
		return fmt.Errorf("%w: %q", ErrUnknownHandler, handler)
	}
	return in.to(to, buff.Command{Verb: buff.AddTimeout, By: delay, Name: handler, Handler: h})
}

// Remove ends the buff of a handle in the next Tick, for the reason Cancelled. It
// fails with [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Remove(h buff.Handle) error { return in.RemoveStacks(h, 0, buff.Cancelled) }

// RemoveStacks takes n stacks off the buff of a handle in the next Tick, all of it
// if n is not above zero or it has no more. It fails with [ErrInboxFull] or
// [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) RemoveStacks(h buff.Handle, n int, why buff.Reason) error {
	return in.by(h.Number(), buff.Command{Verb: buff.Remove, Handle: h, Stacks: n, Reason: removal(why)})
}

// Extend moves the end of the buff of a handle by d in the next Tick. It fails
// with [ErrInboxFull] or [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Extend(h buff.Handle, d time.Duration) error {
	return in.by(h.Number(), buff.Command{Verb: buff.Extend, Handle: h, By: d})
}

// Cancel takes a timeout back in the next Tick. It fails with [ErrInboxFull] or
// [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Cancel(t buff.TimeoutHandle) error {
	return in.by(t.Number(), buff.Command{Verb: buff.Cancel, Timeout: t})
}

// Kill says that an owner dies in the next Tick. It fails with [ErrInboxFull] or
// [ErrClosed].
//
// Any goroutine may call it.
func (in *Inbox) Kill(owner buff.OwnerID) error {
	return in.to(owner, buff.Command{Verb: buff.Kill})
}

// Len returns how many commands wait.
//
// Any goroutine may call it.
func (in *Inbox) Len() int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return len(in.full)
}

func (in *Inbox) to(owner buff.OwnerID, cmd buff.Command) error {
	return in.post(posted{to: owner, cmd: cmd})
}

func (in *Inbox) by(number uint32, cmd buff.Command) error {
	return in.post(posted{num: number, by: true, cmd: cmd})
}

func (in *Inbox) post(p posted) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	switch {
	case in.closed:
		return ErrClosed
	case in.deaf:
		return nil
	case len(in.full) >= in.limit:
		return fmt.Errorf("%w: limit %d", ErrInboxFull, in.limit)
	}
	in.put(p)
	return nil
}

// put takes a command in. The caller holds the lock, or is the only one who may post.
func (in *Inbox) put(p posted) {
	if len(in.full) == 0 {
		in.posts.Store(true)
	}
	in.full = append(in.full, p)
}

// take returns what waits; it is good until the next take.
func (in *Inbox) take() []posted {
	if len(in.empty) > 0 {
		clear(in.empty)
		in.slack.used(len(in.empty))
		in.empty = in.empty[:0]
	}
	if !in.posts.Load() { // most Ticks find nothing, and need no lock to see it
		return nil
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	in.full, in.empty = in.empty, in.full
	in.posts.Store(false)
	return in.empty
}

// fit gives memory back that is far more than what has been used.
func (in *Inbox) fit() {
	in.empty = fit(in.empty[:0], in.slack)
	in.slack = 0
}

// isClosed reports whether post fails.
func (in *Inbox) isClosed() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.closed
}

// close makes post fail.
func (in *Inbox) close() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.closed = true
}
