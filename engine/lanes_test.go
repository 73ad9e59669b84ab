package engine_test

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/stretchr/testify/require"
)

// TestTimeoutByName checks that a named timeout works the same in each lane, except for the time
// from which it counts.
func TestTimeoutByName(t *testing.T) {
	var got []string
	note := func(c *engine.Context, e buff.Event) { got = append(got, e.String()) }
	handlers := engine.Handlers{"loop": note, "inbox": note, "handler": note}
	handlers["chain"] = func(c *engine.Context, _ buff.Event) {
		c.Do(buff.AddTimeout(c.Owner(), time.Second, "handler"))
		require.PanicsWithValue(t, `engine: Do: engine: unknown handler: "nobody"`, func() { c.Do(buff.AddTimeout(1, 0, "nobody")) })
	}
	e := open(t, engine.Options{Handlers: handlers, Synchronous: true})
	spawn(t, e, 1)
	for _, name := range []string{"loop", "chain"} {
		err := e.Do(buff.AddTimeout(1, time.Second, name)).Failure
		require.NoError(t, err)
	}
	require.NoError(t, e.Inbox().Do(buff.AddTimeout(1, time.Second, "inbox")))
	require.ErrorIs(t, e.Inbox().Do(buff.AddTimeout(1, time.Second, "nobody")), engine.ErrUnknownHandler)
	err := e.Do(buff.AddTimeout(1, time.Second, "nobody")).Failure
	require.ErrorIs(t, err, engine.ErrUnknownHandler)
	e.Tick(500 * time.Millisecond)
	e.Tick(10 * time.Second)
	require.Equal(t, []string{"1000 timeout loop", "1500 timeout inbox", "2000 timeout handler"}, got)
}

// TestRemoveWhileListing checks that a loop over an owner's buffs may remove the current buff.
func TestRemoveWhileListing(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "p", Duration: time.Second})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	spawn(t, e, 1)
	for range 5 {
		add(t, e, 1, cat.Spec("p"))
	}
	for b := range must(e.Buffs(1)).All() {
		require.NoError(t, e.Remove(b.Handle).Failure)
	}
	for range must(e.Buffs(1)).All() {
		t.Fatal("a buff is left")
	}
}

// TestTick_ManyCommandsForOneOwner checks that commands of many players for one owner in one frame
// are all delivered, although each of them triggers a handler.
func TestTick_ManyCommandsForOneOwner(t *testing.T) {
	cat := catalogOf(t,
		buff.Spec{ID: "hit", Kind: define.Instant, On: define.Hooks{Exec: call("hurt")}},
		buff.Spec{ID: "volley", Kind: define.Instant, On: define.Hooks{Exec: call("volley")}})
	hits := 0
	e := open(t, engine.Options{Catalog: cat, Workers: 2, Budget: -1, Handlers: engine.Handlers{
		"hurt": func(*engine.Context, buff.Event) { hits++ },
		"volley": func(c *engine.Context, _ buff.Event) {
			for range 3000 {
				c.AddBuff(1, buff.Application{Spec: cat.Spec("hit"), Source: c.Owner()})
			}
		},
	}})
	spawn(t, e, 1, 2)
	for range 2000 {
		r := e.AddBuff(1, buff.Application{Spec: cat.Spec("hit")})
		require.NoError(t, r.Failure)
	}
	add(t, e, 2, cat.Spec("volley"))
	e.Tick(time.Second)
	e.Tick(time.Second)
	require.Equal(t, 5000, hits)
	require.Zero(t, e.Stats().Undelivered)
	shut(t, e)
}

// TestUndelivered checks that a command counts as undelivered if it has no event. A command that
// the rules refuse has an event.
func TestUndelivered(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "p", Duration: time.Second})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	spawn(t, e, 1)
	in, p := e.Inbox(), cat.Spec("p")
	require.NoError(t, in.AddBuff(1, buff.Application{Spec: p, Duration: buff.Lasting(-1)}))
	e.Tick(0)
	require.Zero(t, e.Stats().Undelivered)

	h := add(t, e, 1, p)
	require.NoError(t, e.Remove(h).Failure)
	require.NoError(t, in.Remove(h))                             // stale
	require.NoError(t, in.AddBuff(2, buff.Application{Spec: p})) // an unknown owner
	e.Tick(0)
	require.EqualValues(t, 2, e.Stats().Undelivered)
}
