package engine_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
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
// to the end of his turn right then, before the loop has looked who is still away, has lost
// nothing: neither what his turn brought nor his timers.
func TestHeldEndsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate, hang := make(chan struct{}), true
		o := engine.Options{
			Catalog: catalogOf(t, buff.Spec{ID: "beat", Kind: buff.Infinite, Period: time.Second, On: buff.Hooks{Pulse: call("wait")}}),
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
			if n == 4 { // Start and Wait were refused; this is for those whom nobody has visited
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
