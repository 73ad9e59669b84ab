package engine_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// exitWorld returns an engine with two bearers of an aura each, and an owner whose pulses are
// counted.
func exitWorld(t *testing.T, members func(engine.AuraQuery, func(buff.OwnerID))) (*engine.Engine, *buff.Catalog) {
	cat := catalogOf(t, buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second},
		buff.Spec{ID: "beacon", Kind: define.Infinite, Aura: beacon()}, buff.Spec{ID: "light", Kind: define.Infinite})
	if members == nil {
		members = func(engine.AuraQuery, func(buff.OwnerID)) {}
	}
	e, err := engine.New(engine.Options{Catalog: cat, Synchronous: true, Members: members})
	require.NoError(t, err)
	for id := range buff.OwnerID(3) {
		spawn(t, e, id+1)
	}
	r := e.AddBuff(3, buff.Application{Spec: cat.Spec("beat")})
	require.NoError(t, r.Failure)
	return e, cat
}

// elsewhere calls f on another goroutine, which f may end, and waits until f is over.
func elsewhere(f func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		f()
	}()
	<-over
}

// TestP24_RunExits checks that a function of Inbox.Run that ends the loop's goroutine does no
// other harm: the Tick is completed, the following commands are executed by the next goroutine
// that calls Tick, and Close succeeds.
func TestP24_RunExits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, cat := exitWorld(t, nil)
		a := asking(func() (buff.Result, error) {
			return buff.Result{}, e.Inbox().Run(t.Context(), func(*engine.Engine) { runtime.Goexit() })
		})
		b := asking(func() (buff.Result, error) {
			return e.Inbox().Ask(t.Context(), buff.Apply(1, buff.Application{Spec: cat.Spec("light")}))
		})
		elsewhere(func() { e.Tick(time.Second) })
		require.True(t, a.done())
		require.Error(t, a.err)
		require.False(t, b.done())

		f := e.Tick(time.Second)
		require.Equal(t, []string{"3: 2000 pulse beat x1", "1: 2000 apply light x1"}, lines(f))
		require.True(t, b.done())
		require.NoError(t, b.err)
		require.Zero(t, e.Inbox().Stats().Waiting)

		for range 3 {
			asking(func() (buff.Result, error) {
				return buff.Result{}, e.Inbox().Run(t.Context(), func(*engine.Engine) { runtime.Goexit() })
			})
		}
		elsewhere(func() { e.Tick(0) })
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.NoError(t, e.Close(ctx), "Close has the functions not called that are left")
		require.NoError(t, ctx.Err())
	})
}

// TestP24_MembersExits checks that Options.Members, if it ends the loop's goroutine, does no other
// harm: the next goroutine that calls Tick makes the searches of the remaining auras.
func TestP24_MembersExits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		exits := true
		e, cat := exitWorld(t, func(q engine.AuraQuery, yield func(buff.OwnerID)) {
			if yield(3); exits && q.Bearer == 1 {
				runtime.Goexit()
			}
		})
		for id := range buff.OwnerID(2) {
			r := e.AddBuff(id+1, buff.Application{Spec: cat.Spec("beacon")})
			require.NoError(t, r.Failure)
		}
		elsewhere(func() { e.Tick(0) })
		exits = false
		require.Equal(t, []string{"3: 0 apply light x1"}, lines(e.Tick(0)), "of the second aura, in the next Tick")
		require.Equal(t, []string{"3: 500 apply light x1"}, lines(e.Tick(500*time.Millisecond)), "of the first, at its next look")
		require.Empty(t, engine.CheckCrossIndex(e))
		exits = true
		elsewhere(func() { e.Tick(500 * time.Millisecond) })
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		require.NoError(t, e.Close(ctx))
		require.NoError(t, ctx.Err())
	})
}

// TestP24_HandlerExitsTheLoop checks a Goexit of a handler with Options.Synchronous, which ends
// the loop's goroutine, as t.FailNow in a test requires. The game does not end: the Tick is
// completed, each fault is counted, the commands of the handler are executed, every other handler
// is called as often as expected, and Close succeeds.
func TestP24_HandlerExitsTheLoop(t *testing.T) {
	const owners = 300
	cat := catalogOf(t,
		buff.Spec{ID: "beat", Duration: 4 * time.Second, Period: time.Second, On: define.Hooks{Pulse: call("note")}},
		buff.Spec{ID: "fail", Duration: 4 * time.Second, Period: 2 * time.Second, On: define.Hooks{Pulse: call("fail")}},
		buff.Spec{ID: "mark", Duration: 100 * time.Second})
	notes := [owners + 1]int{}
	e, err := engine.New(engine.Options{Catalog: cat, Synchronous: true, Handlers: engine.Handlers{
		"note": func(c *engine.Context, _ buff.Event) { notes[c.Owner()]++ },
		"fail": func(c *engine.Context, _ buff.Event) {
			c.AddBuff(c.Owner(), buff.Application{Spec: cat.Spec("mark")})
			runtime.Goexit()
		},
	}})
	require.NoError(t, err)
	for id := range buff.OwnerID(owners) {
		spawn(t, e, id+1)
		for _, name := range []string{"beat", "fail", "beat"} {
			if name == "fail" && id%3 > 0 {
				continue
			}
			r := e.AddBuff(id+1, buff.Application{Spec: cat.Spec(name)})
			require.NoError(t, r.Failure)
		}
	}
	var ended []int
	for n := range 25 {
		whole := false
		elsewhere(func() {
			e.Tick(time.Second / 5)
			whole = true
		})
		if !whole {
			ended = append(ended, n)
		}
	}
	require.Equal(t, []int{9, 19}, ended, "the Ticks that reach 2 s and 4 s")
	require.Equal(t, wheel.Time(5000), e.Now())
	require.EqualValues(t, 2*owners/3, e.Stats().Faults)
	for id := range buff.OwnerID(owners) {
		require.Equal(t, 8, notes[id+1], "owner %d", id+1)
		buffs, err := e.Buffs(id + 1)
		require.NoError(t, err)
		left := 0
		for b := range buffs.All() {
			require.Equal(t, "mark", b.Spec.ID)
			left++
		}
		require.Equal(t, map[bool]int{true: 2}[id%3 == 0], left)
	}
	require.Empty(t, engine.CheckCrossIndex(e))
	require.NoError(t, e.Close(t.Context()))
}
