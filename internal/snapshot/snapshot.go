package snapshot

import (
	"iter"

	"github.com/bufftick/bufftick/buff"
)

// Maker makes copies of the owners of one engine. Only the loop goroutine may call its methods,
// except GiveWay and Help.
type Maker interface {
	// Begin starts a round with all owners, or with those changed since the last one started.
	// It panics if a round is in progress. Call it between two Ticks. It costs O(owners that
	// are not idle), and O(owners) if all is true.
	Begin(all bool) Round

	// Step copies up to most owners of the round on the loop, and returns the number copied. It
	// reports whether all have been copied.
	Step(most int) (n int, done bool)

	// Help copies owners of the round on the calling goroutine, as Step does on the loop, in
	// the time between two Ticks; owners due in the next Tick come first. It returns the number
	// copied, when all are copied or a Tick starts. The loop may continue meanwhile; if it
	// needs an owner that is being copied, it waits for that copy.
	//
	// Any goroutine may call it; of two concurrent calls the second waits.
	Help() (n int)

	// GiveWay is for a goroutine that writes copies and uses much processor time, which a
	// concurrent Tick would lack. Between pieces of its work, of about 100 µs, the goroutine
	// calls GiveWay, which waits for the end of a running Tick. In a game without time between
	// its Ticks it does not wait each time.
	//
	// Any single goroutine may call it. The loop must not wait for that goroutine within a
	// Tick.
	GiveWay()

	// Take ends the round and returns its copies. It panics before Step has reported that all
	// are copied.
	Take() Copies

	Left() int    // owners of the round not yet copied
	Changed() int // owners of the next round so far
	Busy() bool   // an owner is busy: a round started now would have an older state of it

	// Touch must be called before the game changes its own data of an owner. It returns
	// engine.ErrUnknownOwner if there is no such owner.
	Touch(id buff.OwnerID) error
}

// Copies is the result of a round.
type Copies interface {
	All() iter.Seq[*Copy] // in no order; valid until Free
	Len() int

	// Free declares that the copies and their bytes are no longer used, so that their memory
	// can be reused. Any goroutine may call it, once.
	Free()
}

// Copy is one owner at one instant.
type Copy struct {
	Owner buff.OwnerID
	Zone  uint32
	Blob  []byte // as of Engine.Save
	Data  []byte // result of Marshal for the game's data
	Lost  int    // timeouts by function and deferred handlers that are missing
	Err   error  // error of Marshal; there is no copy, and the next round tries again
}

// Round describes a round at its start.
type Round struct {
	Moment buff.Moment
	Zones  []ZoneTime // zones with a time other than the world's

	// Gone are the ids of owners that have left since the last round and have not come back.
	Gone map[buff.OwnerID]struct{}

	// Older are busy owners that have changed: their copies have an older state.
	Older []buff.OwnerID

	// Waiting are accepted commands that wait for busy owners or for the next frame. Commands
	// with a function cannot be saved and are not included. Data that they point to belongs to
	// the engine and must not be changed; the engine does not change it.
	Waiting []buff.Command
}

// ZoneTime is the rate and pause of a zone: see buff.SetZoneRate and buff.PauseZone.
type ZoneTime struct {
	Zone   uint32
	Rate   buff.Ratio // zero for 1
	Paused bool
}
