package wheel

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCascadeAhead checks that, with frames of equal length, a coming slot is empty when its
// hand reaches it and no frame moves more than its share.
func TestCascadeAhead(t *testing.T) {
	for _, frame := range []Time{1, 7, 16, 50, 333, 1001, 59_999} {
		rng := rand.New(rand.NewPCG(uint64(frame), 2))
		// A half-day, an hour and many minutes begin soon after this instant.
		start := Time(12*3_600_000) - 150*max(frame, 16)
		w := New(start - 1_800_000)
		for i := range 20_000 {
			w.Add(w.Now()+1_800_000+Time(rng.Int64N(14*3_600_000)), uint64(i))
		}
		w.Advance(start, nil)
		for range 400 {
			var before [shelf + 1]uint32
			for l := seconds; l <= shelf; l++ {
				before[l] = w.queue(w.coming[l]).n()
			}
			was, half := w.coming, w.half
			w.Advance(w.Now()+frame, nil)
			for l := seconds; l <= shelf; l++ {
				ends := w.level[l-1].last // when the coming slot starts
				n := w.queue(w.coming[l]).n()
				if w.Now()+frame > ends {
					require.Zero(t, n, "frame %d, level %d, %v before %v", frame, l, w.Now(), ends)
				}
				if was[l] == w.coming[l] && half == w.half {
					frames := uint32((ends-w.Now())/frame) + 1
					share := (before[l] + frames - 1) / frames
					require.GreaterOrEqual(t, n+share, before[l], "frame %d, level %d at %v", frame, l, w.Now())
				}
			}
		}
		require.NoError(t, check(w))
	}
}

// TestSweep removes and adds ten times as many timers as the wheel holds, and then removes all
// but a few. The number of dead entries must stay within its bounds, and their chunks must be
// reused.
func TestSweep(t *testing.T) {
	const n = 20_000
	rng := rand.New(rand.NewPCG(5, 6))
	w := New(0)
	handles := make([]Handle, n)
	for i := range handles {
		handles[i] = w.Add(Time(rng.Int64N(100_000_000)), uint64(i))
	}
	most := 0
	for range 10 * n {
		i := rng.IntN(n)
		require.True(t, w.Remove(handles[i]))
		handles[i] = w.Add(Time(rng.Int64N(100_000_000)), uint64(i))
		most = max(most, w.Stats().Dead)
	}
	require.NoError(t, check(w))
	require.Greater(t, most, n/5)
	require.Less(t, most, n*3/10)
	// plus one chunk for each slot in use
	require.Less(t, int(w.madeChunks), n*13/10/chunkEntries+600)

	chunks := w.madeChunks
	for _, h := range handles[10:] {
		require.True(t, w.Remove(h))
	}
	require.LessOrEqual(t, w.Stats().Dead, n*13/10)
	for range 1000 { // Advance sweeps too
		w.Advance(w.Now(), nil)
	}
	require.LessOrEqual(t, w.Stats().Dead, deadAllowed)
	require.Equal(t, chunks, w.madeChunks)
	require.NoError(t, check(w))
}

// TestPostpone checks that moving a timer to a later deadline, any number of times, adds no
// entry.
func TestPostpone(t *testing.T) {
	w := New(0)
	h := w.Add(5000, 1)
	for i := range Time(1000) {
		require.True(t, w.Move(h, 5000+i))
	}
	require.Equal(t, Stats{Waiting: 1, Bytes: w.Stats().Bytes}, w.Stats())
	require.Empty(t, w.Advance(5998, nil))
	require.Equal(t, []Fired{{5999, 1}}, w.Advance(5999, nil))
	require.Equal(t, 1, w.Stats().Resting)
}

// TestFace checks the units and slots that Face returns, and its panic for an invalid level.
func TestFace(t *testing.T) {
	w := New(0)
	require.Equal(t, 11, w.Levels())
	for _, level := range []int{-1, 11} {
		require.PanicsWithValue(t, "wheel: no such level", func() { w.Face(level, nil) })
	}
	shelf7 := w.Face(10, nil)
	require.EqualValues(t, 43_200_000<<36, shelf7.Unit)
	require.Len(t, shelf7.Slots, 64)
	require.Equal(t, []int{7, 0}, w.Face(3, []int{7}).Slots[:2])
}

// TestNextWhileCascading calls Next while coming slots are partly emptied, so that the earliest
// deadline may be on any level.
func TestNextWhileCascading(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 2))
		w, first := New(0), Never
		var dues []Time
		for i := range 200 {
			// Most are due in the next minute or the next hour.
			due := 60_000 + Time(rng.Int64N(60_000))
			if i%2 == 0 {
				due = 3_600_000 + Time(rng.Int64N(3_600_000))
			}
			if seed%2 == 0 {
				due += 3_600_000
			}
			dues = append(dues, due)
			w.Add(due, uint64(i))
		}
		for range 60 {
			w.Advance(w.Now()+Time(rng.Int64N(3_000)), nil)
			if seed%2 == 0 && w.Now() < 3_600_000 {
				w.Advance(3_600_000-50, nil)
				w.Advance(3_600_000, nil)
			}
			first = Never
			for _, due := range dues {
				if due > w.Now() {
					first = min(first, due)
				}
			}
			// Call Next only sometimes, because it moves the entries that it visits.
			if rng.IntN(20) == 0 {
				got, ok := w.Next()
				require.Equal(t, first < Never, ok)
				require.Equal(t, first, got, "seed %d at %v", seed, w.Now())
				require.NoError(t, check(w))
			}
		}
	}
}
