package snapshot

import (
	"iter"

	"github.com/bufftick/bufftick/buff"
)

// Marshal appends the game's own data of an owner to dst, in the form in which it is stored, and
// returns the extended slice. If it fails or panics, the owner has no copy in this round. Marshal
// is called by the goroutine that has exclusive access to the owner at the time, and may be called
// concurrently for different owners. It must not call the engine, and must not block: a call that
// never returns blocks the next round and every change of its owner.
type Marshal = func(id buff.OwnerID, data any, dst []byte) ([]byte, error)

// Of returns the Maker of an engine, an *engine.Engine, for package store. It is a variable that
// package engine sets, so that the method is not exported to games. An engine has only one Maker;
// a second call panics.
//
// Only the loop goroutine may call it.
var Of func(engine any, m Marshal) Maker

// Maker makes copies of the owners of one engine. Only the loop goroutine may call its methods,
// except GiveWay and Help.
type Maker interface {
	// Begin starts a round with all owners or, if `all` is false, with the owners that have changed
	// since the last round started. Call it between two Ticks. It panics if a round is in progress.
	// It costs O(owners that are not idle), or O(owners) for a round with all owners.
	Begin(all bool) Round

	// Step copies at most `limit` owners of the round on the loop. It returns the number of owners
	// that it has copied, and whether all owners of the round are copied.
	Step(limit int) (n int, done bool)

	// Help copies owners of the round in the time between two Ticks, like Step but on the calling
	// goroutine. Owners that are due in the next Tick are copied first. Help returns when all
	// owners are copied or a Tick starts, with the number of owners that it has copied. The loop
	// may run in the meantime; if it needs an owner that is being copied, it waits until the copy
	// is complete.
	//
	// Any goroutine may call Help. A concurrent second call waits for the first.
	Help() (n int)

	// GiveWay waits for the end of a running Tick. A goroutine that writes copies and uses much
	// processor time should call it after each 100 µs of work, so that a Tick has all processors.
	// If the game leaves no time between its Ticks, some calls of GiveWay return without waiting.
	//
	// Any goroutine may call GiveWay, but only one at a time. The loop must not wait for this
	// goroutine within a Tick.
	GiveWay()

	// Take ends the round and returns its copies. It panics if Step has not yet reported that all
	// owners are copied.
	Take() Copies

	Left() int    // number of owners of the round that are not copied yet
	Changed() int // number of owners of the next round so far
	Busy() bool   // reports whether a round that starts now would have older states of busy owners

	// Touch must be called before the game changes its own data of an owner. It returns
	// engine.ErrUnknownOwner if there is no such owner.
	Touch(id buff.OwnerID) error
}

// Copies is the result of a round.
type Copies interface {
	All() iter.Seq[*Copy] // the copies in unspecified order; valid until Free
	Len() int             // number of copies

	// Free declares that the copies and their bytes are no longer used, so that their memory
	// can be reused. Any goroutine may call it, once.
	Free()
}

// Copy is one owner at one instant.
type Copy struct {
	Owner buff.OwnerID
	Area  uint32
	Blob  []byte // the blob of Engine.Save
	Data  []byte // result of Marshal for the game's data
	Lost  int    // number of deferred handlers and of timeouts with a function value, which are not copied
	Err   error  // error of Marshal; the owner is then not copied, and the next round retries
}

// Round describes a round at its start.
type Round struct {
	Moment buff.Moment
	Areas  []AreaTime // areas that are paused or have a rate other than 1

	// Gone are the ids of owners that have left since the last round and have not come back.
	Gone map[buff.OwnerID]struct{}

	// Older lists changed owners that were busy at the start, so that their copies have an older
	// state.
	Older []buff.OwnerID

	// Waiting holds accepted commands that wait for busy owners or for the next frame, except
	// commands with a function, which cannot be saved. The data that the commands point to belongs
	// to the engine. The engine does not change it, and the caller must not change it either.
	Waiting []buff.Command
}

// AreaTime is the rate and pause of an area: see buff.SetAreaRate and buff.PauseArea.
type AreaTime struct {
	Area   uint32
	Rate   buff.Ratio // the zero Ratio means 1
	Paused bool
}
