package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// stalled returns an engine in which each owner has a buff that pulses at the period.
func stalled(tb testing.TB, owners int, period time.Duration, o engine.Options) *engine.Engine {
	tb.Helper()
	o.Catalog = catalogOf(tb, buff.Spec{ID: "beat", Kind: define.Infinite, Period: period})
	e := open(tb, o)
	for id := range owners {
		spawn(tb, e, buff.OwnerID(id+1))
		add(tb, e, buff.OwnerID(id+1), o.Catalog.Spec("beat"))
	}
	e.Tick(0)
	return e
}

// TestP10_Stall checks that after a stall of 5 s, 1 h and 25 h no Tick processes more than its
// limit, that the backlog is reported and shrinks, and that finally each pulse was seen, in order.
func TestP10_Stall(t *testing.T) {
	for _, stall := range []time.Duration{5 * time.Second, time.Hour, 25 * time.Hour} {
		for _, workers := range []int{0, 2} {
			period := max(100*time.Millisecond, stall/500)
			t.Run(fmt.Sprint(stall, workers), func(t *testing.T) {
				const owners, limit = 100, 1000
				e := stalled(t, owners, period, engine.Options{Synchronous: workers == 0, Workers: workers, Budget: patient, Limits: engine.Limits{Tick: limit}})
				next := make([]wheel.Time, owners+1)
				for dt, behind, ticks := stall, stall, 0; dt > 0 || behind > 0; dt, ticks = 0, ticks+1 {
					require.Less(t, ticks, 2000)
					f := e.Tick(dt)
					require.LessOrEqual(t, f.Len(), limit)
					require.LessOrEqual(t, engine.Worked(e), limit)
					require.True(t, f.Behind == 0 || f.Behind < behind, "the backlog must shrink")
					behind = f.Behind
					require.Equal(t, behind, e.Stats().Behind)
					require.Equal(t, wheel.Time(0).After(stall-behind), f.Now)
					require.Equal(t, f.Now, e.Now())
					for ev := range f.Events() {
						next[ev.Owner] += wheel.Time(period.Milliseconds())
						require.Equal(t, next[ev.Owner], ev.At)
						require.LessOrEqual(t, ev.Seen, f.Now)
						require.LessOrEqual(t, ev.At, ev.Seen, "P1: never early")
					}
				}
				for _, at := range next[1:] {
					require.Equal(t, wheel.Time(stall.Milliseconds()/period.Milliseconds()*period.Milliseconds()), at)
				}
				require.Zero(t, e.Stats().Lost)
			})
		}
	}
}

// TestP10_Slices checks the length of slices. A Tick passes time without deadlines in one slice.
// From the first deadline on, a slice is as long as Limits.Tick allows if each due event repeats
// after 50 ms. The time at which an event was seen shows where its slice ended. The quota of the
// second slice is smaller by the processed events and by 16, the fixed cost of a slice.
func TestP10_Slices(t *testing.T) {
	const limit = 400
	for _, c := range []struct {
		due  []time.Duration // one deadline for each owner
		want []time.Duration // ends of the slices in which the deadlines were due
	}{
		{[]time.Duration{2 * time.Hour}, []time.Duration{2*time.Hour + 20*time.Second}},
		{[]time.Duration{2 * time.Hour, 2*time.Hour + 19*time.Second}, []time.Duration{2*time.Hour + 19*time.Second, 2*time.Hour + 19*time.Second}},
		{[]time.Duration{2 * time.Hour, 2*time.Hour + 9*time.Second}, []time.Duration{2*time.Hour + 10*time.Second, 2*time.Hour + 10*time.Second}},
		{[]time.Duration{2 * time.Hour, 2*time.Hour + 21*time.Second}, []time.Duration{2*time.Hour + 20*time.Second, 2*time.Hour + 21*time.Second + (limit-1-16)*50*time.Millisecond}},
		{[]time.Duration{3*time.Hour - time.Second}, []time.Duration{3 * time.Hour}},
	} {
		e := open(t, engine.Options{Synchronous: true, Limits: engine.Limits{Tick: limit}})
		got := make([]time.Duration, len(c.due))
		for k, due := range c.due {
			id := buff.OwnerID(k + 1)
			spawn(t, e, id)
			_, err := e.AddTimeout(id, due, func(*engine.Context) {})
			require.NoError(t, err)
		}
		f := e.Tick(3 * time.Hour)
		require.EqualValues(t, 3*60*60*1000, f.Now)
		for ev := range f.Events() {
			got[ev.Owner-1] = time.Duration(ev.Seen) * time.Millisecond
		}
		require.Equal(t, c.want, got)
	}
}

// TestP10_Dilate checks that the time for which a Tick has no quota left is dropped and counted,
// and that no due event is lost: it runs later.
func TestP10_Dilate(t *testing.T) {
	e := stalled(t, 10, 100*time.Millisecond, engine.Options{Synchronous: true, Limits: engine.Limits{Tick: 500}, CatchUp: engine.Dilate})
	f := e.Tick(time.Hour)
	require.Zero(t, f.Behind)
	require.NotZero(t, f.Lost)
	require.Equal(t, time.Hour, f.Lost+time.Duration(f.Now)*time.Millisecond)
	require.Equal(t, f.Lost, e.Stats().Lost)
	reached, pulses := f.Now, f.Len()
	for range 10 {
		f = e.Tick(50 * time.Millisecond)
		require.Zero(t, f.Lost)
		pulses += f.Len()
	}
	require.Equal(t, reached+500, f.Now)
	require.Equal(t, int(f.Now/100)*10, pulses)
	require.Equal(t, int64(time.Hour/time.Millisecond)+500, e.Moment().Wall, "the wall clock does not stand still")
	require.EqualValues(t, f.Now, e.Moment().Uptime, "the world's does")
}

// TestP09_LimitDoesNotMatter checks that with Carry a limit only moves events to later Ticks, with
// any number of workers.
func TestP09_LimitDoesNotMatter(t *testing.T) {
	seeds := uint64(long.Times(1))
	for seed := range seeds {
		p := plan{seed: seed, owners: 20, steps: 25, churn: true}
		run := func(o engine.Options) (events map[buff.OwnerID][]string, carried int) {
			s := newSim(t, p, o)
			s.run(func(d time.Duration) []time.Duration {
				s.tick(7 * d)
				for s.eng.Stats().Behind > 0 || s.eng.Stats().Busy > 0 {
					carried++
					s.tick(0)
				}
				return nil
			})
			return s.finish().events, carried
		}
		want, none := run(engine.Options{Synchronous: true})
		require.Zero(t, none)
		for _, limit := range []int{1, 30, 1000} {
			for _, workers := range []int{0, 3} {
				for _, turn := range []int{0, 1} {
					o := engine.Options{Limits: engine.Limits{Tick: limit, Turn: turn}, Synchronous: workers == 0, Workers: workers, Budget: patient}
					got, carried := run(o)
					require.True(t, carried > 10 || limit == 1000, "nothing was carried")
					requireSameOwners(t, want, got, p, " with limit ", limit, ", workers ", workers)
				}
			}
		}
	}
}

// TestP45_LimitAndWorkers checks that the instant at which a Tick stops does not depend on the
// number of workers, even if owners issue commands for each other, and if the Tick stops in the
// middle of an instant while some owners wait for their turn and the loop issues more commands.
func TestP45_LimitAndWorkers(t *testing.T) {
	for _, policy := range []engine.CatchUp{engine.Carry, engine.Dilate} {
		for _, limit := range []int{200, 15} {
			p := plan{seed: 3, owners: 60, steps: 40, outbox: true, inbox: true, churn: true, shared: true}
			run := func(o engine.Options) []string {
				o.Limits.Tick, o.CatchUp = limit, policy
				s := newSim(t, p, o)
				stopped, divided := 0, 0
				s.run(func(d time.Duration) []time.Duration {
					for _, dt := range []time.Duration{3 * d, 0, 0} {
						s.tick(dt)
						st := s.eng.Stats()
						if st.Behind+st.Lost > 0 {
							stopped++
						}
						if st.Busy > 0 {
							divided++
						}
						// The work of one deadline, an event and its consequences, is not divided.
						require.Less(t, engine.Worked(s.eng), limit+60)
						s.frames = append(s.frames, fmt.Sprint(st))
					}
					return nil
				})
				require.Greater(t, stopped, 10, "the limit has done nothing")
				require.True(t, divided > 10 || limit == 200, "no instant was divided")
				return s.finish().frames
			}
			want := run(engine.Options{Synchronous: true})
			for _, workers := range []int{1, 2, 8} {
				requireSame(t, want, run(engine.Options{Workers: workers, Budget: patient}), policy, " limit ", limit, " workers ", workers)
			}
		}
	}
}

// TestP10_MemoryOfADay checks that a Tick of a day with pulses every 50 ms does not hold all its
// events.
func TestP10_MemoryOfADay(t *testing.T) {
	e := stalled(t, 10, 50*time.Millisecond, engine.Options{Synchronous: true})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f := e.Tick(24 * time.Hour)
	runtime.ReadMemStats(&after)
	require.NotZero(t, f.Behind)
	require.LessOrEqual(t, f.Len(), engine.DefaultTickLimit)
	// Ten owners pulse 17 million times in a day, which would need 2 GB and more.
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100<<20))
	rest := f.Behind
	require.Less(t, e.Tick(0).Behind, rest)
	for id := range buff.OwnerID(10) {
		require.NoError(t, e.Drop(id+1)) // otherwise Close would process the rest of the day
	}
}

// TestTick_EndlessHandlers checks that an owner whose handlers create work endlessly at one
// instant gets no more than its allowance in each Tick. Time waits for it until it has processed
// Limits.Tick events, and then continues for all other owners.
func TestTick_EndlessHandlers(t *testing.T) {
	for _, workers := range []int{0, 2} {
		cat := catalogOf(t, buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second})
		e := open(t, engine.Options{Catalog: cat, Limits: engine.Limits{Tick: 2000, Buffs: 500}, Synchronous: workers == 0, Workers: workers, Budget: patient})
		spawn(t, e, 1, 2)
		rings, halt := 0, false
		var again func(c *engine.Context)
		again = func(c *engine.Context) {
			if rings++; halt {
				return
			}
			for range min(rings, 2) {
				c.AddTimeout(1, 0, again)
			}
		}
		_, err := e.AddTimeout(1, 0, again)
		require.NoError(t, err)
		add(t, e, 2, cat.Spec("beat"))
		pulses := 0
		for tick := range 60 {
			f := e.Tick(50 * time.Millisecond)
			require.Zero(t, f.Behind, "nobody else waits")
			require.LessOrEqual(t, engine.Worked(e), 2000)
			for ev := range f.Events() {
				if ev.Kind == buff.Pulsed {
					pulses++
				}
			}
			if tick == 30 {
				require.True(t, e.Busy(1))
				r := e.AddBuff(1, buff.Application{Spec: cat.Spec("beat")})
				require.NoError(t, r.Failure)
				require.True(t, r.Queued, "it is asked for an instant that the owner has not come to")
			}
		}
		require.Equal(t, 3, pulses)
		halt = true
		require.NoError(t, e.Drop(1))
		for range 5 {
			e.Tick(0)
		}
		require.Zero(t, e.Stats().Busy)
	}
}

// TestP10_BudgetStopsTheTime checks that if handlers take up the whole budget, the rest of a stall
// is left to the next Tick, so that a busy owner does not get the messages of a whole day.
func TestP10_BudgetStopsTheTime(t *testing.T) {
	begun, cell := make(chan struct{}), make(chan struct{})
	first := true
	cat := catalogOf(t, buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second, On: define.Hooks{Pulse: call("wait")}})
	e := open(t, engine.Options{Catalog: cat, Workers: 1, Budget: brief, Limits: engine.Limits{Tick: 100}, Handlers: engine.Handlers{
		"wait": func(*engine.Context, buff.Event) {
			if first {
				first = false
				close(begun)
				<-cell
			}
		},
	}})
	release := sync.OnceFunc(func() { close(cell) })
	t.Cleanup(release) // before the engine is closed, even if the test fails
	spawn(t, e, 1, 2)
	add(t, e, 1, cat.Spec("beat"))
	add(t, e, 2, cat.Spec("beat"))
	f := e.Tick(time.Hour)
	require.NotZero(t, f.Behind)
	<-begun // otherwise the budget may end before a worker has started, and Stuck would be empty
	f = e.Tick(0)
	require.Len(t, f.Stuck, 1)
	release()
	for f.Behind > 0 || e.Stats().Busy > 0 {
		behind := f.Behind
		f = e.Tick(0)
		require.LessOrEqual(t, f.Behind, behind)
	}
	require.EqualValues(t, 3_600_000, f.Now)
}

// TestP50_CloseProcessesCarriedTime checks that Close processes carried time, because it is
// accepted work.
func TestP50_CloseProcessesCarriedTime(t *testing.T) {
	calls := 0
	cat := catalogOf(t, buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second, On: define.Hooks{Pulse: call("count")}})
	e, err := engine.New(engine.Options{Catalog: cat, Synchronous: true, Limits: engine.Limits{Tick: 50}, Handlers: engine.Handlers{
		"count": func(*engine.Context, buff.Event) { calls++ },
	}})
	require.NoError(t, err)
	spawn(t, e, 1)
	add(t, e, 1, cat.Spec("beat"))
	require.NotZero(t, e.Tick(time.Hour).Behind)
	shut(t, e)
	require.Equal(t, 3600, calls)
}

// TestP50_CloseEnds checks that Close processes a limited part of the carried time, and none after
// its context has ended. The remaining time is dropped and counted.
func TestP50_CloseEnds(t *testing.T) {
	const day = 24 * time.Hour
	e := stalled(t, 3, 50*time.Millisecond, engine.Options{Synchronous: true})
	require.NotZero(t, e.Tick(400*day).Behind)
	require.NoError(t, e.Close(context.Background()))
	now := time.Duration(e.Now()) * time.Millisecond
	require.Equal(t, 400*day, now+e.Stats().LostAtClose)
	require.Greater(t, 3*int(now/(50*time.Millisecond)), 1<<20-3)
	require.Less(t, 3*int(now/(50*time.Millisecond)), 1<<20+2*engine.DefaultTickLimit)
	require.Zero(t, e.Stats().Behind)

	e = stalled(t, 3, 50*time.Millisecond, engine.Options{Synchronous: true})
	require.NotZero(t, e.Tick(400*day).Behind)
	reached := e.Now()
	for range 99 { // each of them continues with events that were due by now
		if e.Close(ended()) == nil {
			break
		}
	}
	require.NoError(t, e.Close(ended()), "there is nobody to wait for")
	require.Equal(t, reached, e.Now())
	require.Equal(t, 400*day, time.Duration(reached)*time.Millisecond+e.Stats().LostAtClose)
}

// TestCatchUp_Names checks the names of the policies, and that an unknown policy is refused.
func TestCatchUp_Names(t *testing.T) {
	_, err := engine.New(engine.Options{CatchUp: engine.Dilate + 1, Limits: engine.Limits{Tick: -1}})
	require.ErrorContains(t, err, "Options.CatchUp must be Carry or Dilate, not 2")
	require.ErrorContains(t, err, "Options.Limits.Tick must be from 1 to 1073741824, not -1")
}

// TestFrame_SeenInLateFrame checks that in a late frame that is processed in one slice, all events
// have the same Seen.
func TestFrame_SeenInLateFrame(t *testing.T) {
	e := stalled(t, 1, time.Second, engine.Options{Synchronous: true})
	seen := []wheel.Time{}
	for ev := range e.Tick(8 * time.Second).Events() {
		seen = append(seen, ev.Seen)
	}
	require.Len(t, seen, 8)
	require.Equal(t, []wheel.Time{8000}, slices.Compact(seen))
}
