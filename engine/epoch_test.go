package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// TestEpoch: a catalog with a buff that uses the wall clock wants an Epoch, at
// New and at a Reload: without one that buff would stand still while its owner is away, and
// nobody would know why.
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
	for _, epoch := range []time.Time{time.UnixMilli(0), time.Unix(1_700_000_000, 0)} { // 1970, if it is meant
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

// TestUptimeSteps: an engine whose Options.Uptime is not carried on from its last run says so to
// whoever comes back with a buff that lives by it.
func TestUptimeSteps(t *testing.T) {
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
