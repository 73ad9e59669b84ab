package cuts

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/long"
)

// TestMeasure checks that every way plays the same frames, that the cuts are on disk, and that a
// zone can be restored.
func TestMeasure(t *testing.T) {
	rounds := long.Pick(1, 2)
	all, err := Measure(Options{Owners: 400, Frames: 60, Rounds: rounds, Warm: time.Second, Virtual: true, Dir: t.TempDir(), Seed: 1}, func(float64) {})
	require.NoError(t, err)
	require.Len(t, all, len(Worlds)*len(Ways))
	for _, f := range all {
		require.Len(t, f.P99, rounds)
		require.Len(t, f.Least, 60)
		require.Equal(t, f.Way != Ways[0].Name, f.Commits > 0 && f.Bytes > 0, f)
		require.Positive(t, f.Buffs)
	}
	opens, err := Opens(1000, 2, t.TempDir(), func(float64) {})
	require.NoError(t, err)
	require.Len(t, opens, 2)
	require.Equal(t, 10_000, opens[1].Buffs)
}
