package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/snapshot"
	"github.com/stretchr/testify/require"
)

// TestCopiesPieces checks that a list of copies consists of slices of one size, each of which is
// full before the next one starts.
func TestCopiesPieces(t *testing.T) {
	c := engine.Copies(open(t, engine.Options{Synchronous: true}), nil)
	require.Equal(t, []int{64, 64, 64, 1}, engine.Pieces(c, 3*64+1))
	require.Empty(t, engine.Pieces(c, 0))
}

// TestCopies_BusyOwnersInOrder checks that a round lists exactly the busy owners, in the order in
// which they became busy.
func TestCopies_BusyOwnersInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		cat := catalogOf(t, buff.Spec{ID: "hang", Kind: define.Instant, On: define.Hooks{Exec: call("wait")}}, buff.Spec{ID: "coin", Kind: define.Infinite})
		e := open(t, engine.Options{Catalog: cat, Workers: 3, Budget: brief, Handlers: engine.Handlers{"wait": func(*engine.Context, buff.Event) { <-gate }}})
		spawn(t, e, 1, 2, 3, 4, 5)
		c := engine.Copies(e, nil)
		c.Begin(false)
		c.Step(100)
		x := c.Take()
		x.Free()
		for _, id := range []buff.OwnerID{2, 4, 5} {
			e.AddBuff(id, buff.Application{Spec: cat.Spec("hang")})
		}
		e.Tick(time.Second)
		for id := range buff.OwnerID(5) {
			e.AddBuff(id+1, buff.Application{Spec: cat.Spec("coin")})
		}
		require.ElementsMatch(t, []buff.OwnerID{2, 4, 5}, c.Begin(false).Older)
		close(gate)
		synctest.Wait()
		e.Tick(0)
	})
}

// TestCopies_GoneAndSpawnedAgain checks that an owner that has left since the last round and was
// spawned again is not in Round.Gone.
func TestCopies_GoneAndSpawnedAgain(t *testing.T) {
	e := open(t, engine.Options{Synchronous: true})
	spawn(t, e, 1, 2, 3)
	c := engine.Copies(e, nil)
	c.Begin(false)
	c.Step(100)
	x := c.Take()
	x.Free()
	for _, id := range []buff.OwnerID{1, 2} {
		require.NoError(t, e.Drop(id))
	}
	e.Tick(0)
	spawn(t, e, 1)
	require.Equal(t, map[buff.OwnerID]struct{}{2: {}}, c.Begin(false).Gone)
}

// TestCopiesWaitingOfAuras checks that Round.Waiting has the commands for busy owners, except
// those that the next search of an aura, or the area, will issue again.
func TestCopiesWaitingOfAuras(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		cat := catalogOf(
			t, buff.Spec{ID: "hang", Kind: define.Instant, On: define.Hooks{Exec: call("wait")}}, buff.Spec{ID: "coin", Kind: define.Infinite},
			buff.Spec{ID: "light", Kind: define.Infinite, Aura: define.Aura{Apply: "lit", Radius: 5, Interval: 500 * time.Millisecond}},
			buff.Spec{ID: "lit", Kind: define.Infinite},
		)
		in := true
		e := open(t, engine.Options{
			Catalog: cat, Workers: 2, Budget: brief, Handlers: engine.Handlers{"wait": func(*engine.Context, buff.Event) { <-gate }},
			Members: func(_ engine.AuraQuery, found func(buff.OwnerID)) {
				if in {
					found(2)
				}
			},
		})
		spawn(t, e, 1, 2)
		c := engine.Copies(e, nil)
		round := func() snapshot.Round {
			r := c.Begin(false)
			c.Step(100)
			x := c.Take()
			x.Free()
			return r
		}
		round()
		for _, id := range []buff.OwnerID{2} {
			e.AddBuff(id, buff.Application{Spec: cat.Spec("hang")})
		}
		e.Tick(100 * time.Millisecond)
		require.True(t, e.Busy(2))
		e.AddBuff(2, buff.Application{Spec: cat.Spec("coin")})
		add(t, e, 1, cat.Spec("light"))
		e.Tick(time.Second)
		in = false
		e.Tick(time.Second)
		require.NoError(t, e.Do(buff.PauseArea(0)).Failure)
		e.Tick(time.Second)
		r := round()
		require.Equal(t, []buff.OwnerID{2}, r.Older)
		require.Len(t, r.Waiting, 1)
		require.Equal(t, "coin", r.Waiting[0].Application.Spec.ID)
		require.NoError(t, e.Drop(2))
		require.Empty(t, round().Waiting, "who has left carries nothing out")
		close(gate)
		synctest.Wait()
		e.Tick(0)
	})
}
