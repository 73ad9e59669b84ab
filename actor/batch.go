package actor

import (
	"slices"
	"sync/atomic"
)

// A Turn is one batched turn: work for an owner whose mailbox is idle and has no message. Arg
// describes the work. In most frames, all turns are batched. The loop writes them into a slice
// and does not access the mailboxes, which are scattered in memory. Workers claim several
// consecutive turns, called a share, at a time.
//
//	Batch ─▸ a b c d e f g h i j k │ closed by EndBatch
//	         └──┬──┘ └──┬──┘ ▴
//	         share 0 share 1 └ cursor: the next turn that is in no share
//
// A worker may prefetch the owners of its share, see Options.Ahead. It then takes the turns from
// its share one by one. Once the cursor has reached the end, a worker without a share takes turns
// from the shares of other workers, so that a blocked worker delays only the owner that it is
// running.
//
// If a turn does not end normally, its mailbox becomes running, as if a message had been sent.
// The states of a turn that was started are:
//
//	over   the turn ended normally; the mailbox was idle throughout
//	moved  the turn called [Mailbox.Defer], so the mailbox is in the ready list
//	held   EndBatch found that a worker is still running the turn
type Turn[O, M any] struct {
	Arg   any // as passed to [Group.Batch]
	box   *Mailbox[O, M]
	state atomic.Uint32
	// 1 + index of the worker that claimed this single turn; 0 if the turn is unclaimed or in a
	// share
	worker atomic.Int32
}

// The states of a batched turn.
const (
	undone uint32 = iota
	over
	moved
	held
)

// round holds the batched turns of one Start. If one of the turns did not end normally, a worker
// may still use the round, so the next Start gets a new round.
type round[O, M any] struct {
	turns  []Turn[O, M]  // not changed while a worker may claim a turn
	cursor atomic.Uint64 // upper half: len(turns); lower half: next turn, may exceed len(turns)
	opened bool          // a Start has made the turns available to the workers
	shares []share       // by worker; never resized, because workers read it even before the round is opened

	// Protected by the group's lock. ended counts the turns that have ended. A worker adds its
	// turns only when it takes other work or releases its slot. So once all turns are counted, the
	// set of free slots does not depend on timing.
	ended int
	moved bool // at least one turn was moved
}

// share is a range of turns claimed by one worker.
type share struct {
	left     atomic.Uint64 // upper half: end of the share; lower half: next turn, may exceed the end
	from, to uint32        // the whole range; protected by the group's lock
	_        [48]byte      // padding: the next share belongs to another worker
}

// maxShare is the maximum number of turns in a share. With smaller shares, too few cache misses
// overlap. With larger shares, prefetched data may be evicted before it is used.
const maxShare = 64

// take removes the next turn from a share, if there is one.
func (s *share) take() (at uint32, ok bool) {
	if c := s.left.Load(); uint32(c) >= uint32(c>>32) {
		return 0, false
	}
	c := s.left.Add(1) - 1
	return uint32(c), uint32(c) < uint32(c>>32)
}

// count returns the number of turns left in a share.
func (s *share) count() int {
	c := s.left.Load()
	return max(0, int(c>>32)-int(uint32(c)))
}

// Batch adds a batched turn for box to the next Start, in which a worker calls Options.Batched
// with arg. The mailbox must be idle and empty, and may be in the batch only once; Batch does not
// check this, because it does not access the mailbox. Batch panics if any mailbox is staged or
// running, see [Group.Quiet], and if it is called between Start and EndBatch. Between Start and
// EndBatch, no message may be sent to a mailbox in the batch.
//
// After Start and Wait, call [Group.EndBatch].
//
// Only the loop goroutine may call Batch.
func (g *Group[O, M]) Batch(box *Mailbox[O, M], arg any) {
	if len(g.staged)+len(g.running) > 0 {
		panic("actor: Batch while a mailbox is staged or running")
	}
	r := g.batch
	if r.opened {
		panic("actor: Batch between Start and EndBatch")
	}
	r.turns = append(r.turns, Turn[O, M]{Arg: arg, box: box})
}

// openBatch lets workers claim turns. The caller holds the lock.
func (g *Group[O, M]) openBatch() {
	r := g.batch
	if n := len(r.turns); n > 0 && !r.opened {
		for i := range r.shares {
			r.shares[i].from, r.shares[i].to = 0, 0
		}
		r.opened, r.moved = true, false
		r.cursor.Store(uint64(n) << 32)
	}
}

// left returns the number of batched turns that have not started. It does not count the turns of
// a share that is just being created.
func (r *round[O, M]) left() int {
	c := r.cursor.Load()
	n := max(0, int(c>>32)-int(uint32(c)))
	for k := range r.shares {
		n += r.shares[k].count()
	}
	return n
}

// claimTurn claims a batched turn for worker i. It returns nil if no turn is left.
func (g *Group[O, M]) claimTurn(i int, r *round[O, M]) *Turn[O, M] {
	if at, ok := r.shares[i].take(); ok {
		return &r.turns[at]
	}
	c := r.cursor.Load()
	if left := int(c>>32) - int(uint32(c)); left > 0 {
		// Towards the end, shares shrink to single turns, so that all workers finish at about the
		// same time.
		n := uint64(min(max(1, left/(4*len(g.workers))), maxShare))
		c = r.cursor.Add(n) - n
		if from, end := uint32(c), uint32(c>>32); from < end {
			return g.openShare(i, r, from, min(from+uint32(n), end))
		}
	}
	return g.help(i, r)
}

// openShare creates a share of the turns in [from, to) and returns its first turn.
func (g *Group[O, M]) openShare(i int, r *round[O, M], from, to uint32) *Turn[O, M] {
	first := &r.turns[from]
	if to-from == 1 {
		first.worker.Store(int32(i) + 1)
		return first
	}
	if g.ahead != nil {
		g.ahead(i, r.turns[from:to])
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if r != g.batch {
		g.queueHeld(i, r.turns[from:to])
		return first
	}
	s := &r.shares[i]
	s.from, s.to = from, to
	s.left.Store(uint64(to)<<32 | uint64(from+1))
	if len(g.free) > 0 {
		// Other workers may have ended because they could not see these turns. Wait restarts them.
		g.notify()
	}
	return first
}

// queueHeld handles a share whose round was closed while worker i was prefetching the share.
// EndBatch, which closed the round, has marked every turn of the share as held: the turns count as
// running, although no worker has started them. Other workers no longer see the round. So worker i
// runs the first turn itself, and queueHeld adds the others to Group.heldTurns, where any worker
// can take them. The caller holds the lock.
func (g *Group[O, M]) queueHeld(i int, share []Turn[O, M]) {
	g.workers[i].box = share[0].box
	for k := range share[1:] {
		g.heldTurns = append(g.heldTurns, &share[1+k])
	}
	g.notify()
}

// help takes a turn from the share of another worker. It returns nil if no share has a turn left.
func (g *Group[O, M]) help(i int, r *round[O, M]) *Turn[O, M] {
	for k := range r.shares {
		if r.shares[k].count() == 0 {
			continue
		}
		g.mu.Lock()
		at, ok := r.shares[k].take()
		if ok {
			r.turns[at].worker.Store(int32(i) + 1)
		}
		g.mu.Unlock()
		if ok {
			return &r.turns[at]
		}
	}
	return nil
}

// runBatch runs the remaining batched turns on worker i.
func (g *Group[O, M]) runBatch(i int) {
	p, r := &g.workers[i], g.round.Load()
	p.round = r
	for v := g.claimTurn(i, r); v != nil; v = g.claimTurn(i, r) {
		p.turns++
		g.runBatched(i, r, v)
	}
}

// countBatched adds to round.ended the number of turns that worker i has run. The caller is worker
// i and holds the lock.
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

// runBatched calls Options.Batched once. If the turn is already held, r is not used and may be
// nil.
func (g *Group[O, M]) runBatched(i int, r *round[O, M], v *Turn[O, M]) {
	box := v.box
	returned := false
	defer func() {
		if !returned {
			g.fault(i, box.Owner, recover())
		}
		g.endBatched(i, r, v, box)
	}()
	box.turn = inBatch
	g.batched(i, box, v.Arg)
	returned = true
}

// endBatched ends a batched turn. After a normal end the loop may own the mailbox again.
func (g *Group[O, M]) endBatched(i int, r *round[O, M], v *Turn[O, M], box *Mailbox[O, M]) {
	box.turn = shut
	deferred := len(box.messages()) > 0
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

// Defer leaves msg in the mailbox, so that a later turn can continue the work of this batched turn.
// The mailbox goes to the end of the ready list, with msg as its only message, and Options.Handle
// is called for it. If "parks" is true, the mailbox instead becomes idle and keeps msg for the next
// Start, as with [Mailbox.Requeue].
//
// Defer panics if it is called outside Options.Batched or twice in a turn. Only Options.Batched
// may call it.
func (box *Mailbox[O, M]) Defer(msg M, parks bool) {
	if box.turn != inBatch || len(box.messages()) > 0 {
		panic("actor: Defer called twice, or outside Batched")
	}
	box.push(msg)
	box.batch.parks = parks
}

// EndBatch ends the batch. It is called after a Wait, even if the Wait returned false. The result
// "left" holds the indexes of the turns that were not started and will never run. Turns are
// numbered from 0 in the order of the calls to Batch. The result "whole" is true if all turns ended
// normally, so that every mailbox is idle. If "whole" is false, some mailboxes may have become
// running, as after a Send. [Mailbox.Idle] reports false for them, and [Group.Collect] returns them
// later. The mailboxes of turns that a worker is still executing are overdue, see [Group.Wait].
//
// Only the loop goroutine may call it. EndBatch costs O(1) for each batched turn.
func (g *Group[O, M]) EndBatch() (left []int, whole bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r := g.batch
	n := len(r.turns)
	if r.ended == n && !r.moved {
		r.turns, r.opened, r.ended = r.turns[:0], false, 0
		return nil, true
	}
	left = r.close()
	unbegun := left
	for k := range r.turns {
		if len(unbegun) > 0 && unbegun[0] == k {
			unbegun = unbegun[1:]
			continue
		}
		v := &r.turns[k]
		if v.state.CompareAndSwap(undone, held) {
			g.sent++
			g.pending++
			g.overdue++
			v.box.overdue, v.box.held = true, true
			if p := r.holder(k); p >= 0 {
				g.workers[p].box = v.box
			}
		} else if v.state.Load() == over {
			continue
		}
		v.box.place = running
		g.running = append(g.running, v.box)
	}
	g.batch = &round[O, M]{turns: make([]Turn[O, M], 0, n), shares: make([]share, len(g.workers))}
	g.round.Store(g.batch)
	return left, false
}

// close prevents workers from starting further turns, and returns the turns that were not
// started. The caller holds the lock.
func (r *round[O, M]) close() (left []int) {
	take := func(c uint64) {
		for k := uint32(c); k < uint32(c>>32); k++ {
			left = append(left, int(k))
		}
	}
	for k := range r.shares {
		take(r.shares[k].left.Swap(0))
	}
	take(r.cursor.Swap(0))
	slices.Sort(left)
	return left
}

// holder returns the index of the worker that runs turn k, which has started and is not over. It
// returns -1 if the worker is not yet known. The caller holds the lock.
func (r *round[O, M]) holder(k int) int {
	if p := r.turns[k].worker.Load(); p > 0 {
		return int(p) - 1
	}
	for i := range r.shares {
		if s := &r.shares[i]; int(s.from) <= k && k < int(s.to) {
			return i
		}
	}
	return -1
}
