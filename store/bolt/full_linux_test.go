package bolt

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// TestDiskFull checks that a commit that fills the disk has no effect, that the previous cut
// remains, and that the next commit succeeds once there is room.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	defer func() { require.NoError(t, syscall.Unmount(dir, syscall.MNT_DETACH)) }()
	path := filepath.Join(dir, "zones.db")
	s, err := Open(path, Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Close()) }()
	cut, err := s.Open(ctx, "a")
	require.ErrorIs(t, err, store.ErrEmpty)
	batch := func(since, frame uint64) *store.Batch {
		return &store.Batch{
			Head: store.Head{Zone: "a", Epoch: cut.Epoch, Frame: frame}, Since: since,
			Owners: []store.Owner{{ID: 1, Data: []byte{byte(frame)}}, {ID: 2}, {ID: 7, Data: make([]byte, 40_000)}},
		}
	}
	acked := uint64(0)
	for err = nil; err == nil; {
		b := batch(acked, acked+1)
		b.Owners[2].ID += buff.OwnerID(acked) // a new owner each time
		if err = s.Commit(ctx, b); err == nil {
			acked++
		}
		require.Less(t, acked, uint64(1000), "the disk never fills up")
	}
	require.ErrorIs(t, err, syscall.ENOSPC)
	require.NotZero(t, acked)
	before, err := s.Load(ctx, "a")
	require.NoError(t, err)
	require.Equal(t, acked, before.Frame)

	require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT, "size=16m"))
	require.NoError(t, s.Commit(ctx, batch(acked, acked+3)))
	require.NoError(t, s.Close())
	s, err = Open(path, Options{})
	require.NoError(t, err)
	after, err := s.Load(ctx, "a")
	require.NoError(t, err)
	require.Equal(t, acked+3, after.Frame)
	require.Error(t, storetest.Differ(after, before))
}
