package engine_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// TestRushAll is TestRush with owners that come and go while they are held, commands for
// those who are busy, commands across owners, auras, timeouts, stalls and somebody who watches.
func TestRushAll(t *testing.T) {
	const owners = 24
	frames := 3000
	if testing.Short() {
		frames = 300
	}
	for part, budget := range []time.Duration{20 * time.Microsecond, 60 * time.Microsecond, 200 * time.Microsecond} {
		var eng *engine.Engine
		var hit *buff.Spec
		o := engine.Options{
			Catalog: catalogOf(t,
				buff.Spec{ID: "beat", Duration: time.Second, Period: 100 * time.Millisecond, On: buff.Hooks{Pulse: call("work"), Apply: call("work"), RemoveAny: call("work")}},
				buff.Spec{ID: "loved", Duration: 700 * time.Millisecond, Period: 100 * time.Millisecond, OnSourceGone: buff.FateRemove},
				buff.Spec{ID: "hit", Kind: buff.Instant, On: buff.Hooks{Exec: call("work")}},
			),
			Workers: 3, TurnLimit: 2, TickLimit: []int{0, 60, 4}[part], Budget: budget,
			Handlers: engine.Handlers{"work": func(c *engine.Context, e buff.Event) {
				switch n := rand.IntN(400); {
				case n < 40:
					for range n {
						runtime.Gosched()
					}
				case n == 40:
					runtime.Goexit()
				case n == 41:
					panic("a fault")
				case n == 42:
					time.Sleep(time.Duration(rand.IntN(300)) * time.Microsecond)
				case n < 80:
					c.AddBuff(buff.OwnerID(1+rand.IntN(owners)), buff.Application{Spec: hit, Source: c.Owner()})
				}
			}},
		}
		hit = o.Catalog.Spec("hit")
		var err error
		eng, err = engine.New(o)
		require.NoError(t, err)
		e := eng
		leave := func() {}
		if part != 1 {
			begin := time.Now()
			leave = e.Watch().Open(func() time.Duration { return time.Since(begin) })
		}
		type life struct {
			applied, removed bool
			pulses           int
			last             int64
			why              buff.Reason
		}
		lives := map[buff.Handle]*life{}
		timedOut, asked := 0, 0
		take := func(f *engine.Frame) {
			for ev := range f.Events() {
				switch ev.Kind {
				case buff.TimedOut:
					timedOut++
				case buff.Applied:
					require.Nil(t, lives[ev.Handle])
					lives[ev.Handle] = &life{applied: true, last: int64(ev.At)}
				case buff.Pulsed:
					l := lives[ev.Handle]
					require.NotNil(t, l)
					require.False(t, l.removed, "%v", ev)
					require.Equal(t, l.last+100, int64(ev.At), "%v", ev)
					l.last = int64(ev.At)
					l.pulses++
				case buff.Removed:
					l := lives[ev.Handle]
					require.NotNil(t, l)
					require.False(t, l.removed, "%v", ev)
					l.removed, l.why = true, ev.Why
					if ev.Why == buff.Expired {
						want := 10
						if ev.Spec.ID == "loved" {
							want = 7
						}
						require.Equal(t, want, l.pulses, "%v", ev)
					}
				}
			}
		}
		for id := range buff.OwnerID(owners) {
			spawn(t, e, id+1)
		}
		gone := map[buff.OwnerID]bool{}
		drops := 0
		for range frames {
			for range 6 {
				id := buff.OwnerID(1 + rand.IntN(owners))
				switch n := rand.IntN(40); {
				case n == 0 && !gone[id]:
					require.NoError(t, e.Drop(id))
					gone[id] = true
					drops++
				case n < 3 && gone[id]:
					require.NoError(t, e.Spawn(id, nil))
					gone[id] = false
				case n < 20:
					h, r := e.AddBuff(id, buff.Application{Spec: o.Catalog.Spec("beat")})
					if r.Err == nil && n == 19 && h != 0 {
						e.Remove(h)
					}
				case n < 25:
					e.AddBuff(id, buff.Application{Spec: o.Catalog.Spec("loved"), Source: buff.OwnerID(1 + rand.IntN(owners))})
				case n < 27:
					_ = e.LoseSource(id)
				case n < 30:
					if _, err := e.AddTimeout(id, time.Duration(rand.IntN(300))*time.Millisecond, func(*engine.Context) {}); err == nil {
						asked++
					}
				}
			}
			dt := time.Duration(rand.IntN(120)) * time.Millisecond
			if rand.IntN(50) == 0 {
				dt = 2 * time.Second
			}
			take(e.Tick(dt))
		}
		for e.Stats().Busy > 0 || e.Stats().Behind > 0 {
			take(e.Tick(0))
		}
		for range 30 {
			take(e.Tick(100 * time.Millisecond))
			for e.Stats().Busy > 0 || e.Stats().Behind > 0 {
				take(e.Tick(0))
			}
		}
		take(e.Tick(0))
		for h, l := range lives {
			require.True(t, l.removed, "%v %+v", h, l)
		}
		st := e.Stats()
		require.Empty(t, engine.CheckTally(e))
		require.Empty(t, engine.CheckLedger(e))
		require.Zero(t, engine.Escaped(e))
		require.LessOrEqual(t, timedOut, asked)
		t.Logf("%v: %d lives, %d timeouts of %d, dropped %d, drops %d, timers %d, %+v", budget, len(lives), timedOut, asked, st.DroppedOnDespawn, drops, st.Timers, st)
		require.Zero(t, st.Timers)
		leave()
		// Close with somebody held.
		if len(gone) < owners {
			for id := range buff.OwnerID(owners) {
				e.AddBuff(id+1, buff.Application{Spec: o.Catalog.Spec("beat")})
			}
			e.Tick(100 * time.Millisecond)
		}
		ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
		if err := e.Close(ctx); !errors.Is(err, nil) {
			require.NoError(t, err)
		}
		stop()
	}
}
