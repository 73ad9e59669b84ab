package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// TestEpoch checks that New and Reload require Options.Epoch if the catalog has a buff with a wall
// clock. Without it, no time would pass for that buff while its owner is away, for no visible
// reason.
func TestEpoch(t *testing.T) {
	wall := buff.Spec{ID: "boon", Duration: time.Hour, Clock: define.Wall}
	plain := buff.Spec{ID: "venom", Duration: time.Hour}
	uptime := buff.Spec{ID: "shrine", Duration: time.Hour, Clock: define.Uptime}

	const want = `engine: Options.Epoch is missing, and "boon" uses the wall clock`
	_, err := engine.New(engine.Options{Catalog: catalogOf(t, plain, wall), Synchronous: true})
	require.ErrorIs(t, err, engine.ErrNoEpoch)
	require.EqualError(t, err, want)
	for _, s := range []buff.Spec{plain, uptime} {
		open(t, engine.Options{Catalog: catalogOf(t, s), Synchronous: true})
	}
	// the year 1970 is valid if it is set explicitly
	for _, epoch := range []time.Time{time.UnixMilli(0), time.Unix(1_700_000_000, 0)} {
		open(t, engine.Options{Catalog: catalogOf(t, wall), Synchronous: true, Epoch: epoch})
	}

	for _, epoch := range []time.Time{{}, time.UnixMilli(0)} {
		before := catalogOf(t, plain)
		e := open(t, engine.Options{Catalog: before, Synchronous: true, Epoch: epoch})
		next, err := before.Rebuild(buff.Definitions{Specs: []buff.Spec{plain, wall}})
		require.NoError(t, err)
		_, err = e.Reload(next)
		if epoch.IsZero() {
			require.EqualError(t, err, want)
			require.Same(t, before, e.Catalog())
		} else {
			require.NoError(t, err)
		}
	}
}

// TestOptions_UptimeDiscontinuous checks that if Options.Uptime does not continue the uptime of
// the last run, the Restoration of an owner reports that, provided that the owner has a buff that
// uses the uptime.
func TestOptions_UptimeDiscontinuous(t *testing.T) {
	o := engine.Options{Catalog: catalogOf(t, keepSpecs...), Synchronous: true, Epoch: time.Unix(1_700_000_000, 0)}
	first := open(t, o)
	spawn(t, first, 1, 2)
	add(t, first, 1, o.Catalog.Spec("shrine"))
	add(t, first, 2, o.Catalog.Spec("boon"))
	first.Tick(5 * time.Second)
	for uptime, stepped := range map[time.Duration]bool{0: true, 4999 * time.Millisecond: true, 5 * time.Second: false, time.Hour: false} {
		o.Uptime = uptime
		second := open(t, o)
		r, err := second.Restore(1, nil, must(first.Save(1)))
		require.NoError(t, err)
		require.Equal(t, stepped, r.UptimeStepped, "%v", uptime)
		r, err = second.Restore(2, nil, must(first.Save(2)))
		require.NoError(t, err)
		require.False(t, r.UptimeStepped, "nothing of it lives by the uptime")
	}
}
