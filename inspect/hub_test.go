package inspect_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/inspect"
)

// TestHubForgets: a client that connects after all others have left gets no old state.
func TestHubForgets(t *testing.T) {
	require.Empty(t, inspect.LeftOver())
}
