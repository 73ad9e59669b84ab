package actor

// A worker is a slot for one task in the pool. The task is created once and submitted whenever a
// worker is needed and the slot is free. The group's lock protects all fields except task,
// round and turns.
type worker[O, M any] struct {
	task  func()
	state slotState
	box   *Mailbox[O, M] // the mailbox that the worker holds

	// Owned by the worker, without a lock: the current round, and the number of turns the worker
	// has run and not yet added to round.ended.
	round *round[O, M]
	turns int
}

type slotState uint8

const (
	vacant   slotState = iota // the slot is free and in Group.free
	reserved                  // the task was submitted and has not started
	active
)

// topUp submits workers until no slot is free, or until as many workers are about to start as
// there are ready mailboxes and batched turns. The result is true if the pool refused a worker
// while none is running, so that no worker will wake the loop. The lock is not held during
// Submit, because Submit may run the task.
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

// submit reports whether the pool accepted the task of worker i. A panic in the pool counts as a
// refusal.
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

// reserve takes a free slot if another worker is needed.
func (g *Group[O, M]) reserve() (i int, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	last := len(g.free) - 1
	if g.more != nil && len(g.free) < len(g.workers) {
		return 0, false
	}
	if last < 0 || g.ready.n+g.batch.left() <= g.starting {
		return 0, false
	}
	i = g.free[last]
	g.free = g.free[:last]
	g.workers[i].state = reserved
	g.starting++
	return i, true
}

// refuse releases a reserved slot after the pool has refused its task. It reports whether no
// worker is left.
func (g *Group[O, M]) refuse(i int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.counts.refused++
	if g.workers[i].state == reserved { // a faulty pool may return an error and still run the task
		g.starting--
		g.release(i)
	}
	return len(g.free) == len(g.workers)
}

// release frees a slot. The caller holds the lock.
func (g *Group[O, M]) release(i int) {
	g.workers[i].state = vacant
	g.workers[i].box = nil
	g.free = append(g.free, i)
}

// run is the task of worker i: it claims and handles work until the batch and the ready list are
// empty. If Handle ends the goroutine, the deferred function releases the slot. The deferred
// function must not call Submit, because the pool still counts the goroutine that is ending.
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
		if box == nil {
			g.runBatch(i)
		} else {
			g.turn(i, box)
		}
	}
	ended = true // next has already released the slot, which may have a new task
}

// enter marks worker i as active. It returns false if the slot is not reserved, which happens only
// with a faulty pool; the task must then do nothing.
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

// next finishes the current mailbox, if any, and claims another mailbox, in one critical section.
// If it claims no mailbox, the result "more" is true if there are batched turns to run, and false
// if the worker has ended.
func (g *Group[O, M]) next(i int, box *Mailbox[O, M]) (claimed *Mailbox[O, M], more bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if box != nil {
		g.finish(box)
	}
	g.countBatched(i)
	return g.claim(i)
}

// claim takes the first mailbox of the ready list. Batched turns come first. If there is no work, the worker ends inside this critical section.
// The loop adds work and looks for free slots under the same lock. So either this worker sees new
// work, or the loop sees that this slot is free. The caller holds the lock.
func (g *Group[O, M]) claim(i int) (box *Mailbox[O, M], more bool) {
	g.workers[i].box = nil
	if g.batch.left() > 0 {
		return nil, true
	}
	if box = g.ready.pop(); box == nil {
		g.release(i)
		return nil, false
	}
	g.workers[i].box = box
	g.counts.turns++
	return box, true
}

// finish puts a mailbox that has messages left at the end of the ready list, and marks any other
// mailbox as done. Once done is set, the loop may own the mailbox, so finish must not access it
// any more. The caller holds the lock.
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

// leave ends a worker whose goroutine is being ended by Goexit, and wakes the loop, which may
// have to submit another worker.
func (g *Group[O, M]) leave(i int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if box := g.workers[i].box; box != nil { // nil in a batched turn
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

// turn calls Handle once. Even if Handle panics or ends the goroutine, the mailbox is ready for
// its next turn afterwards. A Goexit also ends run.
func (g *Group[O, M]) turn(i int, box *Mailbox[O, M]) {
	returned := false
	defer func() {
		if returned {
			return
		}
		v := recover()
		if v == nil {
			// If the handler called Requeue before it ended the goroutine, the message is kept.
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

// fault counts a panic that escaped Handle or, if v is nil, a Goexit, and calls Recovered, which
// may itself panic.
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

// ready is the ready list: a queue in a ring buffer of a power-of-two size. The buffer grows only
// in reserve, which the loop calls, so a worker that puts a mailbox back never allocates under the
// lock.
type ready[T any] struct {
	ring []*T
	head int // index of the first element, modulo len(ring)
	n    int
}

// reserve makes room for n elements in total.
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

// push appends x. The caller must have reserved room for it.
func (q *ready[T]) push(x *T) {
	q.ring[(q.head+q.n)&(len(q.ring)-1)] = x
	q.n++
}

// pop removes and returns the first element, or nil if there is none.
func (q *ready[T]) pop() *T {
	if q.n == 0 {
		return nil
	}
	at := q.head & (len(q.ring) - 1)
	x := q.ring[at]
	q.ring[at] = nil // do not keep the owner alive
	q.head++
	q.n--
	return x
}
