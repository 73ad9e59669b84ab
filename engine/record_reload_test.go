package engine_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
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
