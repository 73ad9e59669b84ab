package timer_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/panjf2000/ants/v2"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/timer"
	"github.com/bufftick/bufftick/wheel"
)

// Tests for the features of the timing wheels that inspired this package. The cases are taken from
// those projects; goWheel has their API.

// goWheel has the API of the Go timing wheels. It is created in the stopped state, with a tick
// and a number of slots, neither of which a Clock needs.
type goWheel struct {
	tick time.Duration
	c    *timer.Clock
}

func newGoWheel(tick time.Duration, _ int) *goWheel { return &goWheel{tick: tick} }

func (w *goWheel) Start() { w.c = timer.New(timer.Options{Resolution: w.tick}) }

func (w *goWheel) Stop() { _ = w.c.Close(context.Background()) }

func (w *goWheel) AfterFunc(d time.Duration, f func()) *timer.Timer { return w.c.AfterFunc(d, f) }

// scheduler is the argument of ScheduleFunc of the Go timing wheels.
type scheduler interface {
	Next(time.Time) time.Time
}

func (w *goWheel) ScheduleFunc(s scheduler, f func()) *timer.Timer { return w.c.Schedule(s.Next, f) }

// backoff is a scheduler with a list of pauses.
type backoff struct {
	pauses []time.Duration
	at     int
}

func (b *backoff) Next(prev time.Time) time.Time {
	if b.at == len(b.pauses) {
		return time.Time{}
	}
	b.at++
	return prev.Add(b.pauses[b.at-1])
}

// TestGoTimingwheel_AfterFunc checks that six delays end on time or up to a tick late.
func TestGoTimingwheel_AfterFunc(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newGoWheel(time.Millisecond, 20)
		w.Start()
		defer w.Stop()
		for _, d := range []time.Duration{1, 5, 10, 50, 100, 500} {
			d *= time.Millisecond
			start := time.Now()
			came := make(chan time.Time)
			w.AfterFunc(d, func() { came <- time.Now() })
			require.Equal(t, d, (<-came).Sub(start))
		}
	})
}

// TestGoTimingwheel_ScheduleFunc checks that each pause is measured from the previous instant,
// and that there is no call after the last one.
func TestGoTimingwheel_ScheduleFunc(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newGoWheel(time.Millisecond, 20)
		w.Start()
		defer w.Stop()
		s := &backoff{pauses: []time.Duration{time.Millisecond, 4 * time.Millisecond, 5 * time.Millisecond, 40 * time.Millisecond, 50 * time.Millisecond, 400 * time.Millisecond, 500 * time.Millisecond}}
		l := newTimes()
		timer := w.ScheduleFunc(s, l.now)
		time.Sleep(time.Hour)
		require.Equal(t, seconds(.001, .005, .010, .050, .100, .500, 1), l.take())
		require.False(t, timer.Stop())
	})
}

// TestGoTimingwheel_Stop checks that Stop returns true and prevents the call if it is in time,
// and returns false after the call. The wheel is also stopped while it contains timers, and
// restarted.
func TestGoTimingwheel_Stop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newGoWheel(time.Millisecond, 20)
		for range 3 {
			w.Start()
			l := newTimes()
			first := w.AfterFunc(time.Second, l.now)
			second := w.AfterFunc(2*time.Second, l.now)
			w.AfterFunc(time.Hour, func() { t.Error("the wheel was stopped") })
			time.Sleep(1500 * time.Millisecond)
			require.False(t, first.Stop())
			require.True(t, second.Stop())
			time.Sleep(10 * time.Second)
			require.Equal(t, seconds(1), l.take())
			w.Stop()
		}
		time.Sleep(2 * time.Hour)
	})
}

// TestGoTimingwheel_Figures is an example with ticks of a second and ten slots. The delays are 2
// s, after that 9 s, and 15 s, which needs a second level.
func TestGoTimingwheel_Figures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newGoWheel(time.Second, 10)
		w.Start()
		defer w.Stop()
		l := newTimes()
		w.AfterFunc(2*time.Second, l.now)
		w.AfterFunc(15*time.Second, l.now)
		time.Sleep(2 * time.Second)
		w.AfterFunc(9*time.Second, l.now)
		time.Sleep(time.Minute)
		require.Equal(t, seconds(2, 11, 15), l.take())
	})
}

// TestGoSpokes_Figures is an example with ticks of a millisecond and eight slots. The delays are
// 3, 5 and 15 ms, 40 ms on the second level, and 300 ms on the third.
func TestGoSpokes_Figures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newGoWheel(time.Millisecond, 8)
		w.Start()
		defer w.Stop()
		l := newTimes()
		ms := time.Millisecond
		w.AfterFunc(3*ms, l.now)
		time.Sleep(3 * ms)
		w.AfterFunc(5*ms, l.now)
		w.AfterFunc(15*ms, l.now)
		w.AfterFunc(40*ms, l.now)
		w.AfterFunc(300*ms, l.now)
		time.Sleep(time.Minute)
		require.Equal(t, seconds(.003, .008, .018, .043, .303), l.take())
	})
}

// TestGoSpokes_Reset checks that a timer that is postponed repeatedly fires after the last
// Reset.
func TestGoSpokes_Reset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newGoWheel(time.Millisecond, 8)
		w.Start()
		defer w.Stop()
		l := newTimes()
		x := w.AfterFunc(30*time.Second, l.now)
		for range 100 {
			time.Sleep(20 * time.Second)
			require.True(t, x.Reset(30*time.Second))
		}
		time.Sleep(time.Minute)
		require.Equal(t, seconds(2030), l.take())
		require.False(t, x.Reset(time.Second))
		time.Sleep(time.Minute)
		require.Len(t, l.take(), 1)
	})
}

// TestGoSpokes_SkipsEmptySlots checks that a year with two timers wakes the driver once for
// each deadline, and once for each new earliest deadline.
func TestGoSpokes_SkipsEmptySlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newGoWheel(time.Millisecond, 8)
		w.Start()
		defer w.Stop()
		l := newTimes()
		w.AfterFunc(100*24*time.Hour, l.now)
		w.AfterFunc(300*24*time.Hour, l.now)
		time.Sleep(365 * 24 * time.Hour)
		require.Len(t, l.take(), 2)
		require.LessOrEqual(t, w.c.Stats().Wakes, uint64(3))
	})
}

// TestGoSpokes_Million runs a million timers; each must fire once, on time.
func TestGoSpokes_Million(t *testing.T) {
	n := long.Times(100_000)
	synctest.Test(t, func(t *testing.T) {
		c := timer.New(timer.Options{Run: timer.Inline})
		defer closed(t, c)
		start := time.Now()
		dice := rand.New(rand.NewPCG(1, 2))
		came := make([]uint8, n)
		for i := range came {
			d := time.Duration(1+dice.Int64N(3600_000)) * time.Millisecond
			c.AfterFunc(d, func() {
				came[i]++
				if late := time.Since(start) - d; late != 0 {
					t.Errorf("timer %d is %v late", i, late)
				}
			})
		}
		require.Equal(t, n, c.Len())
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		require.Equal(t, n, int(c.Stats().Started))
		require.NotContains(t, came, uint8(0))
		require.NotContains(t, came, uint8(2))
	})
}

// TestGoSpokes_Levels compares the levels and slots needed for a resolution of a millisecond. A
// Wheel needs four levels for 12 h, and later deadlines are on shelves.
func TestGoSpokes_Levels(t *testing.T) {
	w := wheel.New(0)
	slots, reach := 0, int64(1)
	for l := range 4 {
		f := w.Face(l, nil)
		slots += len(f.Slots) / f.Rounds
		require.Equal(t, reach, f.Unit)
		reach *= int64(len(f.Slots) / f.Rounds)
	}
	require.Equal(t, 1000+60+60+12, slots)
	require.Equal(t, 12*time.Hour, time.Duration(reach)*time.Millisecond)
	require.Equal(t, 4+7, w.Levels(), "to the end of time")
}

// TestJavaDelayQueue_AddAtAnyTime adds timers from outside and in callbacks, while others run.
func TestJavaDelayQueue_AddAtAnyTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := timer.New(timer.Options{Resolution: 20 * time.Millisecond})
		defer closed(t, c)
		l := newTimes()
		c.AfterFunc(20*time.Millisecond, func() {
			c.AfterFunc(20*time.Millisecond, func() {
				l.now()
				c.AfterFunc(400*time.Millisecond, l.now)
			})
		})
		time.Sleep(30 * time.Millisecond)
		c.AfterFunc(10*time.Millisecond, l.now)
		time.Sleep(time.Second)
		require.Equal(t, seconds(.040, .040, .440), l.take())
	})
}

// TestJavaDelayQueue_Figures is an example with ticks of 20 ms, ten slots and three levels. A
// timer due now runs now. Delays of 5, 23 and 230 ms end at the end of their tick, never earlier.
// With a resolution of a millisecond they fire on time.
func TestJavaDelayQueue_Figures(t *testing.T) {
	for grain, want := range map[time.Duration][]time.Duration{
		20 * time.Millisecond: seconds(0, .020, .040, .240),
		time.Millisecond:      seconds(0, .005, .023, .230),
	} {
		synctest.Test(t, func(t *testing.T) {
			c := timer.New(timer.Options{Resolution: grain})
			defer closed(t, c)
			l := newTimes()
			for _, ms := range []time.Duration{230, 23, 5, 0} {
				c.AfterFunc(ms*time.Millisecond, l.now)
			}
			time.Sleep(time.Second)
			require.Equal(t, want, l.take())
		})
	}
}

// TestJavaDelayQueue_Bucket checks that timers in one bucket fire together, that cancelled ones
// do not fire, and that the driver wakes once for the bucket.
func TestJavaDelayQueue_Bucket(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := timer.New(timer.Options{Resolution: 20 * time.Millisecond})
		defer closed(t, c)
		l := newTimes()
		var all []*timer.Timer
		for i := range 100 {
			all = append(all, c.AfterFunc(time.Second-time.Duration(i%20)*time.Millisecond, l.now))
		}
		synctest.Wait()
		for i, x := range all {
			if i%3 == 0 {
				require.True(t, x.Stop())
			}
		}
		before := c.Stats().Wakes
		time.Sleep(time.Minute)
		require.Equal(t, slices.Repeat(seconds(1), 66), l.take())
		require.Equal(t, before+1, c.Stats().Wakes)
	})
}

// TestJavaDelayQueue_Pool checks that slow callbacks wait for a worker of the pool while the
// driver continues.
func TestJavaDelayQueue_Pool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool, err := ants.NewPool(3, ants.WithNonblocking(true), ants.WithDisablePurge(true))
		require.NoError(t, err)
		c := timer.New(timer.Options{Run: pool})
		var wg sync.WaitGroup
		var n atomic.Int32
		for range 50 {
			wg.Add(1)
			c.AfterFunc(time.Second, func() {
				defer wg.Done()
				time.Sleep(10 * time.Millisecond)
				n.Add(1)
			})
		}
		wg.Wait()
		require.EqualValues(t, 50, n.Load())
		closed(t, c)
		require.NoError(t, pool.ReleaseTimeout(time.Minute))
	})
}

// TestKafka_Figures is Kafka's example with ticks of 1 ms and three slots. Deadlines from 1 to 26
// are at every edge of three levels, and for later ones Kafka creates overflow levels. No timer
// may be early or late.
func TestKafka_Figures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := timer.New(timer.Options{Run: timer.Inline})
		defer closed(t, c)
		for range 30 {
			start := time.Now()
			n := 0
			for u := range 300 {
				d := time.Duration(u) * time.Millisecond
				c.AfterFunc(d, func() {
					n++
					require.Equal(t, d, time.Since(start))
				})
			}
			time.Sleep(301 * time.Millisecond)
			synctest.Wait()
			require.Equal(t, 300, n)
		}
	})
}

// TestKafka_SystemTimer checks that tasks with delays up to 499 ms, some already due, run in
// order of their deadlines.
func TestKafka_SystemTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := timer.New(timer.Options{Run: timer.Inline})
		defer closed(t, c)
		var came, want []time.Duration
		for _, last := range []int{0, 5, 10, 70, 499} {
			for ms := range last + 1 {
				d := time.Duration(ms) * time.Millisecond
				want = append(want, d)
				c.AfterFunc(d, func() { came = append(came, d) })
			}
		}
		require.Len(t, want, 589)
		time.Sleep(time.Second)
		synctest.Wait()
		slices.Sort(want)
		require.Equal(t, want, came)
	})
}

// TestSoftTimers_Precision is an example with seven slots of 50 ms. There, delays of 400 and 500
// ms wait in an overflow buffer. A timeout added between two ticks is up to a tick late and never
// early.
func TestSoftTimers_Precision(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := timer.New(timer.Options{Resolution: 50 * time.Millisecond})
		defer closed(t, c)
		l := newTimes()
		for _, ms := range []time.Duration{200, 350, 400, 500} {
			c.AfterFunc(ms*time.Millisecond, l.now)
		}
		time.Sleep(20 * time.Millisecond)
		c.AfterFunc(200*time.Millisecond, l.now)
		// This deadline, 2 min 4 s 300 ms, needs three levels in their hierarchy.
		c.AfterFunc(2*time.Minute+4*time.Second+280*time.Millisecond, l.now)
		time.Sleep(time.Hour)
		require.Equal(t, seconds(.200, .250, .350, .400, .500, 124.300), l.take())
	})
}

// TestSoftTimers_BoundedHandlerTime checks that with Inline, handlers due at the same time run
// one after another, and each delays the next, as Stats shows. With Goroutines, no handler waits
// for another.
func TestSoftTimers_BoundedHandlerTime(t *testing.T) {
	for _, run := range []timer.Pool{timer.Inline, timer.Goroutines} {
		synctest.Test(t, func(t *testing.T) {
			c := timer.New(timer.Options{Run: run})
			defer closed(t, c)
			l := newTimes()
			for range 3 {
				c.AfterFunc(time.Second, func() {
					l.now()
					time.Sleep(time.Second)
				})
			}
			c.AfterFunc(2*time.Second, l.now)
			time.Sleep(time.Minute)
			if run == timer.Inline {
				require.Equal(t, seconds(1, 2, 3, 4), l.take())
				require.Equal(t, 2*time.Second, c.Stats().Late)
			} else {
				require.Equal(t, seconds(1, 1, 1, 2), l.take())
				require.Zero(t, c.Stats().Late)
			}
		})
	}
}
