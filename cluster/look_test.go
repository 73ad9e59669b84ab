package cluster

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestNode_Look checks that each node reports the state of all nodes and the moves of a zone.
func TestNode_Look(t *testing.T) {
	s := newServers(t)
	nodes := map[string]*Node{}
	for _, name := range []string{"a", "b"} {
		o := s.options(name, 1)
		o.New = func(zone string) (Zone, error) {
			z, err := play(zone)
			z.Page = "http://" + name + "/" + zone
			return z, err
		}
		node, err := Join(t.Context(), o)
		require.NoError(t, err)
		defer node.Close()
		nodes[name] = node
	}
	c := s.client()
	_, err := c.Ask(t.Context(), "z0", coin(hero(0, 0)), Durable)
	require.NoError(t, err)
	from, to := "a", "b"
	if nodes["b"].Stats().Zones == 1 {
		from, to = to, from
	}
	require.NoError(t, nodes[from].Move(t.Context(), "z0", to))
	// Each command is a round trip, so time passes.
	for len(nodes[from].Moves()) < 1 || nodes[from].Zones()[0].Node != to {
		require.NoError(t, c.Do(t.Context(), "z0", coin(hero(0, 0))))
	}
	running := func(i NodeInfo) bool { return len(i.Zones) == 1 && i.Zones[0].Owners == heroes }
	for !running(nodes[to].Info()) { // the view may show the new lease before the zone has run a frame
		require.NoError(t, c.Do(t.Context(), "z0", coin(hero(0, 0))))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	said, err := nodes[from].Look(ctx)
	require.NoError(t, err)
	require.Len(t, said, 2)
	require.Equal(t, []string{"a", "b"}, []string{said[0].Node, said[1].Node})
	for _, i := range said {
		if i.Node == from {
			require.Empty(t, i.Zones)
			require.EqualValues(t, 1, i.Stats.Drained)
			continue
		}
		require.Len(t, i.Zones, 1)
		z := i.Zones[0]
		require.Equal(t, "z0", z.Zone)
		require.EqualValues(t, 2, z.Epoch)
		require.Equal(t, heroes, z.Owners)
		require.Positive(t, z.Left)
		require.Equal(t, "http://"+to+"/z0", z.Page)
	}
	last := nodes[from].Moves()
	m := last[len(last)-1]
	require.Equal(t, Change{At: m.At, Zone: "z0", From: m.From, To: to, Epoch: 2}, m)
	require.Positive(t, nodes[from].Zones()[0].Left)

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	said, err = nodes[to].Look(gone)
	require.NoError(t, err)
	require.Less(t, len(said), 2, "ctx has ended before all replies")
}
