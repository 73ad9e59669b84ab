package engine_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/stretchr/testify/require"
)

// The tests of stuck handlers run in a bubble of testing/synctest. In it, a Budget runs out
// exactly when the loop waits and no worker can continue, however slow the machine is.

// gates has the owners whose handlers get stuck, each with a channel. Only the loop changes it,
// between two Ticks and while no handler reads it.
type gates map[buff.OwnerID]chan struct{}

// hold makes the next handlers of the owners get stuck.
func (g gates) hold(ids ...buff.OwnerID) {
	for _, id := range ids {
		g[id] = make(chan struct{})
	}
}

// free lets all handlers continue, and returns when they have. Until then, handlers that run after
// them may read the gates.
func (g gates) free() {
	for id := range g {
		close(g[id])
	}
	synctest.Wait()
	clear(g)
}

// wait is a handler that blocks if its owner has a gate.
func (g gates) wait(c *engine.Context, _ buff.Event) {
	if gate := g[c.Owner()]; gate != nil {
		<-gate
	}
}

// prison is an engine with stuck owners. Every owner has the buff "beat", which pulses every
// second and calls a handler.
type prison struct {
	*engine.Engine
	gates
	beat  *buff.Spec
	mark  *buff.Spec
	late  *buff.Spec
	count int
}

// newPrison returns an engine with the owners 1 to owners.
func newPrison(t *testing.T, owners int, o engine.Options) *prison {
	t.Helper()
	p := &prison{gates: gates{}, count: owners}
	o.Catalog = catalogOf(t,
		buff.Spec{ID: "mark", Duration: 1500 * time.Millisecond, Stack: define.Stacking{By: define.ByTarget}},
		buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second, On: define.Hooks{Pulse: call("wait")}},
		buff.Spec{ID: "late", Duration: 10 * time.Second, On: define.Hooks{Apply: call("wait")}},
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

// leave lets all handlers continue and closes the engine.
func (p *prison) leave(t *testing.T) {
	t.Helper()
	p.free()
	shut(t, p.Engine)
}

// at returns the times of an owner's events of the given kind and definition.
func at(f *engine.Frame, id buff.OwnerID, kind buff.EventKind, s *buff.Spec) []int64 {
	out := []int64{}
	for e := range f.Events() {
		if e.Owner == id && e.Kind == kind && e.Spec == s {
			out = append(out, int64(e.At))
		}
	}
	return out
}

// stuck returns the owners in Frame.Stuck, sorted.
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
