package buff

import (
	"errors"

	"github.com/bufftick/bufftick/wheel"
)

// Moment is an instant on each of the clocks that a [Clock] names.
type Moment struct {
	// Now is the world's time of the engine that holds the Set.
	Now wheel.Time

	// Wall is the time of the calendar, in ms since any fixed instant: the same one for
	// the Save and the Restore.
	Wall int64

	// Uptime is how many ms the server has run so far. One that starts from zero with
	// each process makes a Restore in another process see no time away.
	Uptime int64
}

// Restoration is what came of a [Set.Restore].
type Restoration struct {
	Restored int // buffs that are back
	Expired  int // buffs that ended while their owner was away
	Unknown  int // buffs of which the catalog has no definition, or an instant one: kept aside
	Timeouts int // timeouts that are back
	Unnamed  int // timeouts whose handler nobody knows: kept aside

	// Away is for how many ms the owner was away by Moment.Wall, at least 0.
	Away int64

	// ClockStepped says that Moment.Wall went back: no time has passed for Wall buffs.
	ClockStepped bool
}

// ErrBlob is matched by every error of a blob that is damaged or is none. The error
// names what is wrong, and at which byte.
var ErrBlob = errors.New("buff: bad blob")

// Save appends to dst a blob with all of the owner that is kept, and returns it, and how
// many timeouts by function and handlers put off are not in it: those go with the Set.
// The Set does not change. The catalog is that of the Turns the Set is worked with.
//
// It wants what a [Set.Do] wants: everything due up to at.Now has been run. It costs
// O(buffs), more with tags, and allocates only what dst lacks.
func (s *Set) Save(dst []byte, c *Catalog, at Moment) (blob []byte, lost int) {
	return dst, 0
}

// Restore puts what is in a blob on the owner, whose Set must be as [NewSet] made it or
// [Set.Clear] left it; otherwise it panics. Turn.Catalog has the definitions. The function
// names handlers of timeouts; if nil, the catalog does.
//
// The events are, the oldest buff first: for one that is back a Restored, and what is to be
// told of the time away; for one that has ended meanwhile a Removed, without a Handle. They
// are at at.Now. It fails with [ErrBlob], or with [ErrFull] if the Set may not carry as
// much, and has then changed nothing.
func (s *Set) Restore(t *Turn, at Moment, blob []byte, handler func(name string) (HandlerID, bool)) (Restoration, error) {
	return Restoration{}, ErrBlob
}

// BlobJSON returns a blob in JSON, for people to read and to change, or [ErrBlob].
func BlobJSON(blob []byte) ([]byte, error) { return nil, ErrBlob }

// ParseBlobJSON returns the blob that is written in JSON: after [BlobJSON] the same, byte
// for byte. It fails with [ErrBlob] if a field is unknown or out of range.
func ParseBlobJSON(text []byte) (blob []byte, err error) { return nil, ErrBlob }
