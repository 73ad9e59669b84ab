package compile_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/bufftick/bufftick/internal/compile"
	"github.com/stretchr/testify/require"
)

// TestComponents checks on random graphs that each component is a set of nodes that can reach each
// other, that each node is in exactly one component, and that a component comes before the
// components that lead to it.
func TestComponents(t *testing.T) {
	for seed := range uint64(2000) {
		dice := rand.New(rand.NewPCG(seed, 33))
		n := 1 + dice.IntN(7)
		reaches := make([][]bool, n)
		to := make([][]int, n)
		for a := range n {
			reaches[a] = make([]bool, n)
			reaches[a][a] = true
		}
		for range dice.IntN(2 * n) {
			a, b := dice.IntN(n), dice.IntN(n)
			to[a], reaches[a][b] = append(to[a], b), true
		}
		for k := range n { // transitive closure by Warshall
			for a := range n {
				for b := range n {
					reaches[a][b] = reaches[a][b] || reaches[a][k] && reaches[k][b]
				}
			}
		}
		rings := compile.Components(to)
		of := map[int]int{}
		for k, ring := range rings {
			for _, a := range ring {
				require.NotContains(t, of, a, "seed %d: %v makes %v", seed, to, rings)
				of[a] = k
			}
		}
		for a := range n {
			require.Contains(t, of, a, "seed %d: %v makes %v", seed, to, rings)
			for b := range n {
				require.Equal(t, reaches[a][b] && reaches[b][a], of[a] == of[b], "seed %d: %v makes %v", seed, to, rings)
				require.False(t, reaches[a][b] && of[b] > of[a], "seed %d: %v makes %v", seed, to, rings)
			}
		}
	}
	chain := make([][]int, 300) // a chain of nodes, whose last node leads back to the second
	for a := range chain {
		chain[a] = []int{max((a+1)%len(chain), 1)}
	}
	rings := compile.Components(chain)
	require.Equal(t, []int{0}, rings[1])
	slices.Sort(rings[0])
	require.Len(t, rings[0], 299)
}
