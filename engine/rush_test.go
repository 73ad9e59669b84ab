package engine_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// TestRush: budgets that are used up at every moment of a Tick, and handlers that hang a
// little, fail or want another turn: each owner has all its pulses, in order, and none twice.
func TestRush(t *testing.T) {
	const owners, period = 24, 100
	frames := 3000
	if testing.Short() {
		frames = 300
	}
	o := engine.Options{
		Catalog: catalogOf(t,
			buff.Spec{ID: "beat", Kind: buff.Infinite, Period: period * time.Millisecond, On: buff.Hooks{Pulse: call("work")}},
		),
		Workers:   3,
		TurnLimit: 2,
		Handlers: engine.Handlers{"work": func(*engine.Context, buff.Event) {
			switch n := rand.IntN(400); {
			case n < 40:
				for range n {
					runtime.Gosched()
				}
			case n == 40:
				runtime.Goexit()
			case n == 41:
				panic("a fault")
			case n == 42:
				time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
			}
		}},
	}
	beat := o.Catalog.Spec("beat")
	got := make(map[buff.OwnerID][]int64)
	for part := range 3 {
		o.Budget = []time.Duration{20 * time.Microsecond, 60 * time.Microsecond, 200 * time.Microsecond}[part]
		clear(got)
		e, err := engine.New(o)
		require.NoError(t, err)
		for id := range buff.OwnerID(owners) {
			spawn(t, e, id+1)
			for range 1 + id%3 {
				add(t, e, id+1, beat)
			}
		}
		take := func(f *engine.Frame) {
			for ev := range f.Events() {
				if ev.Kind == buff.Pulsed {
					got[ev.Owner] = append(got[ev.Owner], int64(ev.At))
				}
			}
		}
		late := 0
		for range frames {
			take(e.Tick(period * time.Millisecond))
			take(e.Tick(0))
			if e.Stats().Busy > 0 {
				late++
			}
		}
		for e.Stats().Busy > 0 {
			take(e.Tick(0))
		}
		for id := range buff.OwnerID(owners) {
			want := []int64{}
			for n := range int64(frames) {
				for range 1 + id%3 {
					want = append(want, (n+1)*period)
				}
			}
			require.Equal(t, want, got[id+1], "budget %v, owner %d", o.Budget, id+1)
		}
		t.Logf("budget %v: in %d of %d frames somebody was busy", o.Budget, late, frames)
		require.NoError(t, e.Close(context.Background()))
	}
}
