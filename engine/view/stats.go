package view

import (
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/wheel"
)

// Fault describes a panic in a handler or in another function of the game, or a call of
// runtime.Goexit there.
type Fault struct {
	// Call is the function that failed: "" for a handler; "Members", "Record" or "SlowTrace" for a
	// function or writer in engine.Options; "Clock" for the clock passed to [Watch.Open]; "Look"
	// for the function passed to [Watch.Follow]; "Run" for a function passed to engine.Inbox.Run;
	// "Formula" for a define.Formula; "Game.Data" and the like for the functions of a replay.Game.
	Call string

	Event buff.Event // event of the handler; for Members, Look and Formula, only the owner is set
	Value any        // value of the panic; nil if the function ended its goroutine
	Stack []byte     // stack trace; nil if the function ended its goroutine

	// Suppressed is the number of unreported faults of this function since OnFault was last called
	// for it.
	Suppressed uint64
}

// Stuck describes an owner whose handler was still running when the budget was used up.
type Stuck struct {
	Owner buff.OwnerID
	Spec  *buff.Spec    // definition of the running or last handler; nil for a timeout
	For   time.Duration // game time since the start of the owner's turn
	Turn  StuckTurn     // identifies the turn for Watch.Stack
}

// StuckTurn identifies the turn of a [Stuck] owner. Its fields have meaning only for the engine.
type StuckTurn struct {
	Worker int // index of the worker; Mark and Since identify its state
	Mark   uint64
	Since  wheel.Time
}

// Stats holds the present state of an engine and its counters since it was made.
type Stats struct {
	Ticks  uint64
	Fired  uint64 // number of deadlines that have come out of the wheel; some were no longer valid
	Events uint64 // number of events in all frames

	Owners      int
	Busy        int           // number of owners whose turn was not over after the last Tick
	Behind      time.Duration // carried time that is still to be processed: see Options.CatchUp
	Lost        time.Duration // time dropped since the engine was made
	LostAtClose time.Duration // carried time dropped by Close
	Timers      int           // number of deadlines on the wheel, one for each buff, timeout and aura that has one
	Inbox       int           // number of accepted commands that are waiting in the Inbox

	Dropped      uint64 // number of due events that had become invalid when their turn came
	Refused      uint64 // number of commands refused with ErrOverloaded
	InboxRefused uint64 // number of commands refused with ErrInboxFull
	// Undelivered is the number of commands of handlers, busy owners and the Inbox that failed
	// without an event, because of an unknown owner, a stale handle or a full mailbox. It includes
	// stolen buffs that could not be applied.
	Undelivered      uint64
	DroppedOnDespawn uint64 // number of timeouts and deferred handlers dropped with their owner
	PoolRefused      uint64 // number of times that the pool had no free worker; work was delayed
	Faults           uint64 // number of faults in all functions of the game: see Fault
}

// InboxStats is the state of the Inbox of one producer.
type InboxStats struct {
	Producer string // the name; empty for Engine.Inbox
	Limit    int    // maximum number of waiting commands
	Waiting  int    // number of commands waiting now
	Refused  uint64 // number of commands refused with ErrInboxFull
}
