package view

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// Fault says how a handler failed, or something else that the game has handed in.
type Fault struct {
	// Call is what was called: "" for a handler; "Members", "Record" or "SlowTrace" for what
	// has that name in engine.Options; "Clock" for that of [Watch.Open], "Look" for that of
	// [Watch.Follow]; "Run" for that of engine.Inbox.Run; "Formula" for a define.Formula; "Game.Data" and the like for what is given to replay.Run.
	Call string

	Event buff.Event // that the handler was called for; of Members, Look and Formula, the owner
	Value any        // what it panicked with; nil if it ended its goroutine
	Stack []byte     // where; nil if it ended its goroutine

	// Suppressed is how many faults of the same site there were, since the last of which
	// OnFault was told, of which it was not.
	Suppressed uint64
}

// Stuck is an owner whose handler does not come to its end.
type Stuck struct {
	Owner buff.OwnerID
	Spec  *buff.Spec    // whose handler runs, or ran last; nil for a timeout
	For   time.Duration // engine time since its turn began
	Turn  StuckTurn     // by which Watch.Stack finds it
}

// StuckTurn is the turn of a [Stuck] owner: it says something to the engine alone.
type StuckTurn struct {
	Worker int // that the owner holds, with what that said of itself
	Mark   uint64
	Since  wheel.Time
}

// Stats says how an engine stands and what it has done since it was made.
type Stats struct {
	Ticks  uint64
	Fired  uint64 // timers of the wheel that came due: each owner has one, and each aura
	Events uint64 // in all frames

	Owners      int
	Busy        int           // whose turn was not over at the end of the last Tick
	Behind      time.Duration // that is still to be worked off: see Options.CatchUp
	Lost        time.Duration // that was dropped since the engine was made
	LostAtClose time.Duration // carried time that Close has dropped
	Timers      int           // on the wheel, waiting: one for each owner to whom something is to come, and one for each aura
	Inbox       int           // commands of other goroutines that were accepted and wait

	Dropped          uint64 // due, and looked at just before it ran no longer so
	Refused          uint64 // commands refused with ErrOverloaded
	InboxRefused     uint64 // commands refused with ErrInboxFull, of all producers: see Inbox.Stats
	Undelivered      uint64 // commands of handlers, of busy owners and of the inbox that found nobody, nothing or no room, and left no event; and what was stolen for such a thief
	DroppedOnDespawn uint64 // timeouts and handlers put off that went with their owner
	PoolRefused      uint64 // times that the pool had no worker; the work waits, nothing is lost
	Faults           uint64 // panics, and ends by runtime.Goexit, of handlers and of what else the game has handed in: see Fault
}

// InboxStats says how the Inbox of one producer stands.
type InboxStats struct {
	Producer string // the name; empty for Engine.Inbox
	Limit    int    // commands that may wait
	Waiting  int    // commands that do
	Refused  uint64 // commands refused with ErrInboxFull
}
