package engine_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/engine/view"
	"github.com/bufftick/bufftick/internal/snapshot"
	"github.com/stretchr/testify/require"
)

// TestCopiesHelp checks that each copy is what Save returned when the round started, byte for
// byte, while another goroutine calls Help without a pause and the loop plays, reads, spawns and
// drops owners.
func TestCopiesHelp(t *testing.T) {
	inModes(t, func(t *testing.T, m mode) {
		r := newRobbers(t, m, 5)
		c := engine.Copies(r.e, func(id buff.OwnerID, _ any, b []byte) ([]byte, error) { return append(b, byte(id)), nil })
		helped, now := 0, make(chan struct{}, 1)
		var gone sync.WaitGroup
		gone.Go(func() {
			for range now {
				helped += c.Help()
			}
		})
		help := func() {
			select {
			case now <- struct{}{}:
			default:
			}
		}
		for round := range 15 {
			m.pass(r.e, 50*time.Millisecond)
			r.come(t, round)
			began := c.Begin(round%9 == 0)
			require.Empty(t, began.Older)
			want := map[buff.OwnerID][]byte{}
			for id := range buff.OwnerID(robberCount + 2) {
				if blob, err := r.e.Save(id); err == nil {
					want[id] = blob
				}
			}
			for done := false; !done; {
				help()
				r.come(t, round)
				r.play(t)
				m.pass(r.e, 50*time.Millisecond)
				wealth(t, r.e, robberCount)
				_, done = c.Step(1)
			}
			x := c.Take()
			seen := map[buff.OwnerID]bool{}
			for o := range x.All() {
				require.NoError(t, o.Err)
				require.Equal(t, want[o.Owner], o.Blob, "round %d, owner %d", round, o.Owner)
				require.Equal(t, []byte{byte(o.Owner)}, o.Data)
				require.False(t, seen[o.Owner], "twice")
				seen[o.Owner] = true
			}
			x.Free()
		}
		close(now)
		gone.Wait()
		t.Logf("%d by Help", helped)
	})
}

// come spawns a beggar without coins, or drops it.
func (r *robbers) come(t *testing.T, round int) {
	id := buff.OwnerID(robberCount + round%2)
	if r.e.Data(id) == nil {
		require.NoError(t, r.e.Spawn(id, &id))
		add(t, r.e, id, r.cat.Spec("itch"))
		return
	}
	require.NoError(t, r.e.Drop(id))
}

// TestCopiesHelpAlone checks that Help copies all owners, but none while a Tick is running.
func TestCopiesHelpAlone(t *testing.T) {
	var c snapshot.Maker
	cat := catalogOf(t, buff.Spec{ID: "itch", Kind: define.Infinite, Period: time.Second, On: define.Hooks{Pulse: call("scratch")}})
	in := 0
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Handlers: engine.Handlers{
		"scratch": func(*engine.Context, buff.Event) { in += c.Help() },
	}})
	for id := range buff.OwnerID(200) {
		spawn(t, e, id)
	}
	add(t, e, 7, cat.Spec("itch"))
	c = engine.Copies(e, nil)
	require.Zero(t, c.Help(), "there is no round")
	c.Begin(true)
	e.Tick(time.Second)
	require.Zero(t, in)
	require.Equal(t, 199, c.Left(), "who had its pulse was copied before")
	require.Equal(t, 199, c.Help())
	_, done := c.Step(1)
	require.True(t, done)
	require.Equal(t, 200, c.Take().Len())
}

// TestCopiesGone checks that if the marshal function ends the goroutine of Help, only its own
// owner has no copy.
func TestCopiesGone(t *testing.T) {
	var faults []view.Fault
	e := open(t, engine.Options{Synchronous: true, OnFault: func(f view.Fault) { faults = append(faults, f) }})
	spawn(t, e, 1, 2, 3)
	ends := true
	c := engine.Copies(e, func(id buff.OwnerID, _ any, b []byte) ([]byte, error) {
		if ends && id == 2 {
			runtime.Goexit()
		}
		return b, nil
	})
	c.Begin(true)
	for range 2 {
		var gone sync.WaitGroup
		gone.Go(func() { c.Help() })
		gone.Wait()
	}
	require.Zero(t, c.Left())
	_, done := c.Step(1)
	require.True(t, done)
	x := c.Take()
	require.Equal(t, 3, x.Len())
	for o := range x.All() {
		require.Equal(t, o.Owner == 2, o.Err != nil, o)
	}
	require.Len(t, faults, 1)
	ends = false
	c.Begin(false)
	require.Equal(t, 1, c.Help(), "it is tried again")
}
