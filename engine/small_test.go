package engine_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
)

// match returns an engine for one match, with few owners. Each has the given number of buffs,
// which pulse each second at different times.
func match(tb testing.TB, cat *buff.Catalog, owners, buffs int) *engine.Engine {
	tb.Helper()
	o := engine.Options{Catalog: cat}
	o.Synchronous = true // otherwise it also has the goroutines of a pool
	e, err := engine.New(o)
	require.NoError(tb, err)
	for id := range buff.OwnerID(owners) {
		spawn(tb, e, id)
	}
	for range buffs {
		for id := range buff.OwnerID(owners) {
			add(tb, e, id, cat.Spec("venom"))
			e.Tick(7 * time.Millisecond)
		}
	}
	for range 60 {
		e.Tick(50 * time.Millisecond)
	}
	return e
}

func matchCatalog(tb testing.TB) *buff.Catalog {
	return catalogOf(tb, buff.Spec{ID: "venom", Kind: define.Infinite, Period: time.Second, Stack: define.Stacking{By: define.ByNone}})
}

// TestSmallEngine checks that the memory of an engine for one match depends on its owners and
// buffs, and not on Limits.Owners.
func TestSmallEngine(t *testing.T) {
	cat, engines := matchCatalog(t), long.Pick(100, 1000)
	for _, k := range []struct{ owners, buffs, most int }{{0, 0, 24 << 10}, {10, 1, 32 << 10}, {10, 10, 64 << 10}} {
		keep := make([]*engine.Engine, engines)
		shut(t, match(t, cat, k.owners, k.buffs)) // one-time allocations of the first engine
		before := heap()
		for n := range keep {
			keep[n] = match(t, cat, k.owners, k.buffs)
		}
		got := int(heap()-before) / engines
		runtime.KeepAlive(keep)
		for _, e := range keep {
			shut(t, e)
		}
		t.Logf("%d owners with %d buffs: %d bytes", k.owners, k.buffs, got)
		require.Less(t, got, k.most, "%d owners with %d buffs", k.owners, k.buffs)
	}
}

// BenchmarkMatches ticks 10,000 engines of 10 owners one after the other, as a process with as
// many matches does in each frame.
func BenchmarkMatches(b *testing.B) {
	cat := matchCatalog(b)
	all := make([]*engine.Engine, 10_000)
	for n := range all {
		all[n] = match(b, cat, 10, 1)
	}
	for b.Loop() {
		for _, e := range all {
			e.Tick(50 * time.Millisecond)
		}
	}
	for _, e := range all {
		shut(b, e)
	}
}
