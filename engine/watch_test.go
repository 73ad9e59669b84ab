package engine_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/stretchr/testify/require"
)

// viewOf requests a View while the loop ticks by dt, as often as needed.
func viewOf(t *testing.T, e *engine.Engine, dt time.Duration) *view.View {
	t.Helper()
	return ask(e, dt, func() *view.View {
		v, err := e.Watch().Next(t.Context())
		require.NoError(t, err)
		return v
	})
}

// ask calls f on another goroutine while the loop ticks by dt, until f returns.
func ask[T any](e *engine.Engine, dt time.Duration, f func() T) T {
	answer := make(chan T)
	go func() { answer <- f() }()
	for {
		select {
		case v := <-answer:
			return v
		default:
			e.Tick(dt)
		}
	}
}

// ticking returns a clock that advances by a millisecond at each reading.
func ticking() func() time.Duration {
	var n atomic.Int64
	return func() time.Duration { return time.Duration(n.Add(1)) * time.Millisecond }
}

func TestWatchView(t *testing.T) {
	cat := catalogOf(t,
		buff.Spec{ID: "venom", Kind: define.Infinite, Period: time.Second},
		buff.Spec{ID: "once", Duration: time.Hour, Stack: define.Stacking{By: define.ByTarget, Overflow: define.OverflowDeny}},
	)
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Limits: engine.Limits{Inbox: 77}})
	for id := range buff.OwnerID(5) {
		spawn(t, e, id)
		for range min(id, 3) {
			add(t, e, id, cat.Spec("venom"))
		}
	}
	e.Tick(0) // no View has the events before this Tick
	defer e.Watch().Open(ticking())()
	e.Tick(0)
	add(t, e, 3, cat.Spec("once"))
	r := e.AddBuff(3, buff.Application{Spec: cat.Spec("once")})
	require.Equal(t, buff.Denied, r.Kind)
	e.Tick(3 * time.Second)
	v := viewOf(t, e, 0)

	require.Equal(t, e.Now(), v.Now)
	require.Equal(t, 5, v.Stats.Owners)
	require.Equal(t, 77, v.InboxLimit)
	require.Same(t, cat, v.Catalog)
	require.EqualValues(t, 1, v.Counts[buff.Applied], "what came before the Watch was open is not counted")
	require.EqualValues(t, 3*9, v.Counts[buff.Pulsed])
	require.Equal(t, []view.Denial{{Spec: cat.Spec("once"), Why: reason.Limit, Count: 1}}, v.Denied)
	require.EqualValues(t, 9+2, v.Late[0], "on time, within a frame's start")
	require.EqualValues(t, 9, v.Late[4], "a second late")
	require.EqualValues(t, 9, v.Late[5], "two")
	require.Equal(t, 9*3*time.Second, v.LateSum)
	require.Equal(t, []int{9, 1}, v.Live)
	require.Equal(t, []uint64{0, 1}, v.Refused)
	require.Equal(t, 10, v.Buffs)
	require.Equal(t, view.Ranked{Owner: 3, N: 4}, v.Most[0])
	require.Len(t, v.Most, 4)
	require.Equal(t, 1.0, v.Swept)

	require.Len(t, v.Faces[1].Slots, 120)
	waiting := 0
	for _, f := range v.Faces {
		for _, n := range f.Slots {
			waiting += n
		}
	}
	require.Equal(t, v.Stats.Timers, waiting)
	require.NotEmpty(t, v.Frames)
	require.Positive(t, v.Times.Len())
	for i := 1; i < len(v.Frames); i++ {
		require.Equal(t, v.Frames[i-1].Number+1, v.Frames[i].Number)
	}
}

// TestWatch_Lateness_LargeFrame checks that in a large frame some events are sampled and count for
// all.
func TestWatch_Lateness_LargeFrame(t *testing.T) {
	cat := catalogOf(t,
		buff.Spec{ID: "early", Kind: define.Infinite, Period: time.Second},
		buff.Spec{ID: "late", Kind: define.Infinite, Period: 1600 * time.Millisecond},
	)
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	for id := range buff.OwnerID(5000) {
		spawn(t, e, id)
		add(t, e, id, cat.Spec("early"))
		if id%4 == 0 {
			add(t, e, id, cat.Spec("late"))
		}
	}
	e.Tick(0)
	defer e.Watch().Open(nil)()
	var want [3]float64 // on time, at the end of a slice of the Tick, and far later
	var late time.Duration
	for ev := range e.Tick(2 * time.Second).Events() {
		late += time.Duration(ev.Seen-ev.At) * time.Millisecond
		want[min((ev.Seen-ev.At+249)/250, 2)]++
	}
	require.Positive(t, want[2])
	v := engine.Ask(e)
	require.EqualValues(t, 11_250, v.Counts[buff.Pulsed])
	var sum uint64
	for _, n := range v.Late {
		sum += n
	}
	require.EqualValues(t, 11_250, sum, "all are accounted for")
	require.InEpsilon(t, want[0], float64(v.Late[0]), 0.1)
	require.InEpsilon(t, want[2], float64(v.Late[4]), 0.1)
	require.InEpsilon(t, late.Seconds(), v.LateSum.Seconds(), 0.1)
}

// TestWatchMost checks that the ranking by buffs also finds owners without turns, after a while,
// and does not show owners that have lost their buffs.
func TestWatchMost(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "long", Duration: time.Hour})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	for id := range buff.OwnerID(1000) {
		spawn(t, e, id)
		for range 1 + id%100/99*id/100 {
			add(t, e, id, cat.Spec("long"))
		}
	}
	e.Tick(0)
	defer e.Watch().Open(nil)()
	v := engine.Ask(e)
	require.InDelta(t, 0.032, v.Swept, 0.001, "a frame looks at few")
	for v.Swept < 1 {
		require.Less(t, v.Frame, uint64(40))
		v = engine.Ask(e)
	}
	owners := func() (ids []buff.OwnerID) {
		for _, r := range v.Most {
			ids = append(ids, r.Owner)
		}
		return ids
	}
	require.Equal(t, view.Ranked{Owner: 999, N: 10}, v.Most[0])
	require.Equal(t, []buff.OwnerID{999, 899, 799, 699, 599, 499, 399, 299, 199}, owners()[:9])
	for b := range must(e.Buffs(999)).All() {
		e.Remove(b.Handle)
	}
	require.NoError(t, e.Drop(899))
	v = engine.Ask(e)
	require.Equal(t, []buff.OwnerID{799, 699, 599, 499, 399, 299, 199}, owners()[:7])
	require.Equal(t, 1000+(1+2+3+4+5+6+7+8+9)-10-9, v.Buffs)
	lost := 0
	for b := range must(e.Buffs(799)).All() {
		if lost++; lost > 3 {
			e.Remove(b.Handle)
		}
	}
	v = engine.Ask(e)
	require.Equal(t, []buff.OwnerID{699, 599, 499, 399, 799}, owners()[:5], "who has lost some is in the place of what is left")
	require.EqualValues(t, []int64{7, 6, 5, 4, 3}, []int64{v.Most[0].N, v.Most[1].N, v.Most[2].N, v.Most[3].N, v.Most[4].N})
}

// TestWatchTimes checks the durations of turns by owner, and the durations of frames as reported
// by the game.
func TestWatchTimes(t *testing.T) {
	var now atomic.Int64
	clock := func() time.Duration { return time.Duration(now.Load()) }
	cat := catalogOf(t, buff.Spec{ID: "venom", Kind: define.Infinite, Period: 50 * time.Millisecond, On: define.Hooks{Pulse: call("burn")}})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Handlers: engine.Handlers{
		"burn": func(c *engine.Context, _ buff.Event) { now.Add(int64(c.Owner()) * int64(time.Microsecond)) },
	}})
	for id := range buff.OwnerID(31) {
		if id > 0 {
			spawn(t, e, id)
			add(t, e, id, cat.Spec("venom"))
		}
	}
	defer e.Watch().Open(clock)()
	for range 400 {
		e.Tick(50 * time.Millisecond)
		e.Watch().Frame(7 * time.Millisecond)
	}
	v := engine.Ask(e)
	require.Len(t, v.Busiest, 10)
	require.True(t, slices.IsSortedFunc(v.Busiest, func(a, b view.Ranked) int { return int(b.N - a.N) }))
	// Of the 30 turns of a frame the first 8 are measured, and of the others one in two or in
	// four. The mean is owner × 100 µs. The random numbers have a fixed seed, so the result is the
	// same in every run.
	require.Contains(t, []buff.OwnerID{26, 27, 28, 29, 30}, v.Busiest[0].Owner)
	require.Equal(t, 5*time.Second, v.BusySpan)
	require.EqualValues(t, 400, v.Times.Len())
	require.Equal(t, 400*7*time.Millisecond, v.Took)
	require.Equal(t, 7*time.Millisecond, v.Frames[len(v.Frames)-1].Took)
	require.Len(t, v.Frames, 256)
	require.InEpsilon(t, 7e6, float64(v.Times.Quantile(0.99)), 0.2)
	require.InEpsilon(t, float64(400*465*time.Microsecond), float64(v.Handled), 0.1)
}

func TestWatchFollow(t *testing.T) {
	cat := catalogOf(t,
		buff.Spec{ID: "venom", Duration: 10 * time.Second, Period: time.Second},
		buff.Spec{ID: "once", Duration: time.Hour, Stack: define.Stacking{By: define.ByTarget, Overflow: define.OverflowDeny}},
	)
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	require.NoError(t, e.Spawn(7, "seven"))
	w := e.Watch()
	defer w.Open(nil)()
	add(t, e, 7, cat.Spec("once"))
	e.Tick(0)
	e.AddBuff(7, buff.Application{Spec: cat.Spec("once"), Source: 9})
	e.Tick(0)

	leave, err := w.Follow(7, func(data any) any { return data.(string) + "!" })
	require.NoError(t, err)
	again, err := w.Follow(7, nil)
	require.NoError(t, err)
	absent, err := w.Follow(8, nil)
	require.NoError(t, err)
	e.Tick(0)
	add(t, e, 7, cat.Spec("venom"))
	e.Tick(3500 * time.Millisecond)
	v := viewOf(t, e, 0)
	o := v.Owners[7]
	require.True(t, o.Present)
	require.Equal(t, "seven!", o.Data)
	require.EqualValues(t, 3, o.Pulses)
	require.Equal(t, 2, o.Carried)
	require.Equal(t, "venom", o.Buffs[1].Spec.ID)
	require.EqualValues(t, 4000, o.Buffs[1].NextPulse)
	kinds := []buff.EventKind{}
	for _, ev := range o.Events {
		kinds = append(kinds, ev.Kind)
	}
	require.Equal(t, []buff.EventKind{buff.Denied, buff.Applied, buff.Pulsed, buff.Pulsed, buff.Pulsed}, kinds,
		"what was refused before somebody followed is still known")
	require.Equal(t, reason.Limit, o.Events[0].Why)
	require.False(t, v.Owners[8].Present)

	require.NoError(t, e.Inbox().Do(buff.Pause(7)))
	e.Tick(0)
	require.True(t, viewOf(t, e, 0).Owners[7].Paused)
	absent()
	again()
	require.Len(t, viewOf(t, e, 0).Owners, 1, "somebody still follows")
	leave()
	leave()
	require.Empty(t, viewOf(t, e, 0).Owners)
}

// TestWatch_Look_Panics checks that a panic of a look function is reported, and that the game
// continues.
func TestWatch_Look_Panics(t *testing.T) {
	e := open(t, engine.Options{Synchronous: true})
	spawn(t, e, 7)
	leave, err := e.Watch().Follow(7, func(any) any { panic("wrong") })
	require.NoError(t, err)
	defer leave()
	require.Equal(t, "wrong", viewOf(t, e, 0).Owners[7].Fault)
}

func TestWatchLimits(t *testing.T) {
	e := open(t, engine.Options{Synchronous: true})
	w := e.Watch()
	for id := range buff.OwnerID(engine.MaxFollowed) {
		spawn(t, e, id)
		leave, err := w.Follow(id, nil)
		require.NoError(t, err)
		defer leave()
	}
	_, err := w.Follow(1000, nil)
	require.ErrorIs(t, err, view.ErrTooManyFollowed)
	defer w.Open(nil)()
	seen := map[buff.OwnerID]bool{}
	for range engine.MaxFollowed / 8 {
		for id := range viewOf(t, e, 0).Owners {
			seen[id] = true
		}
	}
	require.Len(t, seen, engine.MaxFollowed, "everybody has had a turn")
}

func TestWatchOwners(t *testing.T) {
	e := open(t, engine.Options{Synchronous: true})
	for id := range buff.OwnerID(9000) {
		spawn(t, e, id)
	}
	require.NoError(t, e.Drop(1234))
	type reply struct {
		ids  []buff.OwnerID
		next int
		err  error
	}
	var all []buff.OwnerID
	rounds, from := 0, 0
	for {
		r := ask(e, 0, func() (r reply) {
			r.ids, r.next, r.err = e.Watch().Owners(t.Context(), from)
			return r
		})
		require.NoError(t, r.err)
		all = append(all, r.ids...)
		rounds++
		if from = r.next; from == 0 {
			break
		}
	}
	require.Equal(t, 3, rounds)
	require.Len(t, all, 8999)
	require.NotContains(t, all, buff.OwnerID(1234))
}

// TestWatch_Look_Unanswered checks the errors for a loop that does not tick, and for a closed
// engine.
func TestWatch_Look_Unanswered(t *testing.T) {
	e := open(t, engine.Options{Synchronous: true})
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	_, err := e.Watch().Next(ctx)
	require.ErrorContains(t, err, "the loop has not ticked: enough")
	_, _, err = e.Watch().Owners(ctx, 0)
	require.Error(t, err)
	require.NoError(t, e.Close(t.Context()))
	_, err = e.Watch().Next(ctx)
	require.ErrorIs(t, err, engine.ErrClosed)
}

// TestWatchStuck checks that busy owners are shown with their last known buffs, and as busy.
func TestWatchStuck(t *testing.T) {
	gate, in := make(chan struct{}), make(chan struct{})
	cat := catalogOf(t, buff.Spec{ID: "trap", Kind: define.Infinite, Period: time.Second, On: define.Hooks{Pulse: call("hang")}})
	e := open(t, engine.Options{Catalog: cat, Workers: 2, Budget: time.Millisecond, Handlers: engine.Handlers{
		"hang": func(*engine.Context, buff.Event) { close(in); <-gate },
	}})
	spawn(t, e, 7)
	add(t, e, 7, cat.Spec("trap"))
	leave, err := e.Watch().Follow(7, nil)
	require.NoError(t, err)
	defer leave()
	defer e.Watch().Open(ticking())()
	require.Equal(t, 1, viewOf(t, e, 0).Owners[7].Carried)
	e.Tick(time.Second)
	<-in
	v := viewOf(t, e, 0)
	require.Equal(t, buff.OwnerID(7), v.Stuck[0].Owner)
	require.Equal(t, "trap", v.Stuck[0].Spec.ID)
	require.True(t, v.Owners[7].Busy)
	require.Equal(t, 1, v.Owners[7].Carried)
	require.Positive(t, v.Mail)
	require.False(t, v.Owners[7].Unseen)

	// If the owner is first followed while it is busy, its buffs are unknown, which is different
	// from none.
	leave()
	viewOf(t, e, 0)
	leave, err = e.Watch().Follow(7, nil)
	require.NoError(t, err)
	defer leave()
	for range 3 {
		v = viewOf(t, e, 0)
		require.True(t, v.Owners[7].Present && v.Owners[7].Busy && v.Owners[7].Unseen)
	}
	close(gate)
	for v = viewOf(t, e, 0); v.Owners[7].Busy; v = viewOf(t, e, 0) {
	}
	require.False(t, v.Owners[7].Unseen)
	require.Equal(t, 1, v.Owners[7].Carried)
}

// TestWatchAllocations checks that without watchers nothing is allocated or kept.
func TestWatchAllocations(t *testing.T) {
	e, _ := steady(t, 1000, 0)
	leave := e.Watch().Open(ticking())
	for range 20 {
		e.Tick(time.Second)
	}
	leave()
	for range 20 {
		e.Tick(time.Second)
	}
	require.Zero(t, testing.AllocsPerRun(100, func() { e.Tick(time.Second) }))
	require.Zero(t, testing.AllocsPerRun(100, func() { e.Tick(0) }))
}

func TestHistogram(t *testing.T) {
	for d := time.Duration(1); d < 20*time.Second; d += d/7 + 1 {
		h := engine.HistogramOf(d)
		i := slices.IndexFunc(h[:], func(n uint64) bool { return n > 0 })
		if i < len(h)-1 {
			require.Less(t, d, h.Bound(i))
		}
		if i > 0 {
			require.GreaterOrEqual(t, d, h.Bound(i-1))
		}
	}
	var none view.Histogram
	require.Zero(t, none.Quantile(0.99))

	// Of two durations, half are below the first bound, and a larger quantile is only below the
	// second.
	two := *engine.HistogramOf(time.Millisecond)
	long := engine.HistogramOf(time.Second)
	for i, n := range long {
		two[i] += n
	}
	require.Equal(t, engine.HistogramOf(time.Millisecond).Quantile(1), two.Quantile(0.5))
	require.Equal(t, long.Quantile(1), two.Quantile(0.75))
}

// TestTick_IndependentOfWatchers checks that a Tick does not wait for watchers: not for the lock of
// Follow, not for a reader of an answer, and not for a reader of a View.
func TestTick_IndependentOfWatchers(t *testing.T) {
	e := open(t, engine.Options{Synchronous: true})
	spawn(t, e, 7)
	w := e.Watch()
	defer w.Open(ticking())()
	leave, err := w.Follow(7, nil)
	require.NoError(t, err)
	defer leave()
	ctx, cancel := context.WithCancel(t.Context())
	var asking sync.WaitGroup
	for range 1000 {
		asking.Go(func() {
			for ctx.Err() == nil {
				_, _ = w.Next(ctx)
				_, _, _ = w.Owners(ctx, 0)
			}
		})
	}
	unlock := engine.LockWatch(e)
	for n := range uint64(2000) {
		require.Equal(t, n+1, e.Tick(time.Millisecond).Number)
	}
	unlock()
	cancel()
	asking.Wait()
}

// TestWatchAttributes checks that the attributes of an owner are shown with the effect of each
// buff.
func TestWatchAttributes(t *testing.T) {
	cat := statsOf(t, might, wrath)
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	spawn(t, e, 7)
	spawn(t, e, 8)
	e.AddBuff(7, buff.Application{Spec: cat.Spec("might"), Source: 9})
	add(t, e, 7, cat.Spec("wrath"))
	for _, id := range []buff.OwnerID{7, 8} {
		leave, err := e.Watch().Follow(id, nil)
		require.NoError(t, err)
		defer leave()
	}
	v := viewOf(t, e, 0)
	require.Equal(t, []view.Attribute{
		{Name: "health", Base: 100, Value: 100},
		{Name: "power", Base: 10, Value: 22.5, ModifierCount: 2, Modifiers: []view.Modifier{
			{Spec: cat.Spec("might"), Source: 9, Op: stat.Add, Value: 5}, {Spec: cat.Spec("wrath"), Op: stat.MulAdd, Value: 0.5},
		}},
	}, v.Owners[7].Attributes)
	require.Equal(t, 10.0, v.Owners[8].Attributes[1].Value)
	e.Tick(20 * time.Second)
	require.Equal(t, view.Attribute{Name: "power", Base: 10, Value: 10}, viewOf(t, e, 0).Owners[7].Attributes[1])
}
