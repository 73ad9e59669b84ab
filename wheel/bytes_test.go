package wheel_test

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/wheel"
)

// heap returns the size of the live heap in bytes.
func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestStatsBytes checks that Stats.Bytes differs from the growth of the heap by at most a tenth,
// for few and for many timers.
func TestStatsBytes(t *testing.T) {
	for _, k := range []struct{ wheels, timers int }{{400, 0}, {400, 1}, {200, 20}, {50, 400}, {10, 5000}, {1, 300_000}} {
		list := make([]*wheel.Wheel, k.wheels)
		before := heap()
		sum := uint64(0)
		for i := range list {
			w := wheel.New(0)
			for n := range k.timers {
				w.Add(wheel.Time(1+(n*7919)%(40*3_600_000)), uint64(n))
			}
			list[i] = w
			sum += w.Stats().Bytes
		}
		is := heap() - before
		require.LessOrEqual(t, sum, is, "%d timers", k.timers)
		require.Greater(t, sum, is-is/10, "%d timers", k.timers)
		runtime.KeepAlive(list)
	}
}
