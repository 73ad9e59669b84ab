package engine_test

import (
	"bytes"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine"
)

// TestP45_ReplayOfReload: a recording knows that definitions were exchanged, and by which.
func TestP45_ReplayOfReload(t *testing.T) {
	first := catalogOf(t, buff.Spec{ID: "venom", Duration: time.Minute, Period: 3 * time.Second})
	versions := func(n int, before *buff.Catalog) *buff.Catalog {
		next, err := before.Next(buff.Spec{
			ID: "venom", Duration: time.Minute, Period: time.Duration(n+1) * time.Second, Reload: buff.ReloadMigrate,
			On: buff.Hooks{Remove: map[buff.Reason][]buff.Action{buff.Expired: {{Do: buff.DoKill}}}},
		})
		require.NoError(t, err)
		return next
	}
	var rec bytes.Buffer
	e := open(t, engine.Options{Catalog: first, Record: &rec, Synchronous: true})
	spawn(t, e, 7)
	add(t, e, 7, first.Spec("venom"))
	for n := range 2 {
		e.Tick(4 * time.Second)
		_, err := e.Reload(versions(n, e.Catalog()))
		require.NoError(t, err)
		e.Tick(4 * time.Second)
	}
	e.Tick(time.Minute)

	done, err := engine.Replay(bytes.NewReader(rec.Bytes()), engine.Options{Catalog: first, Workers: 2}, engine.Game{Catalog: versions})
	require.NoError(t, err)
	require.Equal(t, 5, done.Frames)

	_, err = engine.Replay(bytes.NewReader(rec.Bytes()), engine.Options{Catalog: first}, engine.Game{})
	require.ErrorIs(t, err, engine.ErrRecording)
	require.ErrorContains(t, err, "frame 2 has a Reload, and Game.Catalog is nil")

	other := func(n int, before *buff.Catalog) *buff.Catalog { return versions(n+5, before) }
	_, err = engine.Replay(bytes.NewReader(rec.Bytes()), engine.Options{Catalog: first}, engine.Game{Catalog: other})
	require.ErrorContains(t, err, "frame 2 has a Reload of another catalog")
}

// TestP45_ReplayOfRemoved: commands that mean a definition by one of an older catalog are
// repeated as well where the new one has none of that name any more.
func TestP45_ReplayOfRemoved(t *testing.T) {
	venom, mark := buff.Spec{ID: "venom", Duration: time.Minute}, buff.Spec{ID: "mark", Duration: time.Minute}
	first := catalogOf(t, venom, mark)
	removed := func(_ int, before *buff.Catalog) *buff.Catalog { return next(t, before, mark) }
	var rec bytes.Buffer
	e := open(t, engine.Options{Catalog: first, Record: &rec, Synchronous: true})
	spawn(t, e, 7, 8)
	old := first.Spec("venom")
	add(t, e, 7, old)
	add(t, e, 8, old)
	require.NoError(t, e.Inbox().AddBuff(7, buff.Application{Spec: old}))
	reload(t, e, removed(0, first))
	require.Equal(t, []string{"7: 0 apply venom x1 end=60000", "8: 0 apply venom x1 end=60000", "7: 0 deny venom why=reload"}, lines(e.Tick(0)))
	require.NoError(t, e.Do(buff.Dispel(7, buff.Query{Spec: old})).Err)
	require.NoError(t, e.Do(buff.Compensate(buff.Query{Spec: old}, time.Second)).Err)
	require.Equal(t, []string{"7: 0 remove venom why=dispelled", "8: 0 refresh venom x1 end=61000", "8: 61000 remove venom why=expired"}, lines(e.Tick(time.Hour)))
	done, err := engine.Replay(bytes.NewReader(rec.Bytes()), engine.Options{Catalog: first}, engine.Game{Catalog: removed})
	require.NoError(t, err)
	require.Equal(t, 2, done.Frames)
}

// TestP45_Fingerprint: catalogs that do something else are different to a recording, and
// those that differ only in what people read are not.
func TestP45_Fingerprint(t *testing.T) {
	of := func(edit func(s *buff.Spec)) uint64 {
		s := buff.Spec{ID: "venom", Duration: time.Minute, Tags: []string{"poison"}}
		edit(&s)
		return engine.Fingerprint(catalogOf(t, s, buff.Spec{ID: "mark", Kind: buff.Instant}, buff.Spec{ID: "sign", Kind: buff.Instant}))
	}
	applies := func(name string) func(s *buff.Spec) {
		return func(s *buff.Spec) { s.On.Apply = []buff.Action{{Do: buff.DoApply, Name: name}} }
	}
	group := func(name string) func(s *buff.Spec) {
		return func(s *buff.Spec) { s.Group.Name = name }
	}
	seen := make(map[uint64]int)
	for i, edit := range []func(s *buff.Spec){
		func(*buff.Spec) {}, applies("mark"), applies("sign"), group("curses"), group("stings"),
		func(s *buff.Spec) { s.Duration += time.Second }, func(s *buff.Spec) { s.Tags[0] = "toxin" },
	} {
		n := of(edit)
		require.NotContains(t, seen, n, "%d is as %d", i, seen[n])
		seen[n] = i
	}
	require.Equal(t, of(func(*buff.Spec) {}), of(func(s *buff.Spec) { s.Name, s.Note = "Venom", "It bites." }))
}

// TestP45_FingerprintDeep: a recording also sees what lies behind a pointer: a point of a curve, how much an action changes,
// a number of a parameter.
func TestP45_FingerprintDeep(t *testing.T) {
	of := func(point, by, param float64) uint64 {
		curve, err := buff.NewCurve("growth", buff.Point{Level: 1, Value: 1}, buff.Point{Level: 10, Value: point})
		require.NoError(t, err)
		cat, err := buff.Build(buff.Definitions{
			Attributes: []buff.Attribute{{Attribute: stat.Attribute{Name: "health"}}},
			Specs: []buff.Spec{{
				ID: "venom", Duration: time.Minute, Params: []buff.Param{{Name: "dmg", Value: buff.Const(param)}, {Name: "grown", Value: buff.Number{From: buff.FromCurve, Curve: curve}}},
				On: buff.Hooks{Apply: []buff.Action{{Do: buff.DoChange, Change: &buff.Change{Attr: "health", By: buff.Const(by)}}}},
			}},
		})
		require.NoError(t, err)
		return engine.Fingerprint(cat)
	}
	require.Equal(t, of(5, 2, 3), of(5, 2, 3))
	require.NotEqual(t, of(5, 2, 3), of(6, 2, 3), "a point")
	require.NotEqual(t, of(5, 2, 3), of(5, 4, 3), "a change")
	require.NotEqual(t, of(5, 2, 3), of(5, 2, 4), "a parameter")
}

// TestReplayOfSecondReload: Game.Catalog is asked for one catalog after the other, and what is wrong with one is
// said of the frame in which it is wanted.
func TestReplayOfSecondReload(t *testing.T) {
	first := catalogOf(t, buff.Spec{ID: "venom", Duration: time.Minute})
	version := func(n int, before *buff.Catalog) *buff.Catalog {
		return next(t, before, buff.Spec{ID: "venom", Duration: time.Duration(2+n) * time.Minute})
	}
	var rec bytes.Buffer
	e := open(t, engine.Options{Catalog: first, Record: &rec, Synchronous: true})
	for n := range 3 {
		e.Tick(time.Second)
		e.Tick(time.Second)
		reload(t, e, version(n, e.Catalog()))
	}
	e.Tick(time.Second)
	for _, c := range []struct {
		second func(before *buff.Catalog) *buff.Catalog
		want   string
	}{
		{func(before *buff.Catalog) *buff.Catalog { return version(7, before) }, "frame 5 has a Reload of another catalog"},
		{func(*buff.Catalog) *buff.Catalog { return nil }, "frame 5 has a Reload of another catalog"},
		{func(*buff.Catalog) *buff.Catalog { panic("no file") }, "Game.Catalog panicked: no file"},
	} {
		var asked []int
		_, err := engine.Replay(bytes.NewReader(rec.Bytes()), engine.Options{Catalog: first}, engine.Game{
			Catalog: func(n int, before *buff.Catalog) *buff.Catalog {
				if asked = append(asked, n); n == 1 {
					return c.second(before)
				}
				return version(n, before)
			},
		})
		require.ErrorContains(t, err, c.want)
		require.Equal(t, []int{0, 1}, asked)
	}
	done, err := engine.Replay(bytes.NewReader(rec.Bytes()), engine.Options{Catalog: first}, engine.Game{Catalog: version})
	require.NoError(t, err)
	require.Equal(t, 7, done.Frames)
}

// TestReplayOfLimits: the limits of a recording are what the options can have, from the least to the most.
func TestReplayOfLimits(t *testing.T) {
	most := [8]int{1 << 30, 1 << 30, buff.MaxOwners, buff.MaxPerOwner, 1 << 20, 1 << 24, 1 << 24, 1 << 30}
	least := [8]int{1, 1, 1, 1, 1, 1, 1, 1}
	require.Empty(t, engine.Sound(most, math.MaxInt64, math.MaxUint32, engine.Dilate))
	require.Empty(t, engine.Sound(least, 0, 1, engine.Carry))
	for i := range most {
		over, none := most, least
		over[i], none[i] = most[i]+1, 0
		require.Contains(t, engine.Sound(over, 0, 1, engine.Carry), fmt.Sprintf("limit %d of the options is %d", i+1, most[i]+1))
		require.Contains(t, engine.Sound(none, 0, 1, engine.Carry), fmt.Sprintf("limit %d of the options is 0", i+1))
	}
	require.Equal(t, "an uptime of -1", engine.Sound(least, -1, 1, engine.Carry))
	require.Equal(t, "an engine without a number", engine.Sound(least, 0, 0, engine.Carry))
	require.Equal(t, fmt.Sprintf("the rule %d of catching up", engine.Dilate+1), engine.Sound(least, 0, 1, engine.Dilate+1))
}

// TestReplayOfOptions: each limit of a recording is that of the same name in the replay.
func TestReplayOfOptions(t *testing.T) {
	o := engine.Options{
		Catalog: catalogOf(t), TurnLimit: 11, TickLimit: 12, MaxOwners: 13, MaxBuffs: 14, MailboxLimit: 15, HandlerLimit: 16, InboxLimit: 17, EventLimit: 18,
		Seed: 19, Epoch: time.UnixMilli(20), Uptime: 21, CatchUp: engine.Dilate, Number: 22,
	}
	set := engine.HeaderSet(o)
	require.EqualValues(t, -1, set.Budget)
	o.Catalog, o.Budget = nil, -1
	require.Equal(t, o, set)
}
