package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A folder that goes into tables, from there into JSON and back into YAML has the same
// page of documentation, which tells every rule of every definition.
func TestConvertThereAndBack(t *testing.T) {
	buffs, err := filepath.Abs("../../examples/mmo/buffs")
	require.NoError(t, err)
	want, stderr, code := tool("doc", buffs)
	require.Zero(t, code, stderr)
	t.Chdir(t.TempDir())
	from := buffs
	for _, to := range []string{"csv", "json", "csv", "yaml"} {
		_, stderr, code := tool("convert", from, "-to", to, "-o", "as-"+to+"/", "-force")
		require.Zero(t, code, stderr)
		names, err := filepath.Glob("as-" + to + "/*." + to)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(names), 7)
		got, stderr, code := tool("doc", "as-"+to)
		require.Zero(t, code, stderr)
		require.Equal(t, want, got, to)
		from = "as-" + to
	}

	// All of it in one file, through the standard output.
	for _, to := range []string{"csv", "yaml", "json"} {
		text, stderr, _ := tool("convert", buffs, "-to", to)
		require.NoError(t, os.MkdirAll("one-"+to, 0o755))
		require.NoError(t, os.WriteFile("one-"+to+"/all."+to, []byte(text), 0o600))
		if to == "csv" {
			continue // what has no place in it is missing
		}
		got, stderr2, code := tool("doc", "one-"+to)
		require.Zero(t, code, stderr+stderr2)
		require.Equal(t, want, got, to)
	}
}
