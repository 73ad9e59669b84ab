package engine_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/wheel"
)

// TestHistory: the flight recorder has the events of all frames, with every field and in their order,
// whoever ran them.
func TestHistory(t *testing.T) {
	for _, m := range modes {
		p := plan{seed: 11, owners: 60, steps: 60, outbox: true, inbox: true, churn: true}
		var o engine.Options
		m.set(&o)
		var want []buff.Event
		s := newSim(t, p, o)
		s.keep = func(e buff.Event) { want = append(want, e) }
		s.run(whole)
		r := s.eng.History()
		stats := r.Stats()
		require.Equal(t, uint64(len(want)), stats.Events, m.name)
		require.Greater(t, stats.Kept, 1000, m.name)
		got := slices.Collect(r.Events(history.Query{}))
		require.Equal(t, want[len(want)-len(got):], got, m.name)
		since := r.Since()
		first := slices.IndexFunc(want, func(e buff.Event) bool { return e.Seen >= since })
		s.finish()
		require.LessOrEqual(t, len(want)-len(got), first, "%s: what is known since then is all that happened", m.name)
	}
}

// TestHistoryIsBounded: a minute, by the clock of the game, and no more than Options.History; none if
// that is negative.
func TestHistoryIsBounded(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "beat", Kind: buff.Infinite, Period: 100 * time.Millisecond})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	spawn(t, e, 1)
	add(t, e, 1, cat.Spec("beat"))
	for range 6 * 60 * 20 {
		f := e.Tick(50 * time.Millisecond)
		s := e.History().Stats()
		require.LessOrEqual(t, s.Bytes, 4*(64<<10), "a minute, and what shares a chunk with it")
		require.GreaterOrEqual(t, s.Kept, int(min(f.Now, history.Span))/100, "a pulse each 100 ms")
		require.LessOrEqual(t, e.History().Since(), max(0, f.Now-history.Span))
	}
	require.Positive(t, e.History().Since())
	require.Equal(t, []buff.Event{}, append([]buff.Event{}, slices.Collect(e.History().Events(history.Query{From: wheel.Never}))...))

	none := open(t, engine.Options{Catalog: cat, Synchronous: true, History: -1})
	require.Nil(t, none.History())
	none.Tick(time.Second)
	_, err := engine.New(engine.Options{History: 1})
	require.EqualError(t, err, "engine: Options.History must be at least 131072, not 1, or negative")
}

// TestHistoryForgets: what is too old is dropped also when nothing happens any more.
func TestHistoryForgets(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "hit", Kind: buff.Instant})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	spawn(t, e, 1)
	add(t, e, 1, cat.Spec("hit"))
	for range 2 * 60 * 20 {
		e.Tick(50 * time.Millisecond)
	}
	require.Zero(t, e.History().Stats().Kept)
	require.Equal(t, wheel.Time(1), e.History().Since())
}
