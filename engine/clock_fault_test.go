package engine_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// TestWatchClock_FailsAtEnd checks that a watcher's clock that fails at the end of a turn costs one
// measurement, and that the results of the turn are kept.
func TestWatchClock_FailsAtEnd(t *testing.T) {
	o := engine.Options{
		Catalog:     catalogOf(t, buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second}),
		Synchronous: true,
	}
	beat := o.Catalog.Spec("beat")
	e, err := engine.New(o)
	require.NoError(t, err)
	spawn(t, e, 1, 2)
	add(t, e, 1, beat)
	add(t, e, 2, beat)
	var calls, fails atomic.Int64
	defer e.Watch().Open(func() time.Duration {
		if n := calls.Add(1); n == fails.Load() {
			panic("no time")
		}
		return time.Duration(calls.Load())
	})()
	e.Tick(time.Second) // the Watch takes effect at the end of this Tick
	for n := range int64(6) {
		want := []int64{(n + 2) * 1000}
		// The clock fails at its third reading: after the start of the Tick and the start of the
		// first turn, at the end of that turn.
		fails.Store(calls.Load() + 3)
		f := e.Tick(time.Second)
		require.Equal(t, want, at(f, 1, buff.Pulsed, beat), "Tick %d", n)
		require.Equal(t, want, at(f, 2, buff.Pulsed, beat), "Tick %d", n)
	}
	require.Zero(t, engine.Escaped(e))
	require.EqualValues(t, 6, e.Stats().Faults)
	require.NoError(t, e.Close(context.Background()))
}

// TestWatchClock_FailsAtStart checks that a watcher's clock that fails at the start of a turn or
// of a Tick costs one measurement, and that the results of the turn are kept.
func TestWatchClock_FailsAtStart(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second})
	e, err := engine.New(engine.Options{Catalog: cat, Synchronous: true})
	require.NoError(t, err)
	beat := cat.Spec("beat")
	spawn(t, e, 1)
	add(t, e, 1, beat)
	calls, fails := 0, -1
	defer e.Watch().Open(func() time.Duration {
		if calls++; calls == fails {
			panic("no time")
		}
		return time.Duration(calls)
	})()
	e.Tick(time.Second) // the Watch takes effect at the end of this Tick
	e.Tick(time.Second) // and measures in this one
	fails = calls + 2   // fails at the start of the Tick and at the start of the turn
	require.Equal(t, []int64{3000}, at(e.Tick(time.Second), 1, buff.Pulsed, beat))
	fails = calls + 1
	require.Equal(t, []int64{4000}, at(e.Tick(time.Second), 1, buff.Pulsed, beat))
	require.Zero(t, engine.Escaped(e))
	require.EqualValues(t, 2, e.Stats().Faults)
	require.NoError(t, e.Close(t.Context()))
}
