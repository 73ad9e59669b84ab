package wheel

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSchedule_Soon checks that Soon yields exactly the entries due in the current second, and that
// it changes nothing.
func TestSchedule_Soon(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	q := NewSchedule(990)
	due := map[uint64]Time{}
	named, ids := 0, uint64(0)
	for step := range 3000 {
		for range rng.IntN(4) {
			ids++
			due[ids] = q.Now() + Time(1+rng.IntN(3000))
			q.Add(due[ids], ids)
		}
		until := min(q.Now()+Time(rng.IntN(200)), q.w.level[dial].last)
		var want, got []uint64
		for id, at := range due {
			if at <= until {
				want = append(want, id)
			}
		}
		before := q.w.Stats()
		for id := range q.Soon(until) {
			got = append(got, id)
		}
		require.Equal(t, before, q.w.Stats())
		named += len(got)
		slices.Sort(want)
		slices.Sort(got)
		require.Equal(t, want, got, "step %d, from %d to %d", step, q.Now(), until)
		for range q.Soon(until) {
			break
		}
		for _, f := range q.Advance(q.Now()+Time(rng.IntN(100)), nil) {
			require.Equal(t, due[f.ID], f.Due)
			delete(due, f.ID)
		}
	}
	require.Greater(t, named, 1000)
}
