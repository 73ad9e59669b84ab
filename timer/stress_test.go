package timer_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/panjf2000/ants/v2"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/timer"
)

// life is the history of a timer of the stress test. A new deadline is set only while no callback
// is pending, so due is a lower bound for the time of the next callback.
type life struct {
	t     *timer.Timer
	armed atomic.Int64 // callbacks that may still come
	came  atomic.Int64
	due   atomic.Int64 // ns since the start; no callback may come before it
}

// TestP63_Stress uses real time, real goroutines and each way to run callbacks. No callback may
// be early. For each deadline, either there is one callback, or Stop or Reset returned true.
// After Close there are no callbacks.
func TestP63_Stress(t *testing.T) {
	pool, err := ants.NewPool(8, ants.WithNonblocking(true), ants.WithDisablePurge(true))
	require.NoError(t, err)
	defer func() { require.NoError(t, pool.ReleaseTimeout(time.Minute)) }()
	for name, run := range map[string]timer.Pool{"goroutines": nil, "inline": timer.Inline, "ants": pool} {
		t.Run(name, func(t *testing.T) { stress(t, timer.Options{Run: run, Resolution: 100 * time.Microsecond}) })
	}
}

func stress(t *testing.T, o timer.Options) {
	c := timer.New(o)
	start := time.Now()
	calls := long.Times(20_000)
	const perGoroutine = 200
	goroutines := 2 * runtime.GOMAXPROCS(0)
	all := make([]life, goroutines*perGoroutine)
	var early atomic.Int64
	var wg sync.WaitGroup
	for g := range goroutines {
		wg.Go(func() {
			dice := rand.New(rand.NewPCG(uint64(g), 3))
			mine := all[g*perGoroutine : (g+1)*perGoroutine]
			for range calls {
				x := &mine[dice.IntN(perGoroutine)]
				d := time.Duration(dice.IntN(3_000_000)) - 100_000
				switch {
				case x.t == nil:
					x.armed.Add(1)
					x.due.Store(int64(time.Since(start) + d))
					x.t = c.AfterFunc(d, func() {
						if int64(time.Since(start)) < x.due.Load() {
							early.Add(1)
						}
						x.came.Add(1)
					})
				case dice.IntN(3) > 0:
					if x.t.Stop() {
						x.armed.Add(-1)
					}
				case x.armed.Load() == x.came.Load(): // no callback is pending: a new deadline
					x.armed.Add(1)
					x.due.Store(int64(time.Since(start) + d))
					if x.t.Reset(d) {
						t.Error("Reset says true, and nothing was pending")
					}
				default:
					x.due.Store(min(x.due.Load(), int64(time.Since(start)+d)))
					if !x.t.Reset(d) {
						x.armed.Add(1)
					}
				}
			}
			for i := range mine {
				if mine[i].t != nil && i%2 == 0 && mine[i].t.Stop() {
					mine[i].armed.Add(-1)
				}
			}
		})
	}
	wg.Wait()
	for c.Len() > 0 || c.Stats().Running > 0 { // the rest is due within 3 ms
		runtime.GC() // takes a while, and changes no timer
	}
	require.NoError(t, c.Close(context.Background()))
	require.Zero(t, early.Load(), "callbacks before their deadline")
	for i := range all {
		require.Equal(t, all[i].armed.Load(), all[i].came.Load(), "timer %d: deadlines that were set and not stopped, and callbacks", i)
	}
}
