package catalog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff/catalog"
)

// TestSpend: each cell of a table counts against what a file may have, also an empty one.
func TestSpend(t *testing.T) {
	require.True(t, catalog.Spent(catalog.MaxFlow))
	require.False(t, catalog.Spent(catalog.MaxFlow+1))
}
