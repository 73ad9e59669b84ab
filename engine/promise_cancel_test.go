package engine_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/stretchr/testify/require"
)

// TestP12_CancelledIsSilent checks that after Remove or Cancel has returned, no event of the buff
// or timeout starts. It is tested on the loop, in the millisecond before the buff is due, and in a
// handler of the same instant, when the deadline has already left the wheel.
func TestP12_CancelledIsSilent(t *testing.T) {
	for _, workers := range []int{0, 2} {
		cat := catalogOf(t, buff.Spec{ID: "venom", Duration: 5 * time.Second, Period: time.Second, On: define.Hooks{Pulse: call("hurt")}})
		calls := 0
		e := open(t, engine.Options{Catalog: cat, Synchronous: workers == 0, Workers: workers, Budget: patient, Handlers: engine.Handlers{
			"hurt": func(*engine.Context, buff.Event) { calls++ },
		}})
		spawn(t, e, 1)
		h := add(t, e, 1, cat.Spec("venom"))
		x, err := e.AddTimeout(1, time.Second, func(*engine.Context) { calls++ })
		require.NoError(t, err)
		e.Tick(999 * time.Millisecond)
		require.Equal(t, buff.Removed, e.Remove(h).Kind)
		require.Equal(t, buff.Removed, e.Cancel(x).Kind)
		require.Equal(t, []string{"1: 999 remove venom why=cancelled"}, lines(e.Tick(time.Hour)))
		require.Zero(t, calls)

		victim := add(t, e, 1, cat.Spec("venom"))
		_, err = e.AddTimeout(1, 500*time.Millisecond, func(*engine.Context) {})
		require.NoError(t, err)
		y, err := e.AddTimeout(1, 1000*time.Millisecond, func(*engine.Context) { calls += 100 })
		require.NoError(t, err)
		_, err = e.AddTimeout(1, 999*time.Millisecond, func(c *engine.Context) { c.Remove(victim); c.Cancel(y) })
		require.NoError(t, err)
		e.Tick(time.Hour)
		require.Zero(t, calls)
	}
}

// TestP13_FiresOrIsCancelled checks that a timeout that other goroutines try to cancel either
// fires or is cancelled: each accepted cancel has cancelled a timeout, or was too late and is
// counted in Undelivered.
func TestP13_FiresOrIsCancelled(t *testing.T) {
	const producers, each = 8, 300
	e := open(t, engine.Options{Workers: 2, Budget: patient})
	spawn(t, e, 1, 2, 3)
	dice := rand.New(rand.NewPCG(1, 13))
	var rung [producers * each]int
	handles := make([]buff.TimeoutHandle, len(rung))
	for i := range handles {
		var err error
		handles[i], err = e.AddTimeout(buff.OwnerID(1+i%3), time.Duration(1+dice.IntN(50))*time.Millisecond, func(*engine.Context) { rung[i]++ })
		require.NoError(t, err)
	}
	var wg sync.WaitGroup
	for p := range producers {
		wg.Go(func() {
			for k := range each {
				if err := e.Inbox().Cancel(handles[p*each+k]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 25 {
		e.Tick(time.Millisecond)
	}
	wg.Wait()
	for range 100 {
		e.Tick(time.Millisecond)
	}
	total := 0
	for _, n := range rung {
		require.LessOrEqual(t, n, 1)
		total += n
	}
	require.EqualValues(t, total, e.Stats().Undelivered, "each cancel that stopped nothing came after its ring")
	require.Zero(t, e.Stats().Timers)
}

// TestP14_Handles checks that a stale, forged or foreign handle affects nothing.
func TestP14_Handles(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "oath", Kind: define.Infinite})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Limits: engine.Limits{Owners: 3}})
	spawn(t, e, 1, 2)
	stale := add(t, e, 1, cat.Spec("oath"))
	e.Remove(stale)
	live := add(t, e, 1, cat.Spec("oath")) // uses the same slot
	require.NotEqual(t, stale, live)
	for bit := range 64 {
		for _, h := range []buff.Handle{live ^ 1<<bit, stale, 0, ^buff.Handle(0)} {
			require.ErrorIs(t, e.Remove(h).Failure, buff.ErrStale, "%v", h)
			require.ErrorIs(t, e.Do(buff.Extend(h, time.Hour)).Failure, buff.ErrStale)
			require.ErrorIs(t, e.Cancel(buff.TimeoutHandle(h)).Failure, buff.ErrStale)
			_, ok := reply(e.Find(h))
			require.False(t, ok)
		}
	}
	require.NoError(t, e.Drop(1))
	spawn(t, e, 1)
	require.ErrorIs(t, e.Remove(live).Failure, buff.ErrStale, "its owner has left and come back")
	again := add(t, e, 1, cat.Spec("oath"))
	require.NotEqual(t, live, again)
	require.Equal(t, buff.Removed, e.Remove(again).Kind)
}

// TestP15_CancelAnywhere checks that a cancel has a result and does not panic: inside the buff's
// own handler, for another buff of the same instant, a second time, after the end, and after
// Close.
func TestP15_CancelAnywhere(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "venom", Duration: 2 * time.Second, Period: time.Second, On: define.Hooks{Pulse: call("hurt")}})
	var own, sibling buff.Handle
	e, err := engine.New(engine.Options{Catalog: cat, Synchronous: true, Handlers: engine.Handlers{
		"hurt": func(c *engine.Context, ev buff.Event) {
			if ev.Handle == own {
				c.Remove(own)
				c.Remove(own)
				c.Remove(sibling)
			}
		},
	}})
	require.NoError(t, err)
	spawn(t, e, 1)
	own, sibling = add(t, e, 1, cat.Spec("venom")), add(t, e, 1, cat.Spec("venom"))
	e.Tick(0)
	require.Equal(t, []string{
		"1: 1000 pulse venom x1", "1: 1000 remove venom why=cancelled", "1: 1000 remove venom why=cancelled",
	}, lines(e.Tick(time.Second)), "the sibling's pulse of that instant does not start")
	require.EqualValues(t, 1, e.Stats().Undelivered, "the second Remove")
	require.ErrorIs(t, e.Remove(own).Failure, buff.ErrStale)
	shut(t, e)
	require.Error(t, e.Remove(own).Failure)
	require.Error(t, e.Cancel(0).Failure)
	require.ErrorIs(t, e.Inbox().Remove(own), engine.ErrClosed)
}

// TestP16_Memory checks that the memory of a cancelled buff can be reused at once.
func TestP16_Memory(t *testing.T) {
	const most = 8
	cat := catalogOf(t, buff.Spec{ID: "oath", Duration: 13 * time.Hour, Period: time.Minute})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Limits: engine.Limits{Buffs: most}})
	spawn(t, e, 1)
	for range 1000 {
		var handles []buff.Handle
		for range most {
			handles = append(handles, add(t, e, 1, cat.Spec("oath")))
		}
		r := e.AddBuff(1, buff.Application{Spec: cat.Spec("oath")})
		require.ErrorIs(t, r.Failure, buff.ErrFull)
		for _, h := range handles {
			require.NoError(t, e.Remove(h).Failure)
		}
		require.Zero(t, e.Stats().Timers)
		e.Tick(0)
	}
}

// TestP22_TheLoopDoesNotBlock checks that with handlers that never return, and a pool that refuses
// tasks, the first Tick takes its budget and later Ticks take no time, and that other calls take
// no time.
func TestP22_TheLoopDoesNotBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const budget = 7 * time.Millisecond
		cell := make(chan struct{})
		cat := catalogOf(t, buff.Spec{ID: "oath", Kind: define.Infinite})
		e, err := engine.New(engine.Options{Catalog: cat, Workers: 2, Budget: budget})
		require.NoError(t, err)
		took := func(f func()) time.Duration {
			began := time.Now()
			f()
			return time.Since(began)
		}
		for id := range buff.OwnerID(10) {
			require.NoError(t, e.Spawn(id, nil))
			_, err := e.AddTimeout(id, time.Millisecond, func(*engine.Context) { <-cell })
			require.NoError(t, err)
		}
		require.Equal(t, budget, took(func() { e.Tick(time.Hour) }), "two of ten hold both workers")
		for range 5 {
			require.LessOrEqual(t, took(func() { e.Tick(time.Second) }), budget)
			require.Zero(t, took(func() {
				add := func(id buff.OwnerID) { e.AddBuff(id, buff.Application{Spec: cat.Spec("oath")}) }
				add(1)
				add(9)
				e.Stats()
				_ = e.Drop(11)
				_ = e.Inbox().Do(buff.Kill(1))
			}))
		}
		close(cell)
		synctest.Wait()
		require.NoError(t, e.Close(t.Context()))
	})
}
