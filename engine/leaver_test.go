package engine_test

import (
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/stretchr/testify/require"
)

// TestDrop_OwnersAreCollected checks that the engine releases owners a few frames after they have
// left, whatever was pending for them, together with their data and the functions of their
// timeouts.
func TestDrop_OwnersAreCollected(t *testing.T) {
	const owners = 20
	cat := catalogOf(t, buff.Spec{ID: "beat", Kind: define.Infinite, Period: 100 * time.Millisecond, On: define.Hooks{Pulse: call("beat")}})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Handlers: engine.Handlers{
		"beat": func(c *engine.Context, ev buff.Event) {
			c.AddBuff(owners+1, buff.Application{Spec: cat.Spec("beat"), Source: ev.Source})
		},
	}})
	spawn(t, e, owners+1)
	var kept []weak.Pointer[[1000]byte]
	hold := func() *[1000]byte {
		big := new([1000]byte)
		kept = append(kept, weak.Make(big))
		return big
	}
	for k := range buff.OwnerID(owners) {
		require.NoError(t, e.Spawn(k+1, hold()))
		add(t, e, k+1, cat.Spec("beat"))
		held := hold()
		_, err := e.AddTimeout(k+1, time.Hour, func(*engine.Context) { held[0]++ })
		require.NoError(t, err)
	}
	e.Tick(100 * time.Millisecond) // the owners are due
	for k := range buff.OwnerID(owners) {
		add(t, e, k+1, cat.Spec("beat"))
		require.NoError(t, e.Do(buff.SetRate(k+1, buff.Ratio{Num: 2, Den: 1})).Failure)
	}
	e.Tick(0) // the owners get commands
	for k := range buff.OwnerID(owners) {
		_, err := e.Despawn(k + 1)
		require.NoError(t, err)
	}
	for range 3 {
		// events of the last frames can be read until later frames replace them
		e.Tick(100 * time.Millisecond)
	}
	runtime.GC()
	alive := 0
	for _, k := range kept {
		if k.Value() != nil {
			alive++
		}
	}
	require.Zero(t, alive)
	runtime.KeepAlive(e)
}
