package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/bolt"
	"github.com/bufftick/bufftick/store/storetest"
)

// playZone is like play, for a zone with the given name.
func playZone(t testing.TB, s store.Store, zone string, at time.Time, eo engine.Options, o store.Options) *store.Saver {
	eo.Synchronous = eo.Workers == 0
	o.Now, o.Every, o.Marshal, o.Unmarshal = func() time.Time { return at }, -1, marshal, unmarshal
	v, err := store.Open(t.Context(), s, zone, eo, o)
	require.NoError(t, err)
	t.Cleanup(func() { v.Close(); require.NoError(t, v.Engine().Close(t.Context())) })
	return v
}

// arrive adds the owners in transit.
func arrive(t testing.TB, s store.Store, v *store.Saver, zone string) (came []buff.OwnerID, r buff.Restoration, err error) {
	list, err := s.(store.Mover).Arrivals(t.Context(), []string{zone})
	require.NoError(t, err)
	v.Arrive(list, func(a *store.Arrival, x buff.Restoration, e error) {
		came, r, err = append(came, a.Owner.ID), x, errors.Join(err, e)
	})
	return came, r, err
}

func movers(t testing.TB) *buff.Catalog {
	c, err := buff.NewCatalog(
		buff.Spec{ID: "poison", Duration: time.Minute, Period: time.Second},
		buff.Spec{ID: "boon", Duration: 10 * time.Second, Clock: define.Wall},
		buff.Spec{ID: "guard", Duration: time.Minute, Clock: define.Uptime},
		buff.Spec{ID: "coin", Kind: define.Infinite, Stack: define.Stacking{By: define.ByTarget, Limit: 30000}},
	)
	require.NoError(t, err)
	return c
}

// TestMove moves a player to a zone with a shorter uptime. Each buff follows its own clock,
// and data, timeouts and pulse phase are kept. At each step the player is in one zone of the
// store, whichever process crashes.
func TestMove(t *testing.T) {
	c := movers(t)
	called := 0
	eo := engine.Options{Catalog: c, Handlers: engine.Handlers{"home": func(*engine.Context, buff.Event) { called++ }}}
	s := storetest.NewMemory()
	arena := playZone(t, s, "arena", noon, eo, store.Options{})
	e := arena.Engine()
	pass(arena, time.Hour)
	require.NoError(t, e.Spawn(7, &hero{gold: 31}))
	for _, id := range []string{"poison", "boon", "guard", "coin"} {
		r := e.AddBuff(7, buff.Application{Spec: c.Spec(id)})
		require.NoError(t, r.Failure)
	}
	require.NoError(t, e.Do(buff.AddTimeout(7, 5*time.Second, "home")).Failure)
	pass(arena, 2700*time.Millisecond)
	require.NoError(t, arena.SaveAll(t.Context()))
	where := func(zone string, arriving bool) {
		t.Helper()
		places, err := s.Where(t.Context(), []buff.OwnerID{7})
		require.NoError(t, err)
		require.Equal(t, []store.Place{{Owner: 7, Zone: zone, Arriving: arriving}}, places)
	}
	_, err := arena.Move(7, "arena")
	require.ErrorIs(t, err, store.ErrElsewhere)
	_, err = arena.Move(7, "")
	require.ErrorIs(t, err, store.ErrName)
	_, err = arena.Move(8, "harbour")
	require.ErrorIs(t, err, engine.ErrUnknownOwner)
	require.False(t, arena.Leaving(7))
	_, err = arena.Move(7, "harbour")
	require.NoError(t, err)
	require.True(t, arena.Leaving(7))
	where("arena", false)

	// The source crashes before its cut, so the player is still there.
	left := noon.Add(time.Hour + 2700*time.Millisecond)
	arena = playZone(t, s, "arena", left, eo, store.Options{})
	require.Equal(t, 1, arena.Restored().Owners)
	frame, err := arena.Move(7, "harbour")
	require.NoError(t, err)
	require.NoError(t, arena.SaveAll(t.Context()))
	require.GreaterOrEqual(t, arena.Stats().Frame, frame)
	require.False(t, arena.Leaving(7))
	where("harbour", true)

	// The destination, four seconds later. It crashes before its cut and adds the player again.
	for range 2 {
		harbour := playZone(t, s, "harbour", left.Add(4*time.Second), eo, store.Options{})
		require.Zero(t, harbour.Restored().Owners)
		came, r, err := arrive(t, s, harbour, "harbour")
		require.NoError(t, err)
		require.Equal(t, []buff.OwnerID{7}, came)
		require.Equal(t, 4, r.Restored)
		require.Equal(t, 1, r.Timeouts)
		require.EqualValues(t, 4000, r.Away)
		require.False(t, r.UptimeStepped)
		came, _, _ = arrive(t, s, harbour, "harbour")
		require.Empty(t, came, "it is in")
		where("harbour", true)
		checkMoved(t, harbour)
	}
	harbour := playZone(t, s, "harbour", left.Add(4*time.Second), eo, store.Options{})
	_, _, err = arrive(t, s, harbour, "harbour")
	require.NoError(t, err)
	require.NoError(t, harbour.SaveAll(t.Context()))
	where("harbour", false)
	called = 0
	pass(harbour, 2300*time.Millisecond)
	require.Equal(t, 1, called, "the timeout goes on where it was")

	// The player is restored as an owner of this zone.
	harbour = playZone(t, s, "harbour", left.Add(4*time.Second), eo, store.Options{})
	require.Equal(t, 1, harbour.Restored().Owners)
	checkMoved(t, harbour)
	arena = playZone(t, s, "arena", noon, eo, store.Options{})
	require.Zero(t, arena.Restored().Owners)
}

// checkMoved compares a player with its state when it left.
func checkMoved(t *testing.T, v *store.Saver) {
	t.Helper()
	e := v.Engine()
	require.Equal(t, 31, e.Data(7).(*hero).gold)
	list, err := e.Buffs(7)
	require.NoError(t, err)
	left := map[string]time.Duration{}
	for b := range list.All() {
		left[b.Spec.ID] = time.Duration(b.End-e.Now()) * time.Millisecond
		if b.Spec.ID == "poison" {
			require.EqualValues(t, 300, b.NextPulse-e.Now(), "the beat goes on where it was")
		}
	}
	delete(left, "coin")
	require.Equal(t, map[string]time.Duration{
		"poison": time.Minute - 2700*time.Millisecond, "guard": time.Minute - 2700*time.Millisecond, "boon": 10*time.Second - 6700*time.Millisecond,
	}, left)
}

// TestNoMoves checks that a store that is not a Mover returns an error and the player stays.
func TestNoMoves(t *testing.T) {
	v := playZone(t, struct{ store.Store }{storetest.NewMemory()}, "arena", noon, engine.Options{Catalog: movers(t)}, store.Options{})
	require.NoError(t, v.Engine().Spawn(7, &hero{}))
	_, err := v.Move(7, "harbour")
	require.ErrorIs(t, err, store.ErrNoMoves)
	_, err = v.Engine().Buffs(7)
	require.NoError(t, err)
}

// TestMove_Back checks a player that returns before its zone has committed the departure. The
// player must wait for this commit, and a repeated commit of the zone must not move it again.
func TestMove_Back(t *testing.T) {
	s := storetest.NewFaulty(storetest.NewMemory(), 1, storetest.Faults{})
	eo := engine.Options{Catalog: movers(t)}
	arena, harbour := playZone(t, s, "arena", noon, eo, store.Options{}), playZone(t, s, "harbour", noon, eo, store.Options{})
	require.NoError(t, arena.Engine().Spawn(7, &hero{gold: 3}))
	_, err := arena.Move(7, "harbour")
	require.NoError(t, err)
	s.SetFaults(storetest.Faults{Uncertain: 1})
	require.ErrorIs(t, arena.SaveAll(t.Context()), storetest.ErrFault)
	s.SetFaults(storetest.Faults{})
	came, _, err := arrive(t, s, harbour, "harbour")
	require.NoError(t, err)
	require.Len(t, came, 1)
	_, err = harbour.Move(7, "arena")
	require.NoError(t, err)
	require.NoError(t, harbour.SaveAll(t.Context()))
	require.True(t, arena.Leaving(7))
	_, _, err = arrive(t, s, arena, "arena")
	require.ErrorIs(t, err, engine.ErrBusy)
	require.NoError(t, arena.SaveAll(t.Context()))
	came, _, err = arrive(t, s, arena, "arena")
	require.NoError(t, err)
	require.Len(t, came, 1)
	require.NoError(t, arena.SaveAll(t.Context()))
	places, err := s.Where(t.Context(), []buff.OwnerID{7})
	require.NoError(t, err)
	require.Equal(t, []store.Place{{Owner: 7, Zone: "arena"}}, places)
}

// TestMove_Limit checks the limit of concurrent departures, and that it is lifted once they
// are on disk.
func TestMove_Limit(t *testing.T) {
	v := playZone(t, storetest.NewMemory(), "arena", noon, engine.Options{Catalog: movers(t)}, store.Options{})
	for id := range buff.OwnerID(store.MostMoves + 1) {
		require.NoError(t, v.Engine().Spawn(id+1, &hero{}))
	}
	for id := range buff.OwnerID(store.MostMoves) {
		_, err := v.Move(id+1, "harbour")
		require.NoError(t, err)
	}
	_, err := v.Move(store.MostMoves+1, "harbour")
	require.ErrorIs(t, err, store.ErrTooLarge)
	require.NoError(t, v.SaveAll(t.Context()))
	_, err = v.Move(store.MostMoves+1, "harbour")
	require.NoError(t, err)
}

// TestMoves plays random histories of zones with failing commits, lost acknowledgements and
// crashes while players move between them. At each step each player is in one place, with all
// coins that are on disk.
func TestMoves(t *testing.T) {
	seeds := long.Times(40)
	wander(t, seeds, func() store.Store { return storetest.NewMemory() })
}

// TestMoves_InFile is like TestMoves, with all zones in one store/bolt file.
func TestMoves_InFile(t *testing.T) {
	wander(t, min(long.Times(10), 40), func() store.Store {
		disk, err := bolt.Open(filepath.Join(t.TempDir(), "world.db"), bolt.Options{})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, disk.Close()) })
		return disk
	})
}

// wander plays a random history for each seed.
func wander(t *testing.T, seeds int, newStore func() store.Store) {
	counts := map[string]int{}
	for seed := range seeds {
		w := newWanderers(t, newStore(), uint64(seed))
		for range 120 {
			w.step(counts)
		}
		w.end(counts)
	}
	t.Log(counts)
	for _, what := range []string{"moves", "came", "crashes", "failed", "Fail", "Uncertain", "logged out"} {
		require.NotZero(t, counts[what], what)
	}
}

// wanderers is the state of one history.
type wanderers struct {
	t     *testing.T
	rng   *rand.Rand
	disk  *storetest.Faulty
	cat   *buff.Catalog
	zones []string
	live  map[string]*store.Saver
	coins map[buff.OwnerID]int // coins of each player, wherever it is
	acked map[buff.OwnerID]int // coins of each player that are on disk
	gone  map[buff.OwnerID]bool
	last  map[string]map[buff.OwnerID]int // coins of the players that have left since the last cut
}

func newWanderers(t *testing.T, s store.Store, seed uint64) *wanderers {
	w := &wanderers{
		t: t, rng: rand.New(rand.NewPCG(seed, 3)), disk: storetest.NewFaulty(s, seed, storetest.Faults{}), cat: movers(t),
		zones: []string{"a", "b", "c"}, live: map[string]*store.Saver{}, coins: map[buff.OwnerID]int{}, acked: map[buff.OwnerID]int{},
		gone: map[buff.OwnerID]bool{}, last: map[string]map[buff.OwnerID]int{},
	}
	for _, zone := range w.zones {
		w.open(zone)
	}
	for id := buff.OwnerID(1); id <= 6; id++ {
		require.NoError(t, w.live["a"].Engine().Spawn(id, &hero{gold: int(id)}))
	}
	require.NoError(t, w.live["a"].SaveAll(t.Context()))
	w.disk.SetFaults(storetest.Faults{Fail: 0.15, Uncertain: 0.2})
	return w
}

func (w *wanderers) open(zone string) {
	w.live[zone] = playZone(w.t, w.disk, zone, noon, engine.Options{Catalog: w.cat, Uptime: time.Duration(len(w.live)) * time.Hour}, store.Options{})
	w.last[zone] = map[buff.OwnerID]int{}
	for id := range w.live[zone].Engine().OwnerIDs() {
		w.coins[id] = w.purse(zone, id)
		require.GreaterOrEqual(w.t, w.coins[id], w.acked[id], "player %d has lost coins", id)
	}
}

// purse returns the number of coins of a player in a zone.
func (w *wanderers) purse(zone string, id buff.OwnerID) (n int) {
	list, err := w.live[zone].Engine().Buffs(id)
	require.NoError(w.t, err)
	require.Equal(w.t, int(id), w.live[zone].Engine().Data(id).(*hero).gold)
	for b := range list.All() {
		n += int(b.Stacks)
	}
	return n
}

func (w *wanderers) step(counts map[string]int) {
	zone := w.zones[w.rng.IntN(len(w.zones))]
	v := w.live[zone]
	id := buff.OwnerID(1 + w.rng.IntN(6))
	_, unknown := v.Engine().Buffs(id)
	switch w.rng.IntN(8) {
	case 0:
		pass(v, 50*time.Millisecond)
	case 1, 2:
		if unknown == nil {
			r := v.Engine().AddBuff(id, buff.Application{Spec: w.cat.Spec("coin")})
			require.NoError(w.t, r.Failure)
			w.coins[id]++
		}
	case 3:
		if unknown == nil {
			_, err := v.Move(id, w.zones[(w.rng.IntN(2)+1+int(zone[0]-'a'))%3])
			require.NoError(w.t, err)
			w.last[zone][id] = w.coins[id]
			counts["moves"]++
		}
	case 4, 5:
		w.save(zone, counts)
	case 6:
		w.let(zone, counts)
	case 7:
		if w.rng.IntN(3) > 0 {
			break
		}
		counts["crashes"]++
		w.open(zone)
	}
	v = w.live[zone]
	if _, unknown = v.Engine().Buffs(id); unknown == nil && id == 6 && w.rng.IntN(40) == 0 {
		_, err := v.Engine().Despawn(id)
		require.NoError(w.t, err)
		if w.save(zone, counts) {
			w.gone[id] = true
			counts["logged out"]++
		} else {
			w.open(zone) // the result of the commit is unknown
			places, err := w.disk.Where(w.t.Context(), []buff.OwnerID{id})
			require.NoError(w.t, err)
			if len(places) == 0 {
				w.gone[id] = true
			}
		}
	}
	w.check()
}

func (w *wanderers) save(zone string, counts map[string]int) bool {
	v := w.live[zone]
	if err := v.SaveAll(w.t.Context()); err != nil {
		require.ErrorIs(w.t, err, storetest.ErrFault)
		counts["failed"]++
		return false
	}
	for id := range v.Engine().OwnerIDs() {
		w.acked[id] = w.coins[id]
	}
	for id, coins := range w.last[zone] {
		w.acked[id] = max(w.acked[id], coins)
	}
	clear(w.last[zone])
	return true
}

func (w *wanderers) let(zone string, counts map[string]int) {
	list, err := w.disk.Arrivals(w.t.Context(), []string{zone})
	require.NoError(w.t, err)
	w.live[zone].Arrive(list, func(a *store.Arrival, _ buff.Restoration, err error) {
		id := a.Owner.ID
		if errors.Is(err, engine.ErrBusy) {
			counts["not yet"]++
			return
		}
		require.NoError(w.t, err)
		require.False(w.t, w.gone[id], "player %d has logged out, and comes", id)
		w.coins[id] = w.purse(zone, id)
		require.GreaterOrEqual(w.t, w.coins[id], w.acked[id])
		counts["came"]++
	})
}

// check checks that each player is in one place of the store and in at most one running zone.
func (w *wanderers) check() {
	for id := buff.OwnerID(1); id <= 6; id++ {
		places, err := w.disk.Where(w.t.Context(), []buff.OwnerID{id})
		require.NoError(w.t, err)
		if w.gone[id] {
			require.Empty(w.t, places)
			continue
		}
		require.LessOrEqual(w.t, len(places), 1, "player %d is at %v", id, places)
		played := []string{}
		for _, zone := range w.zones {
			if _, err := w.live[zone].Engine().Buffs(id); err == nil {
				played = append(played, zone)
			}
		}
		require.LessOrEqual(w.t, len(played), 1, "player %d is played in %v", id, played)
		require.NotZero(w.t, len(played)+len(places), "player %d is nowhere", id)
	}
}

// end removes the faults and checks that each player ends up in one zone, on disk.
func (w *wanderers) end(counts map[string]int) {
	for name, n := range w.disk.Counts() {
		counts[name] += n
	}
	w.disk.SetFaults(storetest.Faults{})
	for range 2 {
		for _, zone := range w.zones {
			require.True(w.t, w.save(zone, counts))
		}
		for _, zone := range w.zones {
			w.let(zone, counts)
		}
	}
	for _, zone := range w.zones {
		require.True(w.t, w.save(zone, counts))
		w.open(zone)
	}
	places, err := w.disk.Where(w.t.Context(), []buff.OwnerID{1, 2, 3, 4, 5, 6})
	require.NoError(w.t, err)
	n := 0
	for _, p := range places {
		require.False(w.t, p.Arriving, fmt.Sprint(p))
		require.False(w.t, w.gone[p.Owner])
		_, err := w.live[p.Zone].Engine().Buffs(p.Owner)
		require.NoError(w.t, err)
		n++
	}
	require.Equal(w.t, 6-len(w.gone), n)
}
