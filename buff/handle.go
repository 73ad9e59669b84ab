package buff

import "fmt"

// Handle names one instance of a buff on one owner, and never another: it is
// worthless once that instance has ended. The zero Handle names nothing.
//
// It is 64 bits: the owner's number (20), the slot on the owner (12) and the
// slot's generation (32). A slot whose generations are used up is retired, so
// that they never wrap round.
type Handle uint64

// TimeoutHandle names one timeout of one owner, in the manner of [Handle].
type TimeoutHandle uint64

// Limits that follow from the form of a handle.
const (
	MaxOwners   = 1 << 20 // owner numbers of one engine
	MaxPerOwner = 1 << 12 // instances, and again timeouts, on one owner
)

const (
	slotShift  = 32
	ownerShift = slotShift + 12
)

func pack(number uint32, slot uint16, generation uint32) uint64 {
	return uint64(number)<<ownerShift | uint64(slot)<<slotShift | uint64(generation)
}

// Number returns the owner's number as it was given to [NewSet].
func (h Handle) Number() uint32 { return uint32(h >> ownerShift) }

// Number returns the owner's number as it was given to [NewSet].
func (h TimeoutHandle) Number() uint32 { return uint32(h >> ownerShift) }

func (h Handle) slot() uint16              { return uint16(h>>slotShift) & (MaxPerOwner - 1) }
func (h Handle) generation() uint32        { return uint32(h) }
func (h TimeoutHandle) slot() uint16       { return uint16(h>>slotShift) & (MaxPerOwner - 1) }
func (h TimeoutHandle) generation() uint32 { return uint32(h) }

// String returns owner number, slot and generation: "3/0/17".
func (h Handle) String() string {
	return fmt.Sprintf("%d/%d/%d", h.Number(), h.slot(), h.generation())
}

// String returns owner number, slot and generation: "3/0/17".
func (h TimeoutHandle) String() string { return Handle(h).String() }

// Ref names a place on one owner that can fall due: an instance or a timeout. It
// is what the owner of a timing wheel keeps beside a deadline, to hand it to
// [Set.Wake] when the deadline has come.
type Ref uint16

const timeoutRef Ref = 1 << 15

func (r Ref) slot() uint16    { return uint16(r &^ timeoutRef) }
func (r Ref) isTimeout() bool { return r&timeoutRef != 0 }
