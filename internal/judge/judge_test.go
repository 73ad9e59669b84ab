package judge

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// The interpreter gives the logs that the law's own scenarios want.
func TestVectors(t *testing.T) {
	path := filepath.Join("..", "..", "..", "shared", "vectors", "vectors.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Skipf("../shared/vectors/vectors.json is not there: the test was not run")
	}
	all, err := Decode(text)
	require.NoError(t, err)
	require.Len(t, all, 57)
	for _, s := range all {
		t.Run(s.ID, func(t *testing.T) {
			log, decided := s.Play()
			require.True(t, decided)
			require.Equal(t, s.Want, log)
		})
	}
}
