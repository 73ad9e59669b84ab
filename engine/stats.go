package engine

import "time"

// Stats says how an engine stands and what it has done since it was made.
type Stats struct {
	Ticks  uint64
	Fired  uint64 // deadlines that came due on the wheel
	Events uint64 // in all frames

	Owners      int
	Busy        int           // whose turn was not over at the end of the last Tick
	Behind      time.Duration // that is still to be worked off: see Options.CatchUp
	Lost        time.Duration // that was dropped since the engine was made
	LostAtClose time.Duration // carried time that Close has dropped
	Timers      int           // on the wheel, waiting
	Inbox       int           // commands of other goroutines that were accepted and wait

	Dropped          uint64 // due, and looked at just before it ran no longer so
	Refused          uint64 // commands refused with ErrOverloaded
	InboxRefused     uint64 // commands refused with ErrInboxFull, of all producers: see Inbox.Stats
	Undelivered      uint64 // commands of handlers, of busy owners and of the inbox that found nobody, nothing or no room, and left no event; and what was stolen for such a thief
	DroppedOnDespawn uint64 // timeouts and handlers put off that went with their owner
	PoolRefused      uint64 // times that the pool had no worker; the work waits, nothing is lost
	Faults           uint64 // panics, and ends by runtime.Goexit, of handlers and of what else the game has handed in: see Fault
}

// Stats returns the present figures.
//
// Only the loop goroutine may call it.
func (e *Engine) Stats() Stats {
	e.enter("Stats")
	s, g := e.stats, e.group.Stats()
	s.Owners = len(e.byID)
	s.Busy = g.Running + g.Staged + e.backlog.n
	s.Behind = span(e.now, e.target)
	s.Timers = e.wheel.Len()
	s.Inbox = e.producers.waiting()
	s.InboxRefused = e.producers.refusals()
	s.Dropped = e.loop.Dropped + e.dropped.Load()
	s.Undelivered += e.loop.Failed + e.failed.Load()
	s.PoolRefused = g.Refused
	s.Faults = e.failures.Load()
	return s
}
