package actor

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// A Pool runs tasks. Submit must not block. It may run the task before it returns, in which case
// all work runs on the loop. An error means that the pool has refused and dropped the task. An
// accepted task must run eventually, or its worker is lost. An ants pool with WithNonblocking is
// a good Pool if it has room for at least 2 × Workers tasks. More room than Workers is needed
// because a pool goroutine is still counted for a moment after it has finished a task.
type Pool interface {
	Submit(task func()) error
}

// Options configures a [Group]. Pool, Workers, Limit and Handle are required.
type Options[O, M any] struct {
	// Pool runs the workers.
	Pool Pool

	// Workers is the maximum number of tasks that the group has in the pool, and therefore the
	// maximum number of owners handled at once. It must be at least 1.
	Workers int

	// Limit is the maximum number of messages in one mailbox, see [Mailbox.Len]. It must be
	// from 1 to math.MaxInt32.
	Limit int

	// Handle takes messages with box.Next until Next reports false. If it returns earlier, it is
	// called again for the remaining messages, after the other waiting mailboxes or, if it has
	// parked the mailbox with box.Requeue, after the next Start. It must take at least one message
	// in each call; otherwise it is called again forever. Calls for the same mailbox never
	// overlap, nor do calls with the same worker number. The worker number is in [0, Workers) and
	// can be used as an index into scratch space. Handle must not call the methods of the Group,
	// even if it runs on the loop, and must not keep box.
	Handle func(worker int, box *Mailbox[O, M])

	// Batched runs a batched turn; arg is the argument of [Group.Batch]. The rules for Handle
	// apply, except that there are no messages to take. It may be nil if Batch is not used.
	Batched func(worker int, box *Mailbox[O, M], arg any)

	// Ahead, if not nil, is called with batched turns that a worker is about to run one after
	// another. It may read their owners' data to load it into the cache. It must change only the
	// worker's own data and must not panic. It is not called for a share of only one turn.
	Ahead func(worker int, next []Turn[O, M])

	// Ended, if not nil, is called when a batched turn has ended, before the worker starts another
	// turn and before the mailbox becomes idle. The parameter "held" reports whether EndBatch has
	// found the turn running; for all other turns of the batch, Ended has returned before EndBatch
	// returns. So it can publish results that the loop reads after EndBatch. It must not panic.
	Ended func(worker int, held bool)

	// Task, if not nil, is called as the task of a worker and must call work(), which handles the
	// mailboxes. Use it to set properties of the goroutine, such as profiler labels. If Handle ends
	// the goroutine, work() does not return. Task must not panic.
	Task func(worker int, work func())

	// Recovered, if not nil, is called for each panic that escapes Handle or Batched, with the
	// panic's value v, and for each runtime.Goexit, with a nil v. (No panic has a nil value.) It is
	// called on the worker before the mailbox is passed on, so it may access the owner's data. If
	// Recovered itself panics, that panic is counted and otherwise ignored.
	Recovered func(worker int, owner O, v any)
}

// A Group is a set of mailboxes that share a ready list and workers. Use [NewGroup] to create one.
// A Group need not be closed: after a Wait that returned true, tasks that the pool has not started
// yet do nothing.
type Group[O, M any] struct {
	pool      Pool
	handle    func(int, *Mailbox[O, M])
	batched   func(int, *Mailbox[O, M], any)
	ahead     func(int, []Turn[O, M])
	ended     func(int, bool)
	recovered func(int, O, any)
	limit     int

	// These fields belong to the loop. staged holds the mailboxes for the next Start. running
	// holds the mailboxes that were started and not collected, in the order in which they were
	// started.
	staged, running []*Mailbox[O, M]
	sent            uint64
	rejected        uint64

	// batch holds the batched turns that the loop is adding for the next Start or, between Start
	// and EndBatch, the turns being run. The field "round" is the same pointer, for the workers.
	batch *round[O, M]
	round atomic.Pointer[round[O, M]]

	// The field "more" is the parameter of StartOne. While it is not nil, at most one worker runs.
	// It becomes nil when the channel delivers.
	more <-chan time.Time

	// wake holds a token when a sleeping Wait should check again, because all work is done or a
	// worker has ended. A stale token only makes the next Wait check once more.
	wake chan struct{}

	mu       sync.Mutex
	ready    ready[Mailbox[O, M]]
	pending  int // mailboxes started and not done: in the ready list or held by a worker
	overdue  int // pending mailboxes that Wait does not wait for
	workers  []worker[O, M]
	free     []int // free slots; the last slot is used next
	starting int   // number of reserved slots, whose tasks have not started
	counts   counts
}

// counts are the totals updated by the workers.
type counts struct {
	handled, deferred, turns, refused, panics, exits, hookPanics, poolPanics uint64
}

// NewGroup returns a Group without mailboxes. It panics if a required option is missing or out
// of range.
func NewGroup[O, M any](o Options[O, M]) *Group[O, M] {
	switch {
	case o.Pool == nil:
		panic("actor: Options.Pool is nil")
	case o.Handle == nil:
		panic("actor: Options.Handle is nil")
	case o.Workers < 1:
		panic(fmt.Sprintf("actor: Options.Workers is %d, must be at least 1", o.Workers))
	case o.Limit < 1 || o.Limit > math.MaxInt32:
		panic(fmt.Sprintf("actor: Options.Limit is %d, must be from 1 to %d", o.Limit, math.MaxInt32))
	}
	g := &Group[O, M]{
		pool:      o.Pool,
		handle:    o.Handle,
		batched:   o.Batched,
		ahead:     o.Ahead,
		ended:     o.Ended,
		recovered: o.Recovered,
		limit:     o.Limit,
		wake:      make(chan struct{}, 1),
		workers:   make([]worker[O, M], o.Workers),
		batch:     &round[O, M]{shares: make([]share, o.Workers)},
	}
	g.round.Store(g.batch)
	for i := o.Workers - 1; i >= 0; i-- {
		work := func() { g.run(i) }
		g.workers[i].task = work
		if o.Task != nil {
			g.workers[i].task = func() { o.Task(i, work) }
		}
		g.free = append(g.free, i)
	}
	return g
}

// Send appends msg to box. If the mailbox is idle, the next Start dispatches it. If the mailbox is
// running, msg is part of its next batch. Send returns false, and drops msg, if the mailbox already
// holds Options.Limit messages. Only the loop goroutine may call Send.
func (g *Group[O, M]) Send(box *Mailbox[O, M], msg M) (kept bool) {
	if box.Len() >= g.limit {
		g.rejected++
		return false
	}
	g.sent++
	switch box.place {
	case running:
		box.sendLate(msg)
		return true
	case empty:
		g.stage(box)
	}
	box.push(msg)
	return true
}

func (g *Group[O, M]) stage(box *Mailbox[O, M]) {
	box.place = staged
	g.staged = append(g.staged, box)
}

// Start dispatches the first n staged mailboxes, see [Group.Staged], or all of them if n is
// negative. They are dispatched in the order in which they were staged. The other mailboxes stay
// staged. Start submits workers until there are Options.Workers workers, or one worker for each
// ready mailbox. If the pool refuses a worker, Start counts the refusal and submits no more. The
// mailboxes then stay in the ready list, and the next Start or Wait tries again. If Submit runs
// the task itself, all mailboxes have been handled when Start returns. Start costs O(1) for each
// staged mailbox. Only the loop goroutine may call it.
func (g *Group[O, M]) Start(n int) { g.StartOne(n, nil) }

// StartOne is like Start, but uses one worker. The other workers start only when the channel "more"
// delivers during a Wait. Use StartOne for a small amount of work, which one worker finishes before
// a second worker would be awake. Until the other workers start, a Handle that does not return
// delays all mailboxes. No mailbox may be running. Only the loop goroutine may call it.
func (g *Group[O, M]) StartOne(n int, more <-chan time.Time) {
	g.more = more
	if n < 0 {
		n = len(g.staged)
	}
	first := g.staged[:n]
	for _, box := range first {
		box.place = running
	}
	g.running = append(g.running, first...)

	g.mu.Lock()
	g.openBatch()
	g.pending += n
	// all batched turns may end up in the ready list
	g.ready.reserve(g.pending + len(g.batch.turns))
	for _, box := range first {
		g.ready.push(box)
	}
	g.mu.Unlock()

	left := copy(g.staged, g.staged[n:])
	clear(g.staged[left:])
	g.staged = g.staged[:left]
	g.topUp()
}

// Staged returns the mailboxes for the next Start, in order. The slice is valid until the next
// Send, Start or Collect, and must not be changed.
//
// Only the loop goroutine may call it.
func (g *Group[O, M]) Staged() []*Mailbox[O, M] { return g.staged }

// Wait waits until every started batch is done, or until timeout delivers. If Wait returns true,
// every batch is done, and Collect returns all running mailboxes. If timeout is nil there is no
// time limit, and a Handle that never returns makes Wait block forever.
//
// A mailbox is overdue if a worker was holding it when an earlier Wait with all == false timed out.
// If "all" is false, Wait does not wait for overdue mailboxes, and the result reports whether every
// other batch is done. A slow owner thus delays the loop for one frame, not in every later frame.
// If overdue mailboxes occupy every worker, no other batch can make progress, and Wait returns at
// once.
//
// Wait submits missing workers when it is called and after a worker was ended by Goexit. If the
// pool refuses a worker while none is running, the work cannot be finished. Wait then sleeps
// until timeout delivers or, if timeout is nil, returns false at once. In either case the work is
// kept, in order.
//
// Only the loop goroutine may call it.
func (g *Group[O, M]) Wait(timeout <-chan time.Time, all bool) bool {
	if all {
		return g.wait(timeout, func() bool { return g.pending == 0 && g.batchOver() })
	}
	return g.waitOthers(timeout)
}

// waitOthers is Wait for all mailboxes except overdue mailboxes. When the timeout delivers, the
// mailboxes that workers hold become overdue.
func (g *Group[O, M]) waitOthers(timeout <-chan time.Time) bool {
	if g.wait(timeout, func() bool { return g.onlyOverdue() || g.allHeld() }) && g.locked(g.onlyOverdue) {
		return true
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range g.workers {
		if box := g.workers[i].box; box != nil && !box.overdue {
			box.overdue = true
			g.overdue++
		}
	}
	return false
}

func (g *Group[O, M]) onlyOverdue() bool { return g.pending == g.overdue && g.batchOver() }

// allHeld reports whether every worker holds an overdue mailbox.
func (g *Group[O, M]) allHeld() bool {
	if g.overdue < len(g.workers) {
		return false
	}
	for i := range g.workers {
		if box := g.workers[i].box; box == nil || !box.overdue {
			return false
		}
	}
	return true
}

func (g *Group[O, M]) batchOver() bool {
	return g.batch.ended == len(g.batch.turns)
}

func (g *Group[O, M]) wait(timeout <-chan time.Time, done func() bool) bool {
	for {
		halted := g.topUp()
		if g.locked(done) {
			return true
		}
		if halted && timeout == nil {
			return false
		}
		select {
		case <-g.wake:
		case <-g.more:
			g.more = nil
		case <-timeout:
			return g.locked(done)
		}
	}
}

func (g *Group[O, M]) locked(done func() bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return done()
}

// Shrink releases memory. It replaces each list that has room for more than 4×n mailboxes, or 2×n
// batched turns, with a list that has room for n. While a mailbox is running, Shrink has no
// effect. Only the loop goroutine may call it.
func (g *Group[O, M]) Shrink(n int) {
	if len(g.running) > 0 {
		return
	}
	if cap(g.running) > 4*n {
		g.running = make([]*Mailbox[O, M], 0, n)
	}
	if cap(g.staged) > 4*n {
		g.staged = append(make([]*Mailbox[O, M], 0, max(n, len(g.staged))), g.staged...)
	}
	if r := g.batch; len(r.turns) == 0 {
		if cap(r.turns) > 2*n {
			r.turns = make([]Turn[O, M], 0, n)
		}
		clear(r.turns[:cap(r.turns)]) // do not keep owners alive
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.ready.ring) > 4*n {
		g.ready = ready[Mailbox[O, M]]{} // the list is empty, so nothing need be copied
		g.ready.reserve(n)
	}
}

// Collect appends to dst the mailboxes that have become idle since the last Collect, and returns
// the extended slice. The mailboxes are in the order in which Start dispatched them, regardless of
// the order in which they finished. Mailboxes that are still running keep their positions for a
// later Collect. A mailbox that received messages in the meantime, or that parks, is staged again,
// after the mailboxes already staged, and is idle until the next Start. Collect costs O(1) for
// each running mailbox.
//
// If "wanted" is not nil, only mailboxes for which wanted() returns true become idle. The other
// mailboxes are left for a later Collect. Collect calls wanted() once for each finished mailbox, in
// order. The function may read the owner's data. Only the loop goroutine may call Collect.
func (g *Group[O, M]) Collect(dst []*Mailbox[O, M], wanted func(*Mailbox[O, M]) bool) []*Mailbox[O, M] {
	still := g.running[:0]
	for _, box := range g.running {
		if !box.done.Load() || wanted != nil && !wanted(box) {
			still = append(still, box)
			continue
		}
		box.makeIdle()
		dst = append(dst, box)
		if len(box.messages()) > 0 {
			g.stage(box)
		}
	}
	clear(g.running[len(still):])
	g.running = still
	return dst
}
