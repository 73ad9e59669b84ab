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

// TestCopiesSoon: Help begins with those who are due in the next Tick, so that no worker has to copy them.
func TestCopiesSoon(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "itch", Kind: define.Infinite, Period: time.Second})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	var order []buff.OwnerID
	c := e.Copies(func(id buff.OwnerID, _ any, b []byte) ([]byte, error) {
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
	c.Help() // from here on it is known that somebody does
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

// TestCopiesSoonBounds: who is due next is looked for where somebody helps and a round has owners left, and up to a
// bound; the others are copied all the same.
func TestCopiesSoonBounds(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "itch", Kind: define.Infinite, Period: time.Second})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	const owners = 9000
	for id := range buff.OwnerID(owners) {
		spawn(t, e, id)
		add(t, e, id, cat.Spec("itch"))
	}
	c := e.Copies(nil)
	e.Tick(950 * time.Millisecond)
	e.Tick(49 * time.Millisecond) // all are due within such a Tick
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

// TestCopiesGiveWay: who writes copies beside the loop waits for a Tick that runs.
func TestCopiesGiveWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newBusy(t)
		c := r.e.Copies(nil)
		c.GiveWay() // there is none
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

// TestCopiesGiveWayInTheEnd: in a game that has no time between its Ticks the writer comes to its end all
// the same.
func TestCopiesGiveWayInTheEnd(t *testing.T) {
	e := open(t, engine.Options{Synchronous: true})
	c := e.Copies(nil)
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

// TestCopiesMemory: a round uses the memory of the one before it, whatever the number of its owners: 300
// of them cost no more allocations than one does, and none is longer than a piece.
func TestCopiesMemory(t *testing.T) {
	allocs := func(owners int) float64 {
		e := open(t, engine.Options{Synchronous: true})
		for id := range buff.OwnerID(owners) {
			spawn(t, e, id)
		}
		c := e.Copies(nil)
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
