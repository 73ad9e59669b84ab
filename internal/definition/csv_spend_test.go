package definition_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/definition"
)

// TestSpend: each cell of a table counts against what a file may have, also an empty one.
func TestSpend(t *testing.T) {
	require.True(t, definition.Spent(definition.MaxFlow))
	require.False(t, definition.Spent(definition.MaxFlow+1))
}
