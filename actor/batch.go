package actor

import (
	"slices"
	"sync/atomic"
)

// A Turn is a batched turn, of an owner who is idle and has no message: what there is to do stands
// in arg. The usual frame is nothing but batched turns. The loop writes them down in a
// row and does not look at the mailboxes at all, which are all over the memory; nor does it
// when they are over. Workers claim them, many in a row: their share.
//
//	Batch ─▸ a b c d e f g h i j k │ closed by EndBatch
//	         └──┬──┘ └──┬──┘ ▴
//	         share 0 share 1 └ cursor: the next one that is in no share
//
// A worker looks ahead at its share before it begins, see Options.Ahead, and takes the turns out of it one by
// one. Once the cursor has come to the end, workers take what is left in the shares of others, so that one
// who hangs holds up nobody but the owner that he has in hand.
//
// Where something goes wrong it becomes what a message would have made of it, a
// mailbox that is running:
//
//	over   the usual end: the mailbox has been idle all the time
//	moved  something is left, see [Mailbox.Defer]: it is in the ready list
//	held   the loop has waited long enough: a worker has it in hand
type Turn[O, M any] struct {
	Arg    any // what [Group.Batch] was given for it
	box    *Mailbox[O, M]
	state  atomic.Uint32
	worker atomic.Int32 // who has claimed it, plus one; 0: nobody, or who has the share that it is in
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
	turns  []Turn[O, M]  // while a worker may claim one, nobody changes the slice
	cursor atomic.Uint64 // their number in the upper half, the next one in the lower; grows beyond it
	opened bool          // handed over by a Start
	shares []share       // by worker; nobody changes the slice: a worker may come to a round that is not opened

	// Under the group's lock. A worker brings ended up to date in the moment in which it takes
	// something else in hand or gives its slot back: where all have ended, the loop finds the
	// slots as they are, and not as it happens.
	ended int
	moved bool // one was
}

// share is turns in a row that one worker has claimed.
type share struct {
	left     atomic.Uint64 // their end in the upper half, the next one in the lower; grows beyond it
	from, to uint32        // all of them; under the group's lock
	_        [48]byte      // the next one is another worker's
}

// mostShare is how many turns a share has at most. Less is too few waits for memory at once; more is no
// better, and what is looked at ahead is to be in the cache still.
const mostShare = 64

// take takes the next one out of a share, if there is one.
func (s *share) take() (at uint32, ok bool) {
	if c := s.left.Load(); uint32(c) >= uint32(c>>32) {
		return 0, false
	}
	c := s.left.Add(1) - 1
	return uint32(c), uint32(c) < uint32(c>>32)
}

// count is how many are left in a share.
func (s *share) count() int {
	c := s.left.Load()
	return max(0, int(c>>32)-int(uint32(c)))
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
	r.turns = append(r.turns, Turn[O, M]{Arg: arg, box: box})
}

// openBatch lets the workers claim. The caller holds the lock.
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

// left returns how many batched turns nobody has begun, but for those of which a share is just being made.
func (r *round[O, M]) left() int {
	c := r.cursor.Load()
	n := max(0, int(c>>32)-int(uint32(c)))
	for k := range r.shares {
		n += r.shares[k].count()
	}
	return n
}

// claimTurn returns a batched turn that nobody else gets, or nil.
func (g *Group[O, M]) claimTurn(i int, r *round[O, M]) *Turn[O, M] {
	if at, ok := r.shares[i].take(); ok {
		return &r.turns[at]
	}
	c := r.cursor.Load()
	if left := int(c>>32) - int(uint32(c)); left > 0 {
		// The last ones are claimed one by one: nobody ends before his time.
		n := uint64(min(max(1, left/(4*len(g.workers))), mostShare))
		c = r.cursor.Add(n) - n
		if from, end := uint32(c), uint32(c>>32); from < end {
			return g.openShare(i, r, from, min(from+uint32(n), end))
		}
	}
	return g.help(i, r)
}

// openShare makes a share of some turns and returns its first.
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
		g.putBehind(i, r.turns[from:to])
		return first
	}
	s := &r.shares[i]
	s.from, s.to = from, to
	s.left.Store(uint64(to)<<32 | uint64(from+1))
	if len(g.free) > 0 {
		g.notify() // who has just ended could not know of these
	}
	return first
}

// putBehind is for a share of a round that the loop has closed while its worker looked ahead: the loop takes all of them for
// begun, and holds them. No later worker comes to that round any more; so that they do not hang
// on this one, all but the first, which is the worker's, go where everybody looks. The caller holds the lock.
func (g *Group[O, M]) putBehind(i int, share []Turn[O, M]) {
	g.workers[i].box = share[0].box
	for k := range share[1:] {
		g.behind = append(g.behind, &share[1+k])
	}
	g.notify()
}

// help takes a turn out of the share of another worker, if there is one.
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

// runBatch does, with worker i, all that are left.
func (g *Group[O, M]) runBatch(i int) {
	p, r := &g.workers[i], g.round.Load()
	p.round = r
	for v := g.claimTurn(i, r); v != nil; v = g.claimTurn(i, r) {
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

// runBatched calls Options.Batched once. The round is not looked at where the turn is held.
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

// endBatched ends a batched turn. Where it is over as usual, the loop may have the mailbox from here on.
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

// Defer leaves msg for a later turn, as what a batched turn has not done: the mailbox goes to the end
// of the ready list, with msg as its only message, and Options.Handle is called for it. If it
// parks it becomes idle with msg instead, as after a [Mailbox.Requeue] that parks.
//
// Defer panics outside Options.Batched, and if it is called twice. Only inside it.
func (box *Mailbox[O, M]) Defer(msg M, parks bool) {
	if box.turn != inBatch || len(box.messages()) > 0 {
		panic("actor: Defer called twice, or outside Batched")
	}
	box.push(msg)
	box.batch.parks = parks
}

// EndBatch ends the batch after a Wait, whatever that reported, and returns which of its
// turns have not been begun, by their number in the order of Batch: nothing will ever be done of those. It
// reports whether all are over as usual, with everybody idle. Otherwise some are running, as if a message
// had been sent to them, and are returned by [Group.Collect]; those in the hands of a worker are
// overdue, see [Group.Wait], and [Mailbox.Idle] tells which are running.
//
// Only the loop goroutine may call it. It costs O(1) for each batched turn.
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

// close lets nobody begin any more, and returns which turns nobody has begun. The caller holds the lock.
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

// holder returns which worker has a turn in hand that was begun and is not over, below zero if that
// cannot be told yet. The caller holds the lock.
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
