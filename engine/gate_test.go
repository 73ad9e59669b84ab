package engine_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// The tests of stuck handlers run in a bubble of testing/synctest: there a Budget
// runs out exactly when the loop waits and no worker can go on any more, however
// slow the machine is.

// gates are where handlers get stuck, one for each owner. Only the loop changes
// them, between two Ticks in which no handler looks.
type gates map[buff.OwnerID]chan struct{}

// hold lets the next handlers of the owners get stuck.
func (g gates) hold(ids ...buff.OwnerID) {
	for _, id := range ids {
		g[id] = make(chan struct{})
	}
}

// free lets everybody go on, and returns when they have. Those who waited behind
// them may look at the gates until then.
func (g gates) free() {
	for id := range g {
		close(g[id])
	}
	synctest.Wait()
	clear(g)
}

// wait is the handler that gets stuck where there is a gate.
func (g gates) wait(c *engine.Context, _ buff.Event) {
	if gate := g[c.Owner()]; gate != nil {
		<-gate
	}
}

// prison is an engine with stuck owners. Every owner carries "beat", a pulse each
// second with a handler.
type prison struct {
	*engine.Engine
	gates
	beat  *buff.Spec
	mark  *buff.Spec
	late  *buff.Spec
	count int
}

// newPrison returns an engine for owners 1 to owners.
func newPrison(t *testing.T, owners int, o engine.Options) *prison {
	t.Helper()
	p := &prison{gates: gates{}, count: owners}
	o.Catalog = catalogOf(t,
		buff.Spec{ID: "mark", Duration: 1500 * time.Millisecond, Stack: define.Stacking{By: define.ByTarget}},
		buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second, On: buff.Hooks{Pulse: call("wait")}},
		buff.Spec{ID: "late", Duration: 10 * time.Second, On: buff.Hooks{Apply: call("wait")}},
	)
	o.Handlers = engine.Handlers{"wait": p.wait}
	if o.Budget == 0 {
		o.Budget = brief
	}
	p.beat, p.mark, p.late = o.Catalog.Spec("beat"), o.Catalog.Spec("mark"), o.Catalog.Spec("late")
	e, err := engine.New(o)
	require.NoError(t, err)
	p.Engine = e
	for i := range owners {
		spawn(t, e, buff.OwnerID(i+1))
		add(t, e, buff.OwnerID(i+1), p.beat)
	}
	e.Tick(0)
	return p
}

// leave lets everybody go on and closes the engine.
func (p *prison) leave(t *testing.T) {
	t.Helper()
	p.free()
	shut(t, p.Engine)
}

// at returns the instants of an owner's events of that kind and definition.
func at(f *engine.Frame, id buff.OwnerID, kind buff.EventKind, s *buff.Spec) []int64 {
	out := []int64{}
	for e := range f.Events() {
		if e.Owner == id && e.Kind == kind && e.Spec == s {
			out = append(out, int64(e.At))
		}
	}
	return out
}

// stuck returns the owners that the frame names, sorted.
func stuck(f *engine.Frame) []buff.OwnerID {
	out := []buff.OwnerID{}
	for _, s := range f.Stuck {
		out = append(out, s.Owner)
	}
	slices.Sort(out)
	return out
}

// ended returns a context that has ended.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
