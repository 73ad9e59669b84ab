package rules

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/internal/state"
	"github.com/stretchr/testify/require"
)

// TestOwner_Restore_HostileBlob restores blobs that are well formed but have extreme contents:
// numbers at their limits, lists from other buffs, and definitions that do not fit the saved buff.
func TestOwner_Restore_HostileBlob(t *testing.T) {
	c := blobCatalog(t)
	blob, _ := fullSet(t, c, 2).Save(nil, c, blobMoment, 0)
	rng, taken := rand.New(rand.NewPCG(1, 12)), 0
	n := long.Times(500)
	for range n {
		b, err := state.Decode(blob, &state.Memory{})
		require.NoError(t, err)
		for range 1 + rng.IntN(6) {
			twist(rng, reflect.ValueOf(b).Elem())
		}
		for k := range b.Buffs {
			if rng.IntN(20) == 0 {
				b.Buffs[k].ID = compiledOf(c).Programs[rng.IntN(c.Len())].ID
			}
		}
		if b.Check() == nil {
			taken++
		}
		tryBlob(t, c, b.Append(nil), rng.Int64N(1_000_000)-10_000, rng.Int64()>>rng.IntN(63))
	}
	require.Greater(t, taken, n/10)
	t.Logf("%d of %d blobs passed the check", taken, n)
}

// twist changes one random number in v.
func twist(rng *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if f := v.Field(rng.IntN(v.NumField())); f.CanSet() {
			twist(rng, f)
		}
	case reflect.Slice:
		if v.Len() > 0 {
			twist(rng, v.Index(rng.IntN(v.Len())))
		}
	case reflect.Pointer:
		switch {
		case v.IsNil() && rng.IntN(4) == 0:
			v.Set(reflect.New(v.Type().Elem()))
		case !v.IsNil() && rng.IntN(8) == 0:
			v.SetZero()
		case !v.IsNil():
			twist(rng, v.Elem())
		}
	case reflect.Int64:
		list := []int64{
			0, 1, -1, 2, 50, 1000, 32767, 65535, 1 << 31, state.Farthest, state.Farthest - 1, -state.Farthest, math.MaxInt64, math.MinInt64, define.MaxDuration.Milliseconds(), rng.Int64(),
		}
		v.SetInt(list[rng.IntN(len(list))])
	case reflect.Uint64, reflect.Uint32:
		list := []uint64{0, 1, 2, 3, 1000, 1 << 31, state.MaxAges, state.MaxAges - 1, math.MaxUint64, rng.Uint64()}
		v.SetUint(list[rng.IntN(len(list))])
	case reflect.Float64:
		list := []float64{0, math.Copysign(0, -1), 1, -1e300, 1e300, math.MaxFloat64, math.NaN(), math.Inf(1), rng.NormFloat64()}
		v.SetFloat(list[rng.IntN(len(list))])
	case reflect.Bool:
		v.SetBool(!v.Bool())
	}
}
