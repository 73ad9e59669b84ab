package actor

// Stats is the state of a [Group] and its counters. At any time, Sent equals Handled plus the
// number of messages that wait, were requeued, or were consumed in turns that have not ended. If
// no mailbox is running or staged, Sent equals Handled.
type Stats struct {
	Staged  int // mailboxes that the next Start dispatches
	Running int // mailboxes that Collect has not returned
	Pending int // running mailboxes with an unfinished batch
	Ready   int // running mailboxes that wait for a worker
	Overdue int // pending mailboxes that Wait ignores unless its parameter "all" is set
	Workers int // tasks that the pool has accepted and that have not ended

	// Messages accepted by Send or deferred by batched turns, plus batched turns still running at
	// EndBatch.
	Sent       uint64
	Rejected   uint64 // messages refused by Send
	Handled    uint64 // messages consumed in turns that have ended
	Turns      uint64 // calls to Handle
	Refused    uint64 // tasks refused by the pool
	Panics     uint64 // panics that escaped Handle
	Exits      uint64 // calls to runtime.Goexit that escaped Handle
	HookPanics uint64 // panics that escaped Recovered
	PoolPanics uint64 // panics that escaped Submit, also counted in Refused
}

// Stats returns the current statistics. Only the loop goroutine may call it.
func (g *Group[O, M]) Stats() Stats {
	g.mu.Lock()
	defer g.mu.Unlock()
	return Stats{
		Staged:  len(g.staged),
		Running: len(g.running),
		Pending: g.pending,
		Ready:   g.ready.n,
		Overdue: g.overdue,
		Workers: len(g.workers) - len(g.free),

		Sent:       g.sent + g.counts.deferred,
		Rejected:   g.rejected,
		Handled:    g.counts.handled,
		Turns:      g.counts.turns,
		Refused:    g.counts.refused,
		Panics:     g.counts.panics,
		Exits:      g.counts.exits,
		HookPanics: g.counts.hookPanics,
		PoolPanics: g.counts.poolPanics,
	}
}

// Quiet reports whether no mailbox is staged or running and no batched turn was added, so that
// all data belongs to the loop. It takes no lock. Only the loop goroutine may call it.
func (g *Group[O, M]) Quiet() bool {
	return len(g.staged)+len(g.running)+len(g.batch.turns) == 0
}

// Running returns the mailboxes that Collect has not returned, in the order in which they were
// started. The slice is valid until the next Start or Collect, and must not be changed. The
// loop may read only the Owner field of these mailboxes.
//
// Only the loop goroutine may call it.
func (g *Group[O, M]) Running() []*Mailbox[O, M] { return g.running }

// Held appends to dst the mailboxes that workers hold now, in no particular order, and returns the
// extended slice. After a Wait that returned false, these are the mailboxes that it was waiting
// for. If "overdue" is true, Held returns only overdue mailboxes, see [Group.Wait]. The loop may
// read only the Owner field of these mailboxes. Held costs O(Workers). Only the loop goroutine may
// call it.
func (g *Group[O, M]) Held(dst []*Mailbox[O, M], overdue bool) []*Mailbox[O, M] {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range g.workers {
		if box := g.workers[i].box; box != nil && (box.overdue || !overdue) {
			dst = append(dst, box)
		}
	}
	return dst
}
