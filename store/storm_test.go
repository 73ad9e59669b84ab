package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
	"github.com/stretchr/testify/require"
)

// storm is a game in which owners take coins from each other, by commands of the loop, of
// handlers and of the Inbox, while auras start and end, and log out and in. An owner's gold must be
// equal to its number of coins.
type storm struct {
	t   *testing.T
	s   store.Store
	rng *rand.Rand
	cat *buff.Catalog
	v   *store.Saver

	every time.Duration // ms of game time between cuts
	stays bool          // owners do not log out
}

const stormOwners, stormCoins = 150, 4

func newStorm(t *testing.T, s store.Store, seed uint64) *storm {
	call := []define.Action{{Do: define.DoCall, Name: "rob"}}
	cat, err := buff.NewCatalog(
		buff.Spec{ID: "coin", Kind: define.Infinite, Stack: define.Stacking{Limit: 1000}},
		buff.Spec{ID: "greed", Kind: define.Infinite, Period: 170 * time.Millisecond, On: define.Hooks{Pulse: call}},
		buff.Spec{ID: "light", Kind: define.Infinite},
		buff.Spec{ID: "beacon", Duration: 3 * time.Second, Aura: define.Aura{Apply: "light", Interval: 200 * time.Millisecond, Radius: 1}},
	)
	require.NoError(t, err)
	return &storm{t: t, s: s, rng: rand.New(rand.NewPCG(seed, 1)), cat: cat, every: 100}
}

// open starts the game or continues it.
func (g *storm) open() {
	coin := buff.Query{Spec: g.cat.Spec("coin")}
	v, err := store.Open(g.t.Context(), g.s, "arena", engine.Options{
		// One owner may get all coins.
		Catalog: g.cat, Workers: 2, Budget: -1, Number: 1, Limits: engine.Limits{Buffs: 4096},
		Members: func(q engine.AuraQuery, found func(buff.OwnerID)) { found((q.Bearer + 1) % stormOwners) },
		Handlers: engine.Handlers{"rob": func(c *engine.Context, e buff.Event) {
			if victim := buff.OwnerID((uint64(e.At)*7 + uint64(e.Owner)*3) % stormOwners); victim != e.Owner {
				c.Do(buff.Steal(victim, e.Owner, coin, 0))
			}
		}},
	}, store.Options{
		Every: g.every * time.Millisecond, Share: time.Microsecond, Window: 1 << 16, Marshal: marshal, Unmarshal: unmarshal,
		Now: func() time.Time { return noon },
	})
	require.NoError(g.t, err)
	require.Empty(g.t, v.Restored().Failed)
	g.v = v
	if !v.Restored().Fresh {
		return
	}
	for id := range buff.OwnerID(stormOwners) {
		require.NoError(g.t, v.Engine().Spawn(id, &hero{}))
		v.Engine().AddBuff(id, buff.Application{Spec: g.cat.Spec("coin"), Stacks: stormCoins})
		if id%4 == 0 {
			v.Engine().AddBuff(id, buff.Application{Spec: g.cat.Spec("greed")})
		}
	}
}

// frame plays one frame.
func (g *storm) frame() {
	e := g.v.Engine()
	for range 4 {
		a, b := buff.OwnerID(g.rng.IntN(stormOwners)), buff.OwnerID(g.rng.IntN(stormOwners))
		if a != b {
			steal := buff.Steal(a, b, buff.Query{Spec: g.cat.Spec("coin")}, 0)
			g.try(e.Do(steal).Failure)
			require.NoError(g.t, e.Inbox().Do(buff.Steal(b, a, steal.Query, 0)))
			e.AddBuff(a, buff.Application{Spec: g.cat.Spec("beacon")})
		}
	}
	f := e.Tick(50 * time.Millisecond)
	changed := map[buff.OwnerID]bool{}
	for x := range f.Events() {
		if x.Spec != nil && x.Spec.ID == "coin" && !changed[x.Owner] && e.Data(x.Owner) != nil {
			changed[x.Owner] = true
			require.NoError(g.t, g.v.Touch(x.Owner))
			e.Data(x.Owner).(*hero).gold = g.coins(x.Owner)
		}
	}
	g.log()
	g.v.After(f)
	g.log()
}

// log logs some owners out and in.
func (g *storm) log() {
	for n := g.rng.IntN(8); n > 0 && !g.stays; n-- {
		id := buff.OwnerID(g.rng.IntN(stormOwners))
		if _, err := g.v.Unpark(id); errors.Is(err, engine.ErrOwnerExists) {
			g.try(g.v.Park(id))
		} else {
			require.NoError(g.t, err)
		}
	}
}

// try checks that a call succeeds unless an owner is busy or has logged out.
func (g *storm) try(err error) {
	if !errors.Is(err, engine.ErrBusy) && !errors.Is(err, engine.ErrUnknownOwner) {
		require.NoError(g.t, err)
	}
}

func (g *storm) coins(id buff.OwnerID) (n int) {
	buffs, err := g.v.Engine().Buffs(id)
	require.NoError(g.t, err)
	for b := range buffs.All() {
		if b.Spec.ID == "coin" {
			n += b.Stacks
		}
	}
	return n
}

// crash simulates a crash: everything that is not on disk is lost.
func (g *storm) crash() {
	g.v.Close()
	require.NoError(g.t, g.v.Engine().Close(g.t.Context()))
}

// wrong returns the first inconsistency in a restored zone. It logs all owners in.
func (g *storm) wrong() error {
	sum := 0
	for id := range g.v.Parked() {
		if _, err := g.v.Unpark(id); err != nil {
			return fmt.Errorf("an owner is in the engine and parked: %w", err)
		}
	}
	for id := range buff.OwnerID(stormOwners) {
		if g.v.Engine().Data(id) == nil {
			return errors.New("an owner is lost")
		}
		n := g.coins(id)
		if n != g.v.Engine().Data(id).(*hero).gold {
			return errors.New("the gold and the coins of an owner are not of one instant")
		}
		sum += n
	}
	if sum != stormOwners*stormCoins {
		return errors.New("coins are on two owners, or on none")
	}
	return nil
}

// run plays until there were enough crashes, or until it finds an inconsistency, which it
// returns.
func (g *storm) run(crashes int) error {
	for range crashes {
		g.open()
		if !g.v.Restored().Fresh {
			if err := g.wrong(); err != nil {
				g.crash()
				return err
			}
		}
		for range 3 + g.rng.IntN(40) {
			g.frame()
		}
		g.crash()
	}
	return nil
}

// TestStorm checks that every restored cut contains each coin once, and the gold and coins of an
// owner from the same instant, whenever the process ends and whatever the store does.
func TestStorm(t *testing.T) {
	for _, f := range []storetest.Faults{{}, {Fail: 0.3, Uncertain: 0.3}} {
		g := newStorm(t, storetest.NewFaulty(storetest.NewMemory(), 5, f), 7)
		require.NoError(t, g.run(40))
	}
}

// TestStorm_DetectsFaults checks that the same game detects a store that tears batches.
func TestStorm_DetectsFaults(t *testing.T) {
	g := newStorm(t, storetest.NewFaulty(storetest.NewMemory(), 5, storetest.Faults{Tear: 0.5}), 7)
	require.Error(t, g.run(40))
}
