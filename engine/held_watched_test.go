package engine_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// TestTick_HeldEventsWhileMeasured checks that the events of an owner whose handler was held count
// in the frame that merges them, even if a watcher has turns measured.
func TestTick_HeldEventsWhileMeasured(t *testing.T) {
	for _, watched := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			const limit, each, others = 64, 32, 60
			g := gates{}
			e, err := engine.New(engine.Options{Workers: 2, Budget: brief, Limits: engine.Limits{Tick: limit}})
			require.NoError(t, err)
			defer shut(t, e)
			if watched {
				var clock atomic.Int64
				defer e.Watch().Open(func() time.Duration { return time.Duration(clock.Add(1)) })()
			}
			spawn(t, e, 1, 2)
			e.Tick(time.Second) // the Watch takes effect at the end of this Tick
			ask := func(id buff.OwnerID, n int) {
				for range n {
					_, err := e.AddTimeout(id, time.Millisecond, func(c *engine.Context) { g.wait(c, buff.Event{}) })
					require.NoError(t, err)
				}
			}
			g.hold(1)
			ask(1, each)
			e.Tick(time.Second)
			require.True(t, e.Busy(1))
			g.free()
			synctest.Wait()
			ask(2, others)
			told := 0
			for dt := time.Second; told < each+others; dt = 0 {
				n := e.Tick(dt).Len()
				require.Positive(t, n, "watched %v, after %d", watched, told)
				require.LessOrEqual(t, n, limit, "watched %v, after %d", watched, told)
				told += n
			}
		})
	}
}
