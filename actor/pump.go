package actor

// A pump is one slot for a task in the pool. Its task is made once and submitted
// again and again, but only when the slot is free. All fields but task and the last are
// under the group's lock.
type pump[O, M any] struct {
	task  func()
	state pumpState
	box   *Mailbox[O, M] // in hand

	// The pump's own, without a lock: its visits in a round that it has not counted yet.
	round   *round[O, M]
	visited int
}

type pumpState uint8

const (
	vacant   pumpState = iota // the slot is in Group.free
	reserved                  // submitted, the task has not begun
	running
)

// topUp submits pumps as long as a slot is free and more mailboxes are ready, or to be
// visited, than pumps are about to begin. It reports whether the pool refused while no pump was
// left: then nobody will send a token to wake. The lock is not held during Submit,
// which may run the task.
func (g *Group[O, M]) topUp() (halted bool) {
	for {
		i, ok := g.reserve()
		if !ok {
			return false
		}
		if err := g.pool.Submit(g.pumps[i].task); err != nil {
			return g.refuse(i)
		}
	}
}

// reserve takes a free slot if one is wanted.
func (g *Group[O, M]) reserve() (i int, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	last := len(g.free) - 1
	if last < 0 || g.ready.n+g.visiting.left() <= g.starting {
		return 0, false
	}
	i = g.free[last]
	g.free = g.free[:last]
	g.pumps[i].state = reserved
	g.starting++
	return i, true
}

// refuse gives a reserved slot back and reports whether no pump is left.
func (g *Group[O, M]) refuse(i int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.counts.refused++
	g.starting--
	g.release(i)
	return len(g.free) == len(g.pumps)
}

// release makes a slot free. The caller holds the lock.
func (g *Group[O, M]) release(i int) {
	g.pumps[i].state = vacant
	g.pumps[i].box = nil
	g.free = append(g.free, i)
}

// run is the task of pump i: claim, handle, until nothing is left to visit and nothing is
// ready. If Handle ends the goroutine, the deferred part gives the slot back. It must not
// Submit: it runs in the pool, whose worker is still counted.
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
		if box != nil {
			g.turn(i, box)
		} else {
			g.visits(i)
		}
	}
	ended = true // by next: the slot may have a new task by now
}

// enter begins a pump. A task for which no slot is reserved, which only a faulty pool can
// run, must do nothing.
func (g *Group[O, M]) enter(i int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pumps[i].state != reserved {
		return false
	}
	g.pumps[i].state = running
	g.starting--
	return true
}

// next passes the mailbox in hand on, if there is one, and claims another, in one critical
// section. Without one it reports whether there are visits; if not, the pump has ended.
func (g *Group[O, M]) next(i int, box *Mailbox[O, M]) (claimed *Mailbox[O, M], more bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if box != nil {
		g.finish(box)
	}
	g.countVisits(i)
	return g.claim(i)
}

// claim takes the first mailbox of the ready list into hand, once there is nobody left to
// visit. If there is none the pump ends here, and not later: the loop adds work and looks for free
// slots under the same lock, so it either sees this slot free or this pump sees
// the work. The caller holds the lock.
func (g *Group[O, M]) claim(i int) (box *Mailbox[O, M], more bool) {
	g.pumps[i].box = nil
	if g.visiting.left() > 0 {
		return nil, true
	}
	if box = g.ready.pop(); box == nil {
		g.release(i)
		return nil, false
	}
	g.pumps[i].box = box
	g.counts.turns++
	return box, true
}

// finish puts a mailbox with messages left at the end of the ready list, or
// marks it done. After that the loop may have it: finish must not touch it any
// more. The caller holds the lock.
func (g *Group[O, M]) finish(box *Mailbox[O, M]) {
	g.counts.handled += uint64(box.head - box.from)
	if int(box.head) < len(box.batch) && !box.rests {
		g.ready.push(box)
		return
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

// leave ends a pump whose goroutine is being ended by Goexit, and wakes the loop:
// it may have to send another.
func (g *Group[O, M]) leave(i int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if box := g.pumps[i].box; box != nil { // in a visit it is none, or none any more
		g.finish(box)
	}
	g.countVisits(i)
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
			v = Goexit{}
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

// fault counts what escaped Handle and tells Recovered, which may fail in turn.
func (g *Group[O, M]) fault(i int, owner O, v any) {
	g.mu.Lock()
	if _, exit := v.(Goexit); exit {
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
