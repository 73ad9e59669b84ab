package engine_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/wheel"
)

var stressEvents = flag.Uint64("stress.events", 200_000, "events of TestP17_P18_Stress")

// TestP17_P18_Stress is M6: sixteen goroutines ask for everything at once on a real pool,
// handlers panic, end their goroutines and ask again; never do two handlers of one owner
// run at once, and those of one owner come in order of time. With -race it looks for races.
func TestP17_P18_Stress(t *testing.T) {
	const producers, owners = 16, 200
	events := *stressEvents
	if testing.Short() {
		events = 50_000
	}
	type mine struct {
		inside bool // not atomic: the race detector must see an overlap
		last   wheel.Time
		calls  int
	}
	cat := catalogOf(t,
		buff.Spec{ID: "beat", Duration: 3 * time.Second, Period: 50 * time.Millisecond, Stack: buff.Stacking{By: buff.BySource}, On: buff.Hooks{Pulse: call("act"), RemoveAny: call("act")}},
		buff.Spec{ID: "hit", Kind: buff.Instant, On: buff.Hooks{Exec: call("act")}},
	)
	var wrong atomic.Int64
	act := func(c *engine.Context, e buff.Event) {
		m := c.Data().(*mine)
		if m.inside || c.Now() < m.last {
			wrong.Add(1)
		}
		m.inside, m.last = true, c.Now()
		m.calls++
		defer func() { m.inside = false }()
		switch m.calls % 97 {
		case 1:
			panic("a fault")
		case 2:
			runtime.Goexit()
		case 3:
			c.AddBuff(buff.OwnerID(m.calls%owners), buff.Application{Spec: cat.Spec("hit")})
		case 4:
			c.Remove(e.Handle)
		}
	}
	e := open(t, engine.Options{Catalog: cat, Workers: 8, Budget: patient, TurnLimit: 3, Handlers: engine.Handlers{"act": act}})
	for id := range buff.OwnerID(owners) {
		require.NoError(t, e.Spawn(id, &mine{}))
	}
	var done atomic.Bool
	var wg sync.WaitGroup
	for p := range uint64(producers) {
		wg.Go(func() {
			d := rand.New(rand.NewPCG(p, 6))
			for !done.Load() {
				id := buff.OwnerID(d.IntN(owners))
				switch d.IntN(4) {
				case 0:
					_ = e.Inbox().AddTimeout(id, time.Duration(d.IntN(200))*time.Millisecond, func(c *engine.Context) { act(c, buff.Event{}) })
				case 1:
					_ = e.Inbox().Remove(buff.Handle(d.Uint64N(owners) << 44))
				default:
					_ = e.Inbox().AddBuff(id, buff.Application{Spec: cat.Spec("beat"), Source: buff.OwnerID(d.IntN(3))})
				}
				runtime.GC() // slows a producer down without waiting for a clock
			}
		})
	}
	seen := map[buff.OwnerID]wheel.Time{}
	for e.Stats().Events < events {
		for id := range buff.OwnerID(owners) {
			add(t, e, id, cat.Spec("beat"))
		}
		for ev := range e.Tick(50 * time.Millisecond).Events() {
			if ev.At < seen[ev.Owner] {
				wrong.Add(1)
			}
			seen[ev.Owner] = ev.At
		}
	}
	done.Store(true)
	wg.Wait()
	require.Zero(t, wrong.Load(), "an overlap, or an inversion")
	s := e.Stats()
	t.Logf("%d events in %d frames on %d processors", s.Events, s.Ticks, runtime.GOMAXPROCS(0))
	require.Zero(t, s.Busy)
}

// TestP28_WhatGoCannotStop: a handler that overflows its stack, or ends the process, ends it;
// nothing of the engine pretends otherwise.
func TestP28_WhatGoCannotStop(t *testing.T) {
	const env = "BUFFTICK_P28"
	handlers := map[string]func(*engine.Context){
		"stack": func(*engine.Context) {
			debug.SetMaxStack(1 << 20)
			var deeper func(n int) int
			deeper = func(n int) int { return deeper(n+1) + 1 }
			deeper(0)
		},
		"exit": func(*engine.Context) { os.Exit(3) },
	}
	if which := os.Getenv(env); which != "" {
		e, err := engine.New(engine.Options{Workers: 1, Budget: patient})
		if err == nil && e.Spawn(1, nil) == nil {
			_, _ = e.AddTimeout(1, 0, handlers[which])
			e.Tick(time.Second)
		}
		fmt.Println("it goes on")
		os.Exit(0)
	}
	for which, want := range map[string]string{"stack": "stack overflow", "exit": ""} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestP28_WhatGoCannotStop$")
		cmd.Env = append(os.Environ(), env+"="+which)
		out, err := cmd.CombinedOutput()
		require.Error(t, err, which)
		require.Contains(t, string(out), want)
		require.NotContains(t, string(out), "it goes on")
	}
}

// TestDueWhileBusy: what came due at the very instant at which its owner comes home is
// worked off in that Tick, not in the next.
func TestDueWhileBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cell, rung := make(chan struct{}), 0
		e, err := engine.New(engine.Options{Workers: 1, Budget: brief})
		require.NoError(t, err)
		require.NoError(t, e.Spawn(1, nil))
		_, err = e.AddTimeout(1, time.Second, func(c *engine.Context) {
			<-cell
			c.AddTimeout(1, 500*time.Millisecond, func(*engine.Context) { rung++ })
		})
		require.NoError(t, err)
		e.Tick(time.Second)
		e.Tick(500 * time.Millisecond)
		close(cell)
		synctest.Wait()
		require.Equal(t, 2, e.Tick(0).Len())
		require.Equal(t, 1, rung)
		require.NoError(t, e.Close(t.Context()))
	})
}
