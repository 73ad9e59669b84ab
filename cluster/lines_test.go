package cluster

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/cluster/internal/policy"
)

// TestLines: of 350 lines in a minute that begin the same, five are said, and then how many more there were; those of another zone, and others,
// are said.
func TestLines(t *testing.T) {
	var l lines
	said := 0
	for k := range 350 {
		said += len(l.admit("z0", fmt.Sprintf("could not be saved: attempt %d", k), policy.Time(k)*100*time.Millisecond))
	}
	require.Equal(t, mostLines, said)
	require.Equal(t, []string{"is played"}, l.admit("z0", "is played", time.Second))
	require.Equal(t, []string{"could not be saved: x"}, l.admit("z1", "could not be saved: x", time.Second))
	require.Empty(t, l.over(59*time.Second))
	require.Equal(t, map[string][]string{"z0": {"could not be saved: attempt 349 (and 344 lines more that begin so, within 1m0s)"}}, l.over(61*time.Second))
	require.Equal(t, []string{"could not be saved: again"}, l.admit("z0", "could not be saved: again", 62*time.Second))
}
