package flood

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestTouches checks that all commands of each kind are processed, and that each kind is in the
// table.
func TestTouches(t *testing.T) {
	all, err := Touches(300)
	require.NoError(t, err)
	var b bytes.Buffer
	PrintTouches(&b, all)
	for _, verb := range []string{"| SetRate | 300 | 12 |", "| Pause | 300 | 12 |", "| Immunize | 300 | 3 |", "| AddBuff | 300 | 1 |"} {
		require.Contains(t, b.String(), verb)
	}
}

// TestFlood checks that no command of the honest producer is refused or lost while other producers
// post without a pause.
func TestFlood(t *testing.T) {
	f, err := Run(Options{Producers: 2, For: 200 * time.Millisecond, Frame: 10 * time.Millisecond, Players: 50})
	require.NoError(t, err)
	require.Zero(t, f.HonestLost)
	require.Zero(t, f.HonestRefused)
	var b bytes.Buffer
	f.Print(&b)
	require.Contains(t, b.String(), "| the honest one: posted, refused, lost |")
}

// TestCalls checks that quantiles are correct to within an eighth.
func TestCalls(t *testing.T) {
	var c Calls
	for k := range 1000 {
		c.add(time.Duration(k+1) * time.Microsecond)
	}
	for part, want := range map[float64]float64{0.5: 500e3, 0.99: 990e3} {
		require.InEpsilon(t, want, float64(c.At(part)), 0.15)
	}
	require.Equal(t, time.Millisecond, c.Longest)
}
