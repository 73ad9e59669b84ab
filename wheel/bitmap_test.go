package wheel

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFirstFrom marks and unmarks random slots, and searches from every slot for the first marked
// slot. The current round is in either half of the rings.
func TestFirstFrom(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for _, sh := range shapes {
		w := newWheel(sh, 0)
		odd := Time(0)
		for l := range shelf {
			// so that the rounds of the lower levels are odd too if these levels have an even
			// number of slots
			odd += Time(w.level[l].round)
		}
		for _, start := range []Time{0, Time(w.level[dial].round), odd} {
			w := newWheel(sh, start)
			for l := range w.Levels() {
				rounds := uint32(2)
				if l >= shelf {
					rounds = 1
				}
				for _, few := range []int{1, 2, 5, 40, 300} {
					requireFirst(t, w, l, rounds*w.level[l].size, few, rng)
				}
			}
			require.NoError(t, check(w), "all is unmarked again")
		}
	}
}

func requireFirst(t *testing.T, w *Wheel, l int, slots uint32, few int, rng *rand.Rand) {
	marked := make([]bool, slots)
	for range few {
		k := rng.Uint32N(slots)
		if marked[k] = !marked[k]; marked[k] {
			w.mark(&w.level[l], w.level[l].ring(k))
		} else {
			w.unmark(&w.level[l], w.level[l].ring(k))
		}
	}
	want, some := uint32(0), false
	for k := slots; k > 0; k-- {
		if marked[k-1] {
			want, some = k-1, true
		}
		got, ok := w.firstFrom(l, k-1)
		require.Equal(t, some, ok, "level %d from %d", l, k-1)
		if some {
			require.Equal(t, want, got, "level %d from %d", l, k-1)
		}
	}
	for k := range slots {
		if marked[k] {
			w.unmark(&w.level[l], w.level[l].ring(k))
		}
	}
}
