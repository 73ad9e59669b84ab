package engine_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
	"github.com/stretchr/testify/require"
)

// TestSetPeriod_NextMillisecond checks that if a change of the period leaves less than half a
// millisecond until the next pulse, the pulse is in the next millisecond. No command makes
// anything due in its own instant.
func TestSetPeriod_NextMillisecond(t *testing.T) {
	for _, m := range modes[:3] {
		cat := catalogOf(t, buff.Spec{ID: "p", Kind: define.Infinite, Period: 10 * time.Second, Haste: define.HasteRescale})
		o := engine.Options{Catalog: cat}
		m.set(&o)
		e := open(t, o)
		spawn(t, e, 1)
		h := add(t, e, 1, cat.Spec("p"))
		e.Tick(9999 * time.Millisecond)
		require.Equal(t, buff.Hastened, e.Do(buff.SetPeriod(h, time.Second)).Kind)
		require.Equal(t, []string{"1: 9999 period p next=10000"}, lines(e.Tick(0)))
		require.Equal(t, []string{"1: 10000 pulse p x1"}, lines(e.Tick(time.Millisecond)))
		require.Equal(t, []string{"1: 11000 pulse p x1"}, lines(e.Tick(time.Second)))
		shut(t, e)
	}
}

// TestPauseOwner_NothingBecomesDue checks that while an owner is paused, neither its buffs nor its
// timeouts become due, none of them keeps a timer on the wheel, and buffs applied in the meantime
// wait too.
func TestPauseOwner_NothingBecomesDue(t *testing.T) {
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			cat := catalogOf(t, buff.Spec{ID: "p", Duration: 5 * time.Second, Period: 2 * time.Second}, buff.Spec{ID: "q", Duration: time.Second})
			o := engine.Options{Catalog: cat}
			m.set(&o)
			e := open(t, o)
			spawn(t, e, 1, 2)
			h := add(t, e, 1, cat.Spec("p"))
			_, err := e.AddTimeout(1, 4*time.Second, func(*engine.Context) {})
			require.NoError(t, err)
			e.Tick(3 * time.Second)
			require.NoError(t, e.Do(buff.Pause(1)).Failure)
			require.NoError(t, e.Do(buff.Pause(1)).Failure)
			add(t, e, 1, cat.Spec("q"))
			b, _ := reply(e.Find(h))
			require.EqualValues(t, math.MaxInt64, b.End)
			require.True(t, b.Paused)
			require.Equal(t, 2*time.Second, b.Left(e.Now()), "of its own time")
			require.Equal(t, []string{"1: 3000 apply q x1"}, lines(e.Tick(100*time.Hour)), "no end while its time stands still")
			require.Zero(t, e.Stats().Timers)
			require.NoError(t, e.Do(buff.Resume(1)).Failure)
			require.NoError(t, e.Do(buff.Resume(1)).Failure)
			b, _ = reply(e.Find(h))
			require.EqualValues(t, 360_005_000, b.End)
			require.Equal(t, []string{
				"1: 360004000 pulse p x1", "1: 360004000 remove q why=expired", "1: 360004000 timeout", "1: 360005000 remove p why=expired",
			}, lines(e.Tick(time.Minute)))
			shut(t, e)
		})
	}
}

// TestAddAndPause checks that a handler can add a buff and pause its owner, or the buff, at once,
// and that a handler can resume the owner later.
func TestAddAndPause(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "p", Duration: 2 * time.Second, Period: time.Second})
	add := func(c *engine.Context) { c.AddBuff(c.Owner(), buff.Application{Spec: cat.Spec("p")}) }
	for _, m := range modes[:3] {
		o := engine.Options{Catalog: cat}
		m.set(&o)
		e := open(t, o)
		spawn(t, e, 1, 2)
		_, err := e.AddTimeout(1, time.Second, func(c *engine.Context) { add(c); c.Do(buff.Pause(1)); add(c) })
		require.NoError(t, err)
		require.Len(t, lines(e.Tick(10*time.Second)), 3)
		require.Empty(t, lines(e.Tick(10*time.Second)))
		_, err = e.AddTimeout(2, time.Second, func(c *engine.Context) { c.Do(buff.Resume(1)) })
		require.NoError(t, err)
		e.Tick(time.Second) // at 21 s
		require.Equal(t, []string{
			"1: 22000 pulse p x1", "1: 22000 pulse p x1", "1: 23000 pulse p x1", "1: 23000 pulse p x1",
			"1: 23000 remove p why=expired", "1: 23000 remove p why=expired",
		}, lines(e.Tick(10*time.Second)))
		shut(t, e)
	}
}

// TestRates checks that the rates of a buff and of its owner are multiplied, and that an invalid
// rate is an error without effect.
func TestRates(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "p", Kind: define.Infinite, Period: 3 * time.Second})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	spawn(t, e, 1)
	h := add(t, e, 1, cat.Spec("p"))
	for _, r := range []buff.Ratio{{Num: 0, Den: 1}, {Num: 1, Den: 0}, {Num: buff.MaxRate + 1, Den: 1}, {Num: 1, Den: buff.MaxRate + 1}} {
		require.ErrorIs(t, e.Do(buff.SetRate(1, r)).Failure, buff.ErrRate)
		require.ErrorIs(t, e.Do(buff.SetBuffRate(h, r)).Failure, buff.ErrRate)
	}
	require.NoError(t, e.Do(buff.SetRate(1, buff.Ratio{Num: 1, Den: 4})).Failure)
	require.NoError(t, e.Do(buff.SetBuffRate(h, buff.Ratio{Num: 4, Den: 1})).Failure)
	require.Equal(t, []string{"1: 0 apply p x1", "1: 3000 pulse p x1", "1: 6000 pulse p x1"}, lines(e.Tick(6*time.Second)))
	require.NoError(t, e.Do(buff.SetBuffRate(h, buff.Ratio{})).Failure)
	require.Equal(t, []string{"1: 18000 pulse p x1"}, lines(e.Tick(12*time.Second)))
}

// TestTimeErrors checks the errors of commands about time that cannot be executed.
func TestTimeErrors(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "still", Kind: define.Infinite}, buff.Spec{ID: "p", Kind: define.Infinite, Period: time.Second})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	spawn(t, e, 1)
	still, p := add(t, e, 1, cat.Spec("still")), add(t, e, 1, cat.Spec("p"))
	require.ErrorIs(t, e.Do(buff.SetPeriod(still, time.Second)).Failure, buff.ErrPeriod)
	require.ErrorIs(t, e.Do(buff.SetPeriod(p, 0)).Failure, buff.ErrPeriod)
	require.ErrorIs(t, e.Do(buff.SetPeriod(p, time.Second+time.Microsecond)).Failure, buff.ErrPeriod)
	require.ErrorIs(t, e.Do(buff.ExtendUpTo(p, time.Second, time.Hour)).Failure, buff.ErrInfinite)
	require.Len(t, lines(e.Tick(0)), 2)
	require.Equal(t, buff.Result{Handle: still, Kind: buff.Refreshed}, e.Do(buff.SetRemaining(still, time.Second)), "and so it gets an end")
	require.Equal(t, buff.Result{Kind: buff.Removed, Why: reason.Expired}, e.Do(buff.SetRemaining(p, 0)))
	require.Equal(t, []string{"1: 0 refresh still x1 end=1000", "1: 0 remove p why=expired", "1: 1000 remove still why=expired"}, lines(e.Tick(time.Second)))
}

// TestExtend_Cap checks that an end beyond the cap does not move.
func TestExtend_Cap(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "p", Duration: 10 * time.Second})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	spawn(t, e, 1)
	h := add(t, e, 1, cat.Spec("p"))
	end := func() int64 {
		b, ok := reply(e.Find(h))
		require.True(t, ok)
		return int64(b.End)
	}
	for _, c := range []struct {
		by, most time.Duration
		end      int64
	}{
		{time.Second, 20 * time.Second, 11_000},
		{20 * time.Second, 20 * time.Second, 20_000},
		{time.Second, 5 * time.Second, 20_000},
		{-time.Second, 5 * time.Second, 19_000},
		{time.Second, -1, 19_000},
	} {
		require.NoError(t, e.Do(buff.ExtendUpTo(h, c.by, c.most)).Failure)
		require.Equal(t, c.end, end())
	}
}

// TestCompensate checks that all buffs that match a query are extended on all owners, including
// busy ones.
func TestCompensate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cat := catalogOf(t, buff.Spec{ID: "potion", Duration: 10 * time.Second, Tags: []string{"item.potion"}}, buff.Spec{ID: "oath", Kind: define.Infinite, Tags: []string{"item"}}, buff.Spec{ID: "p", Duration: 10 * time.Second})
		item, ok := cat.Tag("item")
		require.True(t, ok)
		e := open(t, engine.Options{Catalog: cat, Workers: 1, Budget: brief})
		spawn(t, e, 1, 2, 3, 4)
		for id := range buff.OwnerID(4) {
			for _, name := range []string{"potion", "oath", "p"} {
				add(t, e, id+1, cat.Spec(name))
			}
		}
		gate := make(chan struct{})
		_, err := e.AddTimeout(2, 0, func(*engine.Context) { <-gate })
		require.NoError(t, err)
		e.Tick(time.Second)
		require.NoError(t, e.Drop(4))
		r := e.Do(buff.Compensate(buff.Query{Tag: item}, 5*time.Second))
		require.NoError(t, r.Failure)
		require.EqualValues(t, 2, r.Amount)
		r = e.Do(buff.Compensate(buff.Query{Spec: cat.Spec("potion"), Source: 9}, -5*time.Second))
		require.NoError(t, r.Failure)
		require.Zero(t, r.Amount)
		close(gate)
		synctest.Wait()
		e.Tick(0)
		for id := range buff.OwnerID(3) {
			var ends []int64
			for b := range must(e.Buffs(id + 1)).All() {
				ends = append(ends, int64(b.End))
			}
			require.Equal(t, []int64{15_000, math.MaxInt64, 10_000}, ends)
		}
		shut(t, e)
		require.ErrorIs(t, e.Do(buff.Compensate(buff.Query{}, time.Second)).Failure, engine.ErrClosed)
	})
}
