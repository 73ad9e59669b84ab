package load

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHeapLine_Report checks that random variation of the readings passes, and that a leak of 8 %
// in half a run fails.
func TestHeapLine_Report(t *testing.T) {
	ok := func(grown float64) bool {
		var h heapLine
		for k := range 25 {
			h.note(float64(k), int64(10e6*(1+grown*float64(k)/12)))
			h.points[k].Y += 0.3 * float64(k%2)
		}
		r := result("J")
		h.report(r)
		return r.OK()
	}
	require.True(t, ok(0))
	require.True(t, ok(0.03))
	require.False(t, ok(0.08))
}
