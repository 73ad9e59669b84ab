package bolt

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

var writeGolden = flag.Bool("golden.write", false, "write the golden files of this version")

// TestP37_Golden reads a file of layout 1 and commits to it.
func TestP37_Golden(t *testing.T) {
	const file = "testdata/zones-v1.db"
	path := filepath.Join(t.TempDir(), "zones.db")
	first := &store.Batch{
		Head:   store.Head{Zone: "arena", Epoch: 1, Frame: 40, Window: 2, Data: []byte("rain"), Older: []buff.OwnerID{8}},
		Owners: []store.Owner{{ID: 7, Blob: []byte("blob"), Data: []byte("health 85")}, {ID: 8}, {ID: 9}},
	}
	second := &store.Batch{
		Head:  store.Head{Zone: "arena", Epoch: 1, Frame: 41, Window: 2, Older: []buff.OwnerID{8}},
		Since: 40, Owners: []store.Owner{{ID: 9, Data: []byte("new")}}, Commands: []store.CommandID{{1}, {2}, {3}},
	}
	if *writeGolden {
		s, err := Open(path, Options{})
		require.NoError(t, err)
		_, err = s.Open(ctx, "arena")
		require.ErrorIs(t, err, store.ErrEmpty)
		require.NoError(t, s.Commit(ctx, first))
		require.NoError(t, s.Commit(ctx, second))
		require.NoError(t, s.Close())
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, b, 0o600))
	}
	b, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, b, 0o600))
	s, err := Open(path, Options{})
	require.NoError(t, err)
	defer s.Close()
	require.Empty(t, s.Warning())
	cut, err := s.Open(ctx, "arena")
	require.NoError(t, err)
	want := &store.Cut{
		Head: second.Head,
		Owners: []store.Owner{
			{ID: 7, Frame: 40, Blob: []byte("blob"), Data: []byte("health 85")},
			{ID: 8, Frame: 40, Older: true},
			{ID: 9, Frame: 41, Data: []byte("new")},
		},
		Commands: []store.CommandID{{2}, {3}},
	}
	want.Epoch = 2
	require.NoError(t, storetest.Differ(cut, want))
	require.NoError(t, s.Commit(ctx, &store.Batch{Head: store.Head{Zone: "arena", Epoch: 2, Frame: 42}, Since: 41}))
}

// TestP37_GoldenMoves is like TestP37_Golden, with an owner in transit.
func TestP37_GoldenMoves(t *testing.T) {
	const file = "testdata/moves-v1.db"
	path := filepath.Join(t.TempDir(), "moves.db")
	leaves := store.Move{Owner: store.Owner{ID: 7, Frame: 2, Blob: []byte("blob"), Data: []byte("health 85")}, To: "hall"}
	if *writeGolden {
		s, err := Open(path, Options{})
		require.NoError(t, err)
		_, err = s.Open(ctx, "arena")
		require.ErrorIs(t, err, store.ErrEmpty)
		require.NoError(t, s.Commit(ctx, goneBatch("arena", 1, 7, 4)))
		b := goneBatch("arena", 2, 8, 4)
		b.Moved = []store.Move{leaves}
		require.NoError(t, s.Commit(ctx, b))
		require.NoError(t, s.Close())
		data, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, data, 0o600))
	}
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, data, 0o600))
	s, err := Open(path, Options{})
	require.NoError(t, err)
	defer s.Close()
	list, err := s.Arrivals(ctx, []string{"arena", "hall"})
	require.NoError(t, err)
	require.Equal(t, []store.Arrival{{Owner: leaves.Owner, Zone: "hall", Number: 1}}, list)
	_, err = s.Open(ctx, "hall")
	require.ErrorIs(t, err, store.ErrEmpty)
	b := goneBatch("hall", 1, 7, 4)
	b.Arrived = list
	require.NoError(t, s.Commit(ctx, b))
	places, err := s.Where(ctx, []buff.OwnerID{7, 8})
	require.NoError(t, err)
	require.Equal(t, []store.Place{{Owner: 7, Zone: "hall"}, {Owner: 8, Zone: "arena"}}, places)
}
