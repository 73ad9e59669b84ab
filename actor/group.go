package actor

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// A Pool runs tasks. Submit must not block. It may run the task before it
// returns, which makes everything happen on the loop. An error means that the pool
// has refused and not kept the task. A task that was accepted must run in the end,
// or its worker is lost. An ants pool with WithNonblocking is a good Pool if it has
// room for 2 × Workers tasks or more: a goroutine that has ended our task is in the way
// of the next for a moment, until it is idle or gone.
type Pool interface {
	Submit(task func()) error
}

// Options configures a [Group]. All fields but Task and Recovered are required.
type Options[O, M any] struct {
	// Pool runs the workers.
	Pool Pool

	// Workers is the number of tasks that the group has in the pool at most, and so
	// of owners that are handled at once. At least 1.
	Workers int

	// Limit is the number of messages that one mailbox may hold, see
	// [Mailbox.Len]. From 1 to math.MaxInt32.
	Limit int

	// Handle takes messages with box.Next until that reports false, or stops
	// earlier: then it is called again for the rest, after the others that wait,
	// or, if it has parked the mailbox with box.Requeue, after the next Start.
	// It must take at least one message in each call, or it is called for ever.
	// Calls for one mailbox never overlap, nor do calls with one worker; worker is in
	// [0, Workers) and may serve as index of scratch space. Handle must not call the
	// methods of the Group, even where it runs on the loop, and must not keep box.
	Handle func(worker int, box *Mailbox[O, M])

	// Batched does what a [Group.Batch] with arg is for, in the place of Handle and under the
	// same rules, but there are no messages to take. May be nil if there is no batch.
	Batched func(worker int, box *Mailbox[O, M], arg any)

	// Ahead, if not nil, is called with batched turns that a worker is about to begin, one after the other. It
	// may look at everything of their owners, so that it is in the cache then, must change nothing but what
	// is the worker's, and must not panic. It is not called for all turns: one that is begun alone needs no
	// look ahead.
	Ahead func(worker int, next []Turn[O, M])

	// Task, if not nil, is called in the task of a worker, and calls work, in which it does all
	// that it does: for what belongs to the goroutine, such as labels for a profiler. If Handle ends
	// the goroutine, work does not return. It must not panic.
	Task func(worker int, work func())

	// Recovered, if not nil, is told of each panic that Handle did not stop itself (v is its value)
	// and of each runtime.Goexit (v is nil, which no panic has for a value). It is called on
	// the worker, before the mailbox is passed on, and may therefore touch what
	// belongs to the owner. If it panics too, that is counted and has no
	// other consequence.
	Recovered func(worker int, owner O, v any)
}

// A Group is a set of mailboxes that share a ready list and workers. Make one with
// [NewGroup]. A Group needs no closing; when the last Wait has reported true,
// tasks that the pool has not begun yet find nothing to do.
type Group[O, M any] struct {
	pool      Pool
	handle    func(int, *Mailbox[O, M])
	batched   func(int, *Mailbox[O, M], any)
	ahead     func(int, []Turn[O, M])
	recovered func(int, O, any)
	limit     int

	// The loop's. staged is what the next Start hands over; running what was handed
	// over and not collected, in that order.
	staged, running []*Mailbox[O, M]
	sent            uint64
	rejected        uint64

	// batch is the round of the next Start, or of the last one; round is the same for
	// the workers.
	batch *round[O, M]
	round atomic.Pointer[round[O, M]]

	// more lifts the limit of StartOne when it delivers; nil: there is no limit.
	more <-chan time.Time

	// wake holds a token when a Wait that sleeps should look again: all is
	// done, or a worker died. A token that nobody waited for costs the next Wait one
	// round.
	wake chan struct{}

	mu       sync.Mutex
	ready    ready[Mailbox[O, M]]
	behind   []*Turn[O, M] // held batched turns that nobody has in hand, see putBehind
	pending  int           // handed over and not done: in the ready list or in a worker's hands
	overdue  int           // of those, the ones that are not waited for, see Wait
	workers  []worker[O, M]
	free     []int // slots that are free; the last is used next
	starting int   // slots that are reserved and whose task has not begun
	counts   counts
}

// counts are the totals that the workers keep.
type counts struct {
	handled, deferred, turns, refused, panics, exits, hookPanics, poolPanics uint64
}

// NewGroup returns a Group without mailboxes. It panics if a required option is
// missing or out of range.
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

// Send puts msg into box. A mailbox that is idle is handed over by the next
// Start; one that is running gets msg with a later batch. Send reports whether msg was kept: it
// is not if the mailbox holds Options.Limit messages. Only the loop goroutine may call it.
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

// Start hands over the first n of the staged mailboxes, see [Group.Staged], or all if n is below
// zero. They go in the order in which they were staged; the others keep their places. Start submits
// workers until there are Options.Workers of them or one for each mailbox
// that is ready. At the first refusal it stops and counts it: the mailboxes stay
// in the ready list, and the next Start or Wait tries again. Where Submit runs the
// task itself, all is handled when Start returns. It costs O(1) for each staged mailbox. Only the
// loop goroutine may call it.
func (g *Group[O, M]) Start(n int) { g.StartOne(n, nil) }

// StartOne is Start for so little work that one worker is done with it before a second one is awake. Until more delivers,
// which a Wait has to see, there is one worker at most; so a Handle that does not return holds up the other mailboxes
// until then. Nothing may be running. Only the loop goroutine may call it.
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
	g.ready.reserve(g.pending + len(g.batch.turns)) // all those may be moved there
	for _, box := range first {
		g.ready.push(box)
	}
	g.mu.Unlock()

	left := copy(g.staged, g.staged[n:])
	clear(g.staged[left:])
	g.staged = g.staged[:left]
	g.topUp()
}

// Staged returns the mailboxes that the next Start hands over, in their order. The list is
// good until the next Send, Start or Collect, and must not be changed.
//
// Only the loop goroutine may call it.
func (g *Group[O, M]) Staged() []*Mailbox[O, M] { return g.staged }

// Wait waits until every batch that was handed over is done, or until timeout
// delivers, and reports whether every batch is done. Then Collect returns all that
// are running. If timeout is nil there is no limit of time, and a Handle that never
// returns makes Wait wait for ever.
//
// Unless all is set, Wait does not wait for the mailboxes that are overdue: those that a worker had in hand
// when an earlier Wait of this kind ran out of time. Who is slow once costs the loop the time of one frame, and not
// of every frame after it. Wait then reports whether every batch but theirs is done. If they hold every worker,
// nobody is left to begin anything, and it reports that at once, without waiting.
//
// Wait submits workers where they are missing: at its begin, and when a worker was
// ended by Goexit. If the pool refuses while no worker runs, nobody is left who
// could finish: Wait then sleeps until timeout delivers or, if timeout is nil,
// returns false at once. The work is kept in either case, in its order.
//
// Only the loop goroutine may call it.
func (g *Group[O, M]) Wait(timeout <-chan time.Time, all bool) bool {
	if all {
		return g.wait(timeout, func() bool { return g.pending == 0 && g.batchOver() })
	}
	return g.waitOthers(timeout)
}

// waitOthers is Wait, but not for those that are overdue. Those that a worker has in hand when the time is over
// become so.
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

// allHeld reports whether each worker has a mailbox in hand that nobody waits for any more.
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

// Shrink gives memory back: that of lists which have room for more than 4 n mailboxes, or 2 n batched turns, is
// cut down to n. It does nothing while a mailbox is running. Only the loop goroutine may
// call it.
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
		clear(r.turns[:cap(r.turns)]) // it must not keep an owner alive
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.ready.ring) > 4*n {
		g.ready = ready[Mailbox[O, M]]{} // nobody is in it: reserve makes another
		g.ready.reserve(n)
	}
}

// Collect appends the mailboxes that have become idle since the last Collect to
// dst and returns it. They are in the order in which Start handed them over,
// whichever was done first; those still running keep their places for later. A
// mailbox for which messages came meanwhile, or that parks, is staged again, behind those
// that are staged already, and is idle until the next Start. It costs O(1) for each mailbox
// that is running.
//
// If wanted is not nil, only those become idle for whom it reports true, and the others stay for
// later. It may look at everything of their owners, and is asked once about each mailbox that is
// done, in order. Only the loop goroutine may call it.
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
