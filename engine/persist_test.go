package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

var keepSpecs = []buff.Spec{
	{ID: "venom", Duration: 10 * time.Second, Period: 3 * time.Second, Stack: define.Stacking{By: define.BySource, Limit: 5}},
	{ID: "boon", Duration: 10 * time.Second, Clock: define.Wall},
	{ID: "shrine", Duration: 10 * time.Second, Clock: define.Uptime},
	{ID: "oath", Kind: define.Infinite},
}

// TestDespawnRestore checks that an owner leaves with a blob and comes back later. Buffs that
// count online time continue as before, including their pulses, and the wall clock has moved on.
// Named timeouts come back; timeouts with a function are counted as dropped.
func TestDespawnRestore(t *testing.T) {
	inModes(t, func(t *testing.T, m mode) {
		rang := 0
		o := engine.Options{
			Epoch:    time.UnixMilli(0),
			Catalog:  catalogOf(t, keepSpecs...),
			Handlers: engine.Handlers{"ring": func(*engine.Context, buff.Event) { rang++ }},
		}
		m.set(&o)
		e := open(t, o)
		spawn(t, e, 1)
		for s := range o.Catalog.All() {
			add(t, e, 1, s)
		}
		err := e.Do(buff.AddTimeout(1, 9*time.Second, "ring")).Failure
		require.NoError(t, err)
		_, err = e.AddTimeout(1, 9*time.Second, func(*engine.Context) { rang += 100 })
		require.NoError(t, err)
		m.pass(e, 4*time.Second)

		blob, err := e.Despawn(1)
		require.NoError(t, err)
		require.Zero(t, e.Owners()+e.Stats().Timers)
		require.EqualValues(t, 1, e.Stats().DroppedOnDespawn)
		require.Equal(t, []string{"1: 4000 unload venom", "1: 4000 unload boon", "1: 4000 unload shrine", "1: 4000 unload oath"}, m.pass(e, 5*time.Second))

		r, err := e.Restore(7, "other data", blob)
		require.NoError(t, err)
		require.Equal(t, buff.Restoration{Restored: 4, Timeouts: 1, Away: 5000}, r)
		require.Equal(t, "other data", e.Data(7))
		require.Equal(t, []string{
			"7: 9000 restore venom x1 end=15000 next=11000", "7: 9000 restore boon x1 end=10000", "7: 9000 restore shrine x1 end=10000",
			"7: 9000 restore oath x1",
			"7: 10000 remove boon why=expired", "7: 10000 remove shrine why=expired",
			"7: 11000 pulse venom x1", "7: 14000 pulse venom x1", "7: 14000 timeout ring", "7: 15000 remove venom why=expired",
		}, m.pass(e, 10*time.Second))
		require.Equal(t, 1, rang)
	})
}

// TestSaveInAnotherProcess checks that an engine that starts later restores a saved owner. The
// wall clock continues in between; the uptime does not, if the new engine is given the uptime of
// the old one.
func TestSaveInAnotherProcess(t *testing.T) {
	cat := catalogOf(t, keepSpecs...)
	noon := time.Date(2030, 1, 1, 12, 0, 0, 0, time.UTC)
	first := open(t, engine.Options{Catalog: cat, Synchronous: true, Epoch: noon, Uptime: time.Hour})
	spawn(t, first, 1)
	for s := range cat.All() {
		add(t, first, 1, s)
	}
	first.Tick(2 * time.Second)
	blob, err := first.Save(1)
	require.NoError(t, err)
	require.Equal(t, buff.Moment{Now: 2000, Wall: noon.UnixMilli() + 2000, Uptime: 3_602_000}, first.Moment())
	require.Equal(t, []string{"1: 3000 pulse venom x1"}, lines(first.Tick(time.Second)), "the owner stays")

	second := open(t, engine.Options{
		Catalog: cat, Synchronous: true, Epoch: noon.Add(time.Minute), Uptime: time.Duration(first.Moment().Uptime) * time.Millisecond,
	})
	r, err := second.Restore(1, nil, blob)
	require.NoError(t, err)
	require.Equal(t, buff.Restoration{Restored: 3, Expired: 1, Away: 58_000}, r)
	require.Equal(t, []string{
		"1: 0 restore venom x1 end=8000 next=1000", "1: 0 remove boon why=expired offline=58000",
		"1: 0 restore shrine x1 end=7000", "1: 0 restore oath x1", "1: 1000 pulse venom x1",
	}, lines(second.Tick(time.Second)))
}

// TestW12_ClockStepped saves at wall time 100 and loads at wall time 90: no time has passed.
func TestW12_ClockStepped(t *testing.T) {
	inModes(t, func(t *testing.T, m mode) {
		o := engine.Options{Catalog: catalogOf(t, keepSpecs...), Epoch: time.Unix(96, 0)}
		m.set(&o)
		e := open(t, o)
		spawn(t, e, 1)
		add(t, e, 1, o.Catalog.Spec("boon"))
		m.pass(e, 4*time.Second)
		blob, err := e.Despawn(1)
		require.NoError(t, err)

		o.Epoch = time.Unix(90, 0)
		e = open(t, o)
		r, err := e.Restore(1, nil, blob)
		require.NoError(t, err)
		require.Equal(t, buff.Restoration{Restored: 1, ClockStepped: true}, r)
		require.Equal(t, []string{"1: 0 restore boon x1 end=6000", "1: 6000 remove boon why=expired"}, m.pass(e, 7*time.Second))
	})
}

// TestRestoreRefused checks that a failed Restore changes nothing: there is no owner, no event and
// no timer, and the owner's number is free.
func TestRestoreRefused(t *testing.T) {
	cat := catalogOf(t, keepSpecs...)
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Epoch: time.UnixMilli(0), Limits: engine.Limits{Owners: 1, Buffs: 2}})
	spawn(t, e, 1)
	for range 2 {
		add(t, e, 1, cat.Spec("boon"))
	}
	blob, err := e.Despawn(1)
	require.NoError(t, err)
	e.Tick(0)
	for at := range blob {
		damaged := append([]byte(nil), blob...)
		damaged[at] ^= 1
		_, err = e.Restore(1, nil, damaged)
		require.ErrorIs(t, err, buff.ErrBlob, "byte %d", at)
		require.ErrorContains(t, err, "engine: restore owner 1")
	}
	require.Zero(t, e.Owners()+e.Stats().Timers)
	require.Zero(t, e.Tick(0).Len())

	small := open(t, engine.Options{Catalog: cat, Synchronous: true, Epoch: time.UnixMilli(0), Limits: engine.Limits{Owners: 1, Buffs: 1}})
	_, err = small.Restore(1, nil, blob)
	require.ErrorIs(t, err, buff.ErrFull)
	spawn(t, small, 1)

	_, err = e.Restore(1, nil, blob)
	require.NoError(t, err)
	_, err = e.Restore(1, nil, blob)
	require.ErrorIs(t, err, engine.ErrOwnerExists)
	_, err = e.Restore(2, nil, blob)
	require.ErrorIs(t, err, engine.ErrTooManyOwners)
	for _, do := range []func() error{
		func() error { _, err := e.Save(9); return err },
		func() error { _, err := e.Despawn(9); return err },
		func() error { return e.Drop(9) },
	} {
		require.ErrorIs(t, do(), engine.ErrUnknownOwner)
	}
	require.Equal(t, 2, e.Tick(0).Len())
}

// TestDespawnBusy checks that a busy owner stays, because its state is not known. After it has
// become idle, it leaves with all results of its handlers.
func TestDespawnBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPrison(t, 1, engine.Options{Workers: 1})
		p.hold(1)
		p.Tick(time.Second)
		r := p.AddBuff(1, buff.Application{Spec: p.mark})
		require.True(t, r.Queued)
		_, err := p.Save(1)
		require.ErrorIs(t, err, engine.ErrBusy)
		_, err = p.Despawn(1)
		require.ErrorIs(t, err, engine.ErrBusy)
		require.Equal(t, 1, p.Owners())
		p.free()
		for range 2 {
			synctest.Wait()
			p.Tick(0)
		}
		blob, err := p.Despawn(1)
		require.NoError(t, err)
		back, err := p.Restore(1, nil, blob)
		require.NoError(t, err)
		require.Equal(t, 2, back.Restored)
		p.leave(t)
	})
}

// TestRestoredShare checks that restored buffs count as older than all other buffs of their
// source, so they are evicted first, the oldest of them before the others.
func TestRestoredShare(t *testing.T) {
	mark, brief := share("mark", 2), share("brief", 1)
	mark.Stack = define.Stacking{}
	brief.Duration, brief.Clock = time.Second, define.Wall
	cat := catalogOf(t, mark, brief)
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Epoch: time.UnixMilli(0)})
	spawn(t, e, 1, 2)
	var last buff.Handle
	for i := range 2 {
		r := e.AddBuff(1, buff.Application{Spec: cat.Spec("mark"), Source: 7, Magnitude: int64(i)})
		require.NoError(t, r.Failure)
		addBy(t, e, 1, cat.Spec("brief"), 7) // ends while the owner is away, between the other two
	}
	blob, err := e.Despawn(1)
	require.NoError(t, err)
	last = addBy(t, e, 2, cat.Spec("mark"), 7)
	e.Tick(time.Second)
	_, err = e.Restore(1, nil, blob)
	require.NoError(t, err)
	require.Equal(t, []string{
		"1: 1000 restore mark x1 end=61000", "1: 1000 remove brief why=expired offline=1000",
		"1: 1000 restore mark x1 end=61000", "1: 1000 remove mark why=replaced",
	}, lines(e.Tick(0)))
	_, there := reply(e.Find(last))
	require.True(t, there)
	for b := range must(e.Buffs(1)).All() {
		require.EqualValues(t, 1, b.Magnitude, "the older one has gone")
	}
	require.Empty(t, engine.CheckCrossIndex(e))
}

// TestRestoredSource checks that an owner may come back with buffs of a source that has left in
// the meantime. The Restoration lists each source that the engine does not have, and LoseSource
// then works as if the owner had been present.
func TestRestoredSource(t *testing.T) {
	cat := catalogOf(t,
		buff.Spec{ID: "bond", Kind: define.Infinite, OnSourceGone: define.FateRemove},
		buff.Spec{ID: "pet", Kind: define.Infinite, OnSourceGone: define.FateAdopt},
		buff.Spec{ID: "oath", Kind: define.Infinite},
	)
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Epoch: time.UnixMilli(0)})
	spawn(t, e, 1, 7)
	for _, a := range []struct {
		spec   string
		source buff.OwnerID
	}{{"bond", 9}, {"bond", 8}, {"bond", 7}, {"bond", 1}, {"bond", 0}, {"pet", 9}, {"pet", 5}, {"oath", 4}} {
		r := e.AddBuff(1, buff.Application{Spec: cat.Spec(a.spec), Source: a.source})
		require.NoError(t, r.Failure)
	}
	blob, err := e.Despawn(1)
	require.NoError(t, err)
	e.Tick(time.Second)
	require.NoError(t, e.Do(buff.LoseSource(9)).Failure, "nobody is there to be told")
	r, err := e.Restore(1, nil, blob)
	require.NoError(t, err)
	require.Equal(t, []buff.OwnerID{5, 8, 9}, r.Sources)
	e.Tick(0)
	for _, source := range r.Sources {
		if source != 8 { // the game knows that source 8 is on another machine
			require.NoError(t, e.Do(buff.LoseSource(source)).Failure)
		}
	}
	require.Equal(t, []string{"1: 1000 remove bond why=source_gone"}, lines(e.Tick(0)))
	left := []string{}
	for b := range must(e.Buffs(1)).All() {
		left = append(left, fmt.Sprint(b.Spec, " ", b.Source))
	}
	require.Equal(t, []string{"bond 8", "bond 7", "bond 1", "bond 0", "pet 1", "pet 1", "oath 4"}, left)
	require.Empty(t, engine.CheckCrossIndex(e))
}

// TestRestoredAura checks that an aura that is restored with its bearer searches at once and then
// at every interval, and that a buff from an aura is not restored with a member.
func TestRestoredAura(t *testing.T) {
	e, f, cat := auraWorld(t, modes[0])
	f.at = map[buff.OwnerID]float64{2: 1}
	spawn(t, e, 1, 2)
	add(t, e, 1, cat.Spec("beacon"))
	e.Tick(1300 * time.Millisecond)
	blobs := map[buff.OwnerID][]byte{}
	for _, id := range []buff.OwnerID{1, 2} {
		blob, err := e.Despawn(id)
		require.NoError(t, err)
		blobs[id] = blob
	}
	e.Tick(time.Second)
	f.searches = nil
	for id, blob := range blobs {
		r, err := e.Restore(id, nil, blob)
		require.NoError(t, err)
		require.EqualValues(t, 2-id, r.Restored)
	}
	require.Equal(t, []string{"1: 2300 restore beacon x1", "2: 2300 apply light x1"}, lines(e.Tick(0)))
	e.Tick(600 * time.Millisecond)
	require.Len(t, f.searches, 2)
	require.Empty(t, engine.CheckCrossIndex(e))
}

// TestRestoredArea checks that an owner comes back into its area, and is paused if the area is.
// Setting the same area again is no change of area, so a buff that ends on such a change stays.
func TestRestoredArea(t *testing.T) {
	e := areaEngine(t, modes[0], 1)
	require.NoError(t, e.Do(buff.SetArea(1, 5)).Failure)
	add(t, e, 1, e.Catalog().Spec("local"))
	require.NoError(t, e.Do(buff.PauseArea(5)).Failure)
	e.Tick(2 * time.Second)
	blob, err := e.Despawn(1)
	require.NoError(t, err)
	e.Tick(0)
	_, err = e.Restore(1, nil, blob)
	require.NoError(t, err)
	require.Equal(t, []string{"1: 2000 restore venom x1", "1: 2000 restore local x1"}, lines(e.Tick(time.Second)))
	require.NoError(t, e.Do(buff.SetArea(1, 5)).Failure)
	require.NoError(t, e.Do(buff.ResumeArea(5)).Failure)
	require.Equal(t, []string{"1: 4000 pulse venom x1"}, lines(e.Tick(time.Second)))
	require.NoError(t, e.Do(buff.SetArea(1, 6)).Failure)
	require.Equal(t, []string{"1: 4000 remove local why=interrupt"}, lines(e.Tick(0)))
}

// TestOptionsOfClocks checks that the zero Epoch is the start of 1970, and that a negative Uptime
// is an error.
func TestOptionsOfClocks(t *testing.T) {
	e := open(t, engine.Options{Synchronous: true})
	e.Tick(5 * time.Second)
	require.Equal(t, buff.Moment{Now: 5000, Wall: 5000, Uptime: 5000}, e.Moment())
	_, err := engine.New(engine.Options{Uptime: -1})
	require.ErrorContains(t, err, "Options.Uptime must not be negative")
}
