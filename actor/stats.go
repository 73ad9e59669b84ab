package actor

// Stats says how a [Group] stands and what it has done. At any time Sent is
// Handled plus the messages that wait, are put back, or were taken in turns that
// have not ended. Where nothing is running and nothing staged, Sent equals Handled.
type Stats struct {
	Staged  int // mailboxes that the next Start hands over
	Running int // mailboxes that Collect has not returned
	Pending int // of those, mailboxes whose batch is not done
	Ready   int // of those, mailboxes that no worker has in hand
	Overdue int // of Pending, those that Wait waits for only if told to wait for all
	Workers int // tasks that the pool has accepted and that have not ended

	Sent       uint64 // messages accepted by Send, deferred by batched turns, and batched turns that were held
	Rejected   uint64 // messages that Send did not keep
	Handled    uint64 // messages used up in turns that have ended
	Turns      uint64 // calls of Handle
	Refused    uint64 // tasks refused by the pool
	Panics     uint64 // panics that escaped Handle
	Exits      uint64 // calls of runtime.Goexit that escaped Handle
	HookPanics uint64 // panics that escaped Recovered
	PoolPanics uint64 // panics that escaped Submit; they are among Refused
}

// Stats returns the present figures. Only the loop goroutine may call it.
func (g *Group[O, M]) Stats() Stats {
	g.mu.Lock()
	defer g.mu.Unlock()
	return Stats{
		Staged:  len(g.staged),
		Running: len(g.running),
		Pending: g.pending,
		Ready:   g.ready.n + len(g.behind),
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

// Quiet reports whether nothing is staged and nobody running: the loop has everything. It
// takes no lock. Only the loop goroutine may call it.
func (g *Group[O, M]) Quiet() bool {
	return len(g.staged)+len(g.running)+len(g.batch.turns) == 0
}

// Running returns the mailboxes that Collect has not returned, in the order in which they were handed
// over. The list is good until the next Start or Collect, and must not be changed. Of such a mailbox
// the loop may read Owner and nothing else.
//
// Only the loop goroutine may call it.
func (g *Group[O, M]) Running() []*Mailbox[O, M] { return g.running }

// Held appends the mailboxes that workers have in hand now to dst, in no
// particular order, and returns it: after a Wait that reported false, those who
// hold up the rest. If overdue is set they are only those which are overdue, see [Group.Wait].
// Of such a mailbox the loop may read Owner and nothing else.
// It costs O(Workers). Only the loop goroutine may call it.
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
