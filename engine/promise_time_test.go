package engine_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/wheel"
)

// Tests of the promises about time, at the boundaries at which timing wheels tend to fail. P2 is
// tested by TestP02_Reference, and P4, P6, P9 and P10 by their own tests.

// edges are spans at which a level of a clock, or a number of bits, ends.
var edges = []time.Duration{
	time.Millisecond, time.Second, time.Minute, time.Hour, 12 * time.Hour, 24 * time.Hour, 32 * 24 * time.Hour,
	1 << 31 * time.Millisecond, 1 << 32 * time.Millisecond, 1 << 31 * time.Second,
}

// TestP01_NeverEarly checks that no timeout runs in a Tick before it is due, and that each runs in
// the first Tick that reaches its time: one millisecond before, at, and after each boundary, at
// several uptimes.
func TestP01_NeverEarly(t *testing.T) {
	for _, up := range []time.Duration{0, 11*time.Hour + 59*time.Minute + 59*time.Second, 1<<32*time.Millisecond - 100*time.Second} {
		e := open(t, engine.Options{Synchronous: true})
		spawn(t, e, 1)
		e.Tick(up)
		for _, edge := range edges {
			for _, d := range []time.Duration{edge - time.Millisecond, edge, edge + time.Millisecond} {
				due := e.Now().After(max(d, time.Millisecond))
				rung := wheel.Never
				_, err := e.AddTimeout(1, d, func(c *engine.Context) { rung = c.Now() })
				require.NoError(t, err)
				require.Zero(t, e.Tick(time.Duration(due-e.Now()-1)*time.Millisecond).Len(), "%v early, at %v", d, up)
				require.Equal(t, wheel.Never, rung)
				require.Equal(t, 1, e.Tick(time.Millisecond).Len(), "%v late, at %v", d, up)
				require.Equal(t, due, rung)
			}
		}
	}
}

// TestP01_PartsOfAMillisecond checks that the fraction of a millisecond of a frame is not rounded
// up.
func TestP01_PartsOfAMillisecond(t *testing.T) {
	e := open(t, engine.Options{Synchronous: true})
	spawn(t, e, 1)
	_, err := e.AddTimeout(1, time.Nanosecond, func(*engine.Context) {})
	require.NoError(t, err)
	for range 999_999 / 3 {
		require.Zero(t, e.Tick(3*time.Nanosecond).Len())
	}
	require.Equal(t, 1, e.Tick(time.Nanosecond).Len())
}

// TestP03_NoDelay checks that a delay that is not positive is due in the next millisecond, neither
// inside the call nor a whole turn of the wheel later: on the loop, in a handler and in the Inbox.
func TestP03_NoDelay(t *testing.T) {
	for _, d := range []time.Duration{0, -1, -time.Hour, math.MinInt64} {
		e := open(t, engine.Options{Synchronous: true})
		spawn(t, e, 1)
		e.Tick(59_999 * time.Millisecond)
		var at []wheel.Time
		ring := func(c *engine.Context) { at = append(at, c.Now()) }
		_, err := e.AddTimeout(1, d, func(c *engine.Context) {
			ring(c)
			c.AddTimeout(1, d, ring)
		})
		require.NoError(t, err)
		require.Empty(t, at, "not inside the call")
		require.Zero(t, e.Tick(0).Len(), "not at the same instant")
		require.Equal(t, 1, e.Tick(time.Millisecond).Len())
		require.NoError(t, e.Inbox().AddTimeout(1, d, ring))
		require.Equal(t, 1, e.Tick(time.Millisecond).Len())
		require.Equal(t, 1, e.Tick(time.Millisecond).Len())
		require.Equal(t, []wheel.Time{60_000, 60_001, 60_002}, at)
	}
}

// TestP05_Saturates checks that the longest possible delay is due at its millisecond, 292 years
// later, and that a delay beyond the range of time never becomes due.
func TestP05_Saturates(t *testing.T) {
	e := open(t, engine.Options{Synchronous: true})
	spawn(t, e, 1)
	for range 3 {
		rung := 0
		_, err := e.AddTimeout(1, math.MaxInt64, func(*engine.Context) { rung++ })
		require.NoError(t, err)
		for range 4 {
			e.Tick((math.MaxInt64 / 4 * time.Nanosecond).Truncate(time.Millisecond))
		}
		require.Zero(t, rung)
		e.Tick(5 * time.Millisecond)
		require.Equal(t, 1, rung)
	}
	require.Equal(t, wheel.Never, (wheel.Never - 1).After(math.MaxInt64))
}

// TestP07_AtOneInstant checks the order at one instant: pulses, ends, timeouts, and equal kinds in
// the order of acceptance.
func TestP07_AtOneInstant(t *testing.T) {
	cat := catalogOf(t,
		buff.Spec{ID: "beat", Duration: 2 * time.Second, Period: time.Second},
		buff.Spec{ID: "other", Duration: 2 * time.Second, Period: time.Second},
	)
	for _, first := range []string{"beat", "other"} {
		second := map[string]string{"beat": "other", "other": "beat"}[first]
		e := open(t, engine.Options{Catalog: cat, Synchronous: true})
		spawn(t, e, 1)
		_, err := e.AddTimeout(1, 2*time.Second, func(*engine.Context) {})
		require.NoError(t, err)
		add(t, e, 1, cat.Spec(first))
		add(t, e, 1, cat.Spec(second))
		e.Tick(1999 * time.Millisecond)
		require.Equal(t, []string{
			"1: 2000 pulse " + first + " x1", "1: 2000 pulse " + second + " x1",
			"1: 2000 remove " + first + " why=expired", "1: 2000 remove " + second + " why=expired", "1: 2000 timeout",
		}, lines(e.Tick(time.Millisecond)))
	}
}

// TestP08_NoTime checks that Tick(0) only increments the counter of Ticks, and that time never
// goes back.
func TestP08_NoTime(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	spawn(t, e, 1)
	add(t, e, 1, cat.Spec("beat"))
	require.Equal(t, 2, e.Tick(time.Second).Len())
	before := e.Stats()
	for n := range uint64(5) {
		f := e.Tick(0)
		require.Zero(t, f.Len())
		require.EqualValues(t, 1000, f.Now)
		after := e.Stats()
		require.Equal(t, before.Ticks+n+1, after.Ticks)
		after.Ticks = before.Ticks
		require.Equal(t, before, after)
	}
	require.Panics(t, func() { e.Tick(-1) })
	require.EqualValues(t, 1000, e.Now())
}

// TestP11_WallClock checks that the wall clock does not affect running buffs.
func TestP11_WallClock(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "beat", Duration: time.Minute, Period: time.Second})
	var logs [][]string
	for _, epoch := range []time.Time{{}, time.Unix(1<<40, 0), time.Unix(-1<<40, 0)} {
		e := open(t, engine.Options{Catalog: cat, Synchronous: true, Epoch: epoch})
		spawn(t, e, 1)
		add(t, e, 1, cat.Spec("beat"))
		logs = append(logs, lines(e.Tick(time.Hour)))
		if !epoch.IsZero() {
			require.Equal(t, epoch.Add(time.Hour).UnixMilli(), e.Moment().Wall)
		}
	}
	require.Len(t, logs[0], 62)
	require.Equal(t, logs[0], logs[1])
	require.Equal(t, logs[0], logs[2])
}
