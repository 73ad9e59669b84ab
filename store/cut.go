package store

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/bufftick/bufftick/buff"
)

// Cut is the state of a whole zone at the end of one frame.
type Cut struct {
	Head

	// Owners holds all owners of the zone, sorted by id. Their bytes must not be changed.
	Owners []Owner

	// Commands holds the ids of the most recently executed commands, oldest first, at most Window
	// of them. A command with one of these ids is not executed again.
	Commands []CommandID
}

// Head is a cut without its owners and commands. It is written with each cut.
type Head struct {
	// Zone is the name of the zone: 1 to MaxName bytes.
	Zone string

	// Epoch identifies a call to Store.Open: in a Cut, the call that last acquired the zone; in a
	// Batch, the call by which the batch's writer acquired the zone.
	Epoch uint64

	// Frame is the number of a frame, starting at 1. The cut was made at the end of this frame.
	// The numbers continue across restarts, so each cut of a zone has a higher frame than the
	// previous cut.
	Frame uint64

	// Clocks holds the zone's clocks at the end of that frame.
	Clocks Clocks

	// Window is the number of command ids to keep, up to MaxWindow.
	Window int

	// Older lists, by id, the owners that were busy at the end of the frame. The cut contains an
	// earlier state of these owners, or none.
	Older []buff.OwnerID

	// State holds data of the library that uses the store, such as Saver. Data holds the game's
	// data of the whole zone. Each has up to MaxBytes.
	State, Data []byte
}

// Clocks holds the time and the clock settings of a zone at the end of a frame.
type Clocks struct {
	// Moment is the time of the engine, as returned by engine.Engine.Moment.
	Moment buff.Moment

	// Areas lists the areas of the engine that have their own time, by number.
	Areas []AreaClock
}

// AreaClock is the clock of one area of an engine: see buff.PauseArea and buff.SetAreaRate.
type AreaClock struct {
	Number uint32
	Rate   buff.Ratio // the zero Ratio means 1
	Paused bool
}

// Owner is the state of one owner at the end of a frame.
type Owner struct {
	// ID is unique in the whole store: an owner is in one zone at a time.
	ID buff.OwnerID

	// Frame is the frame of the cut in which the owner was last written. Commit sets it.
	Frame uint64

	// Blob is the result of engine.Engine.Save. Data holds the game's own bytes. Each has up to
	// MaxBytes.
	Blob, Data []byte

	// Older is true in a Cut if the owner was busy, so that this is an earlier state of the
	// owner. It is ignored in a Batch, which lists such owners in Head.Older.
	Older bool
}

// CommandID identifies a command, so that a command that is sent twice is executed once. The
// store only compares ids.
type CommandID [16]byte

// Batch holds the changes from the last cut to the next cut.
type Batch struct {
	Head

	// Since is the Frame of the last cut that the writer knows to be committed, or 0. The Batch
	// holds all changes since that cut, including the changes of failed commits, which the store
	// may or may not have kept.
	Since uint64

	// Whole means that the Batch contains the complete zone. All other owners and commands of the
	// zone are removed from the store, and Since is ignored.
	Whole bool

	// Owners lists the changed owners, and Deleted lists the removed owners. No owner is in both
	// lists, or twice in one list. Deleting a missing owner is a no-op.
	Owners  []Owner
	Deleted []buff.OwnerID

	// Moved lists owners that leave for other zones. Arrived lists owners that have arrived from
	// other zones and are in Owners, Deleted or Moved; only their Owner.ID and Number are used.
	// No owner is in both Moved and Deleted. A store that is not a Mover returns ErrNoMoves for a
	// Batch in which either list is not empty.
	Moved   []Move
	Arrived []Arrival

	// Commands lists the commands executed since the cut named by Since, oldest first.
	Commands []CommandID
}

// Size limits of a store.
const (
	MaxName   = 200      // bytes of a zone's name
	MaxBytes  = 16 << 20 // bytes of a blob, of an owner's data, or of a zone's data
	MaxWindow = 1 << 20  // number of command ids
)

// CheckName returns [ErrName] unless zone is a valid zone name: valid UTF-8 of 1 to [MaxName]
// bytes without a zero byte.
func CheckName(zone string) error {
	switch {
	case zone == "":
		return fmt.Errorf("%w: empty", ErrName)
	case len(zone) > MaxName:
		return fmt.Errorf("%w: %d bytes, more than %d", ErrName, len(zone), MaxName)
	case !utf8.ValidString(zone) || slices.Contains([]byte(zone), 0):
		return fmt.Errorf("%w: %q is not UTF-8 or contains a zero byte", ErrName, zone)
	}
	return nil
}
