package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// TestMark checks that Seen reports a command from Mark on, and after a crash only if the
// command's frame was on disk.
func TestMark(t *testing.T) {
	m := storetest.NewMemory()
	o := store.Options{Window: 2, Every: -1}
	v := play(t, m, noon, engine.Options{}, o)
	eng := v.Engine()
	require.NoError(t, eng.Spawn(1, &hero{}))
	do := func(id byte) uint64 {
		require.NoError(t, eng.Do(buff.Apply(1, buff.Application{Spec: eng.Catalog().Spec("coin")})).Failure)
		return v.Mark(store.CommandID{id})
	}
	_, seen := v.Seen(store.CommandID{1})
	require.False(t, seen)
	first := do(1)
	again, seen := v.Seen(store.CommandID{1})
	require.True(t, seen)
	require.Equal(t, first, again)
	require.Less(t, v.Stats().Frame, first, "not on disk")
	v.After(eng.Tick(50 * time.Millisecond))
	require.NoError(t, v.SaveAll(t.Context()))
	require.GreaterOrEqual(t, v.Stats().Frame, first)
	second := do(2)
	require.Less(t, v.Stats().Frame, second)

	// The process crashes before the second command is on disk.
	w := play(t, m, noon, engine.Options{}, o)
	frame, seen := w.Seen(store.CommandID{1})
	require.True(t, seen)
	require.LessOrEqual(t, frame, w.Stats().Frame)
	_, seen = w.Seen(store.CommandID{2})
	require.False(t, seen)
	w.Mark(store.CommandID{3})
	w.Mark(store.CommandID{4})
	_, seen = w.Seen(store.CommandID{1})
	require.False(t, seen, "two others have come")
}

// TestMark_BeforeTick checks that a mark after a SaveAll and before the first Tick is not
// counted as on disk, and that the next cut includes it.
func TestMark_BeforeTick(t *testing.T) {
	v := play(t, storetest.NewMemory(), noon, engine.Options{}, store.Options{Window: 4, Every: -1})
	require.NoError(t, v.SaveAll(t.Context()))
	require.Greater(t, v.Mark(store.CommandID{1}), v.Stats().Frame)
	pass(v, 50*time.Millisecond)
	require.NoError(t, v.SaveAll(t.Context()))
	other := play(t, storetest.NewMemory(), noon, engine.Options{}, store.Options{Every: time.Nanosecond})
	require.NoError(t, other.SaveAll(t.Context()))
	pass(other, 50*time.Millisecond)
	require.NoError(t, other.SaveAll(t.Context()))
	require.Zero(t, other.Stats().Failed)
}

// TestMark_Moves checks that ids do not move with an owner, and that the number of the last command
// in an attribute does, so that a command is not executed again in another zone.
func TestMark_Moves(t *testing.T) {
	cat, err := buff.Build(buff.Definitions{Attributes: []define.Attribute{
		{Attribute: stat.Attribute{Name: "gold"}}, {Attribute: stat.Attribute{Name: "receipt"}},
	}})
	require.NoError(t, err)
	gold, receipt := cat.MustAttr("gold"), cat.MustAttr("receipt")
	earn := func(v *store.Saver, number float64) {
		eng := v.Engine()
		if last, err := eng.Attribute(7, receipt); err == nil && number > last {
			require.NoError(t, eng.Do(buff.AddBase(7, gold, 1)).Err())
			require.NoError(t, eng.Do(buff.SetBase(7, receipt, number)).Err())
			v.Mark(store.CommandID{byte(number)})
		}
	}
	s := storetest.NewMemory()
	eo, o := engine.Options{Catalog: cat}, store.Options{Window: 8}
	arena, harbour := playZone(t, s, "arena", noon, eo, o), playZone(t, s, "harbour", noon, eo, o)
	require.NoError(t, arena.Engine().Spawn(7, &hero{}))
	earn(arena, 1)
	earn(arena, 1)
	earn(arena, 2)
	_, err = arena.Move(7, "harbour")
	require.NoError(t, err)
	require.NoError(t, arena.SaveAll(t.Context()))
	require.NoError(t, store.ArriveAll(t.Context(), s, []*store.Saver{arena, harbour}, nil))
	_, seen := harbour.Seen(store.CommandID{2})
	require.False(t, seen)
	earn(harbour, 2)
	earn(harbour, 3)
	owned, err := harbour.Engine().Attribute(7, gold)
	require.NoError(t, err)
	require.EqualValues(t, 3, owned)
}
