package engine_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/history"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// TestHistory checks that the flight recorder has the events of all frames, with every field but
// Seq and in their order, with any number of workers.
func TestHistory(t *testing.T) {
	for _, m := range modes {
		p := plan{seed: 11, owners: 60, steps: 60, outbox: true, inbox: true, churn: true}
		var o engine.Options
		m.set(&o)
		o.Trace.History = history.DefaultBytes
		var want []buff.Event
		s := newSim(t, p, o)
		s.keep = func(e buff.Event) {
			e.Seq = 0 // not recorded
			want = append(want, e)
		}
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

// TestHistoryIsBounded checks that the flight recorder keeps a minute of game time and no more
// bytes than Options.Trace.History, and that it does not exist if that is zero.
func TestHistoryIsBounded(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "beat", Kind: define.Infinite, Period: 100 * time.Millisecond})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Trace: engine.Trace{History: history.DefaultBytes}})
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

	none := open(t, engine.Options{Catalog: cat, Synchronous: true})
	require.Nil(t, none.History())
	none.Tick(time.Second)
	_, err := engine.New(engine.Options{Trace: engine.Trace{History: 1}})
	require.EqualError(t, err, "engine: Options.Trace.History must be zero, for none, or from 131072 to 1099511627776, not 1")
}

// TestHistory_DropsOldEvents checks that old events are dropped even if there are no new ones.
func TestHistory_DropsOldEvents(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "hit", Kind: define.Instant})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Trace: engine.Trace{History: history.DefaultBytes}})
	spawn(t, e, 1)
	add(t, e, 1, cat.Spec("hit"))
	for range 2 * 60 * 20 {
		e.Tick(50 * time.Millisecond)
	}
	require.Zero(t, e.History().Stats().Kept)
	require.Equal(t, wheel.Time(1), e.History().Since())
}

// TestHistory_PausesAndRates checks that the flight recorder has all pauses and rates of time,
// by whichever way they were set: the loop, a handler or an area.
func TestHistory_PausesAndRates(t *testing.T) {
	cat, err := buff.NewCatalog(
		buff.Spec{ID: "oath", Kind: define.Infinite},
		buff.Spec{ID: "stasis", Kind: define.Instant, On: define.Hooks{Exec: []define.Action{{Do: define.DoCall, Name: "stasis"}}}},
	)
	require.NoError(t, err)
	for _, workers := range []int{0, 3} {
		e, err := engine.New(engine.Options{Catalog: cat, Synchronous: workers == 0, Workers: max(workers, 1), Trace: engine.Trace{History: history.DefaultBytes}, Handlers: engine.Handlers{
			"stasis": func(c *engine.Context, e buff.Event) { c.Do(buff.Pause(c.Owner())) },
		}})
		require.NoError(t, err)
		require.NoError(t, e.Spawn(7, nil))
		require.NoError(t, e.Spawn(8, nil))
		oath := e.AddBuff(7, buff.Application{Spec: cat.Spec("oath"), Source: 7}).Handle
		e.Tick(time.Second)
		require.NoError(t, e.Do(buff.PauseBuff(oath)).Failure)
		e.Tick(time.Second)
		require.NoError(t, e.Do(buff.PauseArea(0)).Failure)
		require.NoError(t, e.Do(buff.SetRate(7, buff.Ratio{Num: 1, Den: 2})).Failure)
		e.Tick(time.Second)
		require.NoError(t, e.Do(buff.ResumeArea(0)).Failure)
		e.AddBuff(7, buff.Application{Spec: cat.Spec("stasis"), Source: 7})
		e.Tick(time.Second)

		var got []string
		for c := range e.History().TimeChanges(history.Query{Owners: []buff.OwnerID{7}}) {
			require.Equal(t, buff.OwnerID(7), c.Owner)
			text := fmt.Sprintf("%d %v by %d, %v to %v", c.At, c.Verb, c.Whose, c.Was, c.Is)
			if c.Verb == verb.SetRate {
				text += " " + c.Rate.String()
			}
			if c.Handle != 0 {
				require.Equal(t, oath, c.Handle)
				text += ", the oath"
			}
			got = append(got, text)
		}
		require.Equal(t, []string{
			fmt.Sprintf("1000 pause by %d, 1 to 0, the oath", define.OfBuff),
			fmt.Sprintf("2000 pause by %d, 1 to 0", define.OfArea),
			fmt.Sprintf("2000 rate by %d, 0 to 0 1/2", define.OfOwner),
			fmt.Sprintf("3000 resume by %d, 0 to 0.5", define.OfArea),
			fmt.Sprintf("3000 pause by %d, 0.5 to 0", define.OfOwner),
		}, got)
		require.Len(t, slices.Collect(e.History().TimeChanges(history.Query{From: 2000, To: 3000})), 5, "of both")
		for x := range e.History().Events(history.Query{}) {
			require.LessOrEqual(t, x.Kind, buff.Missed, "no event tells it")
		}
		require.Equal(t, e.Stats().Events, e.History().Stats().Events)
		require.NoError(t, e.Close(t.Context()))
	}
}
