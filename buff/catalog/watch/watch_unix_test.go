//go:build unix

package watch_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff/catalog/watch"
)

// TestPipe: a pipe or a link out of the folder that comes to be there is an error, and no
// wait; when it is gone, what follows is loaded.
func TestPipe(t *testing.T) {
	says := func(text string) func(watch.Change) bool {
		return func(c watch.Change) bool { return c.Err != nil && strings.Contains(c.Err.Error(), text) }
	}
	f := watched(t)
	bad := filepath.Join(f.dir, "bad.yaml")
	require.NoError(t, syscall.Mkfifo(bad, 0o644))
	f.until(says("bad.yaml: not a file"))
	require.NoError(t, os.Remove(bad))
	require.NoError(t, os.Symlink("/etc/passwd", bad))
	c := f.until(says("bad.yaml: cannot be read: the link is not relative, or leads out of its folder"))
	require.NotContains(t, c.Err.Error(), "root")
	require.NoError(t, os.Remove(bad))
	f.write("venom.yaml", worse)
	f.until(has(1, "15s"))
}
