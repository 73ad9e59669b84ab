package engine_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/replay"
	"github.com/stretchr/testify/require"
)

// TestP45_ReplayOfReload checks that a recording contains the Reloads, with fingerprints of the
// catalogs.
func TestP45_ReplayOfReload(t *testing.T) {
	first := catalogOf(t, buff.Spec{ID: "venom", Duration: time.Minute, Period: 3 * time.Second})
	versions := func(n int, before *buff.Catalog) *buff.Catalog {
		next, err := before.Next(buff.Spec{
			ID: "venom", Duration: time.Minute, Period: time.Duration(n+1) * time.Second, Reload: define.ReloadMigrate,
			On: define.Hooks{Remove: map[reason.Reason][]define.Action{reason.Expired: {{Do: define.DoKill}}}},
		})
		require.NoError(t, err)
		return next
	}
	var rec bytes.Buffer
	e := open(t, engine.Options{Catalog: first, Trace: engine.Trace{Record: &rec}, Synchronous: true})
	spawn(t, e, 7)
	add(t, e, 7, first.Spec("venom"))
	for n := range 2 {
		e.Tick(4 * time.Second)
		_, err := e.Reload(versions(n, e.Catalog()))
		require.NoError(t, err)
		e.Tick(4 * time.Second)
	}
	e.Tick(time.Minute)

	done, err := replay.Run(bytes.NewReader(rec.Bytes()), engine.Options{Catalog: first, Workers: 2}, replay.Game{Catalog: versions})
	require.NoError(t, err)
	require.Equal(t, 5, done.Frames)

	_, err = replay.Run(bytes.NewReader(rec.Bytes()), engine.Options{Catalog: first}, replay.Game{})
	require.ErrorIs(t, err, replay.ErrRecording)
	require.ErrorContains(t, err, "frame 2 has a Reload, and Game.Catalog is nil")

	other := func(n int, before *buff.Catalog) *buff.Catalog { return versions(n+5, before) }
	_, err = replay.Run(bytes.NewReader(rec.Bytes()), engine.Options{Catalog: first}, replay.Game{Catalog: other})
	require.ErrorContains(t, err, "frame 2 has a Reload of another catalog")
}

// TestP45_ReplayOfRemoved checks that a replay repeats commands that name a definition of an older
// catalog, even if the new catalog has no definition with that ID.
func TestP45_ReplayOfRemoved(t *testing.T) {
	venom, mark := buff.Spec{ID: "venom", Duration: time.Minute}, buff.Spec{ID: "mark", Duration: time.Minute}
	first := catalogOf(t, venom, mark)
	removed := func(_ int, before *buff.Catalog) *buff.Catalog { return next(t, before, mark) }
	var rec bytes.Buffer
	e := open(t, engine.Options{Catalog: first, Trace: engine.Trace{Record: &rec}, Synchronous: true})
	spawn(t, e, 7, 8)
	old := first.Spec("venom")
	add(t, e, 7, old)
	add(t, e, 8, old)
	require.NoError(t, e.Inbox().AddBuff(7, buff.Application{Spec: old}))
	reload(t, e, removed(0, first))
	require.Equal(t, []string{"7: 0 apply venom x1 end=60000", "8: 0 apply venom x1 end=60000", "7: 0 deny venom why=reload"}, lines(e.Tick(0)))
	require.NoError(t, e.Do(buff.Dispel(7, buff.Query{Spec: old})).Failure)
	require.NoError(t, e.Do(buff.Compensate(buff.Query{Spec: old}, time.Second)).Failure)
	require.Equal(t, []string{"7: 0 remove venom why=dispelled", "8: 0 refresh venom x1 end=61000", "8: 61000 remove venom why=expired"}, lines(e.Tick(time.Hour)))
	done, err := replay.Run(bytes.NewReader(rec.Bytes()), engine.Options{Catalog: first}, replay.Game{Catalog: removed})
	require.NoError(t, err)
	require.Equal(t, 2, done.Frames)
}

// TestReplayOfSecondReload checks that Game.Catalog is called for each Reload, in order, and that
// an error in one of the catalogs names the frame of its Reload.
func TestReplayOfSecondReload(t *testing.T) {
	first := catalogOf(t, buff.Spec{ID: "venom", Duration: time.Minute})
	version := func(n int, before *buff.Catalog) *buff.Catalog {
		return next(t, before, buff.Spec{ID: "venom", Duration: time.Duration(2+n) * time.Minute})
	}
	var rec bytes.Buffer
	e := open(t, engine.Options{Catalog: first, Trace: engine.Trace{Record: &rec}, Synchronous: true})
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
		_, err := replay.Run(bytes.NewReader(rec.Bytes()), engine.Options{Catalog: first}, replay.Game{
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
	done, err := replay.Run(bytes.NewReader(rec.Bytes()), engine.Options{Catalog: first}, replay.Game{Catalog: version})
	require.NoError(t, err)
	require.Equal(t, 7, done.Frames)
}
