package actor

import "sync/atomic"

// A batchedTurn is a turn of an owner who is idle and has no message: what there is to do stands
// in arg. The usual frame is nothing but batched turns. The loop writes them down in a
// row and does not look at the mailboxes at all, which are all over the memory; nor does it
// when they are over. Workers claim them with one addition.
//
//	Batch ─▸ a b c d e f g │ closed by EndBatch
//	         ▴ ▴ ▴
//	         │ │ └ cursor: the next one to be claimed
//	         workers
//
// Where something goes wrong it becomes what a message would have made of it, a
// mailbox that is running:
//
//	over   the usual end: the mailbox has been idle all the time
//	moved  something is left, see [Mailbox.Defer]: it is in the ready list
//	held   the loop has waited long enough: a worker has it in hand
type batchedTurn[O, M any] struct {
	box    *Mailbox[O, M]
	arg    any
	state  atomic.Uint32
	worker atomic.Int32 // who has claimed it, plus one
}

// The states of a batched turn.
const (
	undone uint32 = iota
	over
	moved
	held
)

// round is the batched turns of one Start. When one did not end as usual, some worker may still look at
// it, and the next Start has another round.
type round[O, M any] struct {
	turns  []batchedTurn[O, M] // while a worker may claim one, nobody changes the slice
	cursor atomic.Uint64       // their number in the upper half, the next one in the lower; grows beyond it
	opened bool                // handed over by a Start

	// Under the group's lock. A worker brings ended up to date in the moment in which it takes
	// something else in hand or gives its slot back: where all have ended, the loop finds the
	// slots as they are, and not as it happens.
	ended int
	moved bool // one was
}

// Batch has box handed over by the next Start for a turn without a message: Options.Batched is
// called with arg. The mailbox must be idle, hold nothing and be in the batch once; nothing of it
// is looked at, that is what a batch is for. All the other mailboxes must be idle too and nothing
// staged, or Batch panics: see [Group.Quiet]. It panics too between Start and EndBatch,
// where nothing may be sent to those who are in the batch.
//
// After Start and Wait comes [Group.EndBatch].
//
// Only the loop goroutine may call it.
func (g *Group[O, M]) Batch(box *Mailbox[O, M], arg any) {
	if len(g.staged)+len(g.running) > 0 {
		panic("actor: Batch while a mailbox is staged or running")
	}
	r := g.batch
	if r.opened {
		panic("actor: Batch between Start and EndBatch")
	}
	r.turns = append(r.turns, batchedTurn[O, M]{box: box, arg: arg})
}

// openBatch lets the workers claim. The caller holds the lock.
func (g *Group[O, M]) openBatch() {
	r := g.batch
	if n := len(r.turns); n > 0 && !r.opened {
		r.opened, r.moved = true, false
		r.cursor.Store(uint64(n) << 32)
	}
}

// left returns how many batched turns nobody has claimed.
func (r *round[O, M]) left() int {
	c := r.cursor.Load()
	return max(0, int(c>>32)-int(uint32(c)))
}

// claim returns a batched turn that nobody else gets, or nil.
func (r *round[O, M]) claim() *batchedTurn[O, M] {
	if r.left() == 0 {
		return nil
	}
	c := r.cursor.Add(1) - 1
	if uint32(c) >= uint32(c>>32) {
		return nil
	}
	return &r.turns[uint32(c)]
}

// runBatch does, with worker i, all that are left.
func (g *Group[O, M]) runBatch(i int) {
	p, r := &g.workers[i], g.round.Load()
	p.round = r
	for v := r.claim(); v != nil; v = r.claim() {
		p.turns++
		g.runBatched(i, r, v)
	}
}

// countBatched brings a round up to date with what worker i has done in it. The caller holds the
// lock, and is the worker.
func (g *Group[O, M]) countBatched(i int) {
	p := &g.workers[i]
	if p.turns > 0 && p.round == g.batch {
		p.round.ended += p.turns
		if p.round.ended == len(p.round.turns) {
			g.notify()
		}
	}
	p.round, p.turns = nil, 0
}

// runBatched calls Options.Batched once.
func (g *Group[O, M]) runBatched(i int, r *round[O, M], v *batchedTurn[O, M]) {
	box := v.box
	v.worker.Store(int32(i) + 1)
	returned := false
	defer func() {
		if !returned {
			var fault any = Goexit{}
			if p := recover(); p != nil {
				fault = p
			}
			g.fault(i, box.Owner, fault)
		}
		g.endBatched(i, r, v, box)
	}()
	box.turn = inBatch
	g.batched(i, box, v.arg)
	returned = true
}

// endBatched ends a batched turn. Where it is over as usual, the loop may have the mailbox from here on.
func (g *Group[O, M]) endBatched(i int, r *round[O, M], v *batchedTurn[O, M], box *Mailbox[O, M]) {
	box.turn, box.from = shut, box.head
	deferred := len(box.batch) > 0
	if !deferred && v.state.CompareAndSwap(undone, over) {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.workers[i].box = nil
	if v.state.Swap(moved) == undone {
		g.pending++
		r.moved = true
	} else {
		g.counts.handled++
	}
	if deferred {
		g.counts.deferred++
	}
	g.finish(box)
}

// Defer leaves msg for a later turn, as what a batched turn has not done: the mailbox goes to the end
// of the ready list, with msg as its only message, and Options.Handle is called for it. If it
// parks it becomes idle with msg instead, as after [Mailbox.Park].
//
// Defer panics outside Options.Batched, and if it is called twice. Only inside it.
func (box *Mailbox[O, M]) Defer(msg M, parks bool) {
	if box.turn != inBatch || len(box.batch) > 0 {
		panic("actor: Defer called twice, or outside Batched")
	}
	box.batch = append(box.batch, msg)
	box.parks = parks
}

// EndBatch ends the batch after a Wait, whatever that reported, and returns how many of its
// turns have been begun: of those after them nothing will ever be done. It reports whether
// all are over as usual, with everybody idle. Otherwise some are running, as if a message
// had been sent to them, and are returned by [Group.Collect]; those in the hands of a worker are
// not waited for by WaitOthers, and [Mailbox.Idle] tells which are running.
//
// Only the loop goroutine may call it. It costs O(1) for each batched turn.
func (g *Group[O, M]) EndBatch() (begun int, whole bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.batch
	n := len(r.turns)
	if r.ended == n && !r.moved {
		r.turns, r.opened, r.ended = r.turns[:0], false, 0
		return n, true
	}
	at := r.cursor.Swap(uint64(n)<<32 | uint64(n))
	begun = min(n, int(uint32(at)))
	for k := range begun {
		v := &r.turns[k]
		if v.state.CompareAndSwap(undone, held) {
			g.sent++
			g.pending++
			g.overdue++
			v.box.overdue, v.box.held = true, true
			if p := v.worker.Load(); p > 0 {
				g.workers[p-1].box = v.box
			}
		} else if v.state.Load() == over {
			continue
		}
		v.box.place = running
		g.running = append(g.running, v.box)
	}
	g.batch = &round[O, M]{turns: make([]batchedTurn[O, M], 0, n)}
	g.round.Store(g.batch)
	return begun, false
}
