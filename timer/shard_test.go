package timer

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/wheel"
)

// TestDriver_SearchInPieces searches for the earliest of very many deadlines that are hours away.
// The driver must find it without holding the lock for more than a bounded number of entries. A
// timer added during the search must be called on time. The test counts entries, not time.
func TestDriver_SearchInPieces(t *testing.T) {
	const many = 50 * searchPiece
	c := newClock(Options{Resolution: time.Millisecond}, 1) // no driver
	s := &c.shards[0]
	add := func(due wheel.Time, f func()) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.add(0, due, f)
	}
	called, early := 0, 0
	const hour = wheel.Time(time.Hour / time.Millisecond)
	for i := range many {
		add(2*hour+wheel.Time(i)*100, func() { called++ })
	}
	var batch []wheel.Fired
	pieces, last := 0, wheel.Time(0)
	for called < many {
		due := min(wheel.Time(s.next.Load()), s.search)
		before := s.wheel.Stats().Moved
		batch = s.take(due, batch[:0])
		require.LessOrEqual(t, s.wheel.Stats().Moved-before, uint64(5*4*searchPiece))
		for _, f := range batch {
			require.Equal(t, due, f.Due)
			require.GreaterOrEqual(t, due, last)
			last = due
			s.call(wheel.Handle(f.ID))
		}
		if s.search < wheel.Never {
			pieces++
		}
		if s.search < wheel.Never && pieces == 10 {
			before, at := called, s.search-1
			add(at, func() { early++ })
			batch = s.take(wheel.Time(s.next.Load()), batch[:0])
			require.Len(t, batch, 1)
			s.call(wheel.Handle(batch[0].ID))
			require.Equal(t, before, called)
		}
	}
	require.Equal(t, 1, early)
	require.GreaterOrEqual(t, pieces, many/searchPiece/2)
	require.Equal(t, int64(wheel.Never), s.next.Load())
}

// TestDriver_FewWakeUps checks that ten thousand distant timers cost one wake-up for each level
// and one for their deadline.
func TestDriver_FewWakeUps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const many = 10_000
		c := New(Options{Run: Inline})
		var called atomic.Int64
		for range many {
			c.AfterFunc(100*time.Hour, func() { called.Add(1) })
		}
		time.Sleep(100*time.Hour - time.Millisecond)
		require.Zero(t, called.Load())
		time.Sleep(time.Millisecond)
		synctest.Wait()
		require.EqualValues(t, many, called.Load())
		require.LessOrEqual(t, c.Stats().Wakes, uint64(1+5+1), "when it is added to, for five levels, and when it falls due")
		require.NoError(t, c.Close(t.Context()))
	})
}

// TestDriver_SearchWhileIdle checks that a search in several pieces is complete before the driver
// sleeps, so that no timer is late.
func TestDriver_SearchWhileIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Options{Run: Inline})
		for range 10 * searchPiece {
			c.AfterFunc(150*time.Minute, func() {})
		}
		searches := false
		c.AfterFunc(time.Hour, func() { // the slot of these timers is the coming slot now
			for i := range c.shards {
				searches = searches || c.shards[i].search < wheel.Never
			}
		})
		time.Sleep(time.Hour)
		synctest.Wait()
		for i := range c.shards {
			require.Equal(t, wheel.Never, c.shards[i].search)
		}
		require.True(t, searches, "the lock was given back in between")
		require.NoError(t, c.Close(t.Context()))
	})
}

// TestStop_ReusesPlace checks that the next added timer reuses the place of a stopped timer on
// the wheel, so that repeatedly adding and stopping a timer takes the memory of one timer.
func TestStop_ReusesPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		submitted := 0
		c := New(Options{Run: pool(func(f func()) error {
			submitted++
			f()
			return nil
		})})
		a := c.AfterFunc(time.Second, func() { t.Error("a was stopped") })
		require.True(t, a.Stop())
		require.Zero(t, c.Len())
		require.EqualValues(t, 1, a.s.wheel.Stats().Waiting, "the spare one")
		b := c.AfterFunc(2*time.Second, func() {})
		require.Equal(t, uint32(a.h), uint32(b.h), "the same memory")
		require.False(t, a.Stop(), "b is another timer")
		require.Equal(t, 1, c.Len())
		require.True(t, b.Stop())
		require.False(t, b.Stop())
		time.Sleep(3 * time.Second)
		synctest.Wait()
		require.Zero(t, submitted, "the spare one does not fall due")
		require.Zero(t, a.s.wheel.Stats().Waiting+a.s.wheel.Stats().Resting, "and has gone")

		// Two are stopped: one becomes the spare, the other is removed at once.
		a, b = c.AfterFunc(time.Second, func() {}), c.AfterFunc(time.Second, func() {})
		require.True(t, a.Stop())
		require.True(t, b.Stop())
		require.EqualValues(t, 1, a.s.wheel.Stats().Waiting)
		require.False(t, b.Reset(time.Second))
		require.False(t, a.Stop())
		require.False(t, a.Reset(time.Second))
		require.Equal(t, 2, c.Len())
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, 2, submitted)
		require.EqualValues(t, 4, c.Stats().Stopped)
		require.NoError(t, c.Close(t.Context()))
		require.False(t, a.Stop())
	})
}

// pool adapts a function to a Pool.
type pool func(f func()) error

func (p pool) Submit(f func()) error { return p(f) }

// TestAfterFunc_Spread checks that a goroutine with few timers uses one shard, and that a
// goroutine with many timers uses all shards, so that callers that stop these timers do not share
// one lock.
func TestAfterFunc_Spread(t *testing.T) {
	const shards = 8
	c := newClock(Options{Resolution: time.Millisecond}, shards)
	used := func() int {
		seen := map[*shard]bool{}
		for ns := range int64(shards) {
			s := c.pick(ns << turnBits)
			require.Same(t, s, c.pick(ns<<turnBits|1))
			seen[s] = true
		}
		return len(seen)
	}
	s := c.pick(0)
	for range fnPage - 1 { // timer 0 of the wheel is not used
		s.add(0, 1, func() {})
	}
	require.Equal(t, 1, used())
	s.add(0, 1, func() {})
	require.Equal(t, shards, used())
	require.Zero(t, unsafe.Sizeof(*s)%64, "the next shard's lock is on another cache line")

	// The table of functions is counted exactly, in addition to the wheel's own memory.
	bytes := uint64(2*fnPage*8 + cap(s.fns)*8)
	require.Equal(t, s.wheel.Stats().Bytes+bytes, c.Stats().Bytes)
}

// TestDriver_AddBeforeSleep adds an earlier timer after the driver has read the earliest deadline
// and before it publishes its sleep time. This does not wake the driver, so the driver must check
// again.
func TestDriver_AddBeforeSleep(t *testing.T) {
	c := newClock(Options{Resolution: time.Millisecond}, 2)
	c.shards[0].add(0, 50, func() {})
	_, due := c.earliest()
	require.EqualValues(t, 50, due)
	_, first := c.shards[1].add(0, 20, func() {})
	require.True(t, first)
	c.expect(20)
	require.Empty(t, c.wake, "the driver is awake, as far as anybody knows")
	require.False(t, c.announce(due))
	require.True(t, c.announce(20))
	c.shards[1].add(0, 10, func() {})
	c.expect(10)
	require.Len(t, c.wake, 1, "now it is known when it will be")
}

// TestReset_BeforeEnter resets a series after its timer has left the wheel and before its call has
// started. The series must wait again, and the earlier call must do nothing.
func TestReset_BeforeEnter(t *testing.T) {
	c := newClock(Options{Resolution: time.Millisecond}, 1)
	called := 0
	timer := c.At(time.Now(), func() { called++ })
	s := &c.shards[0]
	claimed := func() func() {
		batch := s.take(wheel.Time(s.next.Load()), nil)
		require.Len(t, batch, 1)
		return s.claim(wheel.Handle(batch[0].ID))
	}
	call := claimed()
	require.NotNil(t, call)
	require.True(t, timer.Reset(0))
	call()
	require.Zero(t, called)
	require.Equal(t, 1, c.Len())
	claimed()()
	require.Equal(t, 1, called)
	require.Zero(t, c.Len())
}

// TestPool_Pauses checks that a pool that refuses is called again after 1, 2, 4 and so on up to
// 64 ms, and then every 64 ms.
func TestPool_Pauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []time.Time
		c := New(Options{Run: pool(func(func()) error {
			asked = append(asked, time.Now())
			return errors.New("full")
		})})
		c.AfterFunc(0, func() {})
		time.Sleep(time.Second)
		require.NoError(t, c.Close(t.Context()))
		for i, want := range []time.Duration{1, 2, 4, 8, 16, 32, 64, 64, 64} {
			require.Equal(t, want*time.Millisecond, asked[i+1].Sub(asked[i]), "pause %d", i)
		}
	})
}
