package tidy

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

const versionsPage = "docs/versioning.md"

// formats are the rows of the page and the constants that they must agree with.
var formats = []struct{ row, file, constant string }{
	{"a blob of an owner", "internal/state/owner.go", "Format"},
	{"a command in its binary form", "buff/command_binary.go", "commandVersion"},
	{"a recording", "internal/recording/header.go", "version"},
}

// TestVersionsPage checks that docs/versioning.md states the format numbers that the code writes.
func TestVersionsPage(t *testing.T) {
	for _, fault := range wrongFormats(t, os.DirFS(root)) {
		t.Error(fault)
	}
}

func wrongFormats(t *testing.T, fsys fs.FS) (out []string) {
	t.Helper()
	page, err := fs.ReadFile(fsys, versionsPage)
	require.NoError(t, err)
	for _, f := range formats {
		src, err := fs.ReadFile(fsys, f.file)
		require.NoError(t, err)
		says := regexp.MustCompile(`(?m)^\| ` + f.row + ` \| (\d+) \|`).FindSubmatch(page)
		is := regexp.MustCompile(`\b` + f.constant + ` *= (\d+)\b`).FindSubmatch(src)
		switch {
		case says == nil:
			out = append(out, fmt.Sprintf("%s: no row for %s", versionsPage, f.row))
		case is == nil:
			out = append(out, fmt.Sprintf("%s: no %s", f.file, f.constant))
		case string(says[1]) != string(is[1]):
			out = append(out, fmt.Sprintf("%s: %s is %s, and %s in %s is %s", versionsPage, f.row, says[1], f.constant, f.file, is[1]))
		}
	}
	return out
}

// TestClientVersion checks that the npm package has the version of the newest release.
func TestClientVersion(t *testing.T) {
	changes, err := os.ReadFile(inRoot("CHANGELOG.md"))
	require.NoError(t, err)
	file, err := os.ReadFile(inRoot("replicate/js/package.json"))
	require.NoError(t, err)
	var client struct{ Version string }
	require.NoError(t, json.Unmarshal(file, &client))
	newest := regexp.MustCompile(`(?m)^## v([^ ,\n]+)`).FindSubmatch(changes)
	require.NotNil(t, newest)
	require.Equal(t, string(newest[1]), client.Version)
}
