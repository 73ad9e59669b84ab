//go:build unix

package definition

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// diskFolder makes a folder of definitions and applies change to it.
func diskFolder(t *testing.T, change func(t *testing.T, dir string)) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "buffs")
	require.NoError(t, os.Mkdir(dir, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "good.yaml"), []byte("buffs:\n  venom: {duration: 12s}\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "..", "secret.yaml"), []byte("root:x:0:0\n"), 0o600))
	if change != nil {
		change(t, dir)
	}
	return dir
}

func pipe(name string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) { require.NoError(t, syscall.Mkfifo(filepath.Join(dir, name), 0o644)) }
}

func link(to, name string) func(t *testing.T, dir string) {
	return func(t *testing.T, dir string) { require.NoError(t, os.Symlink(to, filepath.Join(dir, name))) }
}

// TestOnlyFiles checks that a path that is no file is an error with its name, and that the loader
// does not wait for it. A link that leads out of its folder is refused, because its target would
// be read and shown in an error.
func TestOnlyFiles(t *testing.T) {
	const outside = "bad.yaml: cannot be read: the link is not relative, or leads out of its folder"
	for name, k := range map[string]struct {
		change func(t *testing.T, dir string)
		want   string
	}{
		"a pipe":                    {pipe("bad.yaml"), "bad.yaml: not a file"},
		"a pipe that is no YAML":    {pipe("bad.txt"), ""},
		"a link to a pipe":          {func(t *testing.T, dir string) { pipe("p")(t, dir); link("p", "bad.yaml")(t, dir) }, "bad.yaml: not a file"},
		"a link to a folder":        {link(".", "bad.yaml"), "bad.yaml: not a file"},
		"a link to a device":        {link("/dev/zero", "bad.yaml"), outside},
		"a link out":                {link("../secret.yaml", "bad.yaml"), outside},
		"a link out from its root":  {func(t *testing.T, dir string) { link(filepath.Join(dir, "../secret.yaml"), "bad.yaml")(t, dir) }, outside},
		"a link out by a link":      {func(t *testing.T, dir string) { link("..", "up")(t, dir); link("up/secret.yaml", "bad.yaml")(t, dir) }, outside},
		"a link to itself":          {link("bad.yaml", "bad.yaml"), outside},
		"a link to nothing":         {link("nothing", "bad.yaml"), "bad.yaml: no such file or folder"},
		"a link that stays":         {link("good.yaml", "more.txt"), ""},
		"a volume as of Kubernetes": {volume, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := diskFolder(t, k.change)
			c, err := Load(dir)
			if k.want == "" {
				require.NoError(t, err)
				require.NotNil(t, c.Spec("venom"))
				_, err = Reload(c, dir)
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, k.want)
			require.NotContains(t, err.Error(), "root:")
			_, err = Files(dir)
			require.ErrorContains(t, err, k.want)
			sound, err := Load(filepath.Join(dir, "good.yaml"))
			require.NoError(t, err)
			_, err = Reload(sound, dir)
			require.ErrorContains(t, err, k.want)
		})
	}
}

// volume changes a folder in the way that Kubernetes mounts it.
func volume(t *testing.T, dir string) {
	require.NoError(t, os.Mkdir(filepath.Join(dir, "..2026_11_22"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "..2026_11_22", "more.yaml"), []byte("buffs:\n  stun: {duration: 1s}\n"), 0o644))
	link("..2026_11_22", "..data")(t, dir)
	link("..data/more.yaml", "more.yaml")(t, dir)
}

// TestNamedPipe checks that a path that is a pipe or a device is refused by its name, and that a
// path that is a link to a file anywhere is read.
func TestNamedPipe(t *testing.T) {
	dir := diskFolder(t, pipe("pipe.yaml"))
	_, err := Load(filepath.Join(dir, "pipe.yaml"))
	require.ErrorContains(t, err, "pipe.yaml: neither a file nor a folder")
	_, err = Load("/dev/zero")
	require.ErrorContains(t, err, "/dev/zero: neither a file nor a folder")
	link("buffs/good.yaml", "../named.yaml")(t, dir)
	c, err := Load(filepath.Join(dir, "../named.yaml"))
	require.NoError(t, err)
	require.Equal(t, 1, c.Len())
}

// TestPipeBetween checks that the loader does not wait for a path that was a file when it was
// examined, and is a pipe when it is opened.
func TestPipeBetween(t *testing.T) {
	dir := diskFolder(t, pipe("bad.yaml"))
	for _, m := range []*member{{name: filepath.Join(dir, "bad.yaml")}, {name: filepath.Join(dir, "bad.yaml"), dir: dir}} {
		l := newLoader()
		_, ok := l.file(disk{}, m)
		require.False(t, ok)
		require.ErrorContains(t, l.errors(), "bad.yaml: not a file")
	}
	l := newLoader()
	l.expand(swapped{}, filepath.Join(dir, "bad.yaml")) // first a folder, then a pipe
	require.True(t, strings.Contains(l.errors().Error(), "cannot be read: not a directory"), "%v", l.errors())
}

// swapped is a disk on which everything was a folder a moment ago.
type swapped struct{ disk }

func (swapped) Stat(string) (os.FileInfo, error) { return os.Stat("/") }

// TestOnlyFilesFS checks that no pipe is opened, because a file system would wait for the other
// end of it.
func TestOnlyFilesFS(t *testing.T) {
	dir := diskFolder(t, pipe("bad.yaml"))
	_, err := LoadFS(os.DirFS(dir), ".")
	require.ErrorContains(t, err, "bad.yaml: not a file")
	dir = diskFolder(t, func(t *testing.T, dir string) { pipe("p")(t, dir); link("p", "bad.yaml")(t, dir) })
	_, err = LoadFS(os.DirFS(dir), ".")
	require.ErrorContains(t, err, "bad.yaml: cannot be read: the link does not lead to a file")
	_, err = LoadFS(os.DirFS(dir), "p")
	require.ErrorContains(t, err, "p: neither a file nor a folder")
	dir = diskFolder(t, link("../secret.yaml", "bad.yaml"))
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	_, err = LoadFS(root.FS(), ".")
	require.ErrorContains(t, err, "bad.yaml: cannot be read: ")
	require.NotContains(t, err.Error(), "root:")
}
