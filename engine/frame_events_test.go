package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// TestFrame_EventsOfCallsAndClose checks that the events of the loop's calls are available before
// the next frame, and those of the work that Close delivers in frames of Close, so that each event
// of an owner can be seen, in order.
func TestFrame_EventsOfCallsAndClose(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "mark", Kind: define.Infinite, Stack: define.Stacking{By: define.ByNone}})
	e, err := engine.New(engine.Options{Catalog: cat, Synchronous: true})
	require.NoError(t, err)
	require.NoError(t, e.Spawn(7, nil))
	untold := func() (ids []string) {
		for ev := range e.Unreported() {
			ids = append(ids, ev.ID().String())
		}
		return ids
	}
	require.Empty(t, untold())
	add(t, e, 7, cat.Spec("mark"))
	require.Equal(t, []string{"7:1"}, untold())
	require.Equal(t, []string{"7:1"}, untold())
	f := e.Tick(time.Second)
	require.Equal(t, 1, f.Len())
	require.Empty(t, untold())

	add(t, e, 7, cat.Spec("mark"))
	require.NoError(t, e.Inbox().Do(buff.Apply(7, buff.Application{Spec: cat.Spec("mark")})))
	var told []string
	require.NoError(t, e.Close(t.Context(), func(f *engine.Frame) {
		for ev := range f.Events() {
			told = append(told, ev.ID().String())
		}
	}))
	require.Equal(t, []string{"7:2", "7:3"}, told)
	require.NoError(t, e.Close(t.Context()))
}
