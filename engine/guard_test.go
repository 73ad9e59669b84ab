package engine_test

import (
	"context"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/stretchr/testify/require"
)

// TestP26_EngineFromHandler checks that a handler that calls the Engine panics with a message that
// says how to do it right, and that it does no other harm.
func TestP26_EngineFromHandler(t *testing.T) {
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) {
			var mu sync.Mutex
			var said, stacks []string
			o := engine.Options{
				Catalog: catalogOf(t, buff.Spec{ID: "venom", Duration: time.Second, OnFault: define.FateRemove}),
				OnFault: func(f view.Fault) {
					mu.Lock()
					defer mu.Unlock()
					stacks = append(stacks, string(f.Stack))
				},
			}
			m.set(&o)
			e := open(t, o)
			spawn(t, e, 1)
			venom := o.Catalog.Spec("venom")
			calls := []struct {
				name string
				do   func()
			}{
				{"AddBuff", func() { e.AddBuff(1, buff.Application{Spec: venom}) }},
				{"AddTimeout", func() { _, _ = e.AddTimeout(1, 0, func(*engine.Context) {}) }},
				{"Remove", func() { e.Remove(0) }},
				{"Cancel", func() { e.Cancel(0) }},
				{"Do", func() { e.Do(buff.Kill(1)) }},
				{"DoAll", func() { e.DoAll(nil, nil) }},
				{"Spawn", func() { _ = e.Spawn(2, nil) }},
				{"Despawn", func() { _, _ = e.Despawn(1) }},
				{"Drop", func() { _ = e.Drop(1) }},
				{"Save", func() { _, _ = e.Save(1) }},
				{"Restore", func() { _, _ = e.Restore(1, nil, nil) }},
				{"Moment", func() { e.Moment() }},
				{"Do", func() { e.Do(buff.PauseArea(1)) }},
				{"Data", func() { e.Data(1) }},
				{"Buffs", func() { _, _ = e.Buffs(1) }},
				{"Find", func() { _, _, _ = e.Find(0) }},
				{"Stats", func() { e.Stats() }},
				{"Close", func() { _ = e.Close(t.Context()) }},
				{"Tick", func() { e.Tick(0) }},
			}
			want := []string{}
			for _, c := range calls {
				_, err := e.AddTimeout(1, 0, func(*engine.Context) {
					defer func() {
						v := recover()
						said = append(said, fmt.Sprint(v))
						panic(v)
					}()
					c.do()
				})
				require.NoError(t, err)
				want = append(want, "engine: "+c.name+" called from a handler or during a Tick; use the Context or the Inbox")
			}
			after := 0
			_, err := e.AddTimeout(1, 0, func(*engine.Context) { after++ })
			require.NoError(t, err)
			faults := 0
			for ev := range e.Tick(time.Millisecond).Events() {
				if ev.Kind == buff.Faulted && ev.Why == reason.Panic {
					faults++
				}
			}
			require.Equal(t, want, said)
			require.Equal(t, len(calls), faults)
			require.Len(t, stacks, 1, "of one site once in a second")
			require.Contains(t, stacks[0], "guard_test.go")
			require.Equal(t, 1, after)
		})
	}
}

// TestContextAfterHandler checks that the methods of a Context panic after its handler has
// returned.
func TestContextAfterHandler(t *testing.T) {
	e := open(t, engine.Options{Synchronous: true})
	spawn(t, e, 1)
	var kept *engine.Context
	for _, how := range []string{"returns", "panics"} {
		_, err := e.AddTimeout(1, 0, func(c *engine.Context) {
			kept = c
			if how == "panics" {
				panic(how)
			}
		})
		require.NoError(t, err)
		e.Tick(time.Millisecond)
		const sentence = "engine: a Context was used after its handler had returned"
		for _, use := range []func(){
			func() { kept.Owner() }, func() { kept.Data() }, func() { kept.Now() }, func() { kept.Buffs() },
			func() { kept.Find(0) }, func() { kept.AddBuff(1, buff.Application{}) },
			func() { kept.AddTimeout(1, 0, func(*engine.Context) {}) }, func() { kept.Remove(0) },
			func() { kept.Do(buff.Extend(0, 1)) }, func() { kept.Cancel(0) }, func() { kept.Do(buff.Kill(1)) },
		} {
			require.PanicsWithValue(t, sentence, use, how)
		}
	}
}

// TestMisuse checks that programming errors panic at the call that makes them, with a clear
// message.
func TestMisuse(t *testing.T) {
	e := open(t, engine.Options{Synchronous: true})
	spawn(t, e, 1)
	require.PanicsWithValue(t, "engine: Tick with a negative time", func() { e.Tick(-1) })
	require.PanicsWithValue(t, "engine: AddTimeout without a function", func() { _, _ = e.AddTimeout(1, 0, nil) })
	require.PanicsWithValue(t, "engine: AddTimeout without a function", func() { _ = e.Inbox().AddTimeout(1, 0, nil) })
	require.PanicsWithValue(t, "buff: limit is not a reason that ends a buff", func() { e.Do(buff.RemoveStacks(0, 1, reason.Limit)) })
	require.PanicsWithValue(t, "buff: limit is not a reason that ends a buff", func() { _ = e.Inbox().Do(buff.RemoveStacks(0, 1, reason.Limit)) })
	inside := map[string]func(c *engine.Context){
		"engine: AddTimeout without a function":                                  func(c *engine.Context) { c.AddTimeout(1, 0, nil) },
		"buff: limit is not a reason that ends a buff":                           func(c *engine.Context) { c.Do(buff.RemoveStacks(0, 1, reason.Limit)) },
		"engine: AddBuff with a definition that is not of this engine's catalog": func(c *engine.Context) { c.AddBuff(1, buff.Application{}) },
	}
	said := map[string]any{}
	for sentence, use := range inside {
		_, err := e.AddTimeout(1, 0, func(c *engine.Context) {
			defer func() { said[sentence] = recover() }()
			use(c)
		})
		require.NoError(t, err)
	}
	require.Equal(t, len(inside), e.Tick(time.Millisecond).Len())
	for sentence := range inside {
		require.Equal(t, sentence, said[sentence])
	}
}

// TestOptions checks that the error of New lists all invalid options.
func TestOptions(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "venom", Duration: time.Second, On: define.Hooks{Apply: call("hurt"), RemoveAny: call("gone")}})
	_, err := engine.New(engine.Options{
		Catalog: cat, Workers: -1, Limits: engine.Limits{Turn: -1, Tick: -1, Owners: buff.MaxOwners + 1, Buffs: -1, Mailbox: -1, Handlers: -1, Events: -1, Inbox: 1 << 30},
		Trace: engine.Trace{Every: -1, History: 1<<40 + 1}, Handlers: engine.Handlers{"hurt": nil},
	})
	require.ErrorIs(t, err, engine.ErrUnknownHandler)
	for _, words := range []string{
		"Workers must be from 1 to 65536,", "Limits.Turn must be from 1 to 1073741824,", "Limits.Tick must be from 1 to 1073741824,",
		"Limits.Owners must be from 1 to 1048576,", "Limits.Buffs must be from 1 to 4096,", "Limits.Mailbox must be from 1 to 1048576,",
		"Limits.Handlers must be from 1 to 16777216,", "Trace.Every must be from 1 to 1073741824,", "Limits.Events must be from 1 to 1073741824,",
		"Limits.Inbox must be from 1 to 16777216,", "Trace.History must be zero, for none, or from 131072 to 1099511627776,", `"hurt"`, `"gone"`,
	} {
		require.ErrorContains(t, err, words)
	}
	e := open(t, engine.Options{})
	require.Zero(t, e.Tick(time.Hour).Len())
	require.Zero(t, e.Catalog().Len())
}

// TestP04_LongestTime checks that time saturates and never overflows.
func TestP04_LongestTime(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "long", Duration: define.MaxDuration})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	spawn(t, e, 1)
	add(t, e, 1, cat.Spec("long"))
	last := e.Now()
	for range 5 {
		e.Tick(math.MaxInt64)
		require.Greater(t, e.Now(), last)
		last = e.Now()
	}
	require.Zero(t, e.Stats().Timers)
}

// TestSetRemaining_EndlessAndFinite checks that a buff that was made endless and then gets an end
// again does end.
func TestSetRemaining_EndlessAndFinite(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "oath", Kind: define.Infinite, Stack: define.Stacking{By: define.ByTarget}})
	oath := cat.Spec("oath")
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	spawn(t, e, 1)
	for _, d := range []buff.Span{buff.Lasting(5 * time.Second), {}, buff.Lasting(2 * time.Second)} {
		r := e.AddBuff(1, buff.Application{Spec: oath, Duration: d})
		require.NoError(t, r.Failure)
	}
	require.Equal(t, []string{
		"1: 0 apply oath x1 end=5000", "1: 0 refresh oath x1", "1: 0 refresh oath x1 end=2000",
		"1: 2000 remove oath why=expired",
	}, lines(e.Tick(10*time.Second)))
}

// peek is a context that calls look when it is queried.
type peek struct {
	context.Context
	look func()
}

func (p peek) Err() error {
	p.look()
	return nil
}

// TestCallsAreSerialised checks that Tick and Close panic while another goroutine is in one of
// them, whether its handlers are running or not, and that the other call is not affected.
func TestCallsAreSerialised(t *testing.T) {
	beside := func(call func()) (said any) {
		done := make(chan any)
		go func() {
			defer func() { done <- recover() }()
			call()
		}()
		return <-done
	}
	for _, m := range modes {
		var e *engine.Engine
		var said []any
		o := engine.Options{Handlers: engine.Handlers{"ring": func(*engine.Context, buff.Event) {
			said = append(said, beside(func() { _ = e.Close(context.Background()) }))
		}}}
		m.set(&o)
		e, err := engine.New(o)
		require.NoError(t, err)
		spawn(t, e, 1)
		for range 2 {
			err = e.Do(buff.AddTimeout(1, time.Millisecond, "ring")).Failure
			require.NoError(t, err)
		}
		e.Tick(time.Millisecond)
		require.NoError(t, e.Inbox().Do(buff.Kill(1))) // otherwise Close has nothing to do
		require.NoError(t, e.Close(peek{context.Background(), func() {
			said = append(said, beside(func() { e.Tick(0) }), beside(func() { _ = e.Close(context.Background()) }))
		}}))
		const how = " called while another goroutine is in Tick or Close; calls must be serialized"
		require.Equal(t, "engine: Close called from a handler or during a Tick; use the Context or the Inbox", said[0])
		require.Equal(t, said[0], said[1])
		require.Equal(t, "engine: Tick"+how, said[2])
		require.Equal(t, "engine: Close"+how, said[3])
	}
}
