package buff

import (
	"errors"

	"github.com/bufftick/bufftick/internal/state"
	"github.com/bufftick/bufftick/wheel"
)

var (
	// ErrBlob means that the data is damaged or is not a blob. The error text names the fault and
	// its position.
	ErrBlob = state.Err

	// ErrRoom means that restoring a blob would emit more events or call more handlers at once than
	// the engine allows. The error text says how many.
	ErrRoom = errors.New("buff: too much at once")
)

// Restoration is the result of restoring an owner.
type Restoration struct {
	Restored int // buffs that were restored
	Expired  int // buffs that ended while their owner was away

	// Unknown is the number of buffs that were set aside, because the catalog has no definition
	// for them or their definition is now instant. Links of such buffs are set aside too. A buff
	// that is set aside is not on the owner, but it is in the owner's next blob.
	Unknown int

	Timeouts int // timeouts that were restored
	Unnamed  int // timeouts that were set aside, because their handler is unknown

	// Away is how long the owner was away, measured by Moment.Wall, in ms, at least 0.
	Away int64

	// Sources are the sources of restored buffs that end or are adopted when their source leaves
	// (Spec.OnSourceGone). They are sorted, without duplicates and without the owner. While the
	// owner was away, it was not notified of a source that left: for each source in the list that
	// has left, send the owner a LoseSource.
	Sources []OwnerID

	// ClockStepped reports that Moment.Wall is earlier than when the owner was saved. No time has
	// passed for Wall buffs then.
	ClockStepped bool

	// UptimeStepped reports that Moment.Uptime is earlier than when the owner was saved, and that
	// the blob has an Uptime buff, for which no time has passed then. It means that the server
	// does not keep its uptime between runs.
	UptimeStepped bool
}

// Moment is one instant on each of the clocks of [define.Clock].
type Moment struct {
	// Now is the world time of the engine that saves or restores the owner.
	Now wheel.Time

	// Wall is the calendar time in ms since any fixed instant, the same for Save and Restore.
	Wall int64

	// Uptime is how long the server has run so far, in ms. If it starts from zero in each process,
	// a Restore in another process may see no time away.
	Uptime int64
}

// MoveBlob converts a blob for use on another server, whose uptime in ms is given. Uptimes and
// areas differ between servers, so the owner is in area 0 on the new server, and for buffs with the
// clock Uptime no time passes during the move. For buffs with the clock Wall, time does pass.
// MoveBlob fails with [ErrBlob].
func MoveBlob(blob []byte, uptime int64) ([]byte, error) {
	o, err := state.Decode(blob, &state.Memory{})
	if err != nil {
		return nil, err
	}
	by := uptime - o.Uptime
	o.Uptime, o.Area = uptime, 0
	for k := range o.Buffs {
		if since := o.Buffs[k].Since; since != nil {
			since.Uptime += by
		}
	}
	return o.Append(make([]byte, 0, len(blob)+8)), nil
}

// BlobJSON converts a blob to JSON, for people to read and edit. It fails with [ErrBlob], in
// particular if the blob has a name that is not UTF-8, which JSON cannot hold.
func BlobJSON(blob []byte) ([]byte, error) {
	o, err := state.Decode(blob, &state.Memory{})
	if err != nil {
		return nil, err
	}
	return o.JSON()
}

// ParseBlobJSON converts JSON back to a blob. For the output of [BlobJSON] the result is equal to
// the original blob, byte for byte. It fails with [ErrBlob] if a field is unknown, missing or out
// of range.
func ParseBlobJSON(text []byte) (blob []byte, err error) {
	o, err := state.ParseJSON(text)
	if err != nil {
		return nil, err
	}
	return o.Append(nil), nil
}
