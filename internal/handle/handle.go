// Package handle defines the format of the handles of buffs and timeouts: 20 bits for the number of
// the owner, 12 for the slot on the owner, and 32 for the generation of the slot.
package handle

// Limits that follow from the format.
const (
	MaxOwners = 1 << 20 // owners of one engine at a time
	MaxSlots  = 1 << 12 // buffs of one owner, and also timeouts of one owner

	slotShift  = 32
	ownerShift = slotShift + 12
)

// Pack returns the handle of a slot.
func Pack(number uint32, slot uint16, generation uint32) uint64 {
	return uint64(number)<<ownerShift | uint64(slot)<<slotShift | uint64(generation)
}

// Number returns the number of the owner.
func Number[H ~uint64](h H) uint32 { return uint32(h >> ownerShift) }

// Slot returns the slot on the owner.
func Slot[H ~uint64](h H) uint16 { return uint16(h>>slotShift) & (MaxSlots - 1) }

// Generation returns the generation of the slot.
func Generation[H ~uint64](h H) uint32 { return uint32(h) }
