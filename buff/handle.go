package buff

import (
	"fmt"

	"github.com/bufftick/bufftick/internal/handle"
)

// Handle identifies one instance of a buff on one owner. After the instance has ended, its handle
// is stale and is never used for another instance. The zero Handle identifies no buff.
//
// A Handle has 64 bits: 20 for the number of the owner, 12 for the slot on the owner and 32 for the
// generation of the slot, which counts the uses of the slot. A slot with no unused generation is
// retired. Engines start their generations far apart, so that a handle of another engine is stale.
type Handle uint64

// TimeoutHandle identifies one timeout of one owner. It has the same format and guarantees as a
// [Handle].
type TimeoutHandle uint64

// Limits that follow from the format of a handle.
const (
	MaxOwners   = 1 << 20 // number of owners of one engine at a time
	MaxPerOwner = 1 << 12 // number of instances of one owner, and number of its timeouts
)

// The format of a handle has the same limits.
var (
	_ = [1]bool{}[MaxOwners-handle.MaxOwners]
	_ = [1]bool{}[MaxPerOwner-handle.MaxSlots]
)

// Number returns the number of the owner in its engine, below [MaxOwners].
func (h Handle) Number() uint32 { return handle.Number(h) }

// Slot returns the slot of the buff on its owner, below [MaxPerOwner]. Running buffs have
// different slots; the slot of an ended buff is reused.
func (h Handle) Slot() int { return int(handle.Slot(h)) }

// Number returns the number of the owner in its engine, below [MaxOwners].
func (h TimeoutHandle) Number() uint32 { return handle.Number(h) }

// String returns owner number, slot and generation, as in "3/0/17".
func (h Handle) String() string {
	return fmt.Sprintf("%d/%d/%d", h.Number(), handle.Slot(h), handle.Generation(h))
}

// String returns owner number, slot and generation, as in "3/0/17".
func (h TimeoutHandle) String() string { return Handle(h).String() }
