package engine_test

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/stretchr/testify/require"
)

// TestTick_BudgetEndsAnywhere checks that with budgets that run out at every possible moment of a
// Tick, and handlers that are slow, fail or end their goroutine, each owner has each of its pulses
// once, in order.
func TestTick_BudgetEndsAnywhere(t *testing.T) {
	const owners = 24
	frames := long.Times(300)
	cat := catalogOf(t,
		buff.Spec{ID: "beat", Kind: define.Infinite, Period: 100 * time.Millisecond, On: define.Hooks{Pulse: call("work")}},
	)
	for _, budget := range []time.Duration{20 * time.Microsecond, 60 * time.Microsecond, 200 * time.Microsecond} {
		e := open(t, engine.Options{
			Catalog: cat, Workers: 3, Limits: engine.Limits{Turn: 2}, Budget: budget, Handlers: engine.Handlers{"work": rush},
		})
		for id := range buff.OwnerID(owners) {
			spawn(t, e, id)
			for range 1 + id%3 {
				add(t, e, id, cat.Spec("beat"))
			}
		}
		got := make(map[buff.OwnerID][]int64)
		tick := func(dt time.Duration) {
			for ev := range e.Tick(dt).Events() {
				if ev.Kind == buff.Pulsed {
					got[ev.Owner] = append(got[ev.Owner], int64(ev.At))
				}
			}
		}
		late := 0
		for range frames {
			tick(100 * time.Millisecond)
			tick(0)
			late += min(e.Stats().Busy, 1)
		}
		for e.Stats().Busy > 0 || e.Stats().Behind > 0 {
			tick(0)
		}
		for id := range buff.OwnerID(owners) {
			want := []int64{}
			for n := range int64(frames) {
				for range 1 + id%3 {
					want = append(want, (n+1)*100)
				}
			}
			require.Equal(t, want, got[id], "budget %v, owner %d", budget, id)
		}
		t.Logf("budget %v: in %d of %d frames somebody was busy", budget, late, frames)
	}
}

// rush is a handler whose behaviour depends on the owner and the time.
func rush(c *engine.Context, e buff.Event) {
	dice := rand.New(rand.NewPCG(uint64(c.Owner()), uint64(e.At)))
	var steps atomic.Int64
	switch n := dice.IntN(400); {
	case n < 40: // takes a few microseconds
		for range 100 * n {
			steps.Add(1)
		}
	case n == 40:
		runtime.Goexit()
	case n == 41:
		panic("a fault")
	case n == 42: // takes a few hundred
		for range 100_000 {
			steps.Add(1)
		}
	}
}
