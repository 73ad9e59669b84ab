package wheel

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTime_String checks the text of a Time.
func TestTime_String(t *testing.T) {
	for at, want := range map[Time]string{
		0:           "00:00:00.000",
		1:           "00:00:00.001",
		-1:          "-00:00:00.001",
		59_999:      "00:00:59.999",
		60_000:      "00:01:00.000",
		3_599_999:   "00:59:59.999",
		3_723_450:   "01:02:03.450",
		-3_723_450:  "-01:02:03.450",
		359_999_999: "99:59:59.999",
		360_000_000: "100:00:00.000",
		Never:       "never",
		earliest:    "-2562047788015:12:55.808",
	} {
		require.Equal(t, want, at.String())
	}
}

// TestTime_Add checks Time.Add, also at the ends of the range of Time.
func TestTime_Add(t *testing.T) {
	for _, c := range []struct {
		at   Time
		ms   int64
		want Time
	}{
		{0, 0, 0},
		{5, -7, -2},
		{Never, 0, Never},
		{Never - 1, 1, Never},
		{Never - 1, 2, Never},
		{Never, math.MaxInt64, Never},
		{1, math.MaxInt64, Never},
		{0, math.MaxInt64, Never},
		{Never, -1, Never - 1},
		{Never, math.MinInt64, -1},
		{earliest, math.MaxInt64, -1},
		{earliest, 0, earliest},
		{earliest + 1, -1, earliest},
		{earliest + 1, -2, earliest},
		{earliest, math.MinInt64, earliest},
		{-1, math.MinInt64, earliest},
		{0, math.MinInt64, earliest},
	} {
		require.Equal(t, c.want, c.at.Add(c.ms), "%d + %d", c.at, c.ms)
	}
}

// TestTime_After checks Time.After, also with durations that are not whole milliseconds.
func TestTime_After(t *testing.T) {
	for _, c := range []struct {
		at   Time
		d    time.Duration
		want Time
	}{
		{10, 3 * time.Second, 3010},
		{10, 1999 * time.Microsecond, 11},
		{10, -1999 * time.Microsecond, 9},
		{10, 999 * time.Microsecond, 10},
		{Never - 5, time.Hour, Never},
		{earliest + 5, -time.Hour, earliest},
		{0, math.MaxInt64, math.MaxInt64 / 1_000_000},
	} {
		require.Equal(t, c.want, c.at.After(c.d), "%d after %v", c.d, c.at)
	}
}
