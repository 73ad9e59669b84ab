package store_test

import (
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// TestStolenShields lets owners, some of which are busy, steal damaged shields from each other, and
// log out and in. The sum of the remaining shields must be the same in every restored cut.
func TestStolenShields(t *testing.T) {
	for seed := range uint64(4) {
		synctest.Test(t, func(t *testing.T) { stolenShields(t, seed) })
	}
}

const shieldOwners = 12

// shields is a zone in which timeout "wait" blocks its owner until the gate opens.
type shields struct {
	cat  *buff.Catalog
	gate chan struct{}
	v    *store.Saver
}

func (g *shields) open(t *testing.T, s store.Store) {
	v, err := store.Open(t.Context(), s, "arena", engine.Options{
		Catalog: g.cat, Workers: 4, Budget: time.Hour, Number: 1,
		Handlers: engine.Handlers{"wait": func(*engine.Context, buff.Event) { <-g.gate }},
	}, store.Options{Every: -1, Now: func() time.Time { return noon }})
	require.NoError(t, err)
	require.Empty(t, v.Restored().Failed)
	g.v = v
}

// left returns the sum of all shields and charges. It logs all owners in.
func (g *shields) left(t *testing.T) (sum int) {
	for id := range g.v.Parked() {
		_, err := g.v.Unpark(id)
		require.NoError(t, err)
	}
	for id := range buff.OwnerID(shieldOwners) {
		buffs, err := g.v.Engine().Buffs(id)
		require.NoError(t, err)
		for b := range buffs.All() {
			sum += int(b.Shield) + 1000*b.Charges
		}
	}
	return sum
}

// steal lets owners steal from owners that are not busy. It returns how many thieves were busy.
func (g *shields) steal(t *testing.T, rng *rand.Rand, busy map[buff.OwnerID]bool) (waited int) {
	for range 8 {
		from, to := buff.OwnerID(rng.IntN(shieldOwners)), buff.OwnerID(rng.IntN(shieldOwners))
		if from == to || busy[from] {
			continue
		}
		name := []string{"ward", "runes"}[rng.IntN(2)]
		require.NoError(t, g.v.Engine().Do(buff.Steal(from, to, buff.Query{Spec: g.cat.Spec(name)}, 0)).Failure)
		if busy[to] {
			waited++
		}
	}
	return waited
}

func stolenShields(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 18))
	cat, err := buff.NewCatalog(
		buff.Spec{ID: "ward", Kind: define.Infinite, Stack: define.Stacking{By: define.ByKey}, Shield: define.Shield{On: true, Pool: 100}},
		buff.Spec{ID: "runes", Duration: time.Hour, Stack: define.Stacking{By: define.ByKey}, Charges: define.Charges{N: 7, ConsumeOn: []string{"hit"}}},
	)
	require.NoError(t, err)
	hit, ok := cat.Act("hit")
	require.True(t, ok)
	g, s := &shields{cat: cat}, storetest.NewMemory()
	g.open(t, s)
	e := g.v.Engine()
	for id := range buff.OwnerID(shieldOwners) {
		require.NoError(t, e.Spawn(id, nil))
		e.AddBuff(id, buff.Application{Spec: cat.Spec("ward"), Key: uint64(id) + 1})
		e.AddBuff(id, buff.Application{Spec: cat.Spec("runes"), Key: uint64(id) + 1})
		_, err := e.Absorb(id, int64(rng.IntN(99)), 0)
		require.NoError(t, err)
		for range rng.IntN(6) {
			require.NoError(t, e.Do(buff.Consume(id, hit)).Failure)
		}
	}
	e.Tick(0)
	want, waited := g.left(t), 0
	for range 6 {
		e, g.gate = g.v.Engine(), make(chan struct{})
		busy := map[buff.OwnerID]bool{}
		g.steal(t, rng, busy)
		for range 3 {
			id := buff.OwnerID(rng.IntN(shieldOwners))
			busy[id] = true
			require.NoError(t, e.Do(buff.AddTimeout(id, 100*time.Millisecond, "wait")).Failure)
		}
		g.v.After(e.Tick(time.Second))
		waited += g.steal(t, rng, busy)
		for range 3 {
			id := buff.OwnerID(rng.IntN(shieldOwners))
			switch err := g.v.Park(id); {
			case busy[id]:
				require.ErrorIs(t, err, engine.ErrBusy)
			case !errors.Is(err, engine.ErrUnknownOwner): // it has been parked already
				require.NoError(t, err)
			}
		}
		require.NoError(t, g.v.SaveAll(t.Context()))
		g.v.Close()
		close(g.gate)
		require.NoError(t, e.Close(t.Context()))
		g.open(t, s) // restored from disk
		g.v.After(g.v.Engine().Tick(0))
		require.Equal(t, want, g.left(t))
	}
	require.Positive(t, waited)
	g.v.Close()
	require.NoError(t, g.v.Engine().Close(t.Context()))
}
