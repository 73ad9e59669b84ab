package actor_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/actor"
)

// TestShrink checks that exactly the lists with room for more than 4 n mailboxes, or 2 n batched
// turns, are shrunk to n.
func TestShrink(t *testing.T) {
	require.Equal(t, [4]int{64, 64, 32, 64}, actor.Shrunk(64, 64, 32, 64, 16))
	require.Equal(t, [4]int{16, 16, 16, 16}, actor.Shrunk(65, 65, 33, 128, 16))
	require.Equal(t, [4]int{63, 16, 31, 16}, actor.Shrunk(63, 80, 31, 65, 16))
}
