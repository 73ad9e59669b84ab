package engine_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/stretchr/testify/require"
)

// smallWorld returns an engine whose pool refuses every worker, so that it only runs what runs on
// the loop. It has an owner with a buff that pulses every second.
func smallWorld(t *testing.T, o engine.Options, pulse ...define.Action) (*engine.Engine, *refusing) {
	o.Catalog = catalogOf(t, buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second, On: define.Hooks{Pulse: pulse}})
	o.Workers, o.Budget = 2, brief
	pool := &refusing{refuse: true}
	e, err := engine.NewOn(o, pool)
	require.NoError(t, err)
	t.Cleanup(func() {
		pool.refuse = false
		shut(t, e)
	})
	spawn(t, e, 1)
	add(t, e, 1, o.Catalog.Spec("beat"))
	e.Tick(0)
	return e, pool
}

func ignoreEvent(*engine.Context, buff.Event) {}

// TestEngine_RunHere_SmallFrames checks which turns of a small frame run on the loop: those that
// call no Go handlers, or only quick ones.
func TestEngine_RunHere_SmallFrames(t *testing.T) {
	pulse := []string{"1: 1000 pulse beat x1"}
	t.Run("data", func(t *testing.T) {
		e, pool := smallWorld(t, engine.Options{Handlers: engine.Handlers{"other": ignoreEvent}})
		require.Equal(t, pulse, lines(e.Tick(time.Second)))
		require.Zero(t, pool.asked)
	})
	t.Run("quick handler", func(t *testing.T) {
		e, pool := smallWorld(t, engine.Options{QuickHandlers: engine.Handlers{"hurt": ignoreEvent}}, call("hurt")...)
		require.Equal(t, pulse, lines(e.Tick(time.Second)))
		require.Zero(t, pool.asked)
	})
	t.Run("quick timeout", func(t *testing.T) {
		e, pool := smallWorld(t, engine.Options{QuickHandlers: engine.Handlers{"hurt": ignoreEvent}})
		require.NoError(t, e.Do(buff.AddTimeout(1, time.Minute, "hurt")).Failure)
		require.Equal(t, pulse, lines(e.Tick(time.Second)))
		require.Zero(t, pool.asked)
	})
	t.Run("other handler", func(t *testing.T) {
		e, _ := smallWorld(t, engine.Options{Handlers: engine.Handlers{"hurt": ignoreEvent}}, call("hurt")...)
		require.Empty(t, lines(e.Tick(time.Second)))
	})
	t.Run("timeout with a function", func(t *testing.T) {
		e, _ := smallWorld(t, engine.Options{})
		_, err := e.AddTimeout(1, time.Minute, func(*engine.Context) {})
		require.NoError(t, err)
		require.Empty(t, lines(e.Tick(time.Second)))
	})
	t.Run("timeout with another handler", func(t *testing.T) {
		e, _ := smallWorld(t, engine.Options{Handlers: engine.Handlers{"hurt": ignoreEvent}})
		require.NoError(t, e.Do(buff.AddTimeout(1, time.Minute, "hurt")).Failure)
		require.Empty(t, lines(e.Tick(time.Second)))
	})
}

// TestEngine_RunHere_LargeFrames checks that a frame with more than 64 turns uses the pool,
// whatever handlers it calls.
func TestEngine_RunHere_LargeFrames(t *testing.T) {
	e, pool := smallWorld(t, engine.Options{})
	for id := range buff.OwnerID(63) {
		spawn(t, e, id+2)
		add(t, e, id+2, e.Catalog().Spec("beat"))
	}
	require.Len(t, lines(e.Tick(time.Second)), 64+63)
	require.Zero(t, pool.asked)
	spawn(t, e, 65)
	add(t, e, 65, e.Catalog().Spec("beat"))
	require.Len(t, lines(e.Tick(time.Second)), 1, "of the new buff only")
	require.NotZero(t, pool.asked)
}

// TestEngine_QuickHandlers_Exit checks that a quick handler that ends the loop's goroutine does
// not affect other owners, and that another goroutine can continue to use the engine.
func TestEngine_QuickHandlers_Exit(t *testing.T) {
	exits := false
	e, _ := smallWorld(t, engine.Options{QuickHandlers: engine.Handlers{"hurt": func(c *engine.Context, _ buff.Event) {
		if exits && c.Owner() == 1 {
			runtime.Goexit()
		}
	}}}, call("hurt")...)
	spawn(t, e, 2)
	add(t, e, 2, e.Catalog().Spec("beat"))
	exits = true
	elsewhere(func() { e.Tick(time.Second) })
	exits = false
	require.Equal(t, []string{"1: 2000 pulse beat x1", "2: 2000 pulse beat x1"}, lines(e.Tick(time.Second)))
}

// TestOptions_HandlerTwice checks that a handler cannot be both quick and not quick.
func TestOptions_HandlerTwice(t *testing.T) {
	h := engine.Handlers{"hurt": ignoreEvent}
	_, err := engine.New(engine.Options{Handlers: h, QuickHandlers: h})
	require.EqualError(t, err, `engine: handler "hurt" is in Options.Handlers and in QuickHandlers; keep it in one of them`)
}
