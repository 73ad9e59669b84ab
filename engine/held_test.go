package engine_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/stretchr/testify/require"
)

// scarce is a pool that accepts the first task. For each later task it calls the function refuse.
type scarce struct {
	tasks  int
	refuse func(n int) bool
}

func (p *scarce) Submit(task func()) error {
	if p.tasks++; p.tasks > 1 && p.refuse(p.tasks) {
		return errors.New("no worker")
	}
	go task()
	return nil
}

// TestTick_HeldTurnEndsAtBudget checks an owner whose handler is running when the budget is used
// up, and whose turn ends just then, before the loop has determined which owners are still
// running. Neither the results of the turn nor the owner's timers may be lost.
func TestTick_HeldTurnEndsAtBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate, hang := make(chan struct{}), true
		o := engine.Options{
			Catalog: catalogOf(t, buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second, On: define.Hooks{Pulse: call("wait")}}),
			Workers: 2,
			Budget:  brief,
			Handlers: engine.Handlers{"wait": func(c *engine.Context, _ buff.Event) {
				if c.Owner() == 1 && hang {
					hang = false
					<-gate
				}
			}},
		}
		beat := o.Catalog.Spec("beat")
		p := &scarce{refuse: func(int) bool { return true }}
		e, err := engine.NewOn(o, p)
		require.NoError(t, err)
		spawn(t, e, 1, 2)
		add(t, e, 1, beat)
		add(t, e, 2, beat)
		p.refuse = func(n int) bool {
			// the second worker was refused; this task is for turns that no worker has started
			if n == 3 {
				close(gate)
				synctest.Wait()
			}
			return true
		}
		f := e.Tick(time.Second)
		got := at(f, 1, buff.Pulsed, beat)
		p.refuse = func(int) bool { return false }
		for range 3 {
			synctest.Wait()
			got = append(got, at(e.Tick(time.Second), 1, buff.Pulsed, beat)...)
		}
		require.Equal(t, []int64{1000, 2000, 3000, 4000}, got)
		shut(t, e)
	})
}

// TestP10_HeldEventsWithinLimit checks that the events of an owner that was held count in the Tick
// that merges them, as do those of owners with an allowance: together they are at most
// Limits.Tick.
func TestP10_HeldEventsWithinLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit, each = 64, 32
		g, called := gates{}, 0
		e, err := engine.New(engine.Options{Workers: 1, Budget: brief, Limits: engine.Limits{Tick: limit}})
		require.NoError(t, err)
		spawn(t, e, 1, 2, 3)
		ask := func(ids ...buff.OwnerID) {
			for _, id := range ids {
				for range each {
					_, err := e.AddTimeout(id, time.Millisecond, func(c *engine.Context) { called++; g.wait(c, buff.Event{}) })
					require.NoError(t, err)
				}
			}
			e.Tick(time.Second)
		}
		g.hold(1)
		ask(1, 2) // half of the Tick for each; there is no worker for the second owner
		ask(3)    // the quota of the first owner is free again
		g.free()
		synctest.Wait()
		got := 0
		for n := 0; n < 3 || e.Stats().Busy > 0; n++ {
			f := e.Tick(0)
			got += f.Len()
			require.LessOrEqual(t, engine.Worked(e), limit, "Tick %d", n)
			require.LessOrEqual(t, f.Len(), limit, "Tick %d", n)
			require.Less(t, n, 1000, "it does not end")
			synctest.Wait()
		}
		require.Equal(t, []int{3 * each, 3 * each}, []int{got, called})
		shut(t, e)
	})
}
