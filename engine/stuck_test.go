package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/stretchr/testify/require"
)

// TestP19_OtherOwnersAreProcessed checks that with 3 of 4 workers stuck, every other owner is
// processed in the same Tick, and that the frame lists the three stuck owners with their
// definition and time.
func TestP19_OtherOwnersAreProcessed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const owners = 50
		p := newPrison(t, owners, engine.Options{Workers: 4})
		p.hold(2, 20, 50)
		for n := range 4 {
			f := p.Tick(time.Second)
			require.Equal(t, []buff.OwnerID{2, 20, 50}, stuck(f))
			for _, s := range f.Stuck {
				require.Equal(t, p.beat, s.Spec)
				require.Equal(t, time.Duration(n)*time.Second, s.For)
			}
			require.Zero(t, f.Waiting)
			for id := range buff.OwnerID(owners) {
				want := []int64{int64(n+1) * 1000}
				if p.gates[id+1] != nil {
					want = []int64{}
				}
				require.Equal(t, want, at(f, id+1, buff.Pulsed, p.beat), "owner %d", id+1)
				require.Equal(t, p.gates[id+1] != nil, p.Busy(id+1))
			}
			require.Equal(t, 3, p.Stats().Busy)
		}
		p.free()
		f := p.Tick(0)
		require.Empty(t, f.Stuck)
		for _, id := range []buff.OwnerID{2, 20, 50} {
			require.Equal(t, []int64{1000, 2000, 3000, 4000}, at(f, id, buff.Pulsed, p.beat), "nothing lost, in order")
			require.False(t, p.Busy(id))
		}
		p.leave(t)
	})
}

// TestP19_OnlyFirstFrameWaits checks that a stuck owner costs the budget once and not in every
// frame.
func TestP19_OnlyFirstFrameWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPrison(t, 10, engine.Options{Workers: 2, Budget: time.Hour})
		p.hold(5)
		begin := time.Now()
		p.Tick(time.Second)
		require.Equal(t, time.Hour, time.Since(begin))
		for range 10 {
			f := p.Tick(time.Second)
			require.Equal(t, []buff.OwnerID{5}, stuck(f))
			require.Equal(t, 9, f.Len())
		}
		require.Equal(t, time.Hour, time.Since(begin))
		p.leave(t)
	})
}

// TestP20_CostOfStuckHandlers checks that each handler that gets stuck costs the loop one Budget,
// in the Tick in which it gets stuck, and later Ticks nothing. If the last worker is stuck, a Tick
// does not wait at all. Owners that wait for a worker cost nothing either. When a worker is free
// again, Ticks wait for its owners as usual.
func TestP20_CostOfStuckHandlers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const owners, workers, budget = 30, 3, time.Second
		p := newPrison(t, owners, engine.Options{Workers: workers, Budget: budget})
		ticks := func(n int) (cost time.Duration) {
			begin := time.Now()
			for range n {
				p.Tick(time.Second)
			}
			return time.Since(begin)
		}
		require.Zero(t, ticks(3))
		for k := range buff.OwnerID(workers) {
			synctest.Wait() // until stuck handlers have read the gates
			p.hold(10*k + 1)
			require.Equal(t, budget, ticks(1), "the Tick in which owner %d gets stuck", 10*k+1)
			now := p.Now()
			require.Zero(t, ticks(5), "those after it, %d of %d workers stuck", k+1, workers)
			require.Greater(t, p.Now(), now+1000, "time goes on, %d of %d workers stuck", k+1, workers)
			require.Equal(t, int(k)+1, len(p.Tick(0).Stuck))
		}
		require.Positive(t, p.Tick(time.Second).Waiting)
		close(p.gates[11])
		synctest.Wait()
		delete(p.gates, 11)
		require.Zero(t, ticks(3), "one has come back")
		require.Zero(t, p.Tick(time.Second).Waiting)
		synctest.Wait()
		p.hold(12)
		require.Equal(t, budget, ticks(1))
		require.Zero(t, ticks(5))
		p.leave(t)
	})
}

// TestQueued checks that commands for a busy owner wait, and are executed in order, with the time
// of the call and after all events that were due by then.
func TestQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPrison(t, 2, engine.Options{Workers: 2})
		old := add(t, p.Engine, 1, p.mark)
		p.hold(1)
		p.Tick(time.Second)

		r := p.AddBuff(1, buff.Application{Spec: p.late})
		h := r.Handle
		require.Equal(t, buff.Result{Queued: true}, r)
		require.Zero(t, h)
		require.Equal(t, buff.Result{Queued: true}, p.Do(buff.Extend(old, time.Second)))
		p.Tick(time.Second)
		timeout, err := p.AddTimeout(1, 500*time.Millisecond, func(*engine.Context) {})
		require.NoError(t, err)
		require.Zero(t, timeout)
		require.Equal(t, buff.Result{Queued: true}, p.Remove(old))
		p.Tick(time.Second)

		p.free()
		var got []string
		for range 3 {
			synctest.Wait()
			for _, l := range lines(p.Tick(0)) {
				if l[0] == '1' {
					got = append(got, l)
				}
			}
		}
		require.Equal(t, []string{
			"1: 1000 pulse beat x1",
			"1: 1000 apply late x1 end=11000",
			"1: 1000 refresh mark x1 end=2500",
			"1: 2000 pulse beat x1",
			"1: 2000 remove mark why=cancelled",
			"1: 2500 timeout",
			"1: 3000 pulse beat x1",
		}, got)
		p.leave(t)
	})
}

// TestQueued_HandlerRunsFirst checks that a handler triggered by a queued command is called before
// the owner executes commands of a later frame, as if the owner had not been busy.
func TestQueued_HandlerRunsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := gates{}
		cat := catalogOf(t,
			buff.Spec{ID: "hang", Kind: define.Instant, On: define.Hooks{Exec: call("wait")}},
			buff.Spec{ID: "cause", Kind: define.Instant, On: define.Hooks{Exec: call("follow")}},
			buff.Spec{ID: "effect", Kind: define.Infinite},
			buff.Spec{ID: "later", Kind: define.Infinite},
		)
		e := open(t, engine.Options{Catalog: cat, Workers: 1, Budget: brief, Handlers: engine.Handlers{
			"wait":   g.wait,
			"follow": func(c *engine.Context, _ buff.Event) { c.AddBuff(1, buff.Application{Spec: cat.Spec("effect")}) },
		}})
		spawn(t, e, 1)
		got := []string{}
		ask := func(spec string, queued bool) {
			r := e.AddBuff(1, buff.Application{Spec: cat.Spec(spec)})
			require.NoError(t, r.Failure)
			require.Equal(t, queued, r.Queued)
			got = append(got, lines(e.Tick(0))...)
		}
		g.hold(1)
		ask("hang", false)
		r := e.AddBuff(1, buff.Application{Spec: cat.Spec("cause")})
		require.True(t, r.Queued)
		g.free()
		got = append(got, lines(e.Tick(0))...)
		ask("later", false) // the previous Tick has caught up
		require.Equal(t, []string{"1: 0 exec hang x1", "1: 0 exec cause x1", "1: 0 apply effect x1", "1: 0 apply later x1"}, got)
		require.False(t, e.Busy(1))
		shut(t, e)
	})
}

// TestStuck_OldEventsAreReleased checks that while an owner is stuck, the events of earlier frames
// are not kept in memory, whether or not the loop has reused lists before.
func TestStuck_OldEventsAreReleased(t *testing.T) {
	for _, before := range []int{0, 3} {
		synctest.Test(t, func(t *testing.T) {
			const owners = 20
			p := newPrison(t, owners, engine.Options{Workers: 2})
			for range before {
				require.Equal(t, owners, p.Tick(time.Second).Len())
			}
			p.hold(3)
			for range 200 {
				require.LessOrEqual(t, owners-1, p.Tick(time.Second).Len())
			}
			require.LessOrEqual(t, engine.Kept(p.Engine), 8*owners, "after %d frames", before)
			p.leave(t)
		})
	}
}

// TestP20_AllStuck checks that with all workers stuck a Tick ends with its budget, the frame has
// the number of waiting owners, and the errors name the limit of mailboxes. Afterwards no command
// is lost.
func TestP20_AllStuck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const owners, limit = 20, 8
		p := newPrison(t, owners, engine.Options{Workers: 2, Limits: engine.Limits{Mailbox: limit}})
		for id := range buff.OwnerID(owners) {
			p.hold(id + 1)
		}
		f := p.Tick(time.Second)
		require.Len(t, f.Stuck, 2)
		require.Equal(t, owners-2, f.Waiting)
		accepted := map[buff.OwnerID]int{}
		for range 5 * limit {
			for id := range buff.OwnerID(owners) {
				if r := p.AddBuff(id+1, buff.Application{Spec: p.mark}); r.Failure != nil {
					require.ErrorIs(t, r.Failure, engine.ErrOverloaded)
				} else {
					require.True(t, r.Queued)
					accepted[id+1]++
				}
			}
			f = p.Tick(time.Second)
			require.Len(t, f.Stuck, 2)
			require.Equal(t, owners-2, f.Waiting)
		}
		for id := range owners {
			require.Equal(t, limit, accepted[buff.OwnerID(id+1)], "the limit counts commands and nothing else")
			// Each command is preceded by a run message, and one timer has fired.
			require.LessOrEqual(t, engine.Mail(p.Engine, id), 2*limit+4, "a mailbox grows")
		}
		require.Equal(t, uint64(5*limit*owners-total(accepted)), p.Stats().Refused)
		now := int64(p.Now())

		p.free()
		pulses, marks := map[buff.OwnerID][]int64{}, map[buff.OwnerID]int{}
		for range 4 {
			synctest.Wait()
			f = p.Tick(0)
			for id := range buff.OwnerID(owners) {
				pulses[id+1] = append(pulses[id+1], at(f, id+1, buff.Pulsed, p.beat)...)
				marks[id+1] += len(at(f, id+1, buff.Applied, p.mark)) + len(at(f, id+1, buff.Refreshed, p.mark))
			}
		}
		require.Empty(t, f.Stuck)
		require.Equal(t, accepted, marks)
		for id := range buff.OwnerID(owners) {
			require.Len(t, pulses[id+1], int(now/1000), "owner %d", id+1)
			for i, at := range pulses[id+1] {
				require.EqualValues(t, 1000*(i+1), at, "owner %d", id+1)
			}
		}
		p.leave(t)
	})
}

func total(counts map[buff.OwnerID]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// TestP23_LongBacklog checks that an owner with thousands of due events yields to others: with one
// worker, the other owner is processed before the backlog is done.
func TestP23_LongBacklog(t *testing.T) {
	var order []buff.OwnerID
	handlers := engine.Handlers{"note": func(c *engine.Context, _ buff.Event) { order = append(order, c.Owner()) }}
	cat := catalogOf(t, buff.Spec{ID: "fast", Duration: 1000 * time.Second, Period: 50 * time.Millisecond, On: define.Hooks{Pulse: call("note")}})
	e := open(t, engine.Options{Catalog: cat, Handlers: handlers, Workers: 1, Budget: patient})
	spawn(t, e, 1, 2)
	add(t, e, 1, cat.Spec("fast"))
	e.Tick(999_950 * time.Millisecond / 2)
	add(t, e, 2, cat.Spec("fast"))
	order = nil
	f := e.Tick(400 * time.Second)
	require.Equal(t, 16_000, f.Len()-1)
	first := map[buff.OwnerID]int{}
	for i, id := range order {
		if _, ok := first[id]; !ok {
			first[id] = i
		}
	}
	require.LessOrEqual(t, max(first[1], first[2]), engine.DefaultTurnLimit, "one waited for more than one turn of the other")
}

// TestStuckHandlerOfTheLoop checks that if a deferred handler gets stuck, the frame has its
// definition, or none for a timeout.
func TestStuckHandlerOfTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPrison(t, 2, engine.Options{Workers: 3})
		p.hold(1, 2)
		add(t, p.Engine, 1, p.late)
		_, err := p.AddTimeout(2, 0, func(c *engine.Context) { p.wait(c, buff.Event{}) })
		require.NoError(t, err)
		f := p.Tick(time.Millisecond)
		require.Equal(t, []buff.OwnerID{1, 2}, stuck(f))
		for _, s := range f.Stuck {
			if s.Owner == 1 {
				require.Equal(t, p.late, s.Spec)
			} else {
				require.Nil(t, s.Spec)
			}
		}
		p.leave(t)
	})
}

// TestDropBusy checks that a busy owner that is dropped is unknown to all callers at once. Its
// buffs end when its handler has returned, with the time of the Drop and without events that
// became due later. Its number is reused only then.
func TestDropBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPrison(t, 1, engine.Options{Workers: 1, Limits: engine.Limits{Owners: 1}})
		h := add(t, p.Engine, 1, p.mark)
		p.hold(1)
		p.Tick(time.Second)
		r := p.AddBuff(1, buff.Application{Spec: p.late})
		require.True(t, r.Queued)
		require.NoError(t, p.Drop(1))
		require.ErrorIs(t, p.Drop(1), engine.ErrUnknownOwner)
		require.ErrorIs(t, p.Remove(h).Failure, buff.ErrStale)
		require.ErrorIs(t, p.Spawn(1, nil), engine.ErrTooManyOwners)
		p.Tick(time.Second)
		p.free()
		var got []string
		for range 3 {
			synctest.Wait()
			got = append(got, lines(p.Tick(0))...)
		}
		require.Equal(t, []string{
			"1: 1000 pulse beat x1",
			"1: 1000 apply late x1 end=11000",
			"1: 1000 unload beat",
			"1: 1000 unload mark",
			"1: 1000 unload late",
		}, got)
		require.NoError(t, p.Spawn(1, nil))
		require.ErrorIs(t, p.Remove(h).Failure, buff.ErrStale)
		require.Zero(t, p.Stats().Timers)
		p.leave(t)
	})
}
