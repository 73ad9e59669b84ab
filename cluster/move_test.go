package cluster

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/long"
)

// TestNode_Move checks that no command is lost or executed twice while a zone moves between
// nodes. It logs how long the zone did not run.
func TestNode_Move(t *testing.T) {
	for name, want := range map[string]Certainty{"applied": Applied, "durable": Durable} {
		t.Run(name, func(t *testing.T) { testMove(t, want) })
	}
}

func testMove(t *testing.T, want Certainty) {
	s := newServers(t)
	nodes := map[string]*Node{}
	for _, name := range []string{"a", "b"} {
		o := s.options(name, 1)
		o.Frame = 0 // the default
		node, err := Join(t.Context(), o)
		require.NoError(t, err)
		defer node.Close()
		nodes[name] = node
	}
	c := s.client()
	r, err := c.Ask(t.Context(), "z0", coin(hero(0, 0)), Durable)
	require.NoError(t, err)
	done, again := int64(1), 0
	var gaps []time.Duration
	to, from := "a", "b"
	if nodes["a"].Stats().Zones == 1 {
		to, from = from, to
	}
	for range long.Times(4) {
		epoch := r.Epoch
		require.NoError(t, nodes[from].Move(t.Context(), "z0", to))
		last := time.Now()
		for r.Epoch == epoch {
			r, err = c.Ask(t.Context(), "z0", coin(hero(0, 0)), want)
			require.NoError(t, err)
			if done++; r.Again {
				again++
			}
			if r.Epoch != epoch {
				gaps = append(gaps, time.Since(last))
			}
			last = time.Now()
		}
		to, from = from, to
	}
	slices.Sort(gaps)
	t.Logf("%d moves, %d commands, %d of them executed before their reply arrived; from the last reply of one node to the first of the other: p50 %v, p99 %v, worst %v",
		len(gaps), done, again, gaps[len(gaps)/2], gaps[len(gaps)*99/100], gaps[len(gaps)-1])
	for _, node := range nodes {
		if err := node.Drain(t.Context()); err != nil && !errors.Is(err, ErrClosed) {
			t.Error(err)
		}
	}
	require.Equal(t, done, s.stacks(1)[hero(0, 0)])
}

// TestNode_FirstFrame checks that a zone that was just loaded replies at once, and not after one or
// two frames, and that the command is on disk with that frame.
func TestNode_FirstFrame(t *testing.T) {
	s := newServers(t)
	o := s.options("a", 1)
	o.Frame = time.Hour
	a, err := Join(t.Context(), o)
	require.NoError(t, err)
	defer a.Close()
	_, err = s.client().Ask(t.Context(), "z0", coin(hero(0, 0)), Durable)
	require.NoError(t, err)
}
