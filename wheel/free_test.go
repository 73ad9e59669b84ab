package wheel

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFreeSet compares the free set of a wheel with a million timers with a map. Each freed timer
// must be taken exactly once, also at the boundaries of the words of the bitmaps.
func TestFreeSet(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 5))
		var f freeSet
		free := map[uint32]bool{}
		take := func() {
			if f.taken == 0 {
				f.refill()
			}
			k := 0
			for f.taken>>k&1 == 0 {
				k++
			}
			i := f.from + uint32(k)
			f.taken &^= 1 << k
			require.True(t, free[i], "seed %d: timer %d was in use", seed, i)
			delete(free, i)
		}
		for range 4000 {
			var i uint32
			switch rng.IntN(6) {
			case 0:
				i = f.from + uint32(rng.IntN(2*word)) // in the current word, or the next one
			case 1:
				i = f.from*word + uint32(rng.IntN(word))
			case 2:
				i = f.from/word + uint32(rng.IntN(2*word))
			case 3:
				i = f.from*word*word + uint32(rng.IntN(word))
			case 4:
				i = uint32(rng.IntN(4 * word))
			default:
				i = uint32(rng.IntN(1 << 20))
			}
			if i < 1<<20 && !free[i] {
				f.add(i)
				free[i] = true
			}
			if rng.IntN(3) == 0 && f.len() > 0 {
				take()
			}
			require.Equal(t, len(free), f.len(), "seed %d", seed)
		}
		for f.len() > 0 {
			take()
		}
		require.Empty(t, free, "seed %d", seed)
	}
}

// TestCanDefer checks when the extra entry of a level may be deferred. With more than 256 frames
// left, it is deferred if three entries have moved in this frame, however often it was deferred
// before. With 8 frames or fewer, it is never deferred.
func TestCanDefer(t *testing.T) {
	for _, c := range []struct {
		frames, moved uint64
		turned        bool
		waited, most  int
		want          bool
	}{
		{257, 3, false, 9, 0, true},
		{257, 2, false, 9, 0, false},
		{256, 3, false, 9, 0, false},
		{257, 3, false, 0, 0, true},
		{9, 0, true, 9, 0, true},
		{8, 0, true, 9, 0, false},
		{9, 1, false, 0, 1, true},
		{9, 1, false, 1, 1, false},
		{9, 0, false, 0, 1, false},
		{8, 1, false, 0, 1, false},
	} {
		f := level{waited: c.waited}
		require.Equal(t, c.want, f.canDefer(c.frames, c.moved, c.turned, c.most), "%+v", c)
		if far := c.turned || c.moved >= 3; c.want && !far {
			require.Equal(t, c.waited+1, f.waited, "%+v", c)
		} else {
			require.Equal(t, c.waited, f.waited, "%+v", c)
		}
	}
}
