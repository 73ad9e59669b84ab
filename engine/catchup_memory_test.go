package engine_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/stretchr/testify/require"
)

const stallSpan = 20 * time.Second

// stallPlayers is the number of players of TestP10_MemoryOfAStall, each with a buff that pulses
// every second and one that pulses every 200 ms.
func stallPlayers() int { return long.Pick(300, 3000) }

// someWork is a handler that takes a few microseconds.
func someWork(*engine.Context, buff.Event) {
	var n atomic.Int64
	for range 1000 {
		n.Add(1)
	}
}

// heapNow returns the allocated bytes, including garbage that is not collected yet.
func heapNow() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}

// liveNow returns the live heap at the last garbage collection.
func liveNow() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// TestP10_MemoryOfAStall checks a stall with default options in one Tick. Until the stall is
// caught up, the engine takes at most 64 MB more memory than at rest. No Tick has more events than
// Limits.Tick, and each pulse is seen once.
func TestP10_MemoryOfAStall(t *testing.T) {
	for _, handler := range []string{"nothing", "microseconds"} {
		t.Run(fmt.Sprintf("%d players, %v, handler: %s", stallPlayers(), stallSpan, handler), func(t *testing.T) {
			work := func(*engine.Context, buff.Event) {}
			if handler == "microseconds" {
				work = someWork
			}
			cat := catalogOf(t,
				buff.Spec{ID: "slow", Kind: define.Infinite, Period: time.Second, On: define.Hooks{Pulse: call("work")}},
				buff.Spec{ID: "fast", Kind: define.Infinite, Period: 200 * time.Millisecond, On: define.Hooks{Pulse: call("work")}},
			)
			e := open(t, engine.Options{Catalog: cat, Handlers: engine.Handlers{"work": work}})
			for id := range buff.OwnerID(stallPlayers()) {
				spawn(t, e, id)
				add(t, e, id, cat.Spec("slow"))
				add(t, e, id, cat.Spec("fast"))
			}
			e.Tick(0)
			e.Tick(0)
			debug.FreeOSMemory()
			rest, lives, longest := heapNow(), liveNow(), time.Duration(0)
			most, pulses, ticks, peak, live := 0, 0, 0, rest, lives
			for dt := stallSpan; dt > 0 || e.Stats().Behind > 0 || e.Stats().Busy > 0; dt, ticks = 0, ticks+1 {
				began := time.Now()
				f := e.Tick(dt)
				longest = max(longest, time.Since(began))
				for ev := range f.Events() {
					if ev.Kind == buff.Pulsed {
						pulses++
					}
				}
				most = max(most, f.Len())
				peak, live = max(peak, heapNow()), max(live, liveNow())
				require.LessOrEqual(t, f.Len(), engine.DefaultTickLimit)
				require.LessOrEqual(t, engine.Worked(e), engine.DefaultTickLimit)
			}
			above := (float64(peak) - float64(rest)) / (1 << 20)
			t.Logf("%d events in %d Ticks, %d in one at most, %.1f MB above rest, %.1f MB of what lives, longest Tick %v",
				pulses, ticks, most, above, (float64(live)-float64(lives))/(1<<20), longest.Round(time.Millisecond))
			require.Equal(t, int(stallSpan/(200*time.Millisecond)+stallSpan/time.Second)*stallPlayers(), pulses)
			require.Less(t, above, 64.0)
		})
	}
}
