package bolt

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// unsync replaces an open file with /dev/null, so that writes are lost and each sync fails. A
// disk that fails to write pages that the kernel has accepted has the same effect.
func unsync(t *testing.T, path string) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	require.NoError(t, err)
	defer null.Close()
	links, err := filepath.Glob("/proc/self/fd/*")
	require.NoError(t, err)
	n := 0
	for _, link := range links {
		if to, err := os.Readlink(link); err == nil && to == path {
			fd, err := strconv.Atoi(filepath.Base(link))
			require.NoError(t, err)
			require.NoError(t, syscall.Dup3(int(null.Fd()), fd, syscall.O_CLOEXEC))
			n++
		}
	}
	require.Equal(t, 1, n, "open files of that name")
}

// TestSyncFails checks that after a failed sync, the Saver reports the error and reopens the
// file, and that the next commit contains everything. Acknowledged data is kept.
func TestSyncFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zones.db")
	disk, err := Open(path, Options{})
	require.NoError(t, err)
	reopened := 0
	zone, err := store.Open(ctx, disk, "a", engine.Options{Synchronous: true}, store.Options{
		Every: -1,
		Marshal: func(id buff.OwnerID, _ any, b []byte) ([]byte, error) {
			return fmt.Append(b, "owner ", id), nil
		},
		Unmarshal: func(buff.OwnerID, []byte) (any, error) { return nil, nil },
		Reopen: func() (store.Store, error) {
			reopened++
			disk, err = Open(path, Options{})
			return disk, err
		},
	})
	require.NoError(t, err)
	e := zone.Engine()
	onDisk := func() int { // read a copy, because the file is locked
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		copied := filepath.Join(t.TempDir(), "copy.db")
		require.NoError(t, os.WriteFile(copied, b, 0o600))
		s, err := Open(copied, Options{ReadOnly: true})
		require.NoError(t, err)
		defer s.Close()
		cut, err := s.Load(ctx, "a")
		require.NoError(t, err)
		for _, o := range cut.Owners {
			require.Contains(t, string(o.Data), fmt.Sprint("owner ", o.ID))
		}
		return len(cut.Owners)
	}
	require.NoError(t, e.Spawn(1, nil))
	for id := range buff.OwnerID(500) { // so that the file has free pages and need not grow
		require.NoError(t, e.Spawn(100+id, nil))
	}
	require.NoError(t, zone.SaveAll(ctx))
	for id := range buff.OwnerID(500) {
		require.NoError(t, e.Drop(100+id))
	}
	require.NoError(t, zone.SaveAll(ctx))

	unsync(t, path)
	require.NoError(t, e.Spawn(2, nil))
	require.ErrorIs(t, zone.SaveAll(ctx), syscall.EINVAL, "that of fdatasync")
	require.NoError(t, e.Spawn(3, nil))
	require.ErrorIs(t, zone.SaveAll(ctx), store.ErrBroken)
	require.Contains(t, zone.Stats().Problem(), "The last commit failed")
	require.Zero(t, reopened)
	require.Equal(t, 1, onDisk(), "what was acknowledged")

	require.NoError(t, e.Spawn(4, nil))
	require.NoError(t, e.Drop(2))
	require.NoError(t, zone.SaveAll(ctx))
	require.Equal(t, 1, reopened)
	require.Empty(t, zone.Stats().Problem())
	zone.Close()
	require.NoError(t, e.Close(ctx))
	require.NoError(t, disk.Close())
	require.Equal(t, 3, onDisk())
}

// TestSyncFails_NoReopen checks that without Reopen nothing more is written to the file after a
// failed sync, and that the file keeps its data.
func TestSyncFails_NoReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zones.db")
	states := twoCuts(t, path)
	s, err := Open(path, Options{})
	require.NoError(t, err)
	cut, err := s.Open(ctx, "arena")
	require.NoError(t, err)
	unsync(t, path)
	for frame, want := range []error{syscall.EINVAL, store.ErrBroken, store.ErrBroken} {
		b := &store.Batch{Head: store.Head{Zone: "arena", Epoch: cut.Epoch, Frame: uint64(3 + frame), Window: 8}, Since: 2}
		require.ErrorIs(t, s.Commit(ctx, b), want)
	}
	require.NoError(t, s.Close())
	s, err = Open(path, Options{ReadOnly: true})
	require.NoError(t, err)
	defer s.Close()
	now, err := s.Load(ctx, "arena")
	require.NoError(t, err)
	states[0].Epoch = now.Epoch
	require.NoError(t, storetest.Differ(now, states[0]))
}
