package cluster

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/cluster/internal/policy"
)

// TestLines_Admit checks that of 350 lines in a minute with the same start, five are reported,
// followed by the number of the others. Lines of another zone and lines with another start are
// not affected.
func TestLines_Admit(t *testing.T) {
	var l lines
	said := 0
	for k := range 350 {
		said += len(l.admit("z0", fmt.Sprintf("could not be saved: attempt %d", k), policy.Time(k)*100*time.Millisecond))
	}
	require.Equal(t, mostLines, said)
	require.Equal(t, []string{"is running"}, l.admit("z0", "is running", time.Second))
	require.Equal(t, []string{"could not be saved: x"}, l.admit("z1", "could not be saved: x", time.Second))
	require.Empty(t, l.over(59*time.Second))
	require.Equal(t, map[string][]string{"z0": {"could not be saved: attempt 349 (and 344 more such lines within 1m0s)"}}, l.over(61*time.Second))
	require.Equal(t, []string{"could not be saved: again"}, l.admit("z0", "could not be saved: again", 62*time.Second))
}
