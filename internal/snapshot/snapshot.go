package snapshot

import (
	"iter"

	"github.com/bufftick/bufftick/buff"
)

// Maker makes copies of the owners of one engine. Only the loop goroutine may call its methods,
// except GiveWay and Help.
type Maker interface {
	// Begin starts a round with all owners or, if all is false, with the owners changed since the
	// last round started. It panics if a round is in progress. Call it between two Ticks. It costs
	// O(owners that are not idle), and O(owners) if all is true.
	Begin(all bool) Round

	// Step copies at most limit owners of the round on the loop. It returns the number of owners
	// that it has copied, and whether all owners of the round are copied.
	Step(limit int) (n int, done bool)

	// Help copies owners of the round on the calling goroutine, as Step does on the loop, in the
	// time between two Ticks; owners due in the next Tick are copied first. It returns when all
	// are copied or a Tick starts, with the number copied. The loop may continue in the meantime;
	// if it needs an owner that is being copied, it waits until the copy is complete.
	//
	// Any goroutine may call it; a second concurrent call waits for the first.
	Help() (n int)

	// GiveWay waits for the end of a running Tick. A goroutine that writes copies and uses much
	// processor time calls it after each 100 µs of work, so that a Tick has all processors. If the
	// game has no time between its Ticks, GiveWay does not wait in every call.
	//
	// Any goroutine may call it, but only one at a time. The loop must not wait for this goroutine
	// within a Tick.
	GiveWay()

	// Take ends the round and returns its copies. It panics before Step has reported that all
	// are copied.
	Take() Copies

	Left() int    // number of owners of the round not yet copied
	Changed() int // number of owners that have changed for the next round so far
	Busy() bool   // reports whether an owner is busy, so that a round started now would have an older state of this owner

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
	Zone  uint32
	Blob  []byte // the blob of Engine.Save
	Data  []byte // result of Marshal for the game's data
	Lost  int    // number of timeouts by function and deferred handlers, which are not copied
	Err   error  // error of Marshal; if not nil, the owner is not copied, and the next round tries again
}

// Round describes a round at its start.
type Round struct {
	Moment buff.Moment
	Zones  []ZoneTime // zones that are paused or have a rate other than 1

	// Gone are the ids of owners that have left since the last round and have not come back.
	Gone map[buff.OwnerID]struct{}

	// Older lists the owners that were busy and have changed, so that their copies have an older
	// state.
	Older []buff.OwnerID

	// Waiting are accepted commands that wait for busy owners or for the next frame. Commands with
	// a function cannot be saved and are not included. Data that the commands point to belongs to
	// the engine. The caller must not change it, and the engine does not.
	Waiting []buff.Command
}

// ZoneTime is the rate and pause of a zone: see buff.SetZoneRate and buff.PauseZone.
type ZoneTime struct {
	Zone   uint32
	Rate   buff.Ratio // the zero Ratio means 1
	Paused bool
}
