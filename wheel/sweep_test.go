package wheel

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSweep_Lap checks that a few dead entries do not start a sweep, but are removed by the sweep
// after longestLap steps.
func TestSweep_Lap(t *testing.T) {
	const lap = 100
	w := New(0)
	w.sweep.lap = lap
	var handles []Handle
	for i := range uint64(50) {
		handles = append(handles, w.Add(1_000_000+Time(i), i))
	}
	for i := range 3 {
		w.Remove(handles[i])
		for range lap {
			require.Equal(t, 1, w.Stats().Dead, "lap %d", i)
			w.Advance(0, nil)
		}
		w.Advance(0, nil)
		require.True(t, w.sweep.on, "lap %d", i)
		for n := w.count()/slotPiece + len(handles); w.sweep.on; n-- {
			require.Positive(t, n, "a piece with each Advance")
			w.Advance(0, nil)
		}
		require.Zero(t, w.Stats().Dead, "lap %d", i)
		require.NoError(t, check(w))
	}
}

// TestSweep_SlotEmptied stops a sweep in the middle of a slot. Then it advances, so that a part
// of the slot, the rest of the slot, or also later slots are emptied.
func TestSweep_SlotEmptied(t *testing.T) {
	const n = 2000
	for _, jump := range []Time{60_000, 119_999, 120_500, 300_000} {
		w := New(0)
		var handles []Handle
		for i := range uint64(n) {
			handles = append(handles, w.Add(120_000+Time(i), i)) // one slot of the minutes
		}
		minute := w.level[minutes].first + 2
		removed := 0
		for w.sweep.slot != minute || w.sweep.left == 0 || w.sweep.left == n {
			require.Less(t, removed, n, "no sweep came by")
			w.Remove(handles[removed])
			removed++
		}
		fired := len(w.Advance(jump, nil))
		require.NoError(t, check(w), "jump to %v", jump)
		for w.sweep.on {
			fired += len(w.Advance(w.Now()+1, nil))
			require.NoError(t, check(w), "jump to %v", jump)
		}
		fired += len(w.Advance(200_000+jump, nil))
		require.Equal(t, n-removed, fired, "jump to %v", jump)
	}
}

// TestSweep_Exact checks that a sweep keeps a dead entry whose stamp differs by a multiple of
// sixteen, and that the next sweep compares stamps with the timers if too many dead entries are
// left.
func TestSweep_Exact(t *testing.T) {
	w := New(0)
	w.sweep.spare = 0
	h := w.Add(1_000_000_000, 1)
	for i := range Time(15) {
		w.Move(h, 999_999_999-i)
	}
	require.True(t, w.Remove(h))
	sweep := func() {
		for range w.count()/slotPiece + 32 {
			if !w.sweep.on {
				return
			}
			w.Advance(0, nil)
		}
	}
	sweep()
	require.Equal(t, 1, w.Stats().Dead, "the first of sixteen")
	require.NoError(t, check(w))
	w.Advance(0, nil)
	require.True(t, w.sweep.on)
	sweep()
	require.Zero(t, w.Stats().Dead)
	require.NoError(t, check(w))
}

// TestSweep_EverySlot checks that dead entries are removed from every slot, up to the last slot
// of the last level.
func TestSweep_EverySlot(t *testing.T) {
	const n = 2 * deadAllowed
	for bits := range 63 {
		for _, due := range []Time{1 << bits, 1<<bits<<1 - 1} {
			w := New(0)
			var handles []Handle
			for range n {
				handles = append(handles, w.Add(due, 1))
			}
			w.Add(due, 2) // otherwise the last entries would be removed at once
			for _, h := range handles {
				w.Remove(h)
			}
			for range w.count()/slotPiece + n {
				w.Advance(0, nil)
			}
			require.LessOrEqual(t, w.Stats().Dead, deadAllowed, "due at %d", due)
			require.NoError(t, check(w))
		}
	}
}
