package engine_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
	"github.com/stretchr/testify/require"
)

// TestRevoked checks that a buff or timeout that is removed while its owner is busy is not removed
// yet, because events that were due before come first. Handlers that start after the loop's call
// get true from Revoked for exactly that buff or timeout. The Removed event has the reason and the
// time of the call.
func TestRevoked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, ran := gates{}, []string{}
		cat := catalogOf(t,
			buff.Spec{ID: "hang", Kind: define.Instant, On: define.Hooks{Exec: call("wait")}},
			buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second, On: define.Hooks{Pulse: call("note")}},
			buff.Spec{ID: "other", Kind: define.Infinite, Period: time.Second, On: define.Hooks{Pulse: call("note")}},
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
		// events due at 1500 to 2000 wait for the handler that is stuck
		e.Tick(1200 * time.Millisecond)
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

// TestRevokedStacks checks that removing a number of stacks does not revoke a buff, even if no
// stack is left. Without a number, all stacks are removed, and the buff is revoked.
func TestRevokedStacks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			stacks int
			want   bool
		}{{0, true}, {-1, true}, {1, false}, {2, false}} {
			g, ran := gates{}, []bool{}
			cat := catalogOf(t,
				buff.Spec{ID: "hang", Kind: define.Instant, On: define.Hooks{Exec: call("wait")}},
				buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second, On: define.Hooks{Pulse: call("note")}, Stack: define.Stacking{By: define.ByTarget, Limit: 3}},
			)
			e := open(t, engine.Options{Catalog: cat, Workers: 1, Budget: brief, Handlers: engine.Handlers{
				"wait": g.wait,
				"note": func(c *engine.Context, _ buff.Event) { ran = append(ran, c.Revoked()) },
			}})
			spawn(t, e, 1)
			beat := add(t, e, 1, cat.Spec("beat"))
			add(t, e, 1, cat.Spec("hang"))
			g.hold(1)
			e.Tick(time.Second)
			require.Equal(t, buff.Result{Queued: true}, e.Do(buff.RemoveStacks(beat, c.stacks, reason.Cancelled)))
			g.free()
			for range 3 {
				synctest.Wait()
				e.Tick(0)
			}
			require.Equal(t, []bool{c.want}, ran, "%d stacks", c.stacks)
			shut(t, e)
		}
	})
}

// TestRevokedAgain checks that buffs whose removals were queued while an owner was busy, and are
// executed in a later batch, are all revoked until then, in whatever order they were queued.
func TestRevokedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, ran := gates{}, []string{}
		cat := catalogOf(t,
			buff.Spec{ID: "hang", Kind: define.Instant, On: define.Hooks{Exec: call("wait")}},
			buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second, On: define.Hooks{Pulse: call("note")}},
		)
		note := func(c *engine.Context, what string) {
			ran = append(ran, fmt.Sprint(int64(c.Now()), " ", what, " revoked=", c.Revoked()))
		}
		e := open(t, engine.Options{Catalog: cat, Workers: 1, Budget: brief, Handlers: engine.Handlers{
			"wait": g.wait,
			"note": func(c *engine.Context, e buff.Event) { note(c, e.Spec.ID) },
		}})
		spawn(t, e, 1)
		beat := add(t, e, 1, cat.Spec("beat"))
		soon, err := e.AddTimeout(1, 900*time.Millisecond, func(c *engine.Context) { note(c, "timeout") })
		require.NoError(t, err)
		later, err := e.AddTimeout(1, time.Minute, func(c *engine.Context) { note(c, "later") })
		require.NoError(t, err)
		add(t, e, 1, cat.Spec("hang"))
		g.hold(1)
		e.Tick(0)
		e.Tick(time.Second) // no turn has processed the due events yet
		for _, r := range []buff.Result{e.Remove(beat), e.Cancel(soon), e.Cancel(later)} {
			require.Equal(t, buff.Result{Queued: true}, r)
		}
		g.free()
		for range 3 {
			synctest.Wait()
			e.Tick(0)
		}
		require.Equal(t, []string{"900 timeout revoked=true", "1000 beat revoked=true"}, ran)
		require.Zero(t, engine.Revoked(e, 1))
		shut(t, e)
	})
}
