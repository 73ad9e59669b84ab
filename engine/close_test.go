package engine_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/stretchr/testify/require"
)

// TestP50_CloseDelivers checks that Close executes accepted commands of the Inbox, calls deferred
// handlers, and executes the commands of these handlers. Later events never run.
func TestP50_CloseDelivers(t *testing.T) {
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			var got []string
			o := engine.Options{
				Catalog: catalogOf(t,
					buff.Spec{ID: "hit", Kind: define.Instant, On: define.Hooks{Exec: call("hit")}},
					buff.Spec{ID: "back", Kind: define.Instant, On: define.Hooks{Exec: call("back")}},
					buff.Spec{ID: "later", Duration: time.Millisecond, On: define.Hooks{RemoveAny: call("hit")}},
				),
			}
			o.Handlers = engine.Handlers{
				"hit": func(c *engine.Context, e buff.Event) {
					c.AddBuff(3-c.Owner(), buff.Application{Spec: o.Catalog.Spec("back")})
				},
				"back": func(c *engine.Context, e buff.Event) { got = append(got, line(e)) },
			}
			m.set(&o)
			e, err := engine.New(o)
			require.NoError(t, err)
			spawn(t, e, 1, 2)
			r := e.AddBuff(1, buff.Application{Spec: o.Catalog.Spec("hit")})
			require.NoError(t, r.Failure)
			add(t, e, 1, o.Catalog.Spec("later"))
			require.NoError(t, e.Inbox().AddBuff(2, buff.Application{Spec: o.Catalog.Spec("hit")}))
			require.NoError(t, e.Close(context.Background()))
			require.Equal(t, []string{"2: 0 exec back x1", "1: 0 exec back x1"}, got)
			require.NoError(t, e.Close(context.Background()), "twice")
			require.Zero(t, e.Inbox().Stats().Waiting)
		})
	}
}

// TestP50_CloseStuck checks that if the context ends first, the error of Close names the owner
// whose handler is running, and that Close succeeds after that handler has returned.
func TestP50_CloseStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPrison(t, 30, engine.Options{Workers: 2})
		p.hold(23)
		p.Tick(time.Second)
		r := p.AddBuff(23, buff.Application{Spec: p.mark})
		require.True(t, r.Queued)

		ctx, cancel := context.WithTimeout(context.Background(), 2995*time.Millisecond)
		defer cancel()
		begin := time.Now()
		err := p.Close(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.EqualError(t, err, "engine: close: context deadline exceeded; handlers still run for owner 23")
		require.Equal(t, 3*time.Second, time.Since(begin), "Close looks at its context every 10 ms")

		require.ErrorIs(t, p.Close(ended()), context.Canceled)
		r = p.AddBuff(23, buff.Application{Spec: p.mark})
		require.ErrorIs(t, r.Failure, engine.ErrClosed)

		p.free()
		require.NoError(t, p.Close(context.Background()))
		require.NoError(t, p.Close(context.Background()))
		require.Zero(t, p.Stats().Busy)
	})
}

// TestCloseWaitsForThePool checks that Close waits while a pool refuses tasks, and ends
// afterwards.
func TestCloseWaitsForThePool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cat := catalogOf(t, buff.Spec{ID: "hit", Kind: define.Instant, On: define.Hooks{Exec: call("hit")}})
		called := 0
		handlers := engine.Handlers{"hit": func(*engine.Context, buff.Event) { called++ }}
		pool := &refusing{refuse: true}
		e, err := engine.NewOn(engine.Options{Catalog: cat, Handlers: handlers, Workers: 2}, pool)
		require.NoError(t, err)
		spawn(t, e, 1)
		r := e.AddBuff(1, buff.Application{Spec: cat.Spec("hit")})
		require.NoError(t, r.Failure)
		pool.until = 5
		require.NoError(t, e.Close(context.Background()))
		require.Equal(t, 1, called)
	})
}

// TestAfterClose checks the results of calls after Close.
func TestAfterClose(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "mark", Duration: time.Second})
	mark := cat.Spec("mark")
	e, err := engine.New(engine.Options{Catalog: cat, Handlers: engine.Handlers{"none": func(*engine.Context, buff.Event) {}}})
	require.NoError(t, err)
	spawn(t, e, 1)
	h := add(t, e, 1, mark)
	timeout, err := e.AddTimeout(1, time.Second, func(*engine.Context) {})
	require.NoError(t, err)
	require.NoError(t, e.Close(context.Background()))

	r := e.AddBuff(1, buff.Application{Spec: mark})
	require.ErrorIs(t, r.Failure, engine.ErrClosed)
	_, err = e.AddTimeout(1, 0, func(*engine.Context) {})
	require.ErrorIs(t, err, engine.ErrClosed)
	err = e.Do(buff.AddTimeout(1, 0, "none")).Failure
	require.ErrorIs(t, err, engine.ErrClosed)
	require.ErrorIs(t, e.Remove(h).Failure, engine.ErrClosed)
	require.ErrorIs(t, e.Do(buff.Extend(h, 1)).Failure, engine.ErrClosed)
	require.ErrorIs(t, e.Cancel(timeout).Failure, engine.ErrClosed)
	require.ErrorIs(t, e.Do(buff.Kill(1)).Failure, engine.ErrClosed)
	require.ErrorIs(t, e.Do(buff.LoseSource(1)).Failure, engine.ErrClosed)
	require.ErrorIs(t, e.Spawn(2, nil), engine.ErrClosed)
	require.ErrorIs(t, e.Drop(1), engine.ErrClosed)
	_, err = e.Despawn(1)
	require.ErrorIs(t, err, engine.ErrClosed)
	_, err = e.Save(1)
	require.ErrorIs(t, err, engine.ErrClosed)
	_, err = e.Restore(2, nil, nil)
	require.ErrorIs(t, err, engine.ErrClosed)
	require.ErrorIs(t, e.Do(buff.SetArea(1, 2)).Failure, engine.ErrClosed)
	require.ErrorIs(t, e.Do(buff.PauseArea(2)).Failure, engine.ErrClosed)
	require.ErrorIs(t, e.Do(buff.ResumeArea(2)).Failure, engine.ErrClosed)
	require.ErrorIs(t, e.Do(buff.SetAreaRate(2, buff.Ratio{Num: 1, Den: 2})).Failure, engine.ErrClosed)
	in := e.Inbox()
	require.ErrorIs(t, in.AddBuff(1, buff.Application{Spec: mark}), engine.ErrClosed)
	require.ErrorIs(t, in.AddTimeout(1, 0, func(*engine.Context) {}), engine.ErrClosed)
	require.ErrorIs(t, in.Remove(h), engine.ErrClosed)
	require.ErrorIs(t, in.Do(buff.Extend(h, 1)), engine.ErrClosed)
	require.ErrorIs(t, in.Cancel(timeout), engine.ErrClosed)
	require.ErrorIs(t, in.Do(buff.Kill(1)), engine.ErrClosed)
	require.PanicsWithValue(t, "engine: Tick after Close", func() { e.Tick(0) })
	_, found := reply(e.Find(h))
	require.True(t, found, "Close ends nothing that is carried")
}
