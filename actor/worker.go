package actor

import "slices"

// A worker is one slot for a task in the pool. Its task is made once and submitted
// again and again, but only when the slot is free. All fields but task, held and the last are
// under the group's lock.
type worker[O, M any] struct {
	task  func()
	state slotState
	box   *Mailbox[O, M] // in hand
	held  *Turn[O, M]    // what to do with box, out of Group.behind; nil: call Handle

	// The worker's own, without a lock: its batched turns in a round that it has not counted yet.
	round *round[O, M]
	turns int
}

type slotState uint8

const (
	vacant   slotState = iota // the slot is in Group.free
	reserved                  // submitted, the task has not begun
	active
)

// topUp submits workers as long as a slot is free and more mailboxes or batched turns are ready
// than workers are about to begin. It reports whether the pool refused while no worker was
// left: then nobody will send a token to wake. The lock is not held during Submit,
// which may run the task.
func (g *Group[O, M]) topUp() (halted bool) {
	for {
		i, ok := g.reserve()
		if !ok {
			return false
		}
		if !g.submit(i) {
			return g.refuse(i)
		}
	}
}

// submit reports whether the pool has taken a worker. A pool that panics has refused.
func (g *Group[O, M]) submit(i int) (taken bool) {
	defer func() {
		if recover() != nil {
			g.mu.Lock()
			g.counts.poolPanics++
			g.mu.Unlock()
		}
	}()
	return g.pool.Submit(g.workers[i].task) == nil
}

// reserve takes a free slot if one is wanted.
func (g *Group[O, M]) reserve() (i int, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	last := len(g.free) - 1
	if g.more != nil && len(g.free) < len(g.workers) {
		return 0, false
	}
	if last < 0 || g.ready.n+len(g.behind)+g.batch.left() <= g.starting {
		return 0, false
	}
	i = g.free[last]
	g.free = g.free[:last]
	g.workers[i].state = reserved
	g.starting++
	return i, true
}

// refuse gives a reserved slot back and reports whether no worker is left.
func (g *Group[O, M]) refuse(i int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.counts.refused++
	if g.workers[i].state == reserved { // a faulty pool may have run it all the same
		g.starting--
		g.release(i)
	}
	return len(g.free) == len(g.workers)
}

// release makes a slot free. The caller holds the lock.
func (g *Group[O, M]) release(i int) {
	g.workers[i].state = vacant
	g.workers[i].box = nil
	g.free = append(g.free, i)
}

// run is the task of worker i: claim, handle, until nothing is left in the batch and nothing is
// ready. If Handle ends the goroutine, the deferred part gives the slot back. It must not
// Submit: it runs in the pool, whose goroutine is still counted.
func (g *Group[O, M]) run(i int) {
	if !g.enter(i) {
		return
	}
	ended := false
	defer func() {
		if !ended {
			g.leave(i)
		}
	}()
	var box *Mailbox[O, M]
	for more := true; more; box, more = g.next(i, box) {
		switch v := g.workers[i].held; {
		case box == nil:
			g.runBatch(i)
		case v != nil:
			g.workers[i].held, box = nil, nil
			g.runBatched(i, nil, v) // it is done with the mailbox
		default:
			g.turn(i, box)
		}
	}
	ended = true // by next: the slot may have a new task by now
}

// enter begins a worker. A task for which no slot is reserved, which only a faulty pool can
// run, must do nothing.
func (g *Group[O, M]) enter(i int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.workers[i].state != reserved {
		return false
	}
	g.workers[i].state = active
	g.starting--
	return true
}

// next passes the mailbox in hand on, if there is one, and claims another, in one critical
// section. Without one it reports whether there are batched turns; if not, the worker has ended.
func (g *Group[O, M]) next(i int, box *Mailbox[O, M]) (claimed *Mailbox[O, M], more bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if box != nil {
		g.finish(box)
	}
	g.countBatched(i)
	return g.claim(i)
}

// claim takes the first mailbox of the ready list into hand, once there is no batched turn left, and
// none that is held behind. If there is none the worker ends here, and not later: the loop adds work and looks for free
// slots under the same lock, so it either sees this slot free or this worker sees
// the work. The caller holds the lock.
func (g *Group[O, M]) claim(i int) (box *Mailbox[O, M], more bool) {
	g.workers[i].box = nil
	if g.batch.left() > 0 {
		return nil, true
	}
	if len(g.behind) > 0 {
		v := g.behind[0]
		g.behind = slices.Delete(g.behind, 0, 1)
		g.workers[i].box, g.workers[i].held = v.box, v
		return v.box, true
	}
	if box = g.ready.pop(); box == nil {
		g.release(i)
		return nil, false
	}
	g.workers[i].box = box
	g.counts.turns++
	return box, true
}

// finish puts a mailbox with messages left at the end of the ready list, or
// marks it done. After that the loop may have it: finish must not touch it any
// more. The caller holds the lock.
func (g *Group[O, M]) finish(box *Mailbox[O, M]) {
	if b := box.batch; b != nil {
		g.counts.handled += uint64(b.head - b.from)
		if int(b.head) < len(b.messages) && !b.parks {
			g.ready.push(box)
			return
		}
	}
	if box.overdue {
		box.overdue = false
		g.overdue--
	}
	g.pending--
	box.done.Store(true)
	if g.pending == g.overdue {
		g.notify()
	}
}

// leave ends a worker whose goroutine is being ended by Goexit, and wakes the loop:
// it may have to send another.
func (g *Group[O, M]) leave(i int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if box := g.workers[i].box; box != nil { // in a batched turn it is none, or none any more
		g.finish(box)
	}
	g.countBatched(i)
	g.release(i)
	g.notify()
}

func (g *Group[O, M]) notify() {
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// turn calls Handle once. Whatever Handle does, the mailbox is afterwards as the
// next turn needs it; only a Goexit goes on through run.
func (g *Group[O, M]) turn(i int, box *Mailbox[O, M]) {
	returned := false
	defer func() {
		if returned {
			return
		}
		v := recover()
		if v == nil {
			// Whoever puts the message back on the way out knows what is left of it.
			box.end(box.turn == open)
		} else {
			box.end(true)
		}
		g.fault(i, box.Owner, v)
	}()
	box.begin()
	g.handle(i, box)
	returned = true
	box.end(false)
}

// fault counts what escaped Handle, a panic or, if v is nil, a Goexit, and tells Recovered, which may fail in turn.
func (g *Group[O, M]) fault(i int, owner O, v any) {
	g.mu.Lock()
	if v == nil {
		g.counts.exits++
	} else {
		g.counts.panics++
	}
	g.mu.Unlock()
	if g.recovered == nil {
		return
	}
	defer func() {
		if recover() != nil {
			g.mu.Lock()
			g.counts.hookPanics++
			g.mu.Unlock()
		}
	}()
	g.recovered(i, owner, v)
}

// ready is the ready list: a queue in a ring of a power of two. It grows only in
// reserve, which the loop calls, so that a worker which puts a mailbox back never
// allocates under the lock.
type ready[T any] struct {
	ring []*T
	head int // index of the first, before masking
	n    int
}

// reserve makes room for n elements in all.
func (q *ready[T]) reserve(n int) {
	if n <= len(q.ring) {
		return
	}
	size := max(16, len(q.ring))
	for size < n {
		size *= 2
	}
	ring := make([]*T, size)
	for i := range q.n {
		ring[i] = q.ring[(q.head+i)&(len(q.ring)-1)]
	}
	q.ring, q.head = ring, 0
}

// push appends x. There must be room.
func (q *ready[T]) push(x *T) {
	q.ring[(q.head+q.n)&(len(q.ring)-1)] = x
	q.n++
}

// pop takes the first, or returns nil if there is none.
func (q *ready[T]) pop() *T {
	if q.n == 0 {
		return nil
	}
	at := q.head & (len(q.ring) - 1)
	x := q.ring[at]
	q.ring[at] = nil // the list must not keep an owner alive
	q.head++
	q.n--
	return x
}
