package buff_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
)

// TestRatioTimes checks that Times returns the exact product in lowest terms, that the zero Ratio
// means 1, and that a product out of range panics.
func TestRatioTimes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	fraction := func(r buff.Ratio) *big.Rat {
		if r == (buff.Ratio{}) {
			return big.NewRat(1, 1)
		}
		return big.NewRat(int64(r.Num), int64(r.Den))
	}
	fits := 0
	for range 2000 {
		some := func() buff.Ratio {
			top := uint32(1) << (1 + rng.IntN(20))
			return buff.Ratio{Num: rng.Uint32N(min(top, buff.MaxRatio) + 1), Den: 1 + rng.Uint32N(min(top, buff.MaxRatio))}
		}
		r, o := some(), some()
		if rng.IntN(10) == 0 {
			r = buff.Ratio{}
		}
		want := new(big.Rat).Mul(fraction(r), fraction(o))
		if most := big.NewInt(buff.MaxRatio); want.Num().Cmp(most) > 0 || want.Denom().Cmp(most) > 0 {
			require.Panics(t, func() { r.Times(o) }, "%v times %v", r, o)
			continue
		}
		fits++
		require.Equal(t, buff.Ratio{Num: uint32(want.Num().Uint64()), Den: uint32(want.Denom().Uint64())}, r.Times(o), "%v times %v", r, o)
	}
	require.Greater(t, fits, 500)
	most := buff.Ratio{Num: buff.MaxRatio, Den: buff.MaxRatio - 1}
	require.Equal(t, most, most.Times(buff.Ratio{}))
	least := buff.Ratio{Num: 1, Den: buff.MaxRatio}
	require.Equal(t, least, least.Times(buff.Ratio{}))
	require.Panics(t, func() { most.Times(buff.Ratio{Num: 2, Den: 1}) })
	require.Panics(t, func() { buff.Ratio{Num: 1, Den: buff.MaxRatio}.Times(buff.Ratio{Num: 1, Den: 2}) })
}
