package tidy

import (
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

const versionsPage = "docs/versioning.md"

// formats are the rows of the page that say a number, and the constants that it must be.
var formats = []struct{ row, file, constant string }{
	{"a blob of an owner", "buff/blob.go", "blobFormat"},
	{"a command in its binary form", "buff/command_binary.go", "commandVersion"},
	{"a recording", "internal/recording/header.go", "version"},
}

// TestVersionsPage: the formats that the page promises are those that the code writes.
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

// TestVersionsPlanted: a page that has stayed behind is found, and one that says nothing.
func TestVersionsPlanted(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	faults := wrongFormats(t, fstest.MapFS{
		versionsPage:                   file("| a blob of an owner | 4 | x |\n| a recording | 5 | x |\n"),
		"buff/blob.go":                 file("package buff\n\nconst (\n\tblobFormat = 5\n)\n"),
		"buff/command_binary.go":       file("package buff\n\nconst commandVersion = 1\n"),
		"internal/recording/header.go": file("package recording\n\nconst version = 5 // since\n"),
	})
	require.Equal(t, []string{
		"docs/versioning.md: a blob of an owner is 4, and blobFormat in buff/blob.go is 5",
		"docs/versioning.md: no row for a command in its binary form",
	}, faults)
}
