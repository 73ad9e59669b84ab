package cluster

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNode_Place checks that zones move to the nodes that Place selects, even if such a node joins
// later, and that a panic of Place is recovered.
func TestNode_Place(t *testing.T) {
	s := newServers(t)
	nodes := map[string]*Node{}
	for _, name := range []string{"a", "b"} {
		o := s.options(name, 3)
		o.Place = func(zone string, _ []string) string {
			if zone == "z2" {
				panic("it does not know")
			}
			return map[string]string{"z0": "b", "z1": "b"}[zone]
		}
		node, err := Join(t.Context(), o)
		require.NoError(t, err)
		defer node.Close()
		nodes[name] = node
		if name == "a" {
			require.NoError(t, s.client().Do(t.Context(), "z0", coin(hero(0, 0))), "a runs it until b joins")
		}
	}
	c := s.client()
	for want := []string{"b", "b", "a"}; ; { // each command is a round trip, so time passes
		require.NoError(t, c.Do(t.Context(), "z2", coin(hero(2, 0))))
		var at []string
		for _, z := range nodes["a"].Zones() {
			at = append(at, z.Node)
		}
		if len(at) == 3 && at[0] == want[0] && at[1] == want[1] && at[2] == want[2] {
			return
		}
	}
}
