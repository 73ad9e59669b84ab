package buff

import (
	"errors"

	"github.com/bufftick/bufftick/internal/state"
)

var (
	// ErrBlob is matched by every error of a blob that is damaged or is not a blob. The error names
	// the fault and its position.
	ErrBlob = state.Err

	// ErrRoom is matched by the error of a blob that would emit more events or call more handlers at
	// once than [Turn].MostEvents and [Turn].MostCalls allow. The error says how many.
	ErrRoom = errors.New("buff: too much at once")
)

// The limits of package state are those of this package.
const _ = uint(MaxPerOwner-state.MaxPerOwner) + uint(state.MaxPerOwner-MaxPerOwner) + uint(MaxRate-state.MaxRate) + uint(state.MaxRate-MaxRate)

// BlobMoment returns the calendar time and the uptime, in ms, that [Set.Save] was given for a blob.
// It fails with [ErrBlob]. Of the rest of the blob it verifies only the checksum.
func BlobMoment(blob []byte) (wall, uptime int64, err error) {
	o, err := state.DecodePlace(blob)
	return o.Wall, o.Uptime, err
}

// BlobZone returns the zone in which the owner of a blob was: see [Set.Save]. It fails with
// [ErrBlob]. Of the rest of the blob it verifies only the checksum.
func BlobZone(blob []byte) (zone uint32, err error) {
	o, err := state.DecodePlace(blob)
	return o.Zone, err
}

// MoveBlob converts a blob for another server that has run for uptime ms, where the owner is in zone
// 0: uptime and zones belong to one server. No uptime passes for its Uptime buffs; calendar time
// does. It fails with [ErrBlob].
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

// BlobJSON returns a blob in JSON, for people to read and edit. It fails with [ErrBlob], also if a
// name in it is not UTF-8, which JSON cannot hold.
func BlobJSON(blob []byte) ([]byte, error) {
	o, err := state.Decode(blob, &state.Memory{})
	if err != nil {
		return nil, err
	}
	return o.JSON()
}

// ParseBlobJSON returns the blob that is written in JSON: for the output of [BlobJSON] the same blob,
// byte for byte. It fails with [ErrBlob] if a field is unknown, missing or out of range.
func ParseBlobJSON(text []byte) (blob []byte, err error) {
	o, err := state.ParseJSON(text)
	if err != nil {
		return nil, err
	}
	return o.Append(nil), nil
}
