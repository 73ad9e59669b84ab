package wheel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRemoveLastEntry checks that a timer that is removed or moved forward soon after it was
// set leaves no dead entry, on any level.
func TestRemoveLastEntry(t *testing.T) {
	for _, delay := range []Time{1, 999, 1001, 59_999, 61_000, 3_599_999, 3_601_000, 11 * 3_600_000, 23 * 3_600_000} {
		w := New(123_456)
		for range 3 {
			w.Add(w.now+delay, 0) // stays
		}
		for n := range 300 {
			h := w.Add(w.now+delay, 0)
			require.True(t, w.Remove(h))
			require.Zero(t, w.Stats().Dead, "delay %d, round %d", delay, n)
		}
		h := w.Add(w.now+delay, 0)
		require.True(t, w.Move(h, w.now+1))
		require.Zero(t, w.Stats().Dead, "delay %d", delay)
		require.NoError(t, check(w))
		require.Len(t, w.Advance(w.now+delay, nil), 4, "delay %d", delay)
	}
}

// TestRemoveLastEntries checks that removing the last entry also removes the dead entries before
// it, but only within the same chunk, and that the entries of deadlines set long ago are not
// checked.
func TestRemoveLastEntries(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	w := New(0)
	stays := w.Add(7_000_000, 0)
	for range 1000 {
		some := make([]Handle, 1+rng.IntN(maxDeadPopped))
		for i := range some {
			some[i] = w.Add(7_000_000, 0)
		}
		rng.Shuffle(len(some), func(i, j int) { some[i], some[j] = some[j], some[i] })
		for _, h := range some {
			require.True(t, w.Remove(h))
		}
		require.Zero(t, w.Stats().Dead)
		require.NoError(t, check(w))
	}
	require.Equal(t, Waiting, w.State(stays))

	var many []Handle
	for range chunkEntries - 1 + 50 {
		many = append(many, w.Add(7_000_000, 0))
	}
	for _, h := range slices.Backward(many) {
		w.Remove(h)
	}
	require.Equal(t, chunkEntries, w.Stats().Dead, "the first entry of the second chunk stays, and those before it")
	require.NoError(t, check(w))

	last := w.Add(7_000_000, 0)
	for range recentCalls {
		w.Move(stays, 7_000_000)
	}
	dead := w.Stats().Dead
	w.Remove(last)
	require.Equal(t, dead+1, w.Stats().Dead)
	require.NoError(t, check(w))
}

// TestRemoveLastEntrySweeps checks that removed entries count towards the next sweep. They
// increment stamps, and a dead entry elsewhere must be swept before its stamp repeats.
func TestRemoveLastEntrySweeps(t *testing.T) {
	w := New(0)
	w.sweep.lap = 50
	w.Add(1000, 0)
	old := w.Add(1000, 0)
	w.Add(1000, 0)
	w.Remove(old)
	require.Equal(t, 1, w.Stats().Dead)
	for range 50 * deathsPerPiece * 30 {
		w.Remove(w.Add(5_000_000, 0))
	}
	require.Zero(t, w.Stats().Dead)
	require.NoError(t, check(w))
}
