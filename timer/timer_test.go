package timer_test

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/timer"
)

// closed closes a Clock of a test.
func closed(tb testing.TB, c *timer.Clock) {
	tb.Helper()
	require.NoError(tb, c.Close(context.Background()))
}

// runs contains the ways to run callbacks that need no pool.
var runs = map[string]timer.Pool{"goroutines": nil, "inline": timer.Inline}

// TestP60_AsPackageTime compares the results of Stop and Reset with those of package time, step
// by step.
func TestP60_AsPackageTime(t *testing.T) {
	type step struct {
		call string
		d    time.Duration
	}
	stories := map[string][]step{
		"stopped in time":       {{"stop", 0}, {"wait", 2 * time.Second}, {"stop", 0}},
		"stopped twice":         {{"stop", 0}, {"stop", 0}},
		"stopped too late":      {{"wait", time.Second}, {"stop", 0}},
		"moved later":           {{"reset", 3 * time.Second}, {"wait", 2 * time.Second}, {"stop", 0}},
		"moved earlier":         {{"reset", time.Millisecond}, {"wait", 2 * time.Millisecond}, {"stop", 0}},
		"reset after it fired":  {{"wait", time.Second}, {"reset", time.Second}, {"wait", time.Second}, {"stop", 0}},
		"reset after a stop":    {{"stop", 0}, {"reset", time.Second}, {"wait", time.Second}, {"reset", 0}, {"wait", time.Millisecond}},
		"reset to now":          {{"reset", 0}, {"wait", time.Millisecond}, {"stop", 0}},
		"reset to the past":     {{"reset", -time.Hour}, {"wait", time.Millisecond}, {"stop", 0}},
		"reset to never":        {{"reset", math.MaxInt64}, {"wait", 1000 * time.Hour}, {"stop", 0}},
		"reset to the far past": {{"reset", math.MinInt64}, {"wait", time.Millisecond}, {"stop", 0}},
	}
	for name, story := range stories {
		t.Run(name, func(t *testing.T) {
			for name, run := range runs {
				t.Run(name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						c := timer.New(timer.Options{Run: run})
						defer closed(t, c)
						var ours, std atomic.Int32
						for _, first := range []time.Duration{time.Second, 0, -1, time.Millisecond} {
							a := stopper(c.AfterFunc(first, func() { ours.Add(1) }))
							b := stopper(time.AfterFunc(first, func() { std.Add(1) }))
							synctest.Wait()
							for i, s := range story {
								var x, y bool
								switch s.call {
								case "stop":
									x, y = a.Stop(), b.Stop()
								case "reset":
									x, y = a.Reset(s.d), b.Reset(s.d)
								case "wait":
									time.Sleep(s.d)
								}
								synctest.Wait()
								require.Equal(t, y, x, "in %v, step %d: %s(%v)", first, i, s.call, s.d)
								require.Equal(t, std.Load(), ours.Load(), "callbacks in %v after step %d", first, i)
							}
						}
						require.Zero(t, c.Len())
					})
				})
			}
		})
	}
}

// TestAfterFunc_NeverInline checks that a timer due now runs at once, but not inside AfterFunc,
// where the caller may hold a lock.
func TestAfterFunc_NeverInline(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := timer.New(timer.Options{Run: run})
				defer closed(t, c)
				var mu sync.Mutex
				for _, d := range []time.Duration{0, -1, math.MinInt64} {
					ran := false
					start := time.Now()
					mu.Lock()
					c.AfterFunc(d, func() {
						mu.Lock()
						ran = true
						mu.Unlock()
					})
					require.False(t, ran)
					mu.Unlock()
					synctest.Wait()
					require.True(t, ran)
					require.Zero(t, time.Since(start))
				}
			})
		})
	}
}

// TestP62_NeverEarly checks, at each edge of the levels and of the resolution, that a callback
// runs at its deadline or less than a Resolution later.
func TestP62_NeverEarly(t *testing.T) {
	var delays []time.Duration
	for _, edge := range []time.Duration{
		1, 999, time.Microsecond, time.Millisecond, time.Second, time.Minute, time.Hour, 12 * time.Hour, 24 * time.Hour, 32 * 24 * time.Hour, 400 * 24 * time.Hour,
	} {
		delays = append(delays, edge-1, edge, edge+1, edge-time.Millisecond, edge+time.Millisecond, edge+time.Millisecond/3)
	}
	for _, res := range []time.Duration{1, time.Microsecond, time.Millisecond, 7 * time.Millisecond, time.Second, time.Hour} {
		t.Run(res.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := timer.New(timer.Options{Run: timer.Inline, Resolution: res})
				defer closed(t, c)
				came := 0
				for range 3 {
					for _, d := range delays {
						start := time.Now()
						c.AfterFunc(d, func() {
							came++
							late := time.Since(start) - max(d, 0)
							require.True(t, late >= 0 && late < res, "%v came %v after its deadline", d, late)
						})
					}
					time.Sleep(1234567 * time.Nanosecond)
				}
				time.Sleep(500 * 24 * time.Hour)
				synctest.Wait()
				require.Equal(t, 3*len(delays), came)
			})
		})
	}
}

// TestP63_StopOfASibling checks that, of two timers due at the same instant, the callback of the
// first can stop the second.
func TestP63_StopOfASibling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := timer.New(timer.Options{Run: timer.Inline})
		defer closed(t, c)
		all := make([]*timer.Timer, 100)
		ran, made := 0, make(chan struct{})
		for i := range all {
			all[i] = c.AfterFunc(time.Second, func() {
				<-made
				ran++
				require.False(t, all[i].Stop(), "it runs")
				for _, other := range all {
					if other != all[i] {
						require.True(t, other.Stop())
					}
				}
			})
		}
		close(made)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, 1, ran)
		require.Zero(t, c.Len())
	})
}

// TestReset_SameInstant checks that, of two timers due at the same instant, the callback of the
// first can reset the second.
func TestReset_SameInstant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := timer.New(timer.Options{Run: timer.Inline})
		defer closed(t, c)
		start := time.Now()
		var at []time.Duration
		var two [2]*timer.Timer
		made := make(chan struct{})
		for i := range two {
			two[i] = c.AfterFunc(time.Second, func() {
				<-made
				if at = append(at, time.Since(start)); len(at) == 1 {
					require.True(t, two[1-i].Reset(time.Second))
				}
			})
		}
		close(made)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, seconds(1, 2), at)
	})
}

// TestCallback_AnyMethod checks that a callback may call every method.
func TestCallback_AnyMethod(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := timer.New(timer.Options{Run: run})
				defer closed(t, c)
				var n, more atomic.Int32
				var self *timer.Timer
				var mu sync.Mutex
				mu.Lock()
				self = c.AfterFunc(time.Second, func() {
					mu.Lock()
					defer mu.Unlock()
					if n.Add(1) < 5 {
						require.False(t, self.Reset(time.Second), "it had expired")
					}
					c.AfterFunc(time.Second, func() { more.Add(1) })
					c.AfterFunc(time.Second, func() {}).Stop()
					c.Every(time.Second, func() {}).Stop()
					require.Positive(t, c.Len())
					require.Positive(t, c.Stats().Started)
				})
				mu.Unlock()
				time.Sleep(time.Hour)
				synctest.Wait()
				require.EqualValues(t, 5, n.Load())
				require.EqualValues(t, 5, more.Load())
				require.Zero(t, c.Len())
			})
		})
	}
}

// TestCallback_Goexit checks that a callback that ends its goroutine has no other effect, even on
// the driver.
func TestCallback_Goexit(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := timer.New(timer.Options{Run: run})
				defer closed(t, c)
				var n atomic.Int32
				for range 10 {
					c.AfterFunc(time.Second, func() {
						n.Add(1)
						runtime.Goexit()
					})
				}
				every := c.Every(time.Second, func() {
					n.Add(100)
					runtime.Goexit()
				})
				time.Sleep(3*time.Second + 1)
				synctest.Wait()
				require.EqualValues(t, 310, n.Load())
				require.True(t, every.Stop())
				require.Zero(t, c.Stats().Running)
			})
		})
	}
}

// TestMisuse checks the messages of panics.
func TestMisuse(t *testing.T) {
	c := timer.New(timer.Options{})
	defer closed(t, c)
	f := func() {}
	for want, call := range map[string]func(){
		"timer: negative Options.Resolution":                func() { timer.New(timer.Options{Resolution: -1}) },
		"timer: AfterFunc: nil function":                    func() { c.AfterFunc(0, nil) },
		"timer: At: nil function":                           func() { c.At(time.Time{}, nil) },
		"timer: Every: nil function":                        func() { c.Every(1, nil) },
		"timer: Every: period must be positive":             func() { c.Every(0, f) },
		"timer: Schedule: nil function":                     func() { c.Schedule(func(t time.Time) time.Time { return t }, nil) },
		"timer: Schedule: nil next":                         func() { c.Schedule(nil, f) },
		"timer: Stop of a Timer not created by a Clock":     func() { new(timer.Timer).Stop() },
		"timer: Reset of a Timer not created by a Clock":    func() { new(timer.Timer).Reset(1) },
		"timer: Reset of an Every: period must be positive": func() { c.Every(time.Hour, f).Reset(0) },
	} {
		require.PanicsWithValue(t, want, call)
	}
	require.Equal(t, 1, c.Len(), "the Every above, which goes on")
}

// TestP64_Idle checks that a Clock with no timer, or with one timer, sleeps.
func TestP64_Idle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clocks []*timer.Clock
		for range 1000 {
			clocks = append(clocks, timer.New(timer.Options{}))
		}
		time.Sleep(1000 * time.Hour)
		synctest.Wait()
		for i, c := range clocks {
			require.Zero(t, c.Stats().Wakes)
			require.Zero(t, c.Stats().Bytes, "no wheel before the first timer")
			if i%2 == 0 {
				c.AfterFunc(100*24*time.Hour+1, func() {})
			}
		}
		time.Sleep(200 * 24 * time.Hour)
		synctest.Wait()
		for i, c := range clocks {
			want := 0
			if i%2 == 0 {
				want = 2 // a timer was added, and became due
			}
			require.EqualValues(t, want, c.Stats().Wakes, "wakes of a clock with %d timers", 1-i%2)
			closed(t, c)
		}
	})
}

// TestDriver_WokenForEarlier checks that adding a later deadline does not wake the driver.
func TestDriver_WokenForEarlier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := timer.New(timer.Options{})
		defer closed(t, c)
		c.AfterFunc(time.Hour, func() {})
		synctest.Wait()
		before := c.Stats().Wakes
		var wg sync.WaitGroup
		for range 100 {
			wg.Go(func() {
				c.AfterFunc(time.Hour, func() {})
				c.AfterFunc(2*time.Hour, func() {}).Reset(time.Hour)
			})
		}
		wg.Wait()
		synctest.Wait()
		require.Equal(t, before, c.Stats().Wakes)
		c.AfterFunc(time.Minute, func() {})
		synctest.Wait()
		require.Equal(t, before+1, c.Stats().Wakes)
	})
}

// TestDriver_CatchUp checks that after the process was stopped, all due timers fire in the order of
// their deadlines.
func TestDriver_CatchUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := timer.New(timer.Options{Run: timer.Inline})
		defer closed(t, c)
		const n = 10_000
		var came []int
		var wg sync.WaitGroup
		for k := range 8 { // several goroutines, so that several shards are used
			wg.Go(func() {
				for i := k; i < n; i += 8 {
					c.AfterFunc(time.Second+time.Duration(i*i%n)*time.Millisecond, func() { came = append(came, i*i%n) })
				}
			})
		}
		wg.Wait()
		c.AfterFunc(time.Second-1, func() { time.Sleep(time.Hour) }) // the process is stopped
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		require.Len(t, came, n)
		require.IsNonDecreasing(t, came)
		require.Greater(t, c.Stats().Late, 58*time.Minute)
	})
}

// TestNoAllocation checks that a timeout that does not escape from its function allocates
// nothing.
func TestNoAllocation(t *testing.T) {
	c := timer.New(timer.Options{Run: timer.Inline})
	defer closed(t, c)
	f := func() {}
	for range 10_000 {
		c.AfterFunc(time.Hour, f).Stop()
	}
	require.Zero(t, testing.AllocsPerRun(1000, func() { c.AfterFunc(time.Hour, f).Stop() }))
	kept := c.AfterFunc(time.Hour, f)
	require.Zero(t, testing.AllocsPerRun(1000, func() { kept.Reset(2 * time.Hour) }))
	var keep *timer.Timer
	require.EqualValues(t, 1, testing.AllocsPerRun(1000, func() {
		keep = c.AfterFunc(time.Hour, f)
		keep.Stop()
	}))
}

// TestP66_Bytes checks that a waiting timer takes less than 64 bytes of the Clock.
func TestP66_Bytes(t *testing.T) {
	c := timer.New(timer.Options{Run: timer.Inline})
	defer closed(t, c)
	const n = 1_000_000
	for i := range n {
		c.AfterFunc(time.Hour+time.Duration(i)*time.Millisecond, nothing)
	}
	require.Equal(t, n, c.Len())
	require.Less(t, float64(c.Stats().Bytes)/n, 64.0, fmt.Sprint(c.Stats()))
	t.Logf("%.1f bytes a timer", float64(c.Stats().Bytes)/n)
}

// TestStop_ReleasesFunction checks that the function of a stopped or fired timer is collected when
// its Timer is dropped.
func TestStop_ReleasesFunction(t *testing.T) {
	c := timer.New(timer.Options{Run: timer.Inline})
	defer closed(t, c)
	came := make(chan bool, 1)
	start := func(d time.Duration) (*timer.Timer, weak.Pointer[[1 << 16]byte]) {
		big := new([1 << 16]byte)
		return c.AfterFunc(d, func() { came <- big[0] == 0 }), weak.Make(big)
	}
	stopped, kept := start(time.Hour)
	other, waits := start(time.Hour)
	_, gone := start(0)
	require.True(t, <-came)
	require.True(t, stopped.Stop()) // no timer is added that would reuse its place
	runtime.GC()
	require.NotNil(t, kept.Value(), "for a Reset")
	require.NotNil(t, waits.Value())
	runtime.KeepAlive(stopped)
	stopped = nil
	for c.Stats().Running > 0 { // the callback may not have returned yet
		runtime.GC()
	}
	runtime.GC()
	require.Nil(t, kept.Value())
	require.Nil(t, gone.Value())
	require.True(t, other.Stop())
}
