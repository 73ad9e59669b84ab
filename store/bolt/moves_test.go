package bolt

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	bbolt "go.etcd.io/bbolt"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// planted is a store with a deliberate fault in its moves.
type planted struct {
	*Store
	change func(b *store.Batch)
}

func (p planted) Commit(ctx context.Context, b *store.Batch) error {
	c := *b
	c.Moved = append([]store.Move(nil), b.Moved...)
	c.Arrived = append([]store.Arrival(nil), b.Arrived...)
	p.change(&c)
	return p.Store.Commit(ctx, &c)
}

// TestMoves_DetectsFaults checks that the conformance test detects a move that is repeated after
// a lost answer, a move that is not executed, and an arrival that is not recorded.
func TestMoves_DetectsFaults(t *testing.T) {
	for name, change := range map[string]func(b *store.Batch){
		"repeated": func(b *store.Batch) {
			for k := range b.Moved {
				b.Moved[k].Owner.Frame = b.Frame
			}
		},
		"not made":     func(b *store.Batch) { b.Moved = nil },
		"not recorded": func(b *store.Batch) { b.Arrived = nil },
	} {
		t.Run(name, func(t *testing.T) {
			found := storetest.Findings(func() storetest.Open {
				path := filepath.Join(t.TempDir(), "zones.db")
				return func() (store.Store, error) {
					s, err := Open(path, Options{noSync: true})
					return planted{s, change}, err
				}
			})
			require.NotEmpty(t, found)
			for name, err := range found {
				require.Contains(t, []string{"Moves", "MovesRepeated", "MovesRefused", "MovesConcurrent"}, name, "%v", err)
			}
			t.Log(found)
		})
	}
}

// TestOlderProgram checks that a program that does not know moves cannot store an owner in
// transit, because it sees the owner in a zone with another name. The present program then still
// finds the owner in transit.
func TestOlderProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "zones.db")
	twoCuts(t, path)
	s, err := Open(path, Options{})
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.db.View(func(tx *bbolt.Tx) error {
		value := tx.Bucket(whereBucket).Get(ownerKey(travels.ID))
		for _, zone := range []string{"arena", "hall", "harbour"} {
			require.NotEqual(t, zone, string(value))
		}
		require.ErrorIs(t, store.CheckName(string(value)), store.ErrName)
		return nil
	}))
	for _, zone := range []string{"arena", "hall"} {
		b := goneBatch(zone, 3, travels.ID, 1)
		b.Whole = true
		require.ErrorIs(t, s.Commit(ctx, b), store.ErrElsewhere)
	}
	places, err := s.Where(ctx, []buff.OwnerID{travels.ID})
	require.NoError(t, err)
	require.Equal(t, []store.Place{{Owner: travels.ID, Zone: "harbour", Arriving: true}}, places)
}

// TestArrivals_Many checks the order of the arrivals if more owners are in transit than one call
// returns.
func TestArrivals_Many(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "zones.db"), Options{})
	require.NoError(t, err)
	defer s.Close()
	_, err = s.Open(ctx, "a")
	require.ErrorIs(t, err, store.ErrEmpty)
	_, err = s.Open(ctx, "b")
	require.ErrorIs(t, err, store.ErrEmpty)
	const n = 2*store.MostArrivals + 3
	out := goneBatch("a", 1, n, 1)
	for k := range buff.OwnerID(n) {
		out.Moved = append(out.Moved, store.Move{Owner: store.Owner{ID: n - 1 - k, Frame: 1}, To: "b"})
	}
	require.NoError(t, s.Commit(ctx, out))
	for frame, want := uint64(1), n; want > 0; frame++ {
		list, err := s.Arrivals(ctx, []string{"a", "b"})
		require.NoError(t, err)
		require.Len(t, list, min(want, store.MostArrivals))
		in := &store.Batch{Head: store.Head{Zone: "b", Epoch: 1, Frame: frame}, Since: frame - 1, Arrived: list}
		for _, a := range list {
			require.EqualValues(t, want-1, a.Owner.ID)
			want--
			in.Owners = append(in.Owners, store.Owner{ID: a.Owner.ID})
		}
		require.NoError(t, s.Commit(ctx, in))
	}
	names, err := s.Zones()
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b"}, names)
}
