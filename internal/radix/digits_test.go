package radix

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestByDigits checks that counting alone sorts by all bits except the low ones, and keeps the
// order of equal keys. Sort would hide an error of it, because it corrects the order afterwards,
// which only takes longer.
func TestByDigits(t *testing.T) {
	dice := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{1, 2, 40, 3000} {
		for _, width := range []int{1, 8, 9, 17, 44, 64} {
			for _, low := range []int{0, 5, 20} {
				keys := make([]uint64, n)
				for k := range keys {
					keys[k] = dice.Uint64() >> (64 - width)
				}
				want := slices.Clone(keys)
				slices.SortStableFunc(want, func(a, b uint64) int { return cmp.Compare(a>>low, b>>low) })
				byDigits(keys, low, make([]uint64, n))
				require.Equal(t, want, keys, "%d keys of %d bits, %d low ones", n, width, low)
			}
		}
	}
}
