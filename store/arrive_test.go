package store_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// TestArriveAll checks a process that ends while players are between its zones, in both
// directions and more than one call of Arrivals returns: the next process has all of them, and they
// are on disk.
func TestArriveAll(t *testing.T) {
	const players = 2*store.MostArrivals + 3
	s := storetest.NewMemory()
	c := movers(t)
	start := func() []*store.Saver {
		eo := engine.Options{Catalog: c}
		return []*store.Saver{playZone(t, s, "arena", noon, eo, store.Options{}), playZone(t, s, "harbour", noon, eo, store.Options{})}
	}
	zones := start()
	for id := range buff.OwnerID(players) {
		require.NoError(t, zones[0].Engine().Spawn(id+1, &hero{int(id)}))
		_, err := zones[0].Move(id+1, "harbour")
		require.NoError(t, err)
	}
	require.NoError(t, zones[1].Engine().Spawn(1000, &hero{7}))
	_, err := zones[1].Move(1000, "arena")
	require.NoError(t, err)
	for _, v := range zones {
		require.NoError(t, v.SaveAll(t.Context()))
	}

	zones = start()
	require.Zero(t, zones[0].Engine().Owners()+zones[1].Engine().Owners())
	came := map[string]int{}
	require.NoError(t, store.ArriveAll(t.Context(), s, zones, func(a *store.Arrival, _ buff.Restoration, err error) {
		require.NoError(t, err)
		came[a.Zone]++
	}))
	require.Equal(t, map[string]int{"arena": 1, "harbour": players}, came)
	require.Equal(t, &hero{7}, zones[0].Engine().Data(1000))
	require.NoError(t, store.ArriveAll(t.Context(), s, zones, nil), "none is left")
	zones = start()
	require.Equal(t, 1, zones[0].Engine().Owners())
	require.Equal(t, players, zones[1].Engine().Owners())
}

// TestArriveAll_Fails checks that owners that cannot be added are reported once and stay in
// transit, and that the others are added.
func TestArriveAll_Fails(t *testing.T) {
	s := storetest.NewFaulty(storetest.NewMemory(), 1, storetest.Faults{})
	eo := engine.Options{Catalog: movers(t)}
	arena, harbour := playZone(t, s, "arena", noon, eo, store.Options{}), playZone(t, s, "harbour", noon, eo, store.Options{})
	for id := buff.OwnerID(1); id <= 3; id++ {
		require.NoError(t, arena.Engine().Spawn(id, &hero{int(id)}))
		_, err := arena.Move(id, "harbour")
		require.NoError(t, err)
	}
	require.NoError(t, arena.SaveAll(t.Context()))
	require.NoError(t, harbour.Engine().Spawn(2, &hero{}))
	zones := []*store.Saver{arena, harbour}
	seen := map[buff.OwnerID]int{}
	report := func(a *store.Arrival, _ buff.Restoration, err error) {
		require.Equal(t, a.Owner.ID == 2, errors.Is(err, engine.ErrOwnerExists))
		seen[a.Owner.ID]++
	}
	err := store.ArriveAll(t.Context(), s, zones, report)
	// The owner that the game has spawned is in two zones, which the cut reports, too.
	require.ErrorIs(t, err, engine.ErrOwnerExists)
	require.ErrorContains(t, err, `owner 2 is still in transit to zone "harbour"`)
	require.ErrorIs(t, err, store.ErrElsewhere)
	require.Equal(t, map[buff.OwnerID]int{1: 1, 2: 1, 3: 1}, seen)

	require.NoError(t, harbour.Engine().Drop(2))
	require.NoError(t, store.ArriveAll(t.Context(), s, zones, nil))
	require.Equal(t, []buff.OwnerID{1, 2, 3}, slices.Sorted(harbour.Engine().OwnerIDs()))
}

// TestArriveAll_Again checks that after a failed commit a second call saves the owners.
func TestArriveAll_Again(t *testing.T) {
	s := storetest.NewFaulty(storetest.NewMemory(), 1, storetest.Faults{})
	eo := engine.Options{Catalog: movers(t)}
	arena, harbour := playZone(t, s, "arena", noon, eo, store.Options{}), playZone(t, s, "harbour", noon, eo, store.Options{})
	require.NoError(t, arena.Engine().Spawn(1, &hero{1}))
	_, err := arena.Move(1, "harbour")
	require.NoError(t, err)
	require.NoError(t, arena.SaveAll(t.Context()))
	s.SetFaults(storetest.Faults{Fail: 1})
	require.ErrorIs(t, store.ArriveAll(t.Context(), s, []*store.Saver{harbour}, nil), storetest.ErrFault)
	s.SetFaults(storetest.Faults{})
	require.NoError(t, store.ArriveAll(t.Context(), s, []*store.Saver{harbour}, nil))
	places, err := s.Where(t.Context(), []buff.OwnerID{1})
	require.NoError(t, err)
	require.Equal(t, []store.Place{{Owner: 1, Zone: "harbour"}}, places)
}

// TestArriveAll_NotRestored checks that no owner arrives in a zone that is still being restored.
func TestArriveAll_NotRestored(t *testing.T) {
	s := storetest.NewMemory()
	v := play(t, s, noon, engine.Options{}, store.Options{Every: -1})
	for id := range buff.OwnerID(3) {
		require.NoError(t, v.Engine().Spawn(id, &hero{}))
	}
	require.NoError(t, v.SaveAll(t.Context()))
	w := play(t, s, noon, engine.Options{}, store.Options{Every: -1, PerFrame: 2})
	require.ErrorIs(t, store.ArriveAll(t.Context(), s, []*store.Saver{w}, nil), engine.ErrBusy)
}
