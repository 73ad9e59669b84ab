package bolt

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	bbolt "go.etcd.io/bbolt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
)

// goneBatch returns the batch of a frame with one owner of size bytes.
func goneBatch(zone string, frame uint64, id buff.OwnerID, size int) *store.Batch {
	return &store.Batch{
		Head: store.Head{Zone: zone, Epoch: 1, Frame: frame}, Since: frame - 1,
		Owners: []store.Owner{{ID: id, Blob: make([]byte, size)}},
	}
}

// TestFileGone checks that a file that is removed, replaced or truncated while it is open accepts
// no more commits. A refused commit must not change the file that is at the path now.
func TestFileGone(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(t *testing.T, path string)
		want string
	}{
		"removed": {func(t *testing.T, path string) {
			require.NoError(t, os.Remove(path))
		}, "the file has been removed or renamed"},
		"renamed": {func(t *testing.T, path string) {
			require.NoError(t, os.Rename(path, path+".old"))
		}, "the file has been removed or renamed"},
		"replaced": {func(t *testing.T, path string) {
			other := path + ".other"
			twoCuts(t, other)
			require.NoError(t, os.Rename(other, path))
		}, "another file is at its path"},
		"truncated": {func(t *testing.T, path string) {
			require.NoError(t, os.Truncate(path, int64(2*os.Getpagesize())))
		}, "the file has been truncated"},
		"overwritten": {func(t *testing.T, path string) {
			// Overwrite the contents with an older copy, as cp does. The file is the same, but
			// the free list of bbolt does not match its new contents.
			older := filepath.Join(t.TempDir(), "older.db")
			twoCuts(t, older)
			data, err := os.ReadFile(older)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, data, 0o600))
		}, "the file has been overwritten with an older one"},
		"its folder removed": {func(t *testing.T, path string) {
			require.NoError(t, os.RemoveAll(filepath.Dir(path)))
		}, "the file has been removed or renamed"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "world", "zones.db")
			require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
			s, err := Open(path, Options{})
			require.NoError(t, err)
			defer s.Close()
			_, err = s.Open(ctx, "a")
			require.ErrorIs(t, err, store.ErrEmpty)
			require.NoError(t, s.Commit(ctx, goneBatch("a", 1, 1, 20_000)))
			for range 10 { // more transactions than the other file has
				require.ErrorIs(t, s.Commit(ctx, goneBatch("a", 9, 1, 1)), store.ErrLost)
				require.NoError(t, s.Commit(ctx, goneBatch("a", 1, 1, 20_000)))
			}
			require.NoError(t, s.Broken())

			c.do(t, path)
			before, readErr := os.ReadFile(path)
			for range 3 {
				err := s.Commit(ctx, goneBatch("a", 2, 2, 10))
				require.ErrorIs(t, err, store.ErrBroken)
				require.ErrorContains(t, err, c.want)
				require.ErrorContains(t, err, path)
				require.ErrorContains(t, s.Broken(), c.want)
			}
			_, err = s.Open(ctx, "b")
			require.ErrorIs(t, err, store.ErrBroken)
			after, err := os.ReadFile(path)
			require.Equal(t, readErr == nil, err == nil)
			require.Equal(t, before, after, "a refused commit was written")
		})
	}
}

// TestCommit_FileGone checks that a commit is not acknowledged if the file is removed during the
// commit.
func TestCommit_FileGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zones.db")
	s, err := Open(path, Options{})
	require.NoError(t, err)
	defer s.Close()
	_, err = s.Open(ctx, "a")
	require.ErrorIs(t, err, store.ErrEmpty)
	err = s.update(func(*bbolt.Tx) error { return os.Remove(path) })
	require.ErrorIs(t, err, store.ErrBroken)
}

// TestFileMovedAway checks that the path is resolved only once, so that the process may change
// its working directory, and that a symbolic link is followed.
func TestFileMovedAway(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	require.NoError(t, os.Mkdir("elsewhere", 0o700))
	twoCuts(t, "real.db")
	require.NoError(t, os.Symlink("real.db", "link.db"))
	s, err := Open("link.db", Options{})
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, os.Chdir("elsewhere"))
	_, err = s.Open(ctx, "arena")
	require.NoError(t, err)
	require.NoError(t, os.Rename(filepath.Join(dir, "real.db"), filepath.Join(dir, "other.db")))
	_, err = s.Open(ctx, "arena")
	require.ErrorIs(t, err, store.ErrBroken)
}

// TestOpen_FileReplaced checks that Open opens the new file if the file is replaced before it
// is locked.
func TestOpen_FileReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zones.db")
	twoCuts(t, path)
	twoCuts(t, path+".new")
	s := &Store{path: path, absolute: path}
	opened := 0
	f, err := s.openLocked(func() (*os.File, error) {
		f, err := os.Open(path)
		if opened++; opened == 1 {
			require.NoError(t, os.Rename(path+".new", path))
		}
		return f, err
	})
	require.NoError(t, err)
	defer f.Close()
	require.Equal(t, 2, opened)
	got, err := f.Stat()
	require.NoError(t, err)
	want, err := os.Stat(path)
	require.NoError(t, err)
	require.True(t, os.SameFile(got, want))
}

// TestReopen_TwoZones removes a file that two zones share. Their common Reopen must open the file
// only once, and each zone must save all its owners to the new file.
func TestReopen_TwoZones(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zones.db")
	disk, err := Open(path, Options{})
	require.NoError(t, err)
	var mu sync.Mutex
	opened := 1
	reopen := func() (store.Store, error) {
		mu.Lock()
		defer mu.Unlock()
		if disk.Broken() == nil {
			return disk, nil
		}
		again, err := Open(path, Options{})
		if err == nil {
			disk = again
			opened++
		}
		return again, err
	}
	zones := map[string]*store.Saver{}
	for name, id := range map[string]buff.OwnerID{"a": 1, "b": 2} {
		zones[name], err = store.Open(ctx, disk, name, engine.Options{Synchronous: true}, store.Options{Every: -1, Reopen: reopen})
		require.NoError(t, err)
		require.NoError(t, zones[name].Engine().Spawn(id, nil))
		require.NoError(t, zones[name].SaveAll(ctx))
	}
	require.NoError(t, os.Remove(path))
	require.ErrorIs(t, zones["a"].SaveAll(ctx), store.ErrBroken)
	require.Contains(t, zones["a"].Stats().Problem(), "the file has been removed")
	for _, name := range []string{"a", "b", "a", "b"} {
		for err = errors.New("not yet"); err != nil; err = zones[name].SaveAll(ctx) {
			require.NotErrorIs(t, err, store.ErrClosed)
		}
	}
	require.Equal(t, 2, opened)
	for name, v := range zones {
		require.Empty(t, v.Stats().Problem())
		cut, err := disk.Load(ctx, name)
		require.NoError(t, err)
		require.Len(t, cut.Owners, 1)
		v.Close()
		require.NoError(t, v.Engine().Close(ctx))
	}
	require.NoError(t, disk.Close())
	_, err = os.Stat(path)
	require.NotErrorIs(t, err, fs.ErrNotExist)
}
