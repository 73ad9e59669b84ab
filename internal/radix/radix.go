package radix

import (
	"math/bits"
	"slices"
)

// few is the largest number of keys that are sorted by comparing. For few keys counting is slower,
// because it always has the cost of 256 counters.
const few = 32

// Sort sorts keys in ascending order. It makes one pass for each group of eight bits in which the
// keys differ, but ignores the lowest `low` bits. Keys that differ only in these bits should be
// rare; if there are any, Sort falls back to a comparison sort. The parameter `spare` is scratch
// memory. If the scratch memory is too small, Sort allocates more. Sort returns the scratch memory
// for the next call.
func Sort[K ~uint64](keys []K, low int, spare []K) []K {
	if len(keys) <= few {
		slices.Sort(keys)
		return spare
	}
	if cap(spare) < len(keys) {
		spare = make([]K, len(keys), cap(keys))
	}
	byDigits(keys, low, spare)
	if !slices.IsSorted(keys) {
		slices.Sort(keys)
	}
	return spare
}

// byDigits sorts keys, but ignores the lowest `low` bits. The sort is stable.
func byDigits[K ~uint64](keys []K, low int, spare []K) {
	differ := K(0)
	for _, k := range keys {
		differ |= k ^ keys[0]
	}
	from, to := keys, spare[:len(keys)]
	for shift := low; shift < bits.Len64(uint64(differ)); shift += 8 {
		if uint8(differ>>shift) != 0 {
			pass(to, from, shift)
			from, to = to, from
		}
	}
	if &from[0] != &keys[0] {
		copy(keys, from)
	}
}

// pass copies the keys, sorted by the eight bits that start at bit `shift`. The sort is stable.
func pass[K ~uint64](to, from []K, shift int) {
	var at [256]uint32
	for _, k := range from {
		at[uint8(k>>shift)]++
	}
	n := uint32(0)
	for digit, many := range at {
		at[digit] = n
		n += many
	}
	for _, k := range from {
		digit := uint8(k >> shift)
		to[at[digit]] = k
		at[digit]++
	}
}
