package wheel_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/wheel"
)

// TestSameMillisecond checks that a slot of the seconds whose timers are all due in the same
// millisecond is moved as a whole.
func TestSameMillisecond(t *testing.T) {
	w := wheel.New(0)
	for id := range uint64(1000) {
		w.Add(30_500, id)
	}
	before := w.Stats().Moved
	fired := w.Advance(30_499, nil)
	require.Empty(t, fired)
	require.Less(t, w.Stats().Moved-before, uint64(10))
	fired = w.Advance(30_500, nil)
	require.Len(t, fired, 1000)
	for k, f := range fired {
		require.EqualValues(t, k, f.ID)
	}
}
