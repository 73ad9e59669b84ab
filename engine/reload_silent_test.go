package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// TestReloadWithoutRefresh checks an application to a full buff that is not refreshed. The
// application still converts the buff to the new version, and an event reports that, so that the
// cross-owner index knows at once the new limit per source, and that the buff ends with its
// source.
func TestReloadWithoutRefresh(t *testing.T) {
	mark := buff.Spec{ID: "mark", Duration: time.Minute, Stack: define.Stacking{By: define.ByTarget, Refresh: define.RefreshNone}}
	first := catalogOf(t, mark)
	e := open(t, engine.Options{Catalog: first, Synchronous: true})
	spawn(t, e, 1, 2)
	again := func(to buff.OwnerID) buff.Result {
		r := e.AddBuff(to, buff.Application{Spec: first.Spec("mark"), Source: 9})
		require.NoError(t, r.Failure)
		return r
	}
	for _, id := range []buff.OwnerID{1, 2} {
		require.Equal(t, buff.Applied, again(id).Kind)
		require.Zero(t, again(id).Kind, "nothing changes")
	}
	e.Tick(time.Second)
	first = next(t, first, mark)
	reload(t, e, first)
	require.Zero(t, again(1).Kind, "the new version says the same")
	mark.PerSource.Limit, mark.OnSourceGone = 1, define.FateRemove
	second := next(t, first, mark)
	reload(t, e, second)
	require.Equal(t, buff.Refreshed, again(1).Kind)
	require.Zero(t, again(1).Kind, "nothing changes")
	require.Empty(t, engine.CheckCrossIndex(e))
	require.Equal(t, buff.Refreshed, again(2).Kind, "one too many of the source")
	require.Empty(t, engine.CheckCrossIndex(e))
	require.NoError(t, e.Do(buff.LoseSource(9)).Failure)
	require.Equal(t, []string{
		"1: 1000 refresh mark x1 end=60000", "2: 1000 refresh mark x1 end=60000",
		"1: 1000 remove mark why=replaced", "2: 1000 remove mark why=source_gone",
	}, lines(e.Tick(0)))
	require.Zero(t, e.SpecCounters(second.Spec("mark")).Live)
}

// TestReloadAndOneMore checks that changes of a definition by a Reload are still known after
// further Reloads that add definitions: an old instance is converted by a refresh, and ends with
// its source.
func TestReloadAndOneMore(t *testing.T) {
	mark := buff.Spec{ID: "mark", Duration: time.Minute, Stack: define.Stacking{By: define.ByTarget}}
	specs := []buff.Spec{{ID: "a", Duration: time.Minute}, mark, {ID: "z", Duration: time.Minute}}
	cat := catalogOf(t, specs...)
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	spawn(t, e, 1, 2)
	again := func(to buff.OwnerID) buff.EventKind {
		r := e.AddBuff(to, buff.Application{Spec: cat.Spec("mark"), Source: 9})
		require.NoError(t, r.Failure)
		return r.Kind
	}
	require.Equal(t, buff.Applied, again(1))
	require.Equal(t, buff.Applied, again(2))
	e.Tick(0)
	specs[1].OnSourceGone = define.FateRemove
	for _, further := range []string{"", "y", "b", "c"} {
		if further != "" {
			specs = append(specs, buff.Spec{ID: further, Duration: time.Minute})
		}
		cat = next(t, cat, specs...)
		reload(t, e, cat)
	}
	require.Equal(t, buff.Refreshed, again(1))
	require.Empty(t, engine.CheckCrossIndex(e))
	require.NoError(t, e.Do(buff.LoseSource(9)).Failure)
	require.Equal(t, []string{"1: 0 refresh mark x1 end=60000", "1: 0 remove mark why=source_gone"}, lines(e.Tick(0)))
}
