package store

import (
	"github.com/bufftick/bufftick/buff"
)

// Cut is the state of a whole zone at the end of one frame.
type Cut struct {
	Head

	// Owners are all owners of the zone, by id. Their bytes must not be changed.
	Owners []Owner

	// Commands are the ids of the last commands that were done, the oldest first: no more than
	// Window. A command that comes again is not done again.
	Commands []CommandID
}

// Head is all of a cut but its owners and commands. It is written anew with each cut.
type Head struct {
	// Zone is the name of the zone: 1 to MaxName bytes.
	Zone string

	// Epoch is the right to write: that of the Open that this zone was last taken by, or, in a
	// Batch, that of its writer.
	Epoch uint64

	// Frame is the number of the frame at whose end the zone was so, from 1. It goes on over
	// restarts: the cut after one of frame n has a higher one.
	Frame uint64

	// Clocks are the zone's, at the end of that frame.
	Clocks Clocks

	// Window is how many ids of commands are kept, up to MaxWindow.
	Window int

	// Older are owners that were busy at the end of the frame, by id: what the cut has of them,
	// if anything, is how they were in an older one.
	Older []buff.OwnerID

	// State are bytes of whoever drives the store, Data those of the game for the zone as a
	// whole: up to MaxBytes each.
	State, Data []byte
}

// Clocks are what a zone's time is made of, at the end of a frame.
type Clocks struct {
	// Moment is that of the engine: engine.Engine.Moment.
	Moment buff.Moment

	// Zones are the areas of the engine whose time is not the world's, by number.
	Zones []ZoneClock
}

// ZoneClock is the time of one area of an engine: engine.Engine.PauseZone and SetZoneRate.
type ZoneClock struct {
	Number uint32
	Rate   buff.Ratio // the zero Ratio for 1
	Paused bool
}

// Owner is one owner as it was at the end of a frame.
type Owner struct {
	// ID is unique in the whole store: an owner is in one zone of it at a time.
	ID buff.OwnerID

	// Frame is that of the cut with which it was last written. Commit sets it.
	Frame uint64

	// Blob is what engine.Engine.Save gave, Data the game's own bytes: up to MaxBytes each.
	Blob, Data []byte

	// Older reports, in a Cut, that the owner was busy: this is an older state of it. It does
	// not count in a Batch, whose Older names them.
	Older bool
}

// CommandID is what a sender calls a command, so that it is done once although it is sent
// twice. The store only compares it.
type CommandID [16]byte

// Batch is what makes the next cut of the last one.
type Batch struct {
	Head

	// Since is the Frame of the last cut that the writer knows to be committed, or 0. The Batch
	// holds all that has changed since then, also all that was in a Batch whose Commit failed:
	// that one may have become a cut, or not.
	Since uint64

	// Whole says that the Batch is all of the zone: what the store has of it beside, owners and
	// commands, goes. Since does not count then.
	Whole bool

	// Owners are those that have changed, Deleted those that have gone; nobody is in both, nor
	// twice. To delete who is not there is nothing.
	Owners  []Owner
	Deleted []buff.OwnerID

	// Moved are owners that leave for other zones, Arrived those that have come from them and are in
	// Owners, Deleted or Moved: of these Owner.ID and Number count. Nobody who leaves is in
	// Deleted. A store that is no Mover refuses a Batch that has any, with ErrNoMoves.
	Moved   []Move
	Arrived []Arrival

	// Commands are those that have been done since the cut of Since, the oldest first.
	Commands []CommandID
}

// Limits of what a store takes.
const (
	MaxName   = 200      // bytes of a zone's name
	MaxBytes  = 16 << 20 // of a blob, of an owner's data, of a zone's
	MaxWindow = 1 << 20  // ids of commands
)
