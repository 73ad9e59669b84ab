package watch_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/buff/catalog/watch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	venom = "buffs:\n  venom: {duration: 12s, period: 3s}\n"
	worse = "buffs:\n  venom: {duration: 15s, period: 3s}\n"
	frost = "buffs:\n  frost: {duration: 5s}\n"
	wrong = "buffs:\n  venom: {duration: 12}\n"
)

// folder is a folder of definitions that is watched. What it brings is waited for without a
// limit: a test that hangs is ended by the deadline of go test.
type folder struct {
	*testing.T
	dir string
	*watch.Watch
}

func watched(t *testing.T) *folder {
	f := &folder{T: t, dir: filepath.Join(t.TempDir(), "buffs")}
	require.NoError(t, os.Mkdir(f.dir, 0o755))
	f.write("venom.yaml", venom)
	c, err := catalog.Load(f.dir)
	require.NoError(t, err)
	f.Watch, err = watch.Folder(f.dir, c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	return f
}

func (f *folder) write(name, text string) {
	f.Helper()
	require.NoError(f, os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o644))
}

// until returns the next change that fits. On a slow machine a state between two steps of a
// test may come before it.
func (f *folder) until(fits func(watch.Change) bool) watch.Change {
	f.Helper()
	for c := range f.Changes() {
		if fits(c) {
			return c
		}
	}
	f.Fatal("the channel was closed")
	return watch.Change{}
}

// has reports whether a change is a catalog of so many definitions, with a venom of that
// duration.
func has(n int, venom string) func(watch.Change) bool {
	return func(c watch.Change) bool {
		return c.Err == nil && c.Catalog.Len() == n && c.Catalog.Spec("venom").Duration.String() == venom
	}
}

func isMissing(c watch.Change) bool { return errors.Is(c.Err, os.ErrNotExist) }

func TestSave(t *testing.T) {
	f := watched(t)
	f.write("venom.yaml", worse)
	c := f.until(has(1, "15s"))
	require.Len(t, c.Catalog.Changes(), 1)
	f.write("frost.yaml", frost)
	f.until(has(2, "15s"))
	require.NoError(t, os.Remove(filepath.Join(f.dir, "frost.yaml")))
	f.until(has(1, "15s"))
}

// TestSaveByRename: many editors write a new file and put it in the place of the old one.
func TestSaveByRename(t *testing.T) {
	f := watched(t)
	f.write(".venom.yaml.swp", "editor's own")
	f.write("venom.yaml~", worse)
	require.NoError(t, os.Rename(filepath.Join(f.dir, "venom.yaml~"), filepath.Join(f.dir, "venom.yaml")))
	f.until(has(1, "15s"))
}

// TestPartialWrites: what is written in pieces is whole in the end.
func TestPartialWrites(t *testing.T) {
	f := watched(t)
	file, err := os.Create(filepath.Join(f.dir, "venom.yaml"))
	require.NoError(t, err)
	for _, piece := range []string{"buffs:\n  venom: {dur", "ation: 15s}\n  frost: {dura", "tion: 5s}\n"} {
		_, err = file.WriteString(piece)
		require.NoError(t, err)
		require.NoError(t, file.Sync())
	}
	require.NoError(t, file.Close())
	f.until(has(2, "15s"))
}

func TestErrorAndBack(t *testing.T) {
	f := watched(t)
	f.write("venom.yaml", wrong)
	f.until(func(c watch.Change) bool {
		var errs catalog.Errors
		return errors.As(c.Err, &errs) && len(errs) == 1 && filepath.Base(errs[0].File) == "venom.yaml" && errs[0].Line == 2
	})
	f.write("venom.yaml", venom)
	require.Empty(t, f.until(has(1, "12s")).Catalog.Changes(), "all is well again, and as it was")
}

// TestFolderGone: the folder is removed, and comes back; then it is put in the place of
// another one.
func TestFolderGone(t *testing.T) {
	f := watched(t)
	require.NoError(t, os.RemoveAll(f.dir))
	f.until(isMissing)
	require.NoError(t, os.Mkdir(f.dir, 0o755))
	f.write("venom.yaml", worse)
	f.until(has(1, "15s"))

	require.NoError(t, os.Rename(f.dir, f.dir+".old"))
	f.until(isMissing)
	require.NoError(t, os.Rename(f.dir+".old", f.dir))
	f.until(has(1, "15s"))
	f.write("frost.yaml", frost)
	f.until(has(2, "15s"))
}

// TestLink: the folder is a link that is pointed elsewhere.
func TestLink(t *testing.T) {
	root := t.TempDir()
	for _, v := range []struct{ name, text string }{{"v1", venom}, {"v2", worse}} {
		require.NoError(t, os.Mkdir(filepath.Join(root, v.name), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(root, v.name, "venom.yaml"), []byte(v.text), 0o644))
	}
	f := &folder{T: t, dir: filepath.Join(root, "buffs")}
	if err := os.Symlink("v1", f.dir); err != nil {
		t.Skip(err) // not allowed to every user of Windows
	}
	c, err := catalog.Load(f.dir)
	require.NoError(t, err)
	f.Watch, err = watch.Folder(f.dir, c)
	require.NoError(t, err)
	defer func() { require.NoError(t, f.Close()) }()
	require.NoError(t, os.Symlink("v2", f.dir+".new"))
	require.NoError(t, os.Rename(f.dir+".new", f.dir))
	f.until(has(1, "15s"))
	f.write("frost.yaml", frost)
	f.until(has(2, "15s"))
}

// TestSinceTheLoad: what was saved between the first load and the watch is not lost.
func TestSinceTheLoad(t *testing.T) {
	dir := t.TempDir()
	c, err := catalog.Parse("venom.yaml", []byte(venom))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "venom.yaml"), []byte(worse), 0o644))
	w, err := watch.Folder(dir, c)
	require.NoError(t, err)
	got := <-w.Changes()
	require.True(t, has(1, "15s")(got))
	require.True(t, got.Catalog.Succeeds(c))
	require.NoError(t, w.Close())
	require.NoError(t, w.Close(), "twice")
	_, open := <-w.Changes()
	require.False(t, open)
}

func TestNoFolder(t *testing.T) {
	c, err := catalog.Parse("venom.yaml", []byte(venom))
	require.NoError(t, err)
	_, err = watch.Folder(filepath.Join(t.TempDir(), "none"), c)
	require.ErrorIs(t, err, os.ErrNotExist)
}
