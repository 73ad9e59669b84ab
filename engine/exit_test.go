package engine_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// exitWorld has two bearers of an aura each, and an owner whose pulses are counted.
func exitWorld(t *testing.T, members func(engine.AuraQuery, func(buff.OwnerID))) (*engine.Engine, *buff.Catalog) {
	cat := catalogOf(t, buff.Spec{ID: "beat", Kind: buff.Infinite, Period: time.Second},
		buff.Spec{ID: "beacon", Kind: buff.Infinite, Aura: beacon()}, buff.Spec{ID: "light", Kind: buff.Infinite})
	if members == nil {
		members = func(engine.AuraQuery, func(buff.OwnerID)) {}
	}
	e, err := engine.New(engine.Options{Catalog: cat, Synchronous: true, Members: members})
	require.NoError(t, err)
	for id := range buff.OwnerID(3) {
		spawn(t, e, id+1)
	}
	_, r := e.AddBuff(3, buff.Application{Spec: cat.Spec("beat")})
	require.NoError(t, r.Err)
	return e, cat
}

// elsewhere calls f on another goroutine, which f may end, and waits for that.
func elsewhere(f func()) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		f()
	}()
	<-over
}

// TestP24_RunExits: a function of Inbox.Run that ends the loop's goroutine ends nothing else: the
// Tick comes to its end, what stands behind the function is carried out by whoever goes on, and
// Close ends.
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

// TestP24_MembersExits: the same of Options.Members: auras behind the one that was looked at are
// looked at by whoever goes on.
func TestP24_MembersExits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		exits := true
		e, cat := exitWorld(t, func(q engine.AuraQuery, yield func(buff.OwnerID)) {
			if yield(3); exits && q.Bearer == 1 {
				runtime.Goexit()
			}
		})
		for id := range buff.OwnerID(2) {
			_, r := e.AddBuff(id+1, buff.Application{Spec: cat.Spec("beacon")})
			require.NoError(t, r.Err)
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
