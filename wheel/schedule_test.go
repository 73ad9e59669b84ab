package wheel_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/wheel"
)

// TestSchedule_Random compares a Schedule with a list: entries come out at their deadline, and sweeps
// remove exactly the entries that are not alive.
func TestSchedule_Random(t *testing.T) {
	delays := []int64{0, 1, 50, 999, 1000, 1001, 59_999, 60_000, 3_599_999, 3_600_000, 43_199_999, 43_200_000, 43_200_001, 90_000_000, wheel.Horizon}
	byDue := func(a, b wheel.Fired) int { return cmp.Or(cmp.Compare(a.Due, b.Due), cmp.Compare(a.ID, b.ID)) }
	for seed := range uint64(12) {
		dice := rand.New(rand.NewPCG(seed, 1))
		now := []wheel.Time{0, -5, 43_199_990, 1<<31 - 3, 1<<32 - 7, 1 << 45}[seed%6]
		q := wheel.NewSchedule(now)
		var want []wheel.Fired
		ids := uint64(0)
		for range 300 {
			switch dice.IntN(10) {
			case 0, 1, 2, 3, 4:
				for range 1 + dice.IntN(1+int(seed)*8) {
					due := now + wheel.Time(dice.Int64N(1+delays[dice.IntN(len(delays))]))
					if dice.IntN(20) == 0 {
						due = now - wheel.Time(dice.IntN(100))
					}
					ids += 1 + dice.Uint64N(1<<33)
					q.Add(due, ids)
					want = append(want, wheel.Fired{Due: due, ID: ids})
				}
			case 5:
				alive := func(_ wheel.Time, id uint64) bool { return id%3 != 0 }
				for range 60 { // two rounds, or more
					q.Sweep(1<<20, alive)
				}
				want = slices.DeleteFunc(want, func(f wheel.Fired) bool { return !alive(f.Due, f.ID) })
			case 6:
				next, ok := q.Next()
				require.Equal(t, len(want) > 0, ok)
				for _, f := range want {
					require.LessOrEqual(t, next, f.Due)
				}
			default:
				now += wheel.Time(dice.Int64N(1 + delays[dice.IntN(len(delays))]))
				fired := q.Advance(now, nil)
				slices.SortFunc(fired, byDue)
				slices.SortFunc(want, byDue)
				k := 0
				for k < len(want) && want[k].Due <= now {
					k++
				}
				require.Equal(t, append([]wheel.Fired{}, want[:k]...), append([]wheel.Fired{}, fired...), "seed %d", seed)
				want = want[k:]
			}
			require.Equal(t, len(want), q.Len(), "seed %d", seed)
		}
	}
}

// TestSchedule_Horizon: a deadline beyond the horizon is refused.
func TestSchedule_Horizon(t *testing.T) {
	q := wheel.NewSchedule(7)
	q.Add(7+wheel.Horizon, 1)
	require.Panics(t, func() { q.Add(8+wheel.Horizon, 1) })
	require.Empty(t, q.Advance(6+wheel.Horizon, nil))
	require.Equal(t, []wheel.Fired{{Due: 7 + wheel.Horizon, ID: 1}}, q.Advance(7+wheel.Horizon, nil))
}
