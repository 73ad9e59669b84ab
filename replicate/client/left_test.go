package client_test

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/replicate/client"
	"github.com/bufftick/bufftick/wheel"
)

// TestBuff_Left_Exact compares the remaining time with exact arithmetic, at rates with large numbers.
func TestBuff_Left_Exact(t *testing.T) {
	dice := rand.New(rand.NewPCG(long.Seed(), 1))
	for range long.Times(10_000) {
		num, den := 1+dice.Uint32N(buff.MaxRatio), 1+dice.Uint32N(buff.MaxRatio)
		b := client.Buff{End: wheel.Time(dice.Int64N(1 << 49)), Rate: buff.Ratio{Num: num, Den: den>>dice.IntN(30) | 1}}
		want := new(big.Int).Mul(big.NewInt(int64(b.End)), big.NewInt(int64(num)))
		want.Div(want, big.NewInt(int64(b.Rate.Den)))
		if want.BitLen() > 62 {
			want.Lsh(big.NewInt(1), 62)
		}
		got, ends := b.Left(0)
		require.True(t, ends)
		require.Equal(t, want.String(), big.NewInt(got).String(), "%+v", b)
	}
}
