package radix

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestByRows: rows that do not reach into one another are put in order, whatever order they came in; of other keys nothing is changed.
func TestByRows(t *testing.T) {
	row := func(from, to uint64) (keys []uint64) {
		for k := from; k < to; k++ {
			keys = append(keys, k)
		}
		return keys
	}
	many := func(n int) (keys []uint64) {
		for k := range n {
			keys = append(keys, row(uint64(100*(n-k)), uint64(100*(n-k)+7))...)
		}
		return keys
	}
	for _, k := range []struct {
		what string
		keys []uint64
		want bool
	}{
		{"one", row(0, 40), true},
		{"equal keys", []uint64{5, 5, 5}, true},
		{"two, the later ones first", append(row(50, 90), row(0, 50)...), true},
		{"two that meet in one key", append(row(50, 90), row(10, 51)...), true},
		{"two that reach into one another", append(row(50, 90), row(10, 52)...), false},
		{"one within another", append(row(0, 90), row(10, 20)...), false},
		{"as many as are asked about", many(mostRows), true},
		{"one more", many(mostRows + 1), false},
		{"falling keys", []uint64{9, 8, 7, 6, 5, 4, 3, 2, 1}, false},
	} {
		keys := slices.Clone(k.keys)
		want := slices.Clone(k.keys)
		if k.want {
			slices.Sort(want)
		}
		require.Equal(t, k.want, byRows(keys, make([]uint64, len(keys))), k.what)
		require.Equal(t, want, keys, k.what)
	}
}

// TestRowsAllocate nothing, and Sort needs nothing else for them.
func TestRowsAllocate(t *testing.T) {
	dice := rand.New(rand.NewPCG(5, 7))
	rows := make([][]uint64, mostRows)
	for k := range rows {
		for j := range 100 {
			rows[k] = append(rows[k], uint64(k*1000+j))
		}
	}
	keys, spare := make([]uint64, 0, 100*mostRows), make([]uint64, 100*mostRows)
	require.Zero(t, testing.AllocsPerRun(20, func() {
		dice.Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
		keys = keys[:0]
		for _, row := range rows {
			keys = append(keys, row...)
		}
		spare = Sort(keys, 0, spare)
		if !slices.IsSorted(keys) {
			panic("not sorted")
		}
	}))
}
