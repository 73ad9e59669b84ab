package engine_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// TestCopies_Help_DueOwnersFirst checks that Help first copies the owners that are due in the next
// Tick, so that no worker has to copy them.
func TestCopies_Help_DueOwnersFirst(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "itch", Kind: define.Infinite, Period: time.Second})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	var order []buff.OwnerID
	c := engine.Copies(e, func(id buff.OwnerID, _ any, b []byte) ([]byte, error) {
		order = append(order, id)
		return b, nil
	})
	const owners = 200
	for id := range buff.OwnerID(owners) {
		spawn(t, e, id)
		if id%10 == 7 {
			add(t, e, id, cat.Spec("itch"))
		}
		if id%20 == 0 {
			e.Tick(50 * time.Millisecond)
		}
	}
	all := 0
	c.Help() // from now on the engine knows that Help is in use
	for frame := range 30 {
		c.Begin(true)
		order = order[:0]
		require.Equal(t, owners, c.Help())
		helped := append([]buff.OwnerID(nil), order...)
		_, done := c.Step(1)
		require.True(t, done)
		c.Take().Free()
		pulses := map[buff.OwnerID]bool{}
		for x := range e.Tick(50 * time.Millisecond).Events() {
			if x.Kind == buff.Pulsed {
				pulses[x.Owner] = true
				all++
			}
		}
		for _, id := range helped[:len(pulses)] {
			require.True(t, pulses[id], "frame %d: %d was copied before somebody who was due", frame, id)
		}
	}
	require.Positive(t, all)
}

// TestCopies_Help_DueOwnersLimited checks that the owners that are due next are only collected if
// Help is in use and the round has owners left, and only up to a limit. All other owners are
// copied too.
func TestCopies_Help_DueOwnersLimited(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "itch", Kind: define.Infinite, Period: time.Second})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	const owners = 9000
	for id := range buff.OwnerID(owners) {
		spawn(t, e, id)
		add(t, e, id, cat.Spec("itch"))
	}
	c := engine.Copies(e, nil)
	e.Tick(950 * time.Millisecond)
	e.Tick(49 * time.Millisecond) // all are due within one more Tick of this length
	finish := func() {
		_, done := c.Step(owners)
		require.True(t, done)
		c.Take().Free()
	}
	c.Begin(true)
	require.Zero(t, engine.Soon(c), "nobody helps")
	finish()
	require.Zero(t, c.Help())
	e.Tick(0)
	require.Zero(t, engine.Soon(c), "there is no round")
	c.Begin(false)
	e.Tick(0)
	require.Zero(t, engine.Soon(c), "nobody has changed")
	finish()
	c.Begin(true)
	require.Equal(t, 8192, engine.Soon(c))
	require.Equal(t, owners, c.Help())
	require.Zero(t, engine.Soon(c))
	finish()
}

// TestCopies_GiveWay checks that a goroutine that writes copies waits while a Tick is running.
func TestCopies_GiveWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newBusy(t)
		c := engine.Copies(r.e, nil)
		c.GiveWay() // no Tick is running
		var gone sync.WaitGroup
		r.e.Tick(0)
		gone.Go(func() { r.e.Tick(time.Second) })
		synctest.Wait()
		passed := false
		gone.Go(func() { c.GiveWay(); passed = true })
		synctest.Wait()
		require.False(t, passed)
		close(r.gate)
		gone.Wait()
		require.True(t, passed)
	})
}

// TestCopies_GiveWay_Bounded checks that GiveWay does not block forever if the game has no time
// between its Ticks.
func TestCopies_GiveWay_Bounded(t *testing.T) {
	e := open(t, engine.Options{Synchronous: true})
	c := engine.Copies(e, nil)
	var gone sync.WaitGroup
	over := make(chan struct{})
	gone.Go(func() {
		defer close(over)
		for range 2000 {
			c.GiveWay()
		}
	})
	for ticking := true; ticking; {
		e.Tick(time.Millisecond)
		select {
		case <-over:
			ticking = false
		default:
		}
	}
	gone.Wait()
}

// TestCopiesMemory checks that a round uses the memory of the previous round: a round of 300
// owners allocates no more often than a round of one owner, and no list grows.
func TestCopiesMemory(t *testing.T) {
	allocs := func(owners int) float64 {
		e := open(t, engine.Options{Synchronous: true})
		for id := range buff.OwnerID(owners) {
			spawn(t, e, id)
		}
		c := engine.Copies(e, nil)
		round := func() {
			c.Begin(true)
			_, done := c.Step(owners)
			require.True(t, done)
			c.Take().Free()
		}
		round()
		return testing.AllocsPerRun(20, round)
	}
	require.InDelta(t, allocs(1), allocs(300), 3)
}
