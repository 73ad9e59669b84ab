package engine_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// TestStories runs each file of testdata in every mode and compares the result with the same text.
// The modes are: no pool; 1, 2 and 8 workers; and the time divided into other Ticks. Stories with
// a goexit run only on workers, because a goexit on the loop would end the loop.
func TestStories(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txt")
		for _, m := range modes {
			if (m.workers == 0 || m.quick) && strings.HasPrefix(name, "goexit") {
				continue
			}
			t.Run(name+"/"+m.name, func(t *testing.T) {
				datadriven.RunTest(t, path, newStory(m).do)
			})
		}
	}
}
