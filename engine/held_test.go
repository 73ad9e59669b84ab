package engine_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// scarce is a pool that takes the first task and asks refuse about each later one.
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

// TestHeldEndsAtOnce: an owner whose handler hangs when the budget is used up, and who comes
// to the end of his turn right then, before the loop has looked who is still running, has lost
// nothing: neither what his turn brought nor his timers.
func TestHeldEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate, hang := make(chan struct{}), true
		o := engine.Options{
			Catalog: catalogOf(t, buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second, On: buff.Hooks{Pulse: call("wait")}}),
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
			if n == 3 { // the second worker was refused; this one is for the turns that no worker has begun
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

// TestP10_HeldFitsIn: an owner who was held and comes back counts in the Tick that takes it in, and
// so do those who had an allowance and come back with it: together no more than TickLimit.
func TestP10_HeldFitsIn(t *testing.T) {
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
		ask(1, 2) // half of the Tick for each; the second one has no worker
		ask(3)    // what the first one had is free again
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
