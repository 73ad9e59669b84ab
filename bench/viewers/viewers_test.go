package viewers

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/long"
)

// TestMeasure plays a second of the game with each method. It checks that viewers get fewer bytes
// from package replicate than as JSON, and that all viewers get messages.
func TestMeasure(t *testing.T) {
	if !long.On() {
		t.Skip("three worlds of raids: -long")
	}
	for _, crowd := range []bool{false, true} {
		costs, err := Measure(Options{Seconds: 1, Seed: 1, Crowd: crowd}, func(float64) {})
		require.NoError(t, err)
		require.Len(t, costs, 3)
		require.Zero(t, costs[0].Bytes)
		require.Positive(t, costs[1].Bytes)
		require.Greater(t, costs[2].Bytes, 10*costs[1].Bytes)
	}
}

// TestStream checks that each line has the changes of a frame in JSON, and that the stream has no
// more lines than frames.
func TestStream(t *testing.T) {
	if !long.On() {
		t.Skip("a world of raids: -long")
	}
	var out bytes.Buffer
	require.NoError(t, (&Options{Seed: 1}).writeStream(&out, 80, 1))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 2+framesASecond)
	require.Equal(t, 80, strings.Count(lines[0], "[")-1)
}
