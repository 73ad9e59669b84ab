package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// TestDespawn_MomentWithBacklog checks that time that is carried or was dropped has passed on the
// wall clock. A blob that is made then says so, and an owner that is restored from it has not been
// away for that time.
func TestDespawn_MomentWithBacklog(t *testing.T) {
	epoch := time.UnixMilli(1_700_000_000_000)
	for _, policy := range []engine.CatchUp{engine.Carry, engine.Dilate} {
		t.Run([]string{"carry", "dilate"}[policy], func(t *testing.T) {
			e := stalled(t, 10, 100*time.Millisecond, engine.Options{Synchronous: true, Limits: engine.Limits{Tick: 50}, CatchUp: policy, Epoch: epoch})
			f := e.Tick(time.Minute)
			require.Less(t, int64(f.Now), int64(10_000), "there is a backlog")
			now := e.Moment()
			require.Equal(t, f.Now, now.Now)
			require.Equal(t, epoch.UnixMilli()+60_000, now.Wall, "the wall clock does not stand still")
			require.Equal(t, int64(f.Now), now.Uptime, "the world's does")
			blob := must(e.Despawn(1))
			r, err := e.Restore(1, nil, blob)
			require.NoError(t, err)
			require.Zero(t, r.Away)
			r, err = open(t, engine.Options{Synchronous: true, Epoch: epoch.Add(time.Minute + time.Second)}).Restore(1, nil, blob)
			require.NoError(t, err)
			require.EqualValues(t, 1000, r.Away)
		})
	}
}

// TestDropBusyLater checks that an owner that is dropped while it is busy has left at that
// instant: events that were due by then still run, and later ones never do, whenever the handler
// returns.
func TestDropBusyLater(t *testing.T) {
	cell, in := make(chan struct{}), make(chan struct{})
	o := engine.Options{Workers: 1, Budget: brief, Catalog: catalogOf(t, buff.Spec{ID: "beat", Kind: define.Infinite, Period: 100 * time.Millisecond})}
	e := open(t, o)
	spawn(t, e, 1)
	_, err := e.AddTimeout(1, 10*time.Millisecond, func(*engine.Context) { close(in); <-cell })
	require.NoError(t, err)
	add(t, e, 1, o.Catalog.Spec("beat"))
	e.Tick(10 * time.Millisecond)
	<-in
	e.Tick(0)                      // from now on the loop knows that the worker is stuck
	e.Tick(240 * time.Millisecond) // the pulses at 100 and 200 wait
	require.NoError(t, e.Drop(1))
	e.Tick(500 * time.Millisecond)
	close(cell)
	var seen []string
	for len(seen) < 4 { // until the handler has returned
		for ev := range e.Tick(0).Events() {
			seen = append(seen, ev.String())
		}
	}
	require.Equal(t, []string{"10 timeout", "100 pulse beat x1", "200 pulse beat x1", "250 unload beat"}, seen)
}
