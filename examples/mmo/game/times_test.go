package game

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTimes_Quantile(t *testing.T) {
	var h times
	require.Zero(t, h.quantile(99))
	for ms := range 1000 {
		h.add(time.Duration(ms+1) * time.Millisecond)
	}
	for percent, want := range map[float64]time.Duration{0: 1, 50: 500, 99: 990, 100: 1000} {
		want *= time.Millisecond
		require.LessOrEqual(t, h.quantile(percent), want)
		require.Greater(t, h.quantile(percent), want-want/60)
	}
	require.Equal(t, time.Second, h.max)
	h.add(math.MaxInt64)
	h.add(-1)
	require.Zero(t, h.quantile(0))
}

func TestTimes_Buckets(t *testing.T) {
	for d := time.Duration(1); d > 0; d = d*9/8 + 1 {
		k := bucketOf(d)
		require.LessOrEqual(t, lowest(k), d)
		require.Equal(t, k, bucketOf(lowest(k)))
		if k > 0 {
			require.Less(t, lowest(k-1), lowest(k))
		}
	}
}
