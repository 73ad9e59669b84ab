package conformance

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	law "github.com/bufftick/bufftick/conformance/judge"
	"github.com/bufftick/bufftick/internal/scenario"
)

// TestFamous plays known effects of games, which designers wrote from the pages alone. Engine and
// interpreter must have the expected logs.
func TestFamous(t *testing.T) {
	files, err := filepath.Glob("famous/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			list, err := scenario.Parse(path, text)
			require.NoError(t, err)
			require.Empty(t, list[0].Faults)
			log, err := list[0].Play(lawOptions, scenario.LongestFrame)
			require.NoError(t, err)
			require.Equal(t, list[0].Want, log, "engine")

			text, err = yaml.YAMLToJSON(text)
			require.NoError(t, err)
			decoded, err := law.Decode(text)
			require.NoError(t, err)
			log, decided := decoded[0].Play()
			require.True(t, decided)
			require.Equal(t, list[0].Want, log, "interpreter")
		})
	}
}
