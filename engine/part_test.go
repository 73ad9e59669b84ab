package engine_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/stretchr/testify/require"
)

// TestP10_CrossByCount checks that commands between owners have their own part of each Tick, by
// cost, and that the remaining commands wait, in order, and come before the commands of later
// frames, with any number of workers.
func TestP10_CrossByCount(t *testing.T) {
	for _, workers := range []int{1, 3} {
		cat := catalogOf(t, buff.Spec{ID: "hit", Kind: define.Instant}, buff.Spec{ID: "told", Kind: define.Infinite, On: define.Hooks{Apply: call("hear")}})
		hit := cat.Spec("hit")
		e := open(t, engine.Options{Catalog: cat, Workers: workers, Budget: patient, Limits: engine.Limits{Tick: 80}, Handlers: engine.Handlers{
			"hear": func(c *engine.Context, _ buff.Event) { c.AddBuff(3, buff.Application{Spec: hit, Magnitude: 400}) },
		}})
		spawn(t, e, 1, 2, 3)
		ask := func(from buff.OwnerID, delay time.Duration, first, n int64) {
			_, err := e.AddTimeout(from, delay, func(c *engine.Context) {
				for k := range n {
					c.AddBuff(3, buff.Application{Spec: hit, Magnitude: first + k})
				}
			})
			require.NoError(t, err)
		}
		ask(2, 1*time.Millisecond, 100, 15)
		ask(1, 1*time.Millisecond, 0, 15)
		ask(1, 2*time.Millisecond, 200, 5)
		require.Equal(t, upTo(0, 10), hits(e.Tick(time.Millisecond)), "one, and one for the event")
		require.Equal(t, append(upTo(10, 15), upTo(100, 105)...), hits(e.Tick(time.Millisecond)))
		require.Equal(t, upTo(105, 115), hits(e.Tick(0)), "what was left comes first")
		require.Equal(t, upTo(200, 205), hits(e.Tick(0)))

		// They also come before commands of the same instant that the order would place first.
		ask(2, 1*time.Millisecond, 300, 15)
		require.Equal(t, upTo(300, 310), hits(e.Tick(time.Millisecond)))
		r := e.AddBuff(1, buff.Application{Spec: cat.Spec("told")})
		require.NoError(t, r.Failure)
		require.Equal(t, append(upTo(310, 315), 400), hits(e.Tick(0)))
		require.Zero(t, engine.Owed(e))
	}
}

// TestP29_Cross checks that the commands between owners that may wait are limited by the limit of
// the Inbox, and that waiting commands have their own copies of the data that they point to. Close
// delivers them.
func TestP29_Cross(t *testing.T) {
	cat := catalogOf(t,
		buff.Spec{ID: "hit", Kind: define.Instant}, buff.Spec{ID: "oath", Kind: define.Infinite, Tags: []string{"fire"}},
	)
	fire, _ := cat.Tag("fire")
	e, err := engine.New(engine.Options{Catalog: cat, Workers: 1, Budget: patient, Limits: engine.Limits{Tick: 80, Inbox: 25}})
	require.NoError(t, err)
	spawn(t, e, 1, 2, 3)
	_, err = e.AddTimeout(1, 0, func(c *engine.Context) {
		for k := range int64(40) {
			c.AddBuff(3, buff.Application{Spec: cat.Spec("hit"), Magnitude: k})
		}
	})
	require.NoError(t, err)
	require.Equal(t, upTo(0, 10), hits(e.Tick(time.Millisecond)))
	require.Equal(t, 25, engine.Owed(e))
	require.EqualValues(t, 5, e.Stats().Undelivered)
	require.Equal(t, upTo(10, 20), hits(e.Tick(0)))

	// The queries of handlers are in the worker's memory, which the worker reuses.
	for id := range buff.OwnerID(2) {
		add(t, e, 2+id, cat.Spec("oath"))
		_, err = e.AddTimeout(1, 0, func(c *engine.Context) {
			for range 9 {
				c.AddBuff(3, buff.Application{Spec: cat.Spec("hit"), Magnitude: 50})
			}
			c.Do(buff.Dispel(2+id, buff.Query{Tag: fire}))
		})
		require.NoError(t, err)
	}
	var got []int64
	for range 8 {
		f := e.Tick(time.Millisecond)
		got = append(got, hits(f)...)
		_, err = e.AddTimeout(1, 0, func(c *engine.Context) {
			for range 3 {
				c.Do(buff.Dispel(9, buff.Query{Type: "none"}))
			}
		})
		require.NoError(t, err)
	}
	require.Equal(t, upTo(20, 35), got[:15])
	for id := range buff.OwnerID(2) {
		require.Empty(t, slices.Collect(must(e.Buffs(2+id)).All()), "it was dispelled")
	}
	_, err = e.AddTimeout(1, 0, func(c *engine.Context) {
		for range 30 {
			c.AddBuff(3, buff.Application{Spec: cat.Spec("hit")})
		}
	})
	require.NoError(t, err)
	e.Tick(time.Millisecond)
	require.NotZero(t, engine.Owed(e))
	shut(t, e)
	require.Zero(t, engine.Owed(e), "Close delivers what was accepted")
}

// TestP10_AreaByCount checks that owners that could not be notified of their area's time are
// notified in the first Ticks that have room for that, by cost, and that each waits only once.
func TestP10_AreaByCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const owners = 30
		p := newPrison(t, owners, engine.Options{Workers: owners, Limits: engine.Limits{Mailbox: 2, Tick: 40}})
		for id := range buff.OwnerID(owners) {
			p.hold(id + 1)
		}
		p.Tick(time.Second)
		for id := range buff.OwnerID(owners) {
			p.Do(buff.Kill(id + 1))
			p.Do(buff.Kill(id + 1))
		}
		for range 3 {
			require.NoError(t, p.Do(buff.PauseArea(0)).Failure)
			require.NoError(t, p.Do(buff.SetAreaRate(0, half)).Failure)
			require.Equal(t, owners, engine.Owed(p.Engine), "once")
		}
		p.Tick(0)
		require.Equal(t, owners, engine.Owed(p.Engine))
		p.free()
		synctest.Wait()
		var left []int
		for engine.Owed(p.Engine) > 0 {
			p.Tick(0)
			synctest.Wait()
			left = append(left, engine.Owed(p.Engine))
		}
		require.Greater(t, len(left), 5)
		for k, n := range left[1:] {
			require.LessOrEqual(t, left[k]-n, 10)
		}
		require.Empty(t, lines(p.Tick(10*time.Second)), "all stand still")
		p.leave(t)
	})
}

// TestP10_AurasByCount checks that the searches of auras have their own part of each Tick, by
// cost, and that waiting searches come first, so that each aura is searched.
func TestP10_AurasByCount(t *testing.T) {
	const bearers = 20
	cat := catalogOf(t,
		buff.Spec{ID: "beacon", Kind: define.Infinite, Aura: define.Aura{Apply: "light", Radius: 10, Interval: 100 * time.Millisecond}},
		buff.Spec{ID: "light", Kind: define.Infinite},
	)
	looks := map[buff.OwnerID]int{}
	now := 0
	o := engine.Options{Catalog: cat, Synchronous: true, Limits: engine.Limits{Tick: 40}, Members: func(q engine.AuraQuery, found func(buff.OwnerID)) {
		looks[q.Bearer]++
		now++
		for id := range buff.OwnerID(4) {
			found(100 + id)
		}
	}}
	e := open(t, o)
	for id := range buff.OwnerID(bearers) {
		spawn(t, e, id, 100+id)
		add(t, e, id, cat.Spec("beacon"))
	}
	for k := range 40 {
		now = 0
		e.Tick(100 * time.Millisecond)
		require.LessOrEqual(t, now, 3, "Tick %d", k)
	}
	for id := range buff.OwnerID(bearers) {
		require.InDelta(t, looks[0], looks[id], 1, "bearer %d", id)
	}
	require.GreaterOrEqual(t, looks[0], 3)
	for id := range buff.OwnerID(bearers) {
		e.Do(buff.Kill(id))
	}
	for range 60 {
		e.Tick(100 * time.Millisecond)
	}
	for id := range buff.OwnerID(4) {
		require.Empty(t, slices.Collect(must(e.Buffs(100+id)).All()), "all auras have ended")
	}
	require.Zero(t, engine.Owed(e))
	require.Empty(t, engine.CheckCrossIndex(e))
}
