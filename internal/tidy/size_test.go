package tidy

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxFile is how large a file of the repository may be: a picture, or the report's figures. A transcript
// that was written anew over a fault has once been 45 MB.
const maxFile = 3 << 19 // 1.5 MiB

// TestFileSizes: no file is so large that whoever fetches the module would notice.
func TestFileSizes(t *testing.T) {
	seen := 0
	require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (file == ".git" || strings.HasSuffix(file, "/node_modules")):
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

// built reports whether a file is what go build leaves of a module that is one program: it has the name
// of its folder, may be run, and is none of the repository's, see .gitignore.
func built(file string, info fs.FileInfo) bool {
	return info.Mode()&0o111 != 0 && path.Base(file) == path.Base(path.Dir(file))
}
