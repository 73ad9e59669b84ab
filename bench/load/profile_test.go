package load

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/long"
)

// small reduces a mix to 60 players. The mix still makes all kinds of calls.
func small(m *Mix) {
	m.Players, m.New, m.Refresh, m.Stacks, m.Dispel, m.Hasten, m.Cancel = 60, 84, 38, 13, 20, 20, 20
	m.quick(5*time.Second, 30*time.Second)
	if !long.On() {
		m.quick(2*time.Second, 5*time.Second)
	}
}

// TestProfiles plays a small version of each profile, and compares the result with the books.
func TestProfiles(t *testing.T) {
	for _, e := range Profiles {
		t.Run(e.Name, func(t *testing.T) {
			p := e.New()
			p.Quick()
			switch p := p.(type) {
			case *City:
				small(&p.Mix)
			case *Raids:
				small(&p.Mix)
			case *Siege:
				small(&p.Mix)
				p.Targets = 20
			case *Stall:
				small(&p.Mix)
			case *Slow:
				small(&p.Mix)
				p.Every, p.Sleep, p.For = 30, 2*time.Millisecond, 5*time.Second
			case *Crowd:
				small(&p.Mix)
				p.quick(time.Second, time.Second)
			case *Soak:
				small(&p.Mix)
				p.For = 2 * time.Minute
			case *Storm:
				p.Players, p.Buffs, p.Within = 50, 10, 5*time.Second
			case *Boss:
				p.Warm, p.For = 5*time.Second, 10*time.Second
			case *Cascade:
				p.Timers, p.Window, p.Runs, p.More = 2000, 10*time.Second, 2, 0
			case *Cancel:
				p.Players, p.Buffs, p.Cancels, p.Frame, p.Wheel = 100, 2000, 20_000, 500, 20_000
			case *Empty:
				p.Frames = 1000
			}
			r, err := p.Run(&Env{Seed: 3})
			require.NoError(t, err)
			require.True(t, r.Faults.none(), "%v\n%v", &r.Faults, r.Faults.Words)
			require.Equal(t, e.Letter, r.Letter)
		})
	}
}

// TestDigest checks that the events depend on the seed and not on the number of workers.
func TestDigest(t *testing.T) {
	play := func(seed uint64, workers int) *Result {
		p := newRaids()
		small(&p.Mix)
		r, err := p.Run(&Env{Seed: seed, Workers: workers})
		require.NoError(t, err)
		require.True(t, r.OK(), "%v", r.Faults.Words)
		require.NotZero(t, r.CrossCasts)
		return r
	}
	one := play(7, 1)
	require.Len(t, one.Digest, 16)
	require.Equal(t, one.Digest, play(7, 2).Digest)
	require.Equal(t, one.Digest, play(7, 8).Digest)
	require.NotEqual(t, one.Digest, play(8, 2).Digest)
}

// TestMix checks that of a hundred calls about 62 add a buff, 28 refresh a buff and 10 add a stack.
func TestMix(t *testing.T) {
	p := newRaids()
	p.Players, p.New, p.Refresh, p.Stacks = 400, 558, 252, 90
	p.quick(20*time.Second, time.Minute)
	w, err := newWorld(&Env{Seed: 1}, p.setup())
	require.NoError(t, err)
	p.fill(w)
	w.play(p.Warm, func() { p.plan(w) })
	before := w.books.counts
	w.measure(p.For, func() { p.plan(w) })
	applied, stacked := w.books.counts[1]-before[1], w.books.counts[3]-before[3]
	refreshed := w.books.counts[2] - before[2] - stacked // adding a stack also refreshes the buff
	all := float64(applied + stacked + refreshed)
	require.InDelta(t, 62, 100*float64(applied)/all, 3)
	require.InDelta(t, 28, 100*float64(refreshed)/all, 3)
	require.InDelta(t, 10, 100*float64(stacked)/all, 2)
	require.NoError(t, w.finish(result("B")))
}
