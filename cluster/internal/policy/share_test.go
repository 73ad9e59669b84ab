package policy

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestShare_Take checks that a single sender gets half of the places, and each later sender half of
// the rest.
func TestShare_Take(t *testing.T) {
	flood := func(s *Share[string], sender string) (n int) {
		for s.Take(sender) {
			n++
		}
		require.True(t, s.Full(sender))
		return n
	}
	s := &Share[string]{Most: 1024}
	require.Equal(t, 512, flood(s, "a"))
	require.False(t, s.Full("b"))
	require.Equal(t, 256, flood(s, "b"))
	require.Equal(t, 128, flood(s, "c"))
	require.True(t, s.Take("d"))
	for range 512 {
		s.Give("a")
	}
	require.Equal(t, 192, flood(s, "b"), "places that a returned are free for all")
	require.True(t, s.Take("a"))
	s.Clear()
	require.Equal(t, 512, flood(s, "a"))
	require.Equal(t, 1, flood(&Share[string]{Most: 1}, "a"))
	require.Zero(t, flood(&Share[string]{}, "a"))
}
