package definition_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/definition"
)

// TestSpend checks that each cell of a table counts against the limit of a file, including empty
// cells.
func TestSpend(t *testing.T) {
	require.True(t, definition.Spent(definition.MaxFlow))
	require.False(t, definition.Spent(definition.MaxFlow+1))
}
