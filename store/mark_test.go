package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
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
