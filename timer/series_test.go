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

// times writes down when something happened, since it was made.
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

// take returns what came since the last take.
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

// TestEveryDoesNotDrift: the n-th call is due at n periods, however finely they are cut.
func TestEveryDoesNotDrift(t *testing.T) {
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

// TestEverySkips: calls that fell due while one ran are left out, and the phase stays.
func TestEverySkips(t *testing.T) {
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

// milliseconds is seconds for shorter times.
func milliseconds(n ...float64) []time.Duration {
	out := seconds(n...)
	for i := range out {
		out[i] /= 1000
	}
	return out
}

// TestEveryAtTheResolution: rounding a deadline up, and a callback that ends within its period, cost
// no call, even if the next deadline has passed meanwhile.
func TestEveryAtTheResolution(t *testing.T) {
	for name, run := range runs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := timer.New(timer.Options{Run: run})
				defer closed(t, c)
				l := newTimes()
				time.Sleep(500 * time.Microsecond) // deadlines are at half milliseconds, calls at the next whole one
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

// TestEveryBelowTheResolution: the deadlines of one grain are one call.
func TestEveryBelowTheResolution(t *testing.T) {
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

// TestEveryLate: if the driver is late, the call that is late is made, and at once the latest one that has
// fallen due meanwhile. Those between the two are left out.
func TestEveryLate(t *testing.T) {
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

// TestEveryReset: Reset gives an Every another period, as that of a time.Ticker does, from now
// on, whether it waits, runs, or was stopped.
func TestEveryReset(t *testing.T) {
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

// TestP65_StopWhileRunning: a Stop while f runs says true, and there is no other call.
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

// TestSchedule: f is called for each instant that next gives, and next gets the instant that
// was asked for. A zero time ends it.
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

// TestScheduleEndsAtOnce: a next that begins with the zero time never calls f.
func TestScheduleEndsAtOnce(t *testing.T) {
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

// TestScheduleLeavesNothingOut: instants in the past are called at once, one by one.
func TestScheduleLeavesNothingOut(t *testing.T) {
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

// TestScheduleStoppedByNext: a Stop in next counts: f does not start after it said true.
func TestScheduleStoppedByNext(t *testing.T) {
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

// TestSeriesNeverOverlaps: also when it is reset to now, over and over, while f runs.
func TestSeriesNeverOverlaps(t *testing.T) {
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

// TestScheduleByReadings: an instant that has a monotonic reading is waited for, also where the wall clock is the
// system's. (In a synctest bubble no instant has one.)
func TestScheduleByReadings(t *testing.T) {
	c := timer.New(timer.Options{})
	defer closed(t, c)
	s := c.Schedule(func(prev time.Time) time.Time { return prev.Add(time.Hour) }, func() { t.Error("an hour too early") })
	done := make(chan struct{})
	c.AfterFunc(time.Millisecond, func() { close(done) })
	<-done
	require.True(t, s.Stop())
}

// recovering is a pool that recovers what panics.
type recovering struct{}

func (recovering) Submit(task func()) error {
	go func() {
		defer func() { _ = recover() }()
		task()
	}()
	return nil
}

// TestNextFails: a Schedule whose next does not return has no instant after it, and is over. It is not called again and
// again, and nothing else is: delays, and a Schedule that was given another time meanwhile.
func TestNextFails(t *testing.T) {
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
