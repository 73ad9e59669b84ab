package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// carried returns an engine with one owner that has the given number of buffs, and the owner's
// blob.
func carried(tb testing.TB, buffs int, o engine.Options) (*engine.Engine, []byte) {
	tb.Helper()
	specs := make([]buff.Spec, buffs)
	for k := range specs {
		specs[k] = buff.Spec{ID: "effect_" + string(rune('a'+k)), Duration: time.Hour, Period: 3 * time.Second}
	}
	o.Catalog = catalogOf(tb, specs...)
	mode{workers: 1}.set(&o)
	e := open(tb, o)
	spawn(tb, e, 2) // an engine without owners starts its owner numbers again
	spawn(tb, e, 1)
	for spec := range o.Catalog.All() {
		add(tb, e, 1, spec)
	}
	blob, err := e.Save(1)
	require.NoError(tb, err)
	return e, blob
}

// TestSaveRestoreAllocations checks that Save into sufficient memory does not allocate. Restore
// allocates memory for the owner, its buffs and their deadlines.
func TestSaveRestoreAllocations(t *testing.T) {
	e, blob := carried(t, 19, engine.Options{})
	require.Zero(t, testing.AllocsPerRun(100, func() {
		var err error
		if blob, err = e.AppendSave(blob[:0], 1); err != nil {
			t.Error(err)
		}
	}))
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() {
		require.NoError(t, e.Drop(1))
		e.Tick(0)
		if _, err := e.Restore(1, nil, blob); err != nil {
			t.Error(err)
		}
		e.Tick(0)
	}), 4.0)

	kept := []byte("kept")
	got, err := e.AppendSave(kept, 3)
	require.ErrorIs(t, err, engine.ErrUnknownOwner)
	require.Equal(t, kept, got)
	got, err = e.AppendSave(kept, 1)
	require.NoError(t, err)
	require.Equal(t, append(kept, blob...), got)
}

func BenchmarkSaveOwner(b *testing.B) {
	e, blob := carried(b, 19, engine.Options{})
	b.ReportAllocs()
	for b.Loop() {
		blob, _ = e.AppendSave(blob[:0], 1)
	}
}

// BenchmarkOpenArea measures the start of a server: many players with 10 buffs each, of which a
// thousand are restored in each of the first frames.
func BenchmarkOpenArea(b *testing.B) {
	const owners = 100_000
	first, blob := carried(b, 10, engine.Options{})
	b.ReportAllocs()
	for b.Loop() {
		o := engine.Options{Catalog: first.Catalog(), Limits: engine.Limits{Owners: owners}}
		mode{workers: 1}.set(&o)
		e := open(b, o)
		for id := range buff.OwnerID(owners) {
			if _, err := e.Restore(id, nil, blob); err != nil {
				b.Fatal(err)
			}
			if id%1000 == 999 {
				e.Tick(0)
			}
		}
		require.EqualValues(b, owners, e.Owners())
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/owners, "ns/owner")
}
