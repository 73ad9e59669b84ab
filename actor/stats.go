package actor

// Stats says how a [Group] stands and what it has done. At any time Sent is
// Handled plus the messages that wait, are put back, or were taken in turns that
// have not ended. Where nothing is away and nothing staged, Sent equals Handled.
type Stats struct {
	Staged  int // mailboxes that the next Start hands over
	Away    int // mailboxes that Collect has not returned
	Pending int // of those, mailboxes whose batch is not done
	Ready   int // of those, mailboxes that no pump has in hand
	Pumps   int // tasks that the pool has accepted and that have not ended

	Sent       uint64 // messages accepted by Send, kept by visits, and visits that were held
	Rejected   uint64 // messages that Send rejected with ErrFull
	Handled    uint64 // messages used up in turns that have ended
	Turns      uint64 // calls of Handle
	Refused    uint64 // tasks refused by the pool
	Panics     uint64 // panics that escaped Handle
	Exits      uint64 // calls of runtime.Goexit that escaped Handle
	HookPanics uint64 // panics that escaped Recovered
}

// Stats returns the present figures. Only the loop goroutine may call it.
func (g *Group[O, M]) Stats() Stats {
	g.mu.Lock()
	defer g.mu.Unlock()
	return Stats{
		Staged:  len(g.staged),
		Away:    len(g.away),
		Pending: g.pending,
		Ready:   g.ready.n,
		Pumps:   len(g.pumps) - len(g.free),

		Sent:       g.sent + g.counts.kept,
		Rejected:   g.rejected,
		Handled:    g.counts.handled,
		Turns:      g.counts.turns,
		Refused:    g.counts.refused,
		Panics:     g.counts.panics,
		Exits:      g.counts.exits,
		HookPanics: g.counts.hookPanics,
	}
}

// Quiet reports whether nothing is staged and nobody away: the loop has everything. It
// takes no lock. Only the loop goroutine may call it.
func (g *Group[O, M]) Quiet() bool {
	return len(g.staged)+len(g.away)+len(g.visiting.visits) == 0
}

// Held appends the mailboxes that pumps have in hand now to dst, in no
// particular order, and returns it: after a Wait that reported false, those who
// hold up the rest. Of such a mailbox the loop may read Owner and nothing else.
// It costs O(Pumps). Only the loop goroutine may call it.
func (g *Group[O, M]) Held(dst []*Mailbox[O, M]) []*Mailbox[O, M] {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range g.pumps {
		if box := g.pumps[i].box; box != nil {
			dst = append(dst, box)
		}
	}
	return dst
}
