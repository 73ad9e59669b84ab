package timer

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/wheel"
)

// TestSearchInPieces: the earliest deadline lies among very many, hours away. The driver finds it, and
// brings down what it must, without ever holding the lock for more than a few entries; what is
// added in the middle of the search is called at its time. Work is counted, not time.
func TestSearchInPieces(t *testing.T) {
	const many = 50 * searchPiece
	c := newClock(Options{Resolution: time.Millisecond}, 1) // without a driver: that is the test
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

// TestSearchWakesSeldom: ten thousand timers far away cost a wake-up for each level that they come
// down, and one for their deadline.
func TestSearchWakesSeldom(t *testing.T) {
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

// TestSearchWhileIdle: a search that one lock is not enough for is at its end before the driver sleeps, so
// that nothing is late for it.
func TestSearchWhileIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Options{Run: Inline})
		for range 10 * searchPiece {
			c.AfterFunc(150*time.Minute, func() {})
		}
		searches := false
		c.AfterFunc(time.Hour, func() { // their hour is the next one now
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
