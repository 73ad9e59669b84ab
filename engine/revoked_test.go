package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// TestRevoked: what is removed or cancelled while its owner is busy is not gone: what was due
// before comes first. Its handlers can tell, exactly: those that are called after the loop has
// asked, for what it has asked for. The Removed says when it was asked, and why.
func TestRevoked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, ran := gates{}, []string{}
		cat := catalogOf(t,
			buff.Spec{ID: "hang", Kind: buff.Instant, On: buff.Hooks{Exec: call("wait")}},
			buff.Spec{ID: "beat", Kind: buff.Infinite, Period: time.Second, On: buff.Hooks{Pulse: call("note")}},
			buff.Spec{ID: "other", Kind: buff.Infinite, Period: time.Second, On: buff.Hooks{Pulse: call("note")}},
		)
		note := func(c *engine.Context, what string) {
			ran = append(ran, fmt.Sprint(int64(c.Now()), " ", what, " revoked=", c.Revoked()))
		}
		e := open(t, engine.Options{Catalog: cat, Workers: 1, Budget: brief, Handlers: engine.Handlers{
			"wait": func(c *engine.Context, e buff.Event) { g.wait(c, e); note(c, "hang") },
			"note": func(c *engine.Context, e buff.Event) { note(c, e.Spec.ID) },
		}})
		spawn(t, e, 1)
		beat := add(t, e, 1, cat.Spec("beat"))
		add(t, e, 1, cat.Spec("other"))
		ring := func(after time.Duration) buff.TimeoutHandle {
			h, err := e.AddTimeout(1, after, func(c *engine.Context) { note(c, "timeout") })
			require.NoError(t, err)
			return h
		}
		soon, later := ring(1500*time.Millisecond), ring(time.Minute)
		ring(1600 * time.Millisecond)
		e.Tick(1100 * time.Millisecond)
		require.Equal(t, []string{"1000 beat revoked=false", "1000 other revoked=false"}, ran)
		add(t, e, 1, cat.Spec("hang"))
		g.hold(1)
		ran = nil
		e.Tick(1200 * time.Millisecond) // what is due at 1500 to 2000 waits behind the one that hangs
		for _, r := range []buff.Result{e.Remove(beat), e.Cancel(soon), e.Cancel(later)} {
			require.Equal(t, buff.Result{Queued: true}, r)
		}
		e.Tick(time.Second)
		g.free()
		got := []string{}
		for range 3 {
			synctest.Wait()
			got = append(got, lines(e.Tick(0))...)
		}
		require.Equal(t, []string{
			"1100 hang revoked=false",
			"1500 timeout revoked=true", "1600 timeout revoked=false",
			"2000 beat revoked=true", "2000 other revoked=false", "3000 other revoked=false",
		}, ran)
		require.Equal(t, []string{
			"1: 1500 timeout", "1: 1600 timeout", "1: 2000 pulse beat x1", "1: 2000 pulse other x1",
			"1: 2300 remove beat why=cancelled", "1: 3000 pulse other x1",
		}, got)
		require.EqualValues(t, 1, e.Stats().Undelivered, "the timeout that had rung")
		require.Zero(t, engine.Revoked(e, 1))
		shut(t, e)
	})
}
