package engine_test

import (
	"testing"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/stretchr/testify/require"
)

// TestFitted_KeepsOrShrinks checks that a list keeps its memory if at least a quarter of it was
// used, or if its capacity is at most the minimum. Otherwise it gets twice the used capacity.
func TestFitted_KeepsOrShrinks(t *testing.T) {
	for _, c := range []struct{ used, room, want int }{
		{0, 1024, 1024},
		{0, 1025, 1024},
		{1000, 4003, 4003},
		{1000, 4004, 2000},
		{512, 4096, 1024},
		{513, 4096, 1026},
		{100_000, 400_003, 400_003},
		{100_000, 400_004, 200_000},
	} {
		now, same := engine.Fitted(c.used, c.room)
		require.Equal(t, c.want, now, "%d of %d", c.used, c.room)
		require.Equal(t, now == c.room, same, "%d of %d", c.used, c.room)
	}
	for _, c := range []struct{ used, room, want int }{{0, 16, 16}, {0, 17, 16}, {5, 23, 23}, {5, 24, 16}, {9, 40, 18}} {
		require.Equal(t, c.want, engine.FittedEvents(c.used, c.room), "%d of %d events", c.used, c.room)
	}
}

// TestChunks_Shrink checks that a worker keeps as many chunks as were used, without the very long
// ones, and that it fills one of them next.
func TestChunks_Shrink(t *testing.T) {
	for _, c := range []struct {
		rooms []int
		used  int
		want  []int
	}{
		{[]int{8, 1024, 1024, 1024}, 2, []int{8, 1024}},
		{[]int{8, 16}, 0, []int{8}},
		{[]int{8, 16}, 9, []int{8, 16}},
		{[]int{4096, 4097, 8}, 3, []int{4096, 1024, 8}},
		{[]int{5000, 8}, 2, []int{1024, 8}},
	} {
		kept, next := engine.GivenBack(c.rooms, c.used)
		require.Equal(t, c.want, kept, "%v", c.rooms)
		require.Equal(t, c.want[0], next, "%v", c.rooms)
	}
	kept, next := engine.GivenBack(nil, 3)
	require.Empty(t, kept)
	require.Equal(t, 4, next, "a new one is small")
}

// TestWanted_ReleasesMemory checks that the list of scheduled owners releases its memory after a
// frame with many of them, and that the owners in the list at that time stay in it.
func TestWanted_ReleasesMemory(t *testing.T) {
	rung := 0
	cat := catalogOf(t, buff.Spec{ID: "bell", Kind: define.Instant, On: define.Hooks{Exec: call("ring")}})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Handlers: engine.Handlers{
		"ring": func(*engine.Context, buff.Event) { rung++ },
	}})
	const owners = 8000
	for id := range buff.OwnerID(owners) {
		spawn(t, e, id)
		add(t, e, id, cat.Spec("bell"))
	}
	require.GreaterOrEqual(t, engine.WantedRoom(e), owners)
	e.Tick(0)
	require.Equal(t, owners, rung)
	for range 20 {
		for id := range buff.OwnerID(3) {
			add(t, e, id, cat.Spec("bell"))
		}
		e.Tick(0)
	}
	require.Equal(t, owners+60, rung)
	require.Equal(t, 1024, engine.WantedRoom(e))
}
