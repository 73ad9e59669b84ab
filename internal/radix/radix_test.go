package radix_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/radix"
)

// TestSort checks that keys of any number, in any range and with any low bits are sorted as by
// slices.Sort, and that the spare memory is allocated only once.
func TestSort(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	var spare []uint64
	for _, n := range []int{0, 1, 2, 31, 32, 33, 34, 200, 1000, 5000} {
		for _, width := range []int{0, 1, 8, 9, 20, 33, 63, 64} {
			for _, low := range []int{0, 3, 20} {
				keys := make([]uint64, n)
				for k := range keys {
					keys[k] = ^uint64(0) - dice.Uint64()>>1>>(63-min(width, 63))
					if width == 64 {
						keys[k] = dice.Uint64()
					}
				}
				want := slices.Clone(keys)
				slices.Sort(want)
				spare = radix.Sort(keys, low, spare)
				require.Equal(t, want, keys, "%d keys of %d bits, %d low ones", n, width, low)
			}
		}
	}
	require.Len(t, spare, 5000)
}

func TestSortAllocates(t *testing.T) {
	keys := make([]uint64, 1000)
	spare := make([]uint64, 1000)
	require.Zero(t, testing.AllocsPerRun(10, func() {
		for k := range keys {
			keys[k] = uint64(k) * 0x9e3779b97f4a7c15
		}
		spare = radix.Sort(keys, 0, spare)
	}))
}

func FuzzSort(f *testing.F) {
	f.Add(uint64(1), uint16(100), uint8(20), uint8(0))
	f.Fuzz(func(t *testing.T, seed uint64, n uint16, width, low uint8) {
		dice := rand.New(rand.NewPCG(seed, 0))
		keys := make([]uint64, n%2000)
		for k := range keys {
			keys[k] = dice.Uint64() >> (64 - width%65)
		}
		want := slices.Clone(keys)
		slices.Sort(want)
		radix.Sort(keys, int(low%65), nil)
		if !slices.Equal(want, keys) {
			t.Fatal("not sorted")
		}
	})
}

// BenchmarkSort sorts keys with 20 random bits above twenty low bits, by counting and by
// comparing. The keys are new in each run, because a processor's branch prediction can learn a few
// hundred keys.
func BenchmarkSort(b *testing.B) {
	dice := rand.New(rand.NewPCG(1, 2))
	all := make([]uint64, 1<<20)
	for k := range all {
		all[k] = dice.Uint64() >> 24
	}
	for _, n := range []int{32, 64, 128, 500, 4000} {
		keys, spare := make([]uint64, n), make([]uint64, n)
		for how, sort := range map[string]func(){
			"counting":  func() { spare = radix.Sort(keys, 20, spare) },
			"comparing": func() { slices.Sort(keys) },
		} {
			b.Run(fmt.Sprintf("n=%d/%s", n, how), func(b *testing.B) {
				at := 0
				for b.Loop() {
					if at+n > len(all) {
						at = 0
					}
					copy(keys, all[at:])
					at += n
					sort()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/key")
			})
		}
	}
}
