package snapshot

import (
	"iter"

	"github.com/bufftick/bufftick/buff"
)

// Maker makes copies of the owners of one engine. Only the loop goroutine may call its methods, but GiveWay and Help.
type Maker interface {
	// Begin begins a round: with all owners, or with those who have changed since the last one began.
	// It panics if a round is under way. Between two Ticks; it costs O(owners that are not idle), and
	// O(owners) if all is true.
	Begin(all bool) Round

	// Step copies owners of the round on the loop, up to most of them, and returns how many it has copied. It reports
	// whether all have been copied.
	Step(most int) (n int, done bool)

	// Help copies owners of the round on its own goroutine, as Step does on the loop, in the time that a
	// game has left between two Ticks: first those who are due in the next one. It returns when all are copied, or
	// when a Tick begins, and says how many it has copied. The loop may do meanwhile what it likes; should it come to
	// an owner that is being copied, it waits for that one.
	//
	// Any goroutine may call it; of two at once the second one waits.
	Help() (n int)

	// GiveWay is for a goroutine that writes copies somewhere and uses a processor for long: a Tick that
	// runs meanwhile has one less. Between two pieces of its work, of some 100 µs, it waits here until the
	// Tick is over, if one runs. In a game that has no time left between its Ticks it does not wait
	// each time.
	//
	// One goroutine may call it, whichever it is. The loop must not wait for that one within a Tick.
	GiveWay()

	// Take ends the round and returns its copies. It panics before Step has said that it is done.
	Take() Copies

	Left() int    // owners of the round that have not been copied
	Changed() int // owners that the next round will have, so far
	Busy() bool   // somebody is busy now: a round that begins now would have an older state of it

	// Touch says that the game is about to change its own data of an owner: it must be called before. It fails with
	// engine.ErrUnknownOwner.
	Touch(id buff.OwnerID) error
}

// Copies is what a round has brought.
type Copies interface {
	All() iter.Seq[*Copy] // in no order; good until Free
	Len() int

	// Free says that nobody reads the copies and their bytes any more, so that others may be written in
	// their place. Any goroutine may call it, once.
	Free()
}

// Copy is one owner, as it was at one instant.
type Copy struct {
	Owner buff.OwnerID
	Zone  uint32
	Blob  []byte // as of Engine.Save
	Data  []byte // what Marshal has made of the game's data
	Lost  int    // timeouts by function and handlers put off that are not in it
	Err   error  // Marshal has failed; there is no copy, and the next round tries again
}

// Round is what is known of a round when it begins.
type Round struct {
	Moment buff.Moment
	Zones  []ZoneTime // whose time is not the world's

	// Gone are the ids that have left since the round before, and are not there.
	Gone map[buff.OwnerID]struct{}

	// Older are owners who were busy and have changed: what there is of them is older.
	Older []buff.OwnerID

	// Waiting are commands that have been accepted, and wait: for busy owners, and for the next
	// frame. Those that hold a function cannot be kept, and are not in it. What they point to is the
	// engine's too: it never changes, and must not be changed.
	Waiting []buff.Command
}

// ZoneTime is the time of a zone: see buff.SetZoneRate and buff.PauseZone.
type ZoneTime struct {
	Zone   uint32
	Rate   buff.Ratio // the zero Ratio for 1
	Paused bool
}
