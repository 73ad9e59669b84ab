package timer_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/panjf2000/ants/v2"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/timer"
)

// TestP68_Close checks that Close returns after the last callback, and that no other function
// starts.
func TestP68_Close(t *testing.T) {
	for name, run := range map[string]timer.Pool{"goroutines": nil, "inline": timer.Inline} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := timer.New(timer.Options{Run: run})
				start := time.Now()
				var ended atomic.Int32
				c.AfterFunc(time.Second, func() {
					time.Sleep(time.Hour)
					ended.Add(1)
				})
				late := c.AfterFunc(2*time.Second, func() { ended.Add(100) })
				every := c.Every(5*time.Second, func() { ended.Add(100) })
				at := c.At(start.Add(5*time.Second), func() { ended.Add(100) })
				time.Sleep(time.Second + 1)

				short, cancel := context.WithTimeout(context.Background(), time.Second/2)
				defer cancel()
				err := c.Close(short)
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.EqualError(t, err, "timer: Close: 1 callbacks are still running: context deadline exceeded")
				require.Zero(t, c.Len())
				for _, x := range []*timer.Timer{late, every, at} {
					require.False(t, x.Stop())
					require.False(t, x.Reset(1))
				}
				require.False(t, c.AfterFunc(0, func() { ended.Add(100) }).Stop())
				require.False(t, c.Every(1, func() { ended.Add(100) }).Stop())
				require.False(t, c.At(start, func() { ended.Add(100) }).Stop())

				var wg sync.WaitGroup
				for range 3 {
					wg.Go(func() { closed(t, c) })
				}
				wg.Wait()
				require.Equal(t, time.Hour+time.Second, time.Since(start))
				require.EqualValues(t, 1, ended.Load())
				closed(t, c)
				require.Zero(t, c.Stats().Running)
			})
		})
	}
}

// TestClose_InCallback checks that Close in a callback does not wait for that callback if its
// context has ended.
func TestClose_InCallback(t *testing.T) {
	for _, run := range []timer.Pool{timer.Inline, timer.Goroutines} {
		synctest.Test(t, func(t *testing.T) {
			c := timer.New(timer.Options{Run: run})
			over, cancel := context.WithCancel(context.Background())
			cancel()
			c.AfterFunc(time.Second, func() { require.ErrorIs(t, c.Close(over), context.Canceled) })
			time.Sleep(time.Minute)
			closed(t, c)
		})
	}
}

// TestP69_Refusals checks that a pool that refuses loses no task and keeps the order, and that
// waiting tasks can be stopped.
func TestP69_Refusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &moody{refuses: 5}
		c := timer.New(timer.Options{Run: p})
		defer closed(t, c)
		l := newTimes()
		var came []int
		var all []*timer.Timer
		for i := range 10 {
			all = append(all, c.AfterFunc(time.Duration(i+1)*time.Second, func() {
				came = append(came, i)
				l.now()
			}))
		}
		time.Sleep(time.Second + 5*time.Millisecond)
		require.True(t, all[0].Reset(time.Second), "it was due, and refused, and has not started")
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		require.Equal(t, []int{1, 0, 2, 3, 4, 5, 6, 7, 8, 9}, came)
		require.EqualValues(t, 5, c.Stats().Refused)
		require.Equal(t, seconds(2, 2.005, 3, 4, 5, 6, 7, 8, 9, 10), l.take())

		p.refuses = 1 << 30
		a, b := c.AfterFunc(time.Second, func() { came = append(came, 10) }), c.AfterFunc(time.Second, func() { came = append(came, 11) })
		time.Sleep(time.Minute)
		require.Equal(t, 2, c.Len())
		require.True(t, a.Stop())
		p.mu.Lock()
		p.refuses = 0
		p.mu.Unlock()
		time.Sleep(time.Second)
		synctest.Wait()
		require.False(t, b.Stop())
		require.Equal(t, 11, came[len(came)-1])
		require.Len(t, came, 11)
	})
}

// TestPool_PauseRestarts checks that the first refusal after an accepted task is followed by the
// shortest pause.
func TestPool_PauseRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &moody{}
		c := timer.New(timer.Options{Run: p})
		defer closed(t, c)
		for range 3 {
			p.mu.Lock()
			p.refuses = 3
			p.mu.Unlock()
			l := newTimes()
			c.AfterFunc(time.Second, l.now)
			time.Sleep(time.Minute)
			synctest.Wait()
			require.Equal(t, []time.Duration{1007 * time.Millisecond}, l.take(), "1, 2 and 4 ms")
		}
	})
}

// moody is a pool that refuses for a while, and then runs tasks on the driver.
type moody struct {
	mu      sync.Mutex
	refuses int
}

var errMoody = errors.New("not now")

func (p *moody) Submit(task func()) error {
	p.mu.Lock()
	p.refuses--
	no := p.refuses >= 0
	p.mu.Unlock()
	if no {
		return errMoody
	}
	task()
	return nil
}

// TestClose_PoolRefuses checks that a pool that always refuses does not block Close.
func TestClose_PoolRefuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := timer.New(timer.Options{Run: &moody{refuses: 1 << 30}})
		c.AfterFunc(0, func() { t.Error("started") })
		time.Sleep(time.Minute)
		require.Less(t, c.Stats().Refused, uint64(2000), "it asks less and less often")
		require.Equal(t, 1, c.Len())
		closed(t, c)
	})
}

// TestAnts uses ants pools directly, one that refuses tasks and one that blocks. A slow callback
// must not delay other callbacks while there is a free worker.
func TestAnts(t *testing.T) {
	for name, options := range map[string][]ants.Option{
		"refuses": {ants.WithNonblocking(true), ants.WithDisablePurge(true)},
		"blocks":  {ants.WithDisablePurge(true)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pool, err := ants.NewPool(4, options...)
				require.NoError(t, err)
				c := timer.New(timer.Options{Run: pool})
				var n, in, most atomic.Int32
				for i := range 1000 {
					c.AfterFunc(time.Duration(i%10)*time.Second, func() {
						most.Store(max(most.Load(), in.Add(1)))
						time.Sleep(100 * time.Millisecond)
						in.Add(-1)
						n.Add(1)
					})
				}
				time.Sleep(time.Minute)
				synctest.Wait()
				require.EqualValues(t, 1000, n.Load(), "none is lost")
				require.EqualValues(t, 4, most.Load())
				require.Equal(t, name == "refuses", c.Stats().Refused > 0)
				closed(t, c)
				require.NoError(t, pool.ReleaseTimeout(time.Minute))
			})
		})
	}
}

// TestPool_Panic checks that a Clock and an Every continue after a panic recovered by the
// pool.
func TestPool_Panic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool, err := ants.NewPool(2, ants.WithDisablePurge(true), ants.WithPanicHandler(func(any) {}))
		require.NoError(t, err)
		c := timer.New(timer.Options{Run: pool})
		var n atomic.Int32
		c.Every(time.Second, func() {
			n.Add(1)
			panic("on purpose")
		})
		time.Sleep(3*time.Second + 1)
		synctest.Wait()
		require.EqualValues(t, 3, n.Load())
		closed(t, c)
		require.NoError(t, pool.ReleaseTimeout(time.Minute))
	})
}
