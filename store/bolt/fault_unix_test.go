//go:build linux || darwin

package bolt

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	bbolt "go.etcd.io/bbolt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
)

// unreadable protects pages of the mapped file, so that reading them causes a fault, as after a
// disk error. The returned function makes them readable again.
func unreadable(t *testing.T, s *Store, first, n uint64) (readable func()) {
	info := s.db.Info()
	protect := func(how int) {
		page := unsafe.Add(*(*unsafe.Pointer)(unsafe.Pointer(&info.Data)), int(first)*info.PageSize)
		require.NoError(t, syscall.Mprotect(unsafe.Slice((*byte)(page), int(n)*info.PageSize), how))
	}
	protect(syscall.PROT_NONE)
	return func() { protect(syscall.PROT_READ) }
}

// TestUnreadable checks that an unreadable page causes an error only in the zone that needs it,
// which the live page of the zone shows. Other zones of the file are saved, and so is this zone
// when the page is readable again.
func TestUnreadable(t *testing.T) {
	disk, err := Open(filepath.Join(t.TempDir(), "zones.db"), Options{})
	require.NoError(t, err)
	defer disk.Close()
	// Make room in the file, so that the commits below do not remap it.
	_, err = disk.Open(ctx, "room")
	require.ErrorIs(t, err, store.ErrEmpty)
	require.NoError(t, disk.Commit(ctx, goneBatch("room", 1, 9999, 1<<20)))
	empty := goneBatch("room", 2, 0, 0)
	empty.Owners, empty.Deleted = nil, []buff.OwnerID{9999}
	require.NoError(t, disk.Commit(ctx, empty))
	zones := map[string]*store.Saver{}
	for name, first := range map[string]buff.OwnerID{"a": 0, "b": 1000} {
		v, err := store.Open(ctx, disk, name, engine.Options{Synchronous: true}, store.Options{Every: -1})
		require.NoError(t, err)
		zones[name] = v
		for id := range buff.OwnerID(500) {
			require.NoError(t, v.Engine().Spawn(first+id, nil))
		}
		require.NoError(t, v.SaveAll(ctx))
		defer func() { v.Close(); require.NoError(t, v.Engine().Close(ctx)) }()
	}
	var root uint64
	require.NoError(t, disk.db.View(func(tx *bbolt.Tx) error {
		root = uint64(tx.Bucket(zonesBucket).Bucket([]byte("a")).Bucket(ownersBucket).Root())
		return nil
	}))
	readable := unreadable(t, disk, root, 1)
	a, b := zones["a"], zones["b"]
	require.NoError(t, a.Engine().Spawn(500, nil))
	require.NoError(t, b.Engine().Spawn(1500, nil))
	err = a.SaveAll(ctx)
	damage, ok := errors.AsType[*store.DamageError](err)
	require.True(t, ok, "%v", err)
	require.Regexp(t, `^page \d+$`, damage.Place)
	require.Contains(t, damage.Problem, "it cannot be read")
	require.Contains(t, a.Stats().Problem(), "The last commit failed")
	require.Contains(t, a.Stats().Problem(), damage.Place)
	_, err = disk.Load(ctx, "a")
	require.ErrorIs(t, err, store.ErrDamaged)
	require.NoError(t, b.SaveAll(ctx))
	require.Empty(t, b.Stats().Problem())
	require.NoError(t, disk.Broken())

	readable()
	require.NoError(t, a.SaveAll(ctx))
	for _, name := range []string{"a", "b"} {
		cut, err := disk.Load(ctx, name)
		require.NoError(t, err)
		require.Len(t, cut.Owners, 501)
	}
}

// TestUnreadableMeta checks that the store is broken after a fault inside bbolt, which then keeps
// its locks. No later call may block, and the file can be reopened.
func TestUnreadableMeta(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zones.db")
	states := twoCuts(t, path)
	for name, do := range map[string]func(s *Store) error{
		"read":  func(s *Store) error { _, err := s.Load(ctx, "arena"); return err },
		"write": func(s *Store) error { _, err := s.Open(ctx, "arena"); return err },
	} {
		t.Run(name, func(t *testing.T) {
			s, err := Open(path, Options{})
			require.NoError(t, err)
			readable := unreadable(t, s, 0, 2)
			require.ErrorIs(t, do(s), store.ErrDamaged)
			readable()
			_, err = s.Load(ctx, "arena")
			require.ErrorIs(t, err, store.ErrBroken)
			require.ErrorIs(t, err, store.ErrDamaged)
			_, err = s.Zones()
			require.ErrorIs(t, err, store.ErrBroken)
			require.ErrorIs(t, s.Commit(ctx, goneBatch("arena", 3, 1, 1)), store.ErrBroken)
			require.NoError(t, s.Close())
			again, err := Open(path, Options{})
			require.NoError(t, err)
			cut, err := again.Load(ctx, "hall")
			require.NoError(t, err)
			require.Len(t, cut.Owners, len(states[2].Owners))
			require.NoError(t, again.Close())
		})
	}
}

// TestTruncatedWhileOpen checks that truncating the open file does not end the process.
func TestTruncatedWhileOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zones.db")
	s, err := Open(path, Options{})
	require.NoError(t, err)
	_, err = s.Open(ctx, "a")
	require.ErrorIs(t, err, store.ErrEmpty)
	for frame := uint64(1); frame <= 50; frame++ {
		require.NoError(t, s.Commit(ctx, goneBatch("a", frame, buff.OwnerID(frame), 20_000)))
	}
	require.NoError(t, os.Truncate(path, int64(2*os.Getpagesize())))
	_, err = s.Load(ctx, "a")
	require.ErrorIs(t, err, store.ErrDamaged)
	require.ErrorContains(t, err, "it cannot be read")
	require.ErrorIs(t, s.Commit(ctx, goneBatch("a", 51, 1, 100)), store.ErrBroken)
	require.NoError(t, s.Close())
}
