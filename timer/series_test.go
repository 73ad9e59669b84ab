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

// times records the times of events, relative to its creation.
type times struct {
	mu    sync.Mutex
	start time.Time
	at    []time.Duration
}

func newTimes() *times { return &times{start: time.Now()} }

func (l *times) now() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = append(l.at, time.Since(l.start))
}

// take returns the times recorded since the last take.
func (l *times) take() []time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := l.at
	l.at = nil
	return at
}

func seconds(n ...float64) []time.Duration {
	var out []time.Duration
	for _, s := range n {
		out = append(out, time.Duration(s*float64(time.Second)))
	}
	return out
}

// TestEvery_NoDrift checks that the n-th call is due after n periods, for any resolution.
func TestEvery_NoDrift(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := timer.New(timer.Options{Run: run})
				defer closed(t, c)
				const period = 1_000_333 * time.Microsecond
				l := newTimes()
				e := c.Every(period, l.now)
				time.Sleep(10_000*period + time.Millisecond)
				synctest.Wait()
				require.True(t, e.Stop())
				at := l.take()
				require.Len(t, at, 10_000)
				for i, got := range at {
					late := got - time.Duration(i+1)*period
					require.True(t, late >= 0 && late < time.Millisecond, "call %d came %v late", i+1, late)
				}
			})
		})
	}
}

// TestEvery_Skips checks that calls that became due during a call are skipped, and that the phase
// is kept.
func TestEvery_Skips(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := timer.New(timer.Options{Run: run})
				defer closed(t, c)
				l := newTimes()
				n := 0
				e := c.Every(time.Second, func() {
					l.now()
					if n++; n == 2 {
						time.Sleep(3500 * time.Millisecond)
					}
				})
				time.Sleep(7*time.Second + 1)
				synctest.Wait()
				require.Equal(t, seconds(1, 2, 6, 7), l.take())
				require.True(t, e.Stop())
				require.False(t, e.Stop())
				time.Sleep(time.Minute)
				require.Empty(t, l.take())
			})
		})
	}
}

// milliseconds is like seconds, but for milliseconds.
func milliseconds(n ...float64) []time.Duration {
	out := seconds(n...)
	for i := range out {
		out[i] /= 1000
	}
	return out
}

// TestEvery_AtResolution checks that no call is lost because a deadline is rounded up, or
// because the next deadline passes during a callback that takes less than a period.
func TestEvery_AtResolution(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := timer.New(timer.Options{Run: run})
				defer closed(t, c)
				l := newTimes()
				time.Sleep(500 * time.Microsecond) // deadlines are at half milliseconds
				e := c.Every(time.Millisecond, func() {
					l.now()
					time.Sleep(600 * time.Microsecond)
				})
				time.Sleep(6 * time.Millisecond)
				synctest.Wait()
				require.True(t, e.Stop())
				require.Equal(t, milliseconds(2, 3, 4, 5, 6), l.take())
			})
		})
	}
}

// TestEvery_BelowResolution checks that deadlines within one tick cause only one call.
func TestEvery_BelowResolution(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := timer.New(timer.Options{Run: run})
				defer closed(t, c)
				l := newTimes()
				e := c.Every(300*time.Microsecond, l.now)
				time.Sleep(5*time.Millisecond + 1)
				synctest.Wait()
				require.True(t, e.Stop())
				require.Equal(t, milliseconds(1, 2, 3, 4, 5), l.take())
			})
		})
	}
}

// TestEvery_Late checks that a late driver makes the late call, then at once the latest call that
// has become due, and skips the calls in between.
func TestEvery_Late(t *testing.T) {
	for _, test := range []struct {
		held time.Duration // from 3 ms on
		want []time.Duration
	}{
		{held: 2500 * time.Microsecond, want: milliseconds(2, 5.5, 6, 8, 10)},
		{held: 4500 * time.Microsecond, want: milliseconds(2, 7.5, 7.5, 8, 10)},
		{held: 6500 * time.Microsecond, want: milliseconds(2, 9.5, 9.5, 10)},
	} {
		t.Run(test.held.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := timer.New(timer.Options{Run: timer.Inline})
				defer closed(t, c)
				l := newTimes()
				c.AfterFunc(3*time.Millisecond, func() { time.Sleep(test.held) })
				e := c.Every(2*time.Millisecond, l.now)
				time.Sleep(10*time.Millisecond + 1)
				synctest.Wait()
				require.True(t, e.Stop())
				require.Equal(t, test.want, l.take())
			})
		})
	}
}

// TestEvery_Reset checks that Reset gives an Every a new period that starts now, like
// time.Ticker.Reset, whether the timer waits, runs or was stopped.
func TestEvery_Reset(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := timer.New(timer.Options{Run: run})
				defer closed(t, c)
				l := newTimes()
				e := c.Every(time.Second, l.now)
				time.Sleep(1500 * time.Millisecond)
				require.True(t, e.Reset(2*time.Second))
				time.Sleep(5 * time.Second)
				require.Equal(t, seconds(1, 3.5, 5.5), l.take())
				require.True(t, e.Stop())
				require.False(t, e.Reset(time.Second))
				time.Sleep(2100 * time.Millisecond)
				require.Equal(t, seconds(7.5, 8.5), l.take())
				require.True(t, e.Stop())
			})
		})
	}
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := timer.New(timer.Options{Run: run})
				defer closed(t, c)
				l := newTimes()
				var e *timer.Timer
				ready := make(chan struct{})
				e = c.Every(time.Second, func() {
					<-ready
					l.now()
					time.Sleep(time.Second / 4)
					e.Reset(3 * time.Second) // while it runs
				})
				close(ready)
				time.Sleep(10 * time.Second)
				require.Equal(t, seconds(1, 4.25, 7.5), l.take())
				require.True(t, e.Stop())
			})
		})
	}
}

// TestP65_StopWhileRunning checks that Stop returns true while f runs, and that there is no
// further call.
func TestP65_StopWhileRunning(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := timer.New(timer.Options{Run: run})
				defer closed(t, c)
				l := newTimes()
				next := func(prev time.Time) time.Time { return prev.Add(time.Second) }
				for _, begin := range []func(f func()) *timer.Timer{
					func(f func()) *timer.Timer { return c.Every(time.Second, f) },
					func(f func()) *timer.Timer { return c.Schedule(next, f) },
				} {
					s := begin(func() {
						l.now()
						time.Sleep(time.Minute)
					})
					time.Sleep(2 * time.Second)
					require.True(t, s.Stop())
					require.False(t, s.Stop())
					time.Sleep(10 * time.Minute)
					require.Len(t, l.take(), 1)
					require.Zero(t, c.Len())
				}
			})
		})
	}
}

// TestSchedule checks that f is called at each instant returned by next, and that next gets the
// requested instant. The zero time ends the calls.
func TestSchedule(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := timer.New(timer.Options{Run: run})
				defer closed(t, c)
				l := newTimes()
				var prevs []time.Duration
				s := c.Schedule(func(prev time.Time) time.Time {
					prevs = append(prevs, prev.Sub(l.start))
					if len(prevs) == 5 {
						return time.Time{}
					}
					return prev.Add(time.Duration(len(prevs)) * time.Second)
				}, l.now)
				require.Equal(t, 1, c.Len())
				time.Sleep(time.Hour)
				synctest.Wait()
				require.Equal(t, seconds(0, 1, 3, 6, 10), prevs)
				require.Equal(t, seconds(1, 3, 6, 10), l.take())
				require.Zero(t, c.Len())
				require.False(t, s.Stop())

				require.False(t, s.Reset(time.Second), "it had ended")
				time.Sleep(time.Minute)
				require.Equal(t, seconds(3601, 3607, 3614, 3622, 3631, 3641, 3652), l.take())
				require.True(t, s.Stop(), "next goes on from there")
			})
		})
	}
}

// TestSchedule_EndsAtOnce checks that f is never called if next first returns the zero time.
func TestSchedule_EndsAtOnce(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := timer.New(timer.Options{Run: run})
				defer closed(t, c)
				s := c.Schedule(func(time.Time) time.Time { return time.Time{} }, func() { t.Error("called") })
				require.Zero(t, c.Len())
				time.Sleep(time.Hour)
				require.False(t, s.Stop())
			})
		})
	}
}

// TestSchedule_SkipsNothing checks that f is called at once for each instant in the past.
func TestSchedule_SkipsNothing(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := timer.New(timer.Options{Run: run})
				defer closed(t, c)
				l := newTimes()
				s := c.Schedule(func(prev time.Time) time.Time { return prev.Add(time.Second) }, func() {
					l.now()
					if time.Since(l.start) < 3*time.Second {
						time.Sleep(3 * time.Second)
					}
				})
				time.Sleep(6*time.Second + 1)
				synctest.Wait()
				require.Equal(t, seconds(1, 4, 4, 4, 5, 6), l.take())
				require.True(t, s.Stop())
			})
		})
	}
}

// TestSchedule_StoppedByNext checks that f does not start after a Stop in next that returned
// true.
func TestSchedule_StoppedByNext(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := timer.New(timer.Options{Run: run})
				defer closed(t, c)
				l := newTimes()
				var s *timer.Timer
				n, made := 0, make(chan struct{})
				s = c.Schedule(func(prev time.Time) time.Time {
					if n++; n == 3 {
						<-made
						require.True(t, s.Stop())
					}
					return prev.Add(time.Second)
				}, l.now)
				close(made)
				time.Sleep(time.Hour)
				require.Equal(t, seconds(1), l.take())
			})
		})
	}
}

// TestReset_NeverOverlaps resets a series to now repeatedly while f runs.
func TestReset_NeverOverlaps(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := timer.New(timer.Options{Run: run})
				defer closed(t, c)
				var in, most, n atomic.Int32
				e := c.Every(time.Millisecond, func() {
					most.Store(max(most.Load(), in.Add(1)))
					n.Add(1)
					time.Sleep(10 * time.Millisecond)
					in.Add(-1)
				})
				for range 1000 {
					e.Reset(time.Millisecond)
					time.Sleep(1500 * time.Microsecond)
				}
				require.True(t, e.Stop())
				require.EqualValues(t, 1, most.Load())
				require.Greater(t, n.Load(), int32(100))
			})
		})
	}
}

// TestSchedule_MonotonicReading checks instants with a monotonic reading. (In a bubble of
// synctest no instant has a monotonic reading.)
func TestSchedule_MonotonicReading(t *testing.T) {
	c := timer.New(timer.Options{})
	defer closed(t, c)
	s := c.Schedule(func(prev time.Time) time.Time { return prev.Add(time.Hour) }, func() { t.Error("an hour too early") })
	done := make(chan struct{})
	c.AfterFunc(time.Millisecond, func() { close(done) })
	<-done
	require.True(t, s.Stop())
}

// recovering is a pool that recovers panics.
type recovering struct{}

func (recovering) Submit(task func()) error {
	go func() {
		defer func() { _ = recover() }()
		task()
	}()
	return nil
}

// TestSchedule_NextFails checks that a Schedule ends if next does not return, and that other
// timers and a Schedule that was reset meanwhile are not affected.
func TestSchedule_NextFails(t *testing.T) {
	for name, run := range runs {
		for _, end := range recoveredtest.Ends("") {
			if end.Name != "Goexit" {
				name, run = "recovers", recovering{}
			}
			t.Run(name+"/"+end.Name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					c := timer.New(timer.Options{Run: run})
					defer closed(t, c)
					l, asked, again := newTimes(), 0, 0
					c.Schedule(func(prev time.Time) time.Time {
						if asked++; asked > 2 {
							end.Do()
						}
						return prev.Add(time.Second)
					}, l.now)
					var moved *timer.Timer
					moved = c.Schedule(func(prev time.Time) time.Time {
						if again++; again == 2 {
							moved.Reset(5 * time.Second)
							end.Do()
						}
						return prev.Add(time.Second)
					}, l.now)
					c.AfterFunc(4*time.Second, l.now)
					time.Sleep(4500 * time.Millisecond)
					synctest.Wait()
					require.Equal(t, seconds(1, 4), l.take())
					require.Equal(t, 3, asked)
					time.Sleep(2 * time.Second)
					synctest.Wait()
					require.Equal(t, seconds(6), l.take())
					require.True(t, moved.Stop())
					require.Zero(t, c.Len())
				})
			})
		}
	}
}
