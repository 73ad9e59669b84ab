package rival

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func ignore(float64) {}

// TestSameWork checks that all contenders have the same pulses and ends. Run fails if they differ.
func TestSameWork(t *testing.T) {
	for _, load := range []Load{Fight, City} {
		d, err := Run(load, 2000, 2, ignore)
		require.NoError(t, err)
		require.Len(t, d.Rows, 5)
		for _, r := range d.Rows {
			require.Len(t, r.Samples, 2)
			require.Positive(t, r.Against.Mean)
		}
	}
}

// forgetful is a contender that loses every hundredth pulse.
type forgetful struct {
	contender
	game *Game
	n    int
}

func (f *forgetful) tick(now int64) {
	before := f.game.totals.Pulses
	f.contender.tick(now)
	if f.n += int(f.game.totals.Pulses - before); f.n > 100 {
		f.n -= 100
		f.game.totals.Pulses--
	}
}

// TestGame_LostEventsShow checks that the totals show that a contender has lost a pulse.
func TestGame_LostEventsShow(t *testing.T) {
	good := newGame(Fight, 2000, settled, newHeap)
	bad := newGame(Fight, 2000, settled, func(g *Game) contender { return &forgetful{newScan(g), g, 0} })
	for range 100 {
		good.play()
		bad.play()
	}
	require.NotEqual(t, good.totals, bad.totals)
	require.Equal(t, good.totals.Ends, bad.totals.Ends)
}

// TestScale checks that every world has the right number of pulses in each frame. Scale fails if a
// number is wrong.
func TestScale(t *testing.T) {
	var sizes []Size
	for _, players := range []int{30, 61, 1000} {
		for workers := range 3 {
			sizes = append(sizes, Size{players, workers})
		}
	}
	all, err := Scale(sizes, 2, 4000, ignore)
	require.NoError(t, err)
	require.Len(t, all, len(sizes))
	for i, s := range all {
		require.Len(t, s.Samples, 2)
		switch {
		case sizes[i].Workers > 0:
			require.Zero(t, s.Access.Mean)
		// a smaller world may need less memory than was freed while it was built
		case sizes[i].Players == 1000:
			require.Positive(t, s.Access.Mean)
		}
	}
}

// TestCalls checks that the calls start, refresh and remove buffs. Calls fails if a result is
// unexpected.
func TestCalls(t *testing.T) {
	c, err := Calls(2000, 2, ignore)
	require.NoError(t, err)
	for _, s := range []float64{c.New.Mean, c.Refresh.Mean, c.Remove.Mean} {
		require.Positive(t, s)
	}
}

// TestMemory checks that accesses reach all of the given memory, but no other memory.
func TestMemory(t *testing.T) {
	const lines = 64
	m := newMemory(2 * lines * line * 8)
	touched := map[uint64]bool{}
	for range 2000 {
		m.walk(lines, 1)
		touched[m.place(lines)] = true
	}
	require.Len(t, touched, lines)
	for at := range touched {
		require.Less(t, at, uint64(lines*line))
	}
}

// TestKeep checks that all keepers fire all timers. Keep panics if a timer does not fire.
func TestKeep(t *testing.T) {
	all := Keep(1000, 2, ignore)
	require.Len(t, all, 4)
	for _, k := range all {
		require.Len(t, k.Rounds, 2)
		require.Equal(t, k.Name != "AfterFunc", k.Fire.Mean > 0 && k.Fire.PlusMinus > 0)
	}
}

// TestAllocations checks that no step of a frame allocates.
func TestAllocations(t *testing.T) {
	for _, a := range Allocations() {
		require.Zero(t, a.Objects, a.Step)
	}
}
