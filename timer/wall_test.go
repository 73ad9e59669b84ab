package timer_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/recovered/recoveredtest"
	"github.com/bufftick/bufftick/timer"
)

// dial is a wall clock that can be set.
type dial struct {
	mu    sync.Mutex
	ahead time.Duration // of time.Now
	drift float64       // seconds gained per second, since start
	start time.Time
}

func (w *dial) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	return now.Add(w.ahead + time.Duration(w.drift*float64(now.Sub(w.start)))).Round(0)
}

func (w *dial) set(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ahead += d
}

// TestAt checks that At behaves like AfterFunc if the wall clock is never set.
func TestAt(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := timer.New(timer.Options{Run: run})
				defer closed(t, c)
				l := newTimes()
				c.At(l.start.Add(5*time.Second), l.now)
				c.At(l.start, l.now)
				c.At(time.Time{}, l.now)
				c.At(l.start.Add(-time.Hour), l.now)
				stopped := c.At(l.start.Add(time.Second), l.now)
				moved := c.At(l.start.Add(time.Second), l.now)
				require.True(t, stopped.Stop())
				require.True(t, moved.Reset(3*time.Second))
				time.Sleep(time.Hour)
				require.Equal(t, seconds(0, 0, 0, 3, 5), l.take())
				require.False(t, stopped.Stop())
				require.False(t, moved.Reset(time.Second))
				time.Sleep(time.Hour)
				require.Equal(t, seconds(3601), l.take())
				require.Zero(t, c.Len())

				never := c.At(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), l.now)
				require.True(t, never.Stop())
				before := c.Stats().Wakes
				time.Sleep(24 * time.Hour)
				synctest.Wait()
				require.Less(t, c.Stats().Wakes, before+3, "nobody follows the wall clock, so nobody looks at it")
			})
		})
	}
}

// TestP67_AtFollowsTheWallClock checks that the call is made within a second after the clock is
// set forward, that it waits when the clock is set back, and that delays are unaffected.
func TestP67_AtFollowsTheWallClock(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &dial{start: time.Now()}
				c := timer.New(timer.Options{Run: run, Clock: w.now})
				defer closed(t, c)
				at, after := newTimes(), newTimes()
				noon := w.now().Add(12 * time.Hour)
				c.At(noon, func() {
					at.now()
					require.False(t, w.now().Before(noon))
				})
				c.AfterFunc(12*time.Hour, after.now)
				time.Sleep(time.Hour + time.Second/3)
				w.set(5 * time.Hour)
				time.Sleep(time.Hour)
				w.set(-2 * time.Hour)
				time.Sleep(7*time.Hour - time.Second)
				require.Empty(t, at.take())
				time.Sleep(time.Second)
				require.Equal(t, []time.Duration{9 * time.Hour}, at.take(), "12 h of the wall clock, which was set 3 h forward")
				time.Sleep(24 * time.Hour)
				require.Equal(t, []time.Duration{12 * time.Hour}, after.take())

				now := time.Since(at.start)
				c.At(w.now().Add(time.Hour), at.now)
				time.Sleep(time.Second)
				w.set(2 * time.Hour)
				time.Sleep(time.Hour / 2)
				late := at.take()
				require.Len(t, late, 1)
				require.LessOrEqual(t, late[0]-now, 2*time.Second+time.Millisecond, "set a second ago, and seen within another")
			})
		})
	}
}

// TestAt_ClockSetBack reaches a deadline before the driver has noticed that the clock
// was set back. The call must wait.
func TestAt_ClockSetBack(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &dial{start: time.Now()}
				c := timer.New(timer.Options{Run: run, Clock: w.now})
				defer closed(t, c)
				l := newTimes()
				c.At(w.now().Add(10*time.Second), l.now)
				time.Sleep(9900 * time.Millisecond)
				w.set(-time.Hour)
				time.Sleep(time.Hour)
				synctest.Wait()
				require.Empty(t, l.take())
				time.Sleep(time.Minute)
				require.Equal(t, []time.Duration{time.Hour + 10*time.Second}, l.take())
			})
		})
	}
}

// TestAt_BetweenChecks adds a timer while the clock is set forward, and sets it back
// immediately, so that no check notices this.
func TestAt_BetweenChecks(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &dial{start: time.Now()}
				c := timer.New(timer.Options{Run: run, Clock: w.now})
				defer closed(t, c)
				l := newTimes()
				keep := c.At(w.now().Add(100*time.Hour), l.now)
				time.Sleep(10*time.Second + 1)
				w.set(-time.Hour)
				c.At(w.now().Add(time.Hour+time.Minute), l.now)
				w.set(time.Hour)
				time.Sleep(10 * time.Minute)
				require.Len(t, l.take(), 1)
				require.True(t, keep.Stop())
			})
		})
	}
}

// TestAt_SlewedClock checks that with a slewed clock, a call is never early, and at most
// ten milliseconds plus a Resolution late.
func TestAt_SlewedClock(t *testing.T) {
	for _, drift := range []float64{0.0005, -0.0005} {
		for name, run := range runs {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := &dial{start: time.Now()}
					c := timer.New(timer.Options{Run: run, Clock: w.now})
					defer closed(t, c)
					w.drift = drift
					n := 0
					for i := range 1000 {
						at := w.now().Add(time.Duration(i) * 7777 * time.Millisecond)
						c.At(at, func() {
							n++
							late := w.now().Sub(at)
							require.True(t, late >= 0 && late <= 12*time.Millisecond, "%v late", late)
						})
					}
					time.Sleep(3 * time.Hour)
					synctest.Wait()
					require.Equal(t, 1000, n)
				})
			})
		}
	}
}

// TestAt_SmallDrift checks that no deadline is moved while the wall clock is within the
// tolerance: the call is made at the instant that was computed when the timer was set, and not
// earlier.
func TestAt_SmallDrift(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &dial{start: time.Now(), drift: 0.0005}
		c := timer.New(timer.Options{Clock: w.now})
		defer closed(t, c)
		l := newTimes()
		c.At(w.now().Add(10*time.Second), l.now)
		time.Sleep(time.Minute)
		require.Equal(t, []time.Duration{10 * time.Second}, l.take())
	})
}

// TestAt_NeverEarly checks that a call is not even a nanosecond early by the wall clock.
func TestAt_NeverEarly(t *testing.T) {
	for _, back := range []time.Duration{1, 2, time.Millisecond - 1} {
		synctest.Test(t, func(t *testing.T) {
			w := &dial{start: time.Now()}
			c := timer.New(timer.Options{Clock: w.now})
			defer closed(t, c)
			at := w.now().Add(10 * time.Second)
			shown := []time.Time{}
			c.At(at, func() { shown = append(shown, w.now()) })
			time.Sleep(9900 * time.Millisecond)
			w.set(-back) // too little to be distinguished from a drift
			time.Sleep(time.Minute)
			synctest.Wait()
			require.Len(t, shown, 1)
			require.False(t, shown[0].Before(at), "%v before", at.Sub(shown[0]))
		})
	}
}

// TestDriver_ChecksWallClock checks that the driver reads the wall clock once a second while a
// timer follows it, however often the driver wakes, and otherwise never.
func TestDriver_ChecksWallClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var looks atomic.Int64
		c := timer.New(timer.Options{Run: timer.Inline, Clock: func() time.Time { looks.Add(1); return time.Now() }})
		defer closed(t, c)
		busy := c.Every(10*time.Millisecond, func() {})
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Zero(t, looks.Load())
		at := c.At(time.Now().Add(time.Hour).Round(0), func() {})
		time.Sleep(time.Second + time.Millisecond)
		synctest.Wait()
		looks.Store(0)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.EqualValues(t, 60, looks.Load())
		require.True(t, at.Stop())
		looks.Store(0)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Zero(t, looks.Load())
		require.True(t, busy.Stop())
	})
}

// TestSchedule_WallClock checks that instants without a monotonic reading follow the wall clock,
// every hour on the hour.
func TestSchedule_WallClock(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &dial{start: time.Now()}
				c := timer.New(timer.Options{Run: run, Clock: w.now})
				defer closed(t, c)
				w.set(20 * time.Minute)
				var shown []string
				s := c.Schedule(func(prev time.Time) time.Time { return prev.Truncate(time.Hour).Add(time.Hour) }, func() {
					shown = append(shown, w.now().UTC().Format("15:04"))
				})
				time.Sleep(2 * time.Hour)
				w.set(-90 * time.Minute) // 02:20 becomes 00:50
				time.Sleep(3 * time.Hour)
				synctest.Wait()
				require.Equal(t, []string{"01:00", "02:00", "03:00"}, shown)
				require.True(t, s.Stop())
			})
		})
	}
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := timer.New(timer.Options{Run: run})
				defer closed(t, c)
				l := newTimes()
				time.Sleep(20 * time.Minute)
				s := c.Schedule(func(prev time.Time) time.Time { return prev.Truncate(time.Hour).Add(time.Hour) }, l.now)
				time.Sleep(3 * time.Hour)
				require.Equal(t, seconds(3600, 7200, 10800), l.take())
				require.True(t, s.Stop())
			})
		})
	}
}

// TestAt_ClockSetDuringCall sets the wall clock forward while a call runs; the next call is made
// when the clock shows its hour.
func TestAt_ClockSetDuringCall(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &dial{start: time.Now()}
				c := timer.New(timer.Options{Run: run, Clock: w.now})
				defer closed(t, c)
				var shown []string
				s := c.Schedule(func(prev time.Time) time.Time { return prev.Truncate(time.Hour).Add(time.Hour) }, func() {
					shown = append(shown, w.now().UTC().Format("15:04"))
					if len(shown) == 1 {
						time.Sleep(5 * time.Second)
						w.set(20 * time.Minute)
						time.Sleep(5 * time.Second)
					}
				})
				time.Sleep(3*time.Hour - 20*time.Minute)
				synctest.Wait()
				require.Equal(t, []string{"01:00", "02:00", "03:00"}, shown)
				require.True(t, s.Stop())
			})
		})
	}
}

// TestP67_ClockFails checks that after a panic of the wall clock, its last result plus the time
// since then is used. At and Schedule fire on time, the driver continues, and no lock remains
// held.
func TestP67_ClockFails(t *testing.T) {
	for name, run := range runs {
		for _, end := range recoveredtest.Ends("")[:len(recoveredtest.Panics)] {
			t.Run(name+"/"+end.Name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var fails atomic.Bool
					w := &dial{start: time.Now(), ahead: time.Hour}
					c := timer.New(timer.Options{Run: run, Clock: func() time.Time {
						if fails.Load() {
							end.Do()
						}
						return w.now()
					}})
					defer closed(t, c)
					l := newTimes()
					c.At(w.now().Add(5*time.Second), l.now)
					time.Sleep(2 * time.Second)
					fails.Store(true)
					time.Sleep(time.Second) // the driver checks the clock
					c.At(w.now().Add(time.Second), l.now)
					c.Schedule(func(prev time.Time) time.Time {
						return prev.Add(3 * time.Second)
					}, l.now)
					c.AfterFunc(4*time.Second, l.now)
					time.Sleep(4 * time.Second)
					synctest.Wait()
					require.Equal(t, seconds(4, 5, 6, 7), l.take())
					fails.Store(false)
					w.set(time.Hour)
					c.At(w.now().Add(time.Second), l.now)
					time.Sleep(time.Second)
					synctest.Wait()
					require.NotEmpty(t, l.take())
				})
			})
		}
	}
}
