package wheel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSoon checks that Soon yields exactly the timers due in the current second, and that it
// changes nothing.
func TestSoon(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	w := New(990)
	due, handles := map[uint64]Time{}, map[uint64]Handle{}
	named := 0
	for step := range 3000 {
		for range rng.IntN(4) {
			id := uint64(len(due) + step*10)
			if due[id] == 0 {
				due[id] = w.Now() + Time(1+rng.IntN(3000))
				handles[id] = w.Add(due[id], id)
			}
		}
		for id, h := range handles {
			switch rng.IntN(20) {
			case 0:
				w.Remove(h)
				delete(due, id)
				delete(handles, id)
			case 1:
				due[id] = w.Now() + Time(1+rng.IntN(3000))
				w.Move(h, due[id])
			}
		}
		until := min(w.Now()+Time(rng.IntN(200)), w.level[dial].last)
		var want, got []uint64
		for id, at := range due {
			if at <= until {
				want = append(want, id)
			}
		}
		before := w.Stats()
		for id := range w.Soon(until) {
			got = append(got, id)
		}
		require.Equal(t, before, w.Stats())
		named += len(got)
		slices.Sort(want)
		slices.Sort(got)
		require.Equal(t, want, got, "step %d, from %d to %d", step, w.Now(), until)
		for range w.Soon(until) {
			break
		}
		for _, f := range w.Advance(w.Now()+Time(rng.IntN(100)), nil) {
			require.Equal(t, due[f.ID], f.Due)
			w.Remove(handles[f.ID])
			delete(due, f.ID)
			delete(handles, f.ID)
		}
	}
	require.Greater(t, named, 1000)
}
