package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/stretchr/testify/require"
)

// answered calls f while the loop ticks, and returns the result.
func answered[T any](t *testing.T, e *engine.Engine, f func() (T, error)) T {
	t.Helper()
	return ask(e, 0, func() T {
		v, err := f()
		require.NoError(t, err)
		return v
	})
}

// TestSpecs checks the statistics of each definition while a Watch is open: events by kind and
// durations of handlers, also across a Reload, and those of events without a definition.
func TestSpecs(t *testing.T) {
	specs := []buff.Spec{
		{ID: "venom", Duration: time.Minute, Period: time.Second, On: define.Hooks{Pulse: []define.Action{{Do: define.DoCall, Name: "slow"}}}},
		{ID: "once", Duration: time.Hour, Stack: define.Stacking{By: define.ByTarget, Overflow: define.OverflowDeny}},
	}
	cat, err := buff.NewCatalog(specs...)
	require.NoError(t, err)
	clock := time.Duration(0)
	e, err := engine.New(engine.Options{Catalog: cat, Synchronous: true, Handlers: engine.Handlers{
		"slow": func(*engine.Context, buff.Event) { clock += 3 * time.Millisecond },
		"none": func(*engine.Context, buff.Event) {},
	}})
	require.NoError(t, err)
	require.NoError(t, e.Spawn(1, nil))
	defer e.Watch().Open(func() time.Duration { return clock })()
	e.Tick(0)
	e.AddBuff(1, buff.Application{Spec: cat.Spec("venom")})
	for range 3 {
		e.AddBuff(1, buff.Application{Spec: cat.Spec("once")})
	}
	_, err = e.AddTimeout(1, time.Second, func(*engine.Context) { clock += time.Millisecond })
	require.NoError(t, err)
	for range 4 {
		e.Tick(time.Second)
	}
	got := answered(t, e, func() ([]view.SpecStats, error) { return e.Watch().Specs(t.Context()) })
	require.Len(t, got, 3)
	venom, once, none := got[0], got[1], got[2]
	require.Equal(t, "venom", venom.Spec.ID)
	require.Equal(t, 1, venom.Live)
	require.EqualValues(t, 1, venom.Events[buff.Applied])
	require.EqualValues(t, 4, venom.Events[buff.Pulsed])
	require.EqualValues(t, 4, venom.Handlers)
	require.Equal(t, 12*time.Millisecond, venom.Took)
	require.Greater(t, venom.Times.Quantile(0.5), 3*time.Millisecond)
	require.EqualValues(t, 2, once.Events[buff.Denied])
	require.Nil(t, once.Times)
	require.Nil(t, none.Spec)
	require.EqualValues(t, 1, none.Events[buff.TimedOut])
	require.Equal(t, time.Millisecond, none.Took)

	// The Reload adds a definition at the front, but statistics belong to the ID.
	next, err := cat.Next(append([]buff.Spec{{ID: "new", Duration: time.Hour}}, specs...)...)
	require.NoError(t, err)
	_, err = e.Reload(next)
	require.NoError(t, err)
	e.AddBuff(1, buff.Application{Spec: next.Spec("new")})
	e.Tick(time.Second)
	got = answered(t, e, func() ([]view.SpecStats, error) { return e.Watch().Specs(t.Context()) })
	require.Equal(t, "new", got[0].Spec.ID)
	require.EqualValues(t, 1, got[0].Events[buff.Applied])
	require.EqualValues(t, 5, got[1].Events[buff.Pulsed])
	require.EqualValues(t, 5, got[1].Handlers)

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = e.Watch().Specs(gone)
	require.ErrorIs(t, err, context.Canceled)
}

// TestHolders checks that the owners with a definition are returned in parts, however many owners
// there are, and that busy owners are counted as unknown.
func TestHolders(t *testing.T) {
	e, release, _ := hanging(t, engine.Options{})
	next, err := e.Catalog().Next(
		buff.Spec{ID: "trap", Kind: define.Instant, On: define.Hooks{Exec: []define.Action{{Do: define.DoCall, Name: "hang"}}}},
		buff.Spec{ID: "torch", Duration: time.Hour, Stack: define.Stacking{By: define.BySource, Limit: 5}},
		buff.Spec{ID: "cold", Duration: time.Hour},
	)
	require.NoError(t, err)
	_, err = e.Reload(next)
	require.NoError(t, err)
	torch := next.Spec("torch")
	for id := buff.OwnerID(1000); id < 4000; id++ {
		require.NoError(t, e.Spawn(id, nil))
		e.AddBuff(id, buff.Application{Spec: next.Spec("cold")})
		if id%3 == 0 {
			e.AddBuff(id, buff.Application{Spec: torch, Source: 8, Stacks: 2})
		}
		if id%6 == 0 {
			e.AddBuff(id, buff.Application{Spec: torch, Source: 9})
		}
	}
	require.NoError(t, e.Drop(8)) // so that a number is not in use
	e.AddBuff(7, buff.Application{Spec: torch, Source: 8})
	e.AddBuff(7, buff.Application{Spec: e.Catalog().Spec("trap")})
	for len(e.Tick(time.Millisecond).Stuck) == 0 {
	}
	var found []view.Holder
	busy, pages := 0, 0
	for from := 0; ; pages++ {
		h := answered(t, e, func() (view.Holders, error) { return e.Watch().Holders(t.Context(), torch, from) })
		found, busy = append(found, h.List...), busy+h.Busy
		require.LessOrEqual(t, len(h.List), 256)
		require.Equal(t, 3002, h.All)
		if h.Next == 0 {
			break
		}
		require.Greater(t, h.Next, from)
		from = h.Next
	}
	require.Len(t, found, 1000)
	require.Equal(t, view.Holder{Owner: 1002, Source: 8, Buffs: 2, Stacks: 3}, found[0])
	require.Equal(t, view.Holder{Owner: 1005, Source: 8, Buffs: 1, Stacks: 2}, found[1])
	require.Equal(t, 1, busy)
	require.Equal(t, 3, pages)
	_, err = e.Watch().Holders(t.Context(), nil, 0)
	require.ErrorIs(t, err, engine.ErrUnknownSpec)
	release()
}

// TestHoldersOfMany checks that a Tick stops its search after the owner with which it has visited
// 8,192 buffs.
func TestHoldersOfMany(t *testing.T) {
	for _, k := range []struct{ first, next int }{{4096, 2}, {4095, 0}} {
		cat := catalogOf(t, buff.Spec{ID: "cold", Kind: define.Infinite})
		e := open(t, engine.Options{Catalog: cat, Synchronous: true, Limits: engine.Limits{Buffs: 4096}})
		for id, n := range []int{k.first, 4096, 1} {
			require.NoError(t, e.Spawn(buff.OwnerID(id), nil))
			for range n {
				add(t, e, buff.OwnerID(id), cat.Spec("cold"))
			}
		}
		e.Tick(time.Second)
		h := answered(t, e, func() (view.Holders, error) { return e.Watch().Holders(t.Context(), cat.Spec("cold"), 0) })
		require.Equal(t, k.next, h.Next)
	}
}
