package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/replay"
	"github.com/bufftick/bufftick/engine/view"
)

// waiter is a call of Ask or Run on another goroutine.
type waiter struct {
	r    buff.Result
	err  error
	over chan struct{}
}

// asking runs call on another goroutine, and returns when that call waits.
func asking(call func() (buff.Result, error)) *waiter {
	a := &waiter{over: make(chan struct{})}
	go func() {
		defer close(a.over)
		a.r, a.err = call()
	}()
	synctest.Wait()
	return a
}

// done reports whether the call has returned.
func (a *waiter) done() bool {
	synctest.Wait()
	select {
	case <-a.over:
		return true
	default:
		return false
	}
}

// TestAsk checks that Ask waits for the Tick and returns the Result that the loop would have got.
func TestAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cat := catalogOf(t, buff.Spec{ID: "p", Duration: 2 * time.Second, Stack: define.Stacking{By: define.ByTarget}})
		e := open(t, engine.Options{Catalog: cat, Synchronous: true})
		spawn(t, e, 1)
		p := buff.Apply(1, buff.Application{Spec: cat.Spec("p")})
		call := func(c buff.Command) func() (buff.Result, error) {
			return func() (buff.Result, error) { return e.Inbox().Ask(t.Context(), c) }
		}
		a := asking(call(p))
		require.False(t, a.done())
		require.Equal(t, 1, e.Inbox().Stats().Waiting)
		e.Tick(time.Second)
		require.True(t, a.done())
		require.NoError(t, a.err)
		require.Equal(t, buff.Applied, a.r.Kind)
		require.NotZero(t, a.r.Handle)

		gone := asking(call(buff.Extend(a.r.Handle+1, time.Second)))
		end := asking(call(buff.Remove(a.r.Handle)))
		e.Tick(0)
		require.True(t, gone.done() && end.done())
		require.NoError(t, gone.err)
		require.ErrorIs(t, gone.r.Failure, buff.ErrStale)
		require.Equal(t, buff.Removed, end.r.Kind)

		_, err := e.Inbox().Ask(t.Context(), buff.Apply(1, buff.Application{}))
		require.ErrorIs(t, err, engine.ErrUnknownSpec)
		_, err = e.Inbox().Ask(t.Context(), buff.AddTimeout(1, 0, "nobody"))
		require.ErrorIs(t, err, engine.ErrUnknownHandler)
	})
}

// TestAskBusy checks that Ask for a busy owner returns a Queued Result, and that the outcome is an
// event.
func TestAskBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cat := catalogOf(t, buff.Spec{ID: "p", Duration: 2 * time.Second})
		e := open(t, engine.Options{Catalog: cat, Workers: 1, Budget: brief})
		spawn(t, e, 1)
		gate := make(chan struct{})
		_, err := e.AddTimeout(1, 0, func(*engine.Context) { <-gate })
		require.NoError(t, err)
		e.Tick(time.Millisecond)
		a := asking(func() (buff.Result, error) {
			return e.Inbox().Ask(t.Context(), buff.Apply(1, buff.Application{Spec: cat.Spec("p")}))
		})
		e.Tick(0)
		require.True(t, a.done())
		require.NoError(t, a.err)
		require.Equal(t, buff.Result{Queued: true}, a.r)
		close(gate)
		synctest.Wait()
		require.Equal(t, []string{"1: 1 timeout", "1: 1 apply p x1 end=2001"}, lines(e.Tick(0)))
	})
}

// TestAskEnds checks that a command is withdrawn when the context of Ask ends: it is never
// executed.
func TestAskEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := open(t, engine.Options{Synchronous: true, Limits: engine.Limits{Inbox: 2}})
		spawn(t, e, 1)
		ctx, cancel := context.WithCancel(t.Context())
		ran := false
		a := asking(func() (buff.Result, error) {
			return e.Inbox().Ask(ctx, buff.AddTimeoutFunc(1, 0, func(*engine.Context) { ran = true }))
		})
		b := asking(func() (buff.Result, error) {
			return buff.Result{}, e.Inbox().Run(ctx, func(*engine.Engine) { ran = true })
		})
		cancel()
		require.True(t, a.done() && b.done())
		require.ErrorIs(t, a.err, context.Canceled)
		require.ErrorIs(t, b.err, context.Canceled)
		require.Equal(t, 2, e.Inbox().Stats().Waiting, "its room is given back when the loop comes to it")
		_, err := e.Inbox().Ask(ctx, buff.Kill(1))
		require.ErrorIs(t, err, context.Canceled, "it is not even posted")
		_, err = e.Inbox().Ask(t.Context(), buff.Kill(1))
		require.ErrorIs(t, err, engine.ErrInboxFull)
		e.Tick(0)
		e.Tick(time.Second)
		require.False(t, ran)
		require.Zero(t, e.Inbox().Stats().Waiting)
		require.Zero(t, e.Stats().Undelivered)
	})
}

// TestAskRaces checks the case that the context of Ask ends while the loop takes the command:
// either Ask returns the Result, or the command was not executed.
func TestAskRaces(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "p", Kind: define.Infinite})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Limits: engine.Limits{Buffs: buff.MaxPerOwner}})
	spawn(t, e, 1)
	var work sync.WaitGroup
	var mu sync.Mutex
	applied, withdrawn := 0, 0
	for n := range 8 {
		work.Go(func() {
			for k := range 50 {
				ctx, cancel := context.WithCancel(context.Background())
				if (n+k)%2 == 0 {
					go cancel()
				}
				r, err := e.Inbox().Ask(ctx, buff.Apply(1, buff.Application{Spec: cat.Spec("p")}))
				cancel()
				mu.Lock()
				if err == nil && r.Kind == buff.Applied {
					applied++
				} else if errors.Is(err, context.Canceled) && r == (buff.Result{}) {
					withdrawn++
				}
				mu.Unlock()
			}
		})
	}
	over := make(chan struct{})
	go func() { work.Wait(); close(over) }()
	for running := true; running; e.Tick(0) {
		select {
		case <-over:
			running = false
		default:
		}
	}
	require.Equal(t, 400, applied+withdrawn)
	require.Equal(t, applied, countOf(e, 1))
}

// TestAskClose checks that Close answers all waiting callers: with the Result for commands that it
// delivers, and with ErrClosed for functions and for commands that it does not deliver.
func TestAskClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := engine.New(engine.Options{Workers: 1, Budget: brief, Limits: engine.Limits{Tick: 4}})
		require.NoError(t, err)
		spawn(t, e, 1, 2)
		a := asking(func() (buff.Result, error) { return e.Inbox().Ask(t.Context(), buff.Kill(2)) })
		b := asking(func() (buff.Result, error) {
			return buff.Result{}, e.Inbox().Run(t.Context(), func(*engine.Engine) { t.Error("it is called") })
		})
		gate := make(chan struct{})
		_, err = e.AddTimeout(1, 0, func(*engine.Context) { <-gate })
		require.NoError(t, err)
		e.Tick(time.Millisecond)
		require.True(t, a.done())
		require.False(t, b.done(), "a Tick has room for one")
		c := asking(func() (buff.Result, error) { return e.Inbox().Ask(t.Context(), buff.Kill(1)) })
		d := asking(func() (buff.Result, error) { return e.Inbox().Ask(t.Context(), buff.Kill(1)) })
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, e.Close(ended), context.Canceled)
		require.True(t, b.done() && c.done() && d.done())
		require.ErrorIs(t, b.err, engine.ErrClosed)
		require.ErrorIs(t, d.err, engine.ErrClosed, "Close has given up")
		close(gate)
		shut(t, e)
		_, err = e.Inbox().Ask(t.Context(), buff.Kill(1))
		require.ErrorIs(t, err, engine.ErrClosed)
		require.ErrorIs(t, e.Inbox().Run(t.Context(), func(*engine.Engine) {}), engine.ErrClosed)
	})
}

// TestRun checks that a function of Run may do what the loop may do between two Ticks, that it
// runs at its place in the order of the Inbox, and that a replay repeats its calls without the
// function.
func TestRun(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "p", Duration: 5 * time.Second}, buff.Spec{ID: "hit", Kind: define.Instant})
	o := engine.Options{Catalog: cat, Workers: 2, Budget: patient}
	var rec bytes.Buffer
	var want []string
	synctest.Test(t, func(t *testing.T) {
		o.Trace.Record = &rec
		e := open(t, o)
		spawn(t, e, 1)
		hit := func(n int64) {
			require.NoError(t, e.Inbox().AddBuff(1, buff.Application{Spec: cat.Spec("hit"), Magnitude: n}))
		}
		hit(1)
		var h buff.Handle
		a := asking(func() (buff.Result, error) {
			return buff.Result{}, e.Inbox().Run(t.Context(), func(e *engine.Engine) {
				require.EqualValues(t, 1000, e.Now())
				require.NoError(t, e.Spawn(2, nil))
				h = e.AddBuff(2, buff.Application{Spec: cat.Spec("p")}).Handle
				require.NoError(t, e.Do(buff.Extend(h, time.Second)).Failure)
				require.Equal(t, 1, countOf(e, 2))
				_, err := e.AddTimeout(2, time.Second, func(c *engine.Context) { c.Do(buff.Kill(2)) })
				require.NoError(t, err)
				blob, err := e.Despawn(1)
				require.NoError(t, err)
				_, err = e.Restore(1, nil, blob)
				require.NoError(t, err)
				require.ErrorIs(t, e.Do(buff.Kill(77)).Failure, engine.ErrUnknownOwner)
			})
		})
		hit(2)
		take := func(f *engine.Frame) {
			for ev := range f.Events() {
				want = append(want, fmt.Sprint(line(ev), " ", ev.Magnitude))
			}
		}
		take(e.Tick(time.Second))
		require.True(t, a.done())
		require.NoError(t, a.err)
		take(e.Tick(9 * time.Second))
		shut(t, e)
	})
	require.Equal(t, []string{
		"1: 1000 exec hit x1 1", "2: 1000 apply p x1 end=6000 0", "2: 1000 refresh p x1 end=7000 0", "1: 1000 exec hit x1 2",
		"2: 2000 timeout 0", "2: 2000 die 0", "2: 2000 remove p why=death 0",
	}, want)
	for _, workers := range []int{1, 4} {
		var got []string
		o.Trace.Record, o.Workers = nil, workers
		_, err := replay.Run(bytes.NewReader(rec.Bytes()), o, replay.Game{
			Timeout: func(n int, owner buff.OwnerID) func(*engine.Context) {
				require.Equal(t, 0, n)
				require.EqualValues(t, 2, owner)
				return func(c *engine.Context) { c.Do(buff.Kill(2)) }
			},
			Frame: func(f *engine.Frame) {
				for ev := range f.Events() {
					got = append(got, fmt.Sprint(line(ev), " ", ev.Magnitude))
				}
			},
		})
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}

// TestRunFails checks that a panic or Goexit in a function of Run is reported as a fault of the
// game, and that Run returns an error. A function that calls Tick or Close panics.
func TestRunFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said []view.Fault
		e := open(t, engine.Options{Synchronous: true, OnFault: func(f view.Fault) { said = append(said, f) }})
		spawn(t, e, 1)
		for _, c := range []struct {
			f    func(e *engine.Engine)
			want string
		}{
			{func(*engine.Engine) { panic("a bad tool") }, "engine: Run panicked: a bad tool"},
			{func(e *engine.Engine) { e.Tick(0) }, "engine: Run panicked: engine: Tick called from a function of Inbox.Run"},
			{func(e *engine.Engine) { _ = e.Close(t.Context()) }, "engine: Run panicked: engine: Close called from a function of Inbox.Run"},
		} {
			a := asking(func() (buff.Result, error) {
				return buff.Result{}, e.Inbox().Run(t.Context(), func(e *engine.Engine) {
					e.Do(buff.Kill(1))
					c.f(e)
				})
			})
			e.Tick(2 * engine.FaultInterval)
			require.True(t, a.done())
			require.EqualError(t, a.err, c.want)
		}
		require.NotEmpty(t, said)
		require.Equal(t, "Run", said[0].Call)
		require.PanicsWithValue(t, "engine: Run without a function", func() { _ = e.Inbox().Run(t.Context(), nil) })
		a := asking(func() (buff.Result, error) { return buff.Result{}, e.Inbox().Run(t.Context(), func(*engine.Engine) {}) })
		e.Tick(0)
		require.True(t, a.done())
		require.NoError(t, a.err, "the loop goes on")
	})
}

// TestRunExits checks that a function of Run that calls runtime.Goexit on the loop ends the loop's
// goroutine, which cannot be prevented, and that Run returns an error.
func TestRunExits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, err := engine.New(engine.Options{Synchronous: true})
		require.NoError(t, err)
		a := asking(func() (buff.Result, error) {
			return buff.Result{}, e.Inbox().Run(t.Context(), func(*engine.Engine) { runtime.Goexit() })
		})
		go e.Tick(0)
		require.True(t, a.done())
		require.Error(t, a.err)
	})
}

// TestAskReplay checks that Ask fails in a replay.
func TestAskReplay(t *testing.T) {
	var rec bytes.Buffer
	e := open(t, engine.Options{Synchronous: true, Trace: engine.Trace{Record: &rec}})
	e.Tick(0)
	var in *engine.Inbox
	_, err := replay.Run(&rec, engine.Options{Synchronous: true}, replay.Game{
		Inbox: func(i *engine.Inbox) { in = i },
		Frame: func(*engine.Frame) {
			_, err := in.Ask(t.Context(), buff.Kill(1))
			require.ErrorIs(t, err, engine.ErrClosed)
			require.ErrorIs(t, in.Run(t.Context(), func(*engine.Engine) {}), engine.ErrClosed)
		},
	})
	require.NoError(t, err)
}
