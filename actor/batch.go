package actor

import (
	"slices"
	"sync"
)

// A Turn is one batched turn: work for an owner whose mailbox is idle and has no message. Arg
// describes the work. In most frames, all turns are batched. The loop writes them into a slice
// and does not access the mailboxes, which are scattered in memory. Workers claim several
// consecutive turns, called a share, at a time.
//
//	Batch ─▸ a b c d e f g h i j k │ closed by EndBatch
//	         └──┬──┘ └──┬──┘ ▴
//	         share 0 share 1 └ the next turn that is in no share
//
// A worker may prefetch the owners of its share, see Options.Ahead. It then takes the turns from
// the front of its share one by one. Once all turns are in shares, a worker without a share takes
// turns from the ends of the shares of other workers, so that a blocked worker delays only the
// owner that it is running.
//
// A turn that has ended normally leaves its mailbox idle. Otherwise its mailbox becomes running, as
// if a message had been sent: if the turn called [Mailbox.Defer], or if EndBatch found that a
// worker is still running it.
type Turn[O, M any] struct {
	Arg any // as passed to [Group.Batch]
	box *Mailbox[O, M]
}

// round holds the batched turns of one Start. If one of the turns did not end normally, a worker
// may still use the round, so the next Start gets a new round.
type round[O, M any] struct {
	turns  []Turn[O, M] // not changed while a worker may claim a turn
	shares []share      // by worker; never resized, because workers read it even before the round is opened

	// Protected by the group's lock. ended counts the turns that have ended. A worker adds its
	// turns only when it takes other work or releases its slot. So once all turns are counted, the
	// set of free slots does not depend on timing.
	opened bool  // a Start has made the turns available to the workers
	next   int   // the next turn that is in no share
	ended  int   // number of turns that have ended
	moved  []int // turns that called Defer and were not held
}

// share holds the turns that one worker has claimed and not started. Whoever holds its lock also
// knows that the worker is not between two turns. The group's lock, if needed, is taken first.
type share struct {
	mu       sync.Mutex
	from, to int  // the turns
	turn     int  // the turn that the worker is running, if any
	running  bool // the worker is running a turn
	held     bool // EndBatch found that the worker was running the turn
	_        [24]byte
}

// maxShare is the maximum number of turns in a share. With smaller shares, too few cache misses
// overlap. With larger shares, prefetched data may be evicted before it is used.
const maxShare = 64

// begin starts the first turn of a share. The caller holds the lock of the share.
func (s *share) begin() (turn int) {
	s.turn, s.running = s.from, true
	s.from++
	return s.turn
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
	if r := g.batch; len(r.turns) > 0 {
		r.opened = true
	}
}

// left returns the number of batched turns that have not started. The caller holds the group's
// lock.
func (r *round[O, M]) left() int {
	if !r.opened {
		return 0
	}
	n := len(r.turns) - r.next
	for k := range r.shares {
		s := &r.shares[k]
		s.mu.Lock()
		n += s.to - s.from
		s.mu.Unlock()
	}
	return n
}

// runBatch runs the remaining batched turns on worker i.
func (g *Group[O, M]) runBatch(i int) {
	p, r := &g.workers[i], g.round.Load()
	p.round = r
	s := &r.shares[i]
	for k, ok := g.claimTurn(i, r); ok; {
		p.turns++
		g.runBatched(i, r, k)
		s.mu.Lock()
		if ok = s.from < s.to; ok {
			k = s.begin()
		}
		s.mu.Unlock()
		if !ok {
			k, ok = g.claimTurn(i, r)
		}
	}
}

// claimTurn claims a share for worker i, and starts its first turn.
func (g *Group[O, M]) claimTurn(i int, r *round[O, M]) (k int, ok bool) {
	g.mu.Lock()
	if r != g.batch || !r.opened {
		g.mu.Unlock()
		return 0, false
	}
	left := len(r.turns) - r.next
	s := &r.shares[i]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.from < s.to { // left by a task that was ended by Goexit
		g.mu.Unlock()
		return s.begin(), true
	}
	if left == 0 {
		defer g.mu.Unlock()
		return g.help(i, r)
	}
	// Towards the end, shares shrink to single turns, so that all workers finish at about the same
	// time.
	n := min(max(1, left/(4*len(g.workers))), maxShare)
	s.from, s.to = r.next, r.next+n
	r.next += n
	g.mu.Unlock()
	if n > 1 && g.ahead != nil {
		g.ahead(i, r.turns[s.from:s.to]) // holds the lock, so that no other worker takes a turn of the share
	}
	return s.begin(), true
}

// help starts a turn of the share of another worker, which has not started it. The caller holds the
// locks of the group and of the share of worker i.
func (g *Group[O, M]) help(i int, r *round[O, M]) (k int, ok bool) {
	mine := &r.shares[i]
	for k := range r.shares {
		if s := &r.shares[k]; k != i && s.take(mine) {
			return mine.begin(), true
		}
	}
	return 0, false
}

// take moves the last turn of a share to another one, which must be empty.
func (s *share) take(to *share) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.from == s.to {
		return false
	}
	s.to--
	to.from, to.to = s.to, s.to+1
	return true
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

// runBatched calls Options.Batched for turn k.
func (g *Group[O, M]) runBatched(i int, r *round[O, M], k int) {
	v := &r.turns[k]
	box := v.box
	returned := false
	defer func() {
		if !returned {
			g.fault(i, box.Owner, recover())
		}
		g.endBatched(i, r, box)
	}()
	box.turn = inBatch
	g.batched(i, box, v.Arg)
	returned = true
}

// endBatched ends the turn of worker i. After a normal end the loop may own the mailbox again.
func (g *Group[O, M]) endBatched(i int, r *round[O, M], box *Mailbox[O, M]) {
	s := &r.shares[i]
	box.turn = shut
	deferred := len(box.messages()) > 0
	if !deferred {
		s.mu.Lock()
		if !s.held {
			s.running = false
			if g.ended != nil {
				g.ended(i, false)
			}
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	g.workers[i].box = nil
	s.running = false
	if g.ended != nil {
		g.ended(i, s.held)
	}
	if s.held {
		s.held = false
		g.counts.handled++
	} else {
		g.pending++
		r.moved = append(r.moved, s.turn)
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
	if r.ended == n && len(r.moved) == 0 {
		r.turns, r.opened, r.next, r.ended = r.turns[:0], false, 0, 0
		return nil, true
	}
	left, moved := g.closeBatch(r)
	for _, k := range moved {
		box := r.turns[k].box
		box.place = running
		g.running = append(g.running, box)
	}
	g.batch = &round[O, M]{turns: make([]Turn[O, M], 0, n), shares: make([]share, len(g.workers))}
	g.round.Store(g.batch)
	return left, false
}

// closeBatch prevents workers from starting further turns. It returns the turns that were not
// started, and those whose mailboxes become running. The caller holds the lock.
func (g *Group[O, M]) closeBatch(r *round[O, M]) (left, moved []int) {
	moved = r.moved
	for i := range r.shares {
		s := &r.shares[i]
		s.mu.Lock()
		for ; s.from < s.to; s.from++ {
			left = append(left, s.from)
		}
		if s.running {
			s.held = true
			moved = append(moved, s.turn)
			box := r.turns[s.turn].box
			box.overdue, box.held = true, true
			g.workers[i].box = box
			g.sent++
			g.pending++
			g.overdue++
		}
		s.mu.Unlock()
	}
	for ; r.next < len(r.turns); r.next++ {
		left = append(left, r.next)
	}
	slices.Sort(left)
	slices.Sort(moved)
	return left, moved
}
