package inspect_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/inspect"
)

// TestHubForgets: who opens the page after everybody has left it sees nothing of what was then.
func TestHubForgets(t *testing.T) {
	require.Empty(t, inspect.LeftOver())
}
