package engine_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/stretchr/testify/require"
)

// TestEngine_OwnerQueries checks the queries about an owner, on the loop and in its handlers. A
// cooldown is a buff with a tag.
func TestEngine_OwnerQueries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cat := catalogOf(t,
			buff.Spec{ID: "cd", Duration: 10 * time.Second, Grants: []string{"cooldown.fire.ball"}},
			buff.Spec{ID: "gcd", Duration: 1500 * time.Millisecond, Tags: []string{"cooldown.fire"}},
			buff.Spec{ID: "curse", Kind: define.Infinite, Tags: []string{"curse"}, Params: []define.Param{{Name: "power", Value: define.Const(2.5)}}},
		)
		tag := func(name string) buff.Tag {
			v, ok := cat.Tag(name)
			require.True(t, ok)
			return v
		}
		e := open(t, engine.Options{Catalog: cat, Workers: 1, Budget: brief})
		spawn(t, e, 1)
		cd := add(t, e, 1, cat.Spec("cd"))
		add(t, e, 1, cat.Spec("gcd"))
		curse := add(t, e, 1, cat.Spec("curse"))
		gate, looked := make(chan struct{}), 0
		_, err := e.AddTimeout(1, time.Second, func(c *engine.Context) {
			left, ok := c.Remaining(tag("cooldown.fire"))
			require.True(t, ok)
			require.Equal(t, 9*time.Second, left)
			left, _ = c.Remaining(tag("curse"))
			require.Equal(t, time.Duration(math.MaxInt64), left)
			require.True(t, c.HasTag(tag("cooldown")))
			require.False(t, c.HasTag(tag("curse")), "it has a buff with the tag, not the tag")
			v, ok := c.Param(curse, "power")
			require.True(t, ok)
			require.EqualValues(t, 2.5, v)
			_, ok = c.Param(cd, "power")
			require.False(t, ok)
			looked++
			<-gate
		})
		require.NoError(t, err)

		left, ok := reply(e.Remaining(1, tag("cooldown.fire.ball")))
		require.True(t, ok)
		require.Equal(t, 10*time.Second, left)
		require.True(t, must(e.HasTag(1, tag("cooldown.fire"))))
		require.False(t, must(e.HasTag(1, 0)))
		_, ok = reply(e.Remaining(1, 0))
		require.False(t, ok)
		v, ok := reply(e.Param(curse, "power"))
		require.True(t, ok)
		require.EqualValues(t, 2.5, v)
		_, ok = reply(e.Param(curse, "speed"))
		require.False(t, ok)
		_, ok = reply(e.Param(1<<60|curse, "power"))
		require.False(t, ok)
		_, _, err = e.Remaining(99, tag("curse"))
		require.ErrorIs(t, err, engine.ErrUnknownOwner)
		_, err = e.HasTag(99, tag("cooldown"))
		require.EqualError(t, err, "engine: unknown owner: 99")

		e.Tick(2 * time.Second) // the handler blocks
		synctest.Wait()
		require.Equal(t, 1, looked)
		_, _, err = e.Remaining(1, tag("cooldown"))
		require.ErrorIs(t, err, engine.ErrBusy)
		_, err = e.HasTag(1, tag("cooldown"))
		require.EqualError(t, err, "engine: owner is busy: 1")
		_, _, err = e.Param(curse, "power")
		require.ErrorIs(t, err, engine.ErrBusy)
		close(gate)
		synctest.Wait()
		e.Tick(0)
		e.Do(buff.Pause(1))
		left, _ = reply(e.Remaining(1, tag("cooldown")))
		require.Equal(t, 8*time.Second, left, "its time stands still")
		e.Do(buff.Resume(1))
		e.Do(buff.SetRate(1, buff.Ratio{Num: 2, Den: 1}))
		left, _ = reply(e.Remaining(1, tag("cooldown")))
		require.Equal(t, 4*time.Second, left)
		e.Tick(10 * time.Second)
		_, ok = reply(e.Remaining(1, tag("cooldown")))
		require.False(t, ok)
		require.False(t, must(e.HasTag(1, tag("cooldown"))))
		shut(t, e)
	})
}

// TestContext_OwnerQueries checks that a handler can query its Context, but not after it has
// returned.
func TestContext_OwnerQueries(t *testing.T) {
	var said []any
	e := open(t, engine.Options{Synchronous: true})
	spawn(t, e, 1)
	var kept *engine.Context
	for _, ask := range []func(){
		func() { _, _ = e.HasTag(1, 0) }, func() { _, _, _ = e.Remaining(1, 0) }, func() { _, _, _ = e.Param(0, "") }, func() { e.Do(buff.Compensate(buff.Query{}, 1)) },
	} {
		_, err := e.AddTimeout(1, 0, func(c *engine.Context) {
			defer func() { said = append(said, recover()) }()
			kept = c
			ask()
		})
		require.NoError(t, err)
	}
	e.Tick(time.Millisecond)
	require.Equal(t, []any{
		"engine: HasTag called from a handler or during a Tick; use the Context or the Inbox", "engine: Remaining called from a handler or during a Tick; use the Context or the Inbox",
		"engine: Param called from a handler or during a Tick; use the Context or the Inbox", "engine: Do called from a handler or during a Tick; use the Context or the Inbox",
	}, said)
	for _, ask := range []func(){func() { kept.HasTag(0) }, func() { kept.Remaining(0) }, func() { kept.Param(0, "") }} {
		require.PanicsWithValue(t, "engine: a Context was used after its handler had returned", ask)
	}
}

// TestTags_AreCounted checks that a tag that was added twice is gone after it was dropped twice,
// and the same for immunities.
func TestTags_AreCounted(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "p", Kind: define.Infinite, Tags: []string{"fire.hot"}})
	hot, _ := cat.Tag("fire.hot")
	fire, _ := cat.Tag("fire")
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	spawn(t, e, 1)
	kind := func() buff.EventKind {
		r := e.AddBuff(1, buff.Application{Spec: cat.Spec("p")})
		require.NoError(t, r.Failure)
		return r.Kind
	}
	for range 2 {
		require.NoError(t, e.Do(buff.AddTag(1, hot)).Failure)
		require.NoError(t, e.Do(buff.Immunize(1, fire, false)).Failure)
	}
	for range 2 {
		require.True(t, must(e.HasTag(1, fire)))
		require.Equal(t, buff.Denied, kind())
		require.NoError(t, e.Do(buff.DropTag(1, hot)).Failure)
		require.NoError(t, e.Do(buff.DropImmunity(1, fire)).Failure)
	}
	require.False(t, must(e.HasTag(1, fire)))
	require.NoError(t, e.Do(buff.DropTag(1, hot)).Failure)
	require.NoError(t, e.Do(buff.DropImmunity(1, fire)).Failure)
	require.Equal(t, buff.Applied, kind())
}

// TestW10_Chance checks that random decisions depend on Options.Seed, and not on the machine.
func TestW10_Chance(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "p", Kind: define.Instant, Chance: 500})
	roll := func(seed uint64, m mode, inbox bool) (out []string) {
		o := engine.Options{Catalog: cat, Seed: seed}
		m.set(&o)
		e := open(t, o)
		spawn(t, e, 1, 2)
		a := buff.Application{Spec: cat.Spec("p")}
		for range 32 {
			if inbox {
				require.NoError(t, e.Inbox().AddBuff(1, a))
				continue
			}
			_, err := e.AddTimeout(1, 0, func(c *engine.Context) { c.AddBuff(1, a) })
			require.NoError(t, err)
		}
		for ev := range e.Tick(time.Second).Events() {
			if ev.Kind != buff.TimedOut {
				out = append(out, ev.Kind.String())
			}
		}
		require.Len(t, out, 32)
		return out
	}
	first := roll(1, modes[0], false)
	require.Contains(t, first, "exec")
	require.Contains(t, first, "deny")
	for _, m := range modes {
		require.Equal(t, first, roll(1, m, false), m.name)
	}
	require.Equal(t, first, roll(1, modes[0], true), "on the loop too")
	require.NotEqual(t, first, roll(2, modes[0], false))
}

// TestCommands_LimitOfHandlers checks that a command that can trigger handlers repeatedly has the
// limit of AddBuff, and that a command that only ends something has no limit.
func TestCommands_LimitOfHandlers(t *testing.T) {
	cat := catalogOf(t, buff.Spec{
		ID: "p", Kind: define.Infinite, Period: time.Second, Inhibition: define.InhibitionExecute,
		Require: define.Requirements{Ongoing: define.TagTest{None: []string{"wet"}}}, On: define.Hooks{Pulse: call("hurt")},
	})
	wet, _ := cat.Tag("wet")
	hurt := 0
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Limits: engine.Limits{Handlers: 4}, Handlers: engine.Handlers{"hurt": func(*engine.Context, buff.Event) { hurt++ }}})
	spawn(t, e, 1)
	h := add(t, e, 1, cat.Spec("p"))
	for range 2 {
		require.NoError(t, e.Do(buff.AddTag(1, wet)).Failure)
		require.NoError(t, e.Do(buff.DropTag(1, wet)).Failure)
		require.NoError(t, e.Do(buff.Inhibit(h)).Failure)
		require.NoError(t, e.Do(buff.Release(h)).Failure)
	}
	require.ErrorIs(t, e.Do(buff.AddTag(1, wet)).Failure, engine.ErrOverloaded)
	require.ErrorIs(t, e.Do(buff.DropTag(1, wet)).Failure, engine.ErrOverloaded)
	require.NoError(t, e.Do(buff.Inhibit(h)).Failure)
	require.ErrorIs(t, e.Do(buff.Release(h)).Failure, engine.ErrOverloaded)
	e.Tick(0)
	require.Equal(t, 4, hurt)
	require.NoError(t, e.Do(buff.Release(h)).Failure)
}
