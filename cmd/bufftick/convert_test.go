package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/definition"
)

// TestConvert_RoundTrip converts a folder to CSV, JSON, CSV and YAML. After each step, it loads the
// result and checks that the definitions are the same.
func TestConvert_RoundTrip(t *testing.T) {
	buffs, err := filepath.Abs("../../examples/mmo/buffs")
	require.NoError(t, err)
	want := loaded(t, buffs)
	t.Chdir(t.TempDir())
	from := buffs
	for _, to := range []string{"csv", "json", "csv", "yaml"} {
		_, stderr, code := tool("convert", from, "-to", to, "-o", "as-"+to+"/", "-force")
		require.Zero(t, code, stderr)
		names, err := filepath.Glob("as-" + to + "/*." + to)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(names), 7)
		require.True(t, reflect.DeepEqual(want, loaded(t, "as-"+to)), to)
		from = "as-" + to
	}

	// Convert to a single file through the standard output. CSV cannot hold attributes.
	for _, to := range []string{"yaml", "json"} {
		text, stderr, code := tool("convert", buffs, "-to", to)
		require.Zero(t, code, stderr)
		require.NoError(t, os.MkdirAll("one-"+to, 0o755))
		require.NoError(t, os.WriteFile("one-"+to+"/all."+to, []byte(text), 0o600))
		require.True(t, reflect.DeepEqual(want, loaded(t, "one-"+to)), to)
	}
}

// loaded returns the content of the files in a folder, and checks that the files load. It omits the
// version of the format, which CSV files do not contain.
func loaded(t *testing.T, dir string) (content map[string]any) {
	t.Helper()
	_, err := definition.Load(dir)
	require.NoError(t, err)
	text, stderr, code := tool("convert", dir, "-to", "json")
	require.Zero(t, code, stderr)
	require.NoError(t, json.Unmarshal([]byte(text), &content))
	delete(content, "version")
	return content
}
