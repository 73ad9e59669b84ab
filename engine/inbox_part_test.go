package engine_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
)

// crowded returns an engine whose owner 1 has 1,021 buffs, and the definition of an instant.
func crowded(t *testing.T, o engine.Options) (*engine.Engine, *buff.Spec) {
	t.Helper()
	o.Catalog = catalogOf(t, buff.Spec{ID: "beat", Duration: time.Hour, Period: time.Minute}, buff.Spec{ID: "hit", Kind: define.Instant, Tags: []string{"fire"}})
	o.Synchronous = true
	e := open(t, o)
	spawn(t, e, 1, 2)
	for range 1021 {
		add(t, e, 1, o.Catalog.Spec("beat"))
	}
	e.Tick(time.Millisecond)
	return e, o.Catalog.Spec("hit")
}

// hits returns the magnitudes of the executed instants, in order.
func hits(f *engine.Frame) (out []int64) {
	for e := range f.Events() {
		if e.Kind == buff.Executed {
			out = append(out, e.Magnitude)
		}
	}
	return out
}

// upTo returns the numbers from, from+1, …, to-1.
func upTo(from, to int) (out []int64) {
	for ; from < to; from++ {
		out = append(out, int64(from))
	}
	return out
}

// TestP10_InboxByCount checks that the work of one Tick for the Inbox is bounded by the number of
// buffs that its commands visit, and not by the number of commands. The remaining commands wait.
// Without this limit, 65,536 commands that each visit 1,021 buffs took 5 s in one Tick.
func TestP10_InboxByCount(t *testing.T) {
	const full = engine.DefaultInboxLimit
	fire := func(e *engine.Engine) buff.Tag { tag, _ := e.Catalog().Tag("fire"); return tag }
	for _, row := range []struct {
		verb string
		post func(e *engine.Engine, k int) error
		want int // number of commands of the first Tick
	}{
		{"SetRate", func(e *engine.Engine, k int) error {
			return e.Inbox().Do(buff.SetRate(1, buff.Ratio{Num: uint32(1 + k%2), Den: 2}))
		}, 26},
		{"Pause", func(e *engine.Engine, k int) error {
			if k%2 == 1 {
				return e.Inbox().Do(buff.Resume(1))
			}
			return e.Inbox().Do(buff.Pause(1))
		}, 26},
		{"Immunize", func(e *engine.Engine, _ int) error { return e.Inbox().Do(buff.Immunize(1, fire(e), false)) }, 128},
		{"nobody", func(e *engine.Engine, _ int) error { return e.Inbox().Do(buff.Kill(9)) }, 16_384},
		{"Immunize of who has nothing", func(e *engine.Engine, _ int) error { return e.Inbox().Do(buff.Immunize(2, fire(e), false)) }, 16_384},
	} {
		e, _ := crowded(t, engine.Options{})
		for k := range full {
			require.NoError(t, row.post(e, k))
		}
		e.Tick(0)
		// the first command may visit more buffs
		require.InDelta(t, full-row.want, e.Stats().Inbox, 2, row.verb)
		require.Equal(t, e.Stats().Inbox, e.Inbox().Stats().Waiting, row.verb)
		e.Tick(0)
		require.InDelta(t, full-2*row.want, e.Stats().Inbox, 3, row.verb)
		engine.Forget(e) // the rest, because Close would process it
	}
}

// TestP10_InboxInOrder checks that waiting commands are delivered in order, without loss, and with
// the same cost in each Tick, whatever other work the Tick has.
func TestP10_InboxInOrder(t *testing.T) {
	e, hit := crowded(t, engine.Options{Limits: engine.Limits{Tick: 400}})
	post := func(from, to int) {
		for k := from; k < to; k++ {
			require.NoError(t, e.Inbox().AddBuff(2, buff.Application{Spec: hit, Magnitude: int64(k)}))
		}
	}
	post(0, 1000)
	for k := range 20 {
		post(1000+10*k, 1000+10*k+10)
		dt := time.Duration(0)
		if k == 10 {
			dt = time.Hour // many more events are due than Limits.Tick
		}
		f := e.Tick(dt)
		require.Equal(t, upTo(50*k, 50*k+50), hits(f), "a command costs one, and its event")
		require.Equal(t, k >= 10, f.Behind > 0)
	}
	require.Equal(t, upTo(1000, 1050), hits(e.Tick(0)))
	require.Equal(t, 150, e.Stats().Inbox)
}

// TestInbox_OneExpensiveCommand checks that a single command that costs more than the Inbox's part
// of a Tick is executed alone.
func TestInbox_OneExpensiveCommand(t *testing.T) {
	e, hit := crowded(t, engine.Options{Limits: engine.Limits{Tick: 4}})
	for k := range 3 {
		require.NoError(t, e.Inbox().Do(buff.SetRate(1, buff.Ratio{Num: uint32(1 + k%2), Den: 2})))
		require.NoError(t, e.Inbox().AddBuff(1, buff.Application{Spec: hit, Magnitude: int64(k)}))
	}
	var got []int64
	for want := 5; want >= 0; want-- {
		got = append(got, hits(e.Tick(0))...)
		require.Equal(t, want, e.Stats().Inbox)
	}
	require.Equal(t, upTo(0, 3), got)
}

// TestP29_Producers checks that only a producer that floods the Inbox is refused, that the error
// names it, that the room is shared equally, and that the number of producers is limited.
func TestP29_Producers(t *testing.T) {
	e := open(t, engine.Options{Synchronous: true, Limits: engine.Limits{Inbox: 100}})
	in := e.Inbox()
	for range 100 {
		require.NoError(t, in.Do(buff.Kill(1)), "alone it has all of it")
	}
	net := in.For("net")
	require.EqualError(t, net.Do(buff.Kill(1)), `engine: inbox is full: producer "net", limit 50`)
	require.EqualError(t, in.Do(buff.Kill(1)), `engine: inbox is full: limit 50`)
	e.Tick(0)
	for range 50 {
		require.NoError(t, in.Do(buff.Kill(1)))
	}
	for k := range 50 {
		require.ErrorIs(t, in.Do(buff.Kill(1)), engine.ErrInboxFull)
		require.NoError(t, net.Do(buff.Kill(1)), "%d: another one has filled its own share", k)
	}
	require.EqualError(t, net.Do(buff.Kill(1)), `engine: inbox is full: producer "net", limit 50`)
	require.Equal(t, view.InboxStats{Limit: 50, Waiting: 50, Refused: 51}, in.Stats())
	require.Equal(t, view.InboxStats{Producer: "net", Limit: 50, Waiting: 50, Refused: 2}, net.Stats())
	require.Equal(t, 50, in.Stats().Waiting)
	require.Equal(t, 100, e.Stats().Inbox)
	require.EqualValues(t, 53, e.Stats().InboxRefused)

	require.Same(t, in, in.For(""))
	require.Same(t, in, net.For(""))
	require.Same(t, net, in.For("net"))
	for k := range engine.MaxProducers - 2 {
		in.For(fmt.Sprint(k))
	}
	require.Equal(t, 1, net.Stats().Limit)
	over := in.For("one more")
	require.EqualError(t, over.Do(buff.Kill(1)), `engine: too many inbox producers: "one more", the limit is 64`)
	require.ErrorIs(t, over.Do(buff.Kill(1)), engine.ErrTooManyProducers)
	require.Equal(t, view.InboxStats{Producer: "one more"}, over.Stats())
	e.Tick(0)
	require.EqualValues(t, 200, e.Stats().Undelivered, "all that was accepted, and nothing else")
	require.NoError(t, net.Do(buff.Kill(1)))
	require.ErrorIs(t, net.Do(buff.Kill(1)), engine.ErrInboxFull)

	small := open(t, engine.Options{Synchronous: true, Limits: engine.Limits{Inbox: 1}})
	require.EqualError(t, small.Inbox().For("x").Do(buff.Kill(1)), `engine: too many inbox producers: "x", the limit is 1`)
	shut(t, e)
	require.ErrorIs(t, net.Do(buff.Kill(1)), engine.ErrClosed)
	require.ErrorIs(t, in.Do(buff.Kill(1)), engine.ErrClosed)
}

// TestInbox_ProducersInTurn checks that the producers are served in turn, in the order of their
// creation and by the cost of their commands, that the commands of each keep their order, and that
// the next Tick continues with the next producer.
func TestInbox_ProducersInTurn(t *testing.T) {
	// a Tick executes twenty of the cheap commands
	e, hit := crowded(t, engine.Options{Limits: engine.Limits{Tick: 160}})
	a, b := e.Inbox().For("a"), e.Inbox().For("b")
	for _, p := range []struct {
		in   *engine.Inbox
		from int
	}{{b, 300}, {a, 100}, {e.Inbox(), 500}} {
		for k := range 30 {
			require.NoError(t, p.in.AddBuff(2, buff.Application{Spec: hit, Magnitude: int64(p.from + k)}))
		}
	}
	runs := func(f *engine.Frame) (out []string) {
		var last int64
		for _, m := range hits(f) {
			if len(out) == 0 || m != last+1 {
				out = append(out, fmt.Sprintf("%d×1", m))
			} else {
				first, n := int64(0), 0
				_, _ = fmt.Sscanf(out[len(out)-1], "%d×%d", &first, &n)
				out[len(out)-1] = fmt.Sprintf("%d×%d", first, n+1)
			}
			last = m
		}
		return out
	}
	require.Equal(t, []string{"100×8", "300×8", "500×4"}, runs(e.Tick(0)))
	require.Equal(t, []string{"504×4", "108×8", "308×8"}, runs(e.Tick(0)))
	require.Equal(t, []string{"508×8", "116×8", "316×4"}, runs(e.Tick(0)))
	for e.Stats().Inbox > 0 {
		e.Tick(0)
	}
	// If one command of a costs as much as 320 commands of b, a gets one turn for 320 commands of
	// b.
	for k := range 10 {
		require.NoError(t, a.Do(buff.SetRate(1, buff.Ratio{Num: 1, Den: uint32(2 + k)})))
	}
	for k := range 1000 {
		require.NoError(t, b.AddBuff(2, buff.Application{Spec: hit, Magnitude: int64(k)}))
	}
	var got []int64
	for range 35 {
		got = append(got, hits(e.Tick(0))...)
	}
	require.Equal(t, upTo(0, len(got)), got)
	require.InDelta(t, 640, len(got), 40)
	require.InDelta(t, 8, a.Stats().Waiting, 1)
}
