package buff

import (
	"errors"

	"github.com/bufftick/bufftick/internal/state"
)

var (
	// ErrBlob means that the data is damaged or is not a blob. The error text names the fault and
	// its position.
	ErrBlob = state.Err

	// ErrRoom means that restoring a blob would emit more events or call more handlers at once than
	// [Turn].MostEvents and [Turn].MostCalls allow. The error text says how many.
	ErrRoom = errors.New("buff: too much at once")
)

// This line compiles only if package state has the same limits as this package.
const _ = uint(MaxPerOwner-state.MaxPerOwner) + uint(state.MaxPerOwner-MaxPerOwner) + uint(MaxRate-state.MaxRate) + uint(state.MaxRate-MaxRate)

// BlobMoment returns the calendar time and the uptime, in ms, that [Set.Save] was called with when
// it made the blob. It fails with [ErrBlob]. Except for these values it verifies only the checksum
// of the blob.
func BlobMoment(blob []byte) (wall, uptime int64, err error) {
	o, err := state.DecodePlace(blob)
	return o.Wall, o.Uptime, err
}

// BlobZone returns the zone that [Set.Save] was called with when it made the blob. It fails with
// [ErrBlob]. Except for this value it verifies only the checksum of the blob.
func BlobZone(blob []byte) (zone uint32, err error) {
	o, err := state.DecodePlace(blob)
	return o.Zone, err
}

// MoveBlob converts a blob for use on another server, whose uptime is uptime ms. Uptimes and zones
// differ between servers, so the owner is in zone 0 on the new server, and for buffs with the clock
// Uptime no time passes during the move. For buffs with the clock Wall time does pass. It fails
// with [ErrBlob].
func MoveBlob(blob []byte, uptime int64) ([]byte, error) {
	o, err := state.Decode(blob, &state.Memory{})
	if err != nil {
		return nil, err
	}
	by := uptime - o.Uptime
	o.Uptime, o.Zone = uptime, 0
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
