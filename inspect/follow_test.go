package inspect_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/inspect"
)

// TestEndedRequestIsForgotten checks that no state of an ended request is kept, whatever the
// order in which requests end.
func TestEndedRequestIsForgotten(t *testing.T) {
	eng, err := engine.New(engine.Options{})
	require.NoError(t, err)
	in := inspect.Handler(eng)
	first, err := inspect.Follow(in, 1)
	require.NoError(t, err)
	second, err := inspect.Follow(in, 2)
	require.NoError(t, err)
	require.Equal(t, 2, inspect.Followed(in))
	first()
	require.Equal(t, 1, inspect.Followed(in))
	first()
	require.Equal(t, 1, inspect.Followed(in), "a second time changes nothing")
	second()
	require.Zero(t, inspect.Followed(in))
	require.NoError(t, eng.Close(t.Context()))
}
