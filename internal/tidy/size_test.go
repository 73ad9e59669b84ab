package tidy

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxFile bounds the files of the repository, which every user of the module downloads. It catches
// a transcript that a -rewrite with a bug has blown up.
const maxFile = 3 << 19 // 1.5 MiB

// TestFileSizes checks that no file of the repository exceeds maxFile.
func TestFileSizes(t *testing.T) {
	seen := 0
	require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (file == ".git" || file == "playground" || strings.HasSuffix(file, "/node_modules")): // the last two are in .gitignore
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		seen++
		info, err := d.Info()
		if err == nil && info.Size() > maxFile && !built(file, info) {
			t.Errorf("%s: %d bytes, more than %d", file, info.Size(), maxFile)
		}
		return err
	}))
	require.Greater(t, seen, 1000, "the files of the repository")
}

// built reports whether a file is a binary that go build has left in the folder of a program. Such
// files are in .gitignore.
func built(file string, info fs.FileInfo) bool {
	return info.Mode()&0o111 != 0 && path.Base(file) == path.Base(path.Dir(file))
}
