package radix

import (
	"cmp"
	"math/bits"
	"slices"
)

// few is how many keys are sorted by comparing them: to count over 256 digits takes longer than that.
const few = 32

// Sort sorts keys in ascending order. It goes over them once for each eight bits in which they differ, but for the low ones: these decide
// where all the others are equal, and that is to be rare. Spare is memory to work in; Sort makes more if there is not
// enough, and returns it for the next call.
func Sort[K ~uint64](keys []K, low int, spare []K) []K {
	if len(keys) <= few {
		slices.Sort(keys)
		return spare
	}
	if cap(spare) < len(keys) {
		spare = make([]K, len(keys), cap(keys))
	}
	if byRows(keys, spare) {
		return spare
	}
	byDigits(keys, low, spare)
	if !slices.IsSorted(keys) {
		slices.Sort(keys)
	}
	return spare
}

// mostRows is how many ascending rows are put in order as a whole.
const mostRows = 8

// byRows sorts keys that are few ascending rows, of which none reaches into another, as those are that came in groups. Otherwise it
// reports that it has done nothing: of keys in no order at all it looks at some twenty.
func byRows[K ~uint64](keys, spare []K) bool {
	var rows [mostRows][]K
	n, from := 0, 0
	for at := 1; at <= len(keys); at++ {
		if at < len(keys) && keys[at-1] <= keys[at] {
			continue
		}
		if n == mostRows {
			return false
		}
		rows[n], from = keys[from:at], at
		n++
	}
	slices.SortFunc(rows[:n], func(a, b []K) int { return cmp.Compare(a[0], b[0]) })
	for k := 1; k < n; k++ {
		if before := rows[k-1]; before[len(before)-1] > rows[k][0] {
			return false
		}
	}
	sorted := spare[:0]
	for _, row := range rows[:n] {
		sorted = append(sorted, row...)
	}
	copy(keys, sorted)
	return true
}

// byDigits sorts keys by all but the low bits; those in which these are equal stay in order.
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

// pass copies keys in the order of eight of their bits; those in which these are equal stay in order.
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
