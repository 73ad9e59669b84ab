package definition

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/long"
)

// TestMemoryOfTables checks that the worst possible tables stay within the memory limit of files.
func TestMemoryOfTables(t *testing.T) {
	if !long.On() {
		t.Skip("large tables: -long")
	}
	for _, h := range hostileTables {
		n := memory(t, fstest.MapFS{"a.csv": {Data: []byte(h.text)}}, "a.csv")
		t.Logf("%-16s %8d bytes %6.1f MiB", h.name, len(h.text), float64(n)/(1<<20))
		require.Less(t, n, uint64(maxMemory), h.name)
	}
}
