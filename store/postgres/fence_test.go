package postgres

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

const staleWriters = 4

// fence acquires a zone repeatedly while the previous writer and four earlier writers commit. It
// returns the number of accepted writes that should have been refused.
func fence(t *testing.T, s *Store, rounds int) (violations int) {
	cut, err := s.Open(ctx, "a")
	require.ErrorIs(t, err, store.ErrEmpty)
	frame := uint64(1)
	require.NoError(t, s.Commit(ctx, fenceBatch(cut.Epoch, 0, frame)))
	for range rounds {
		var all sync.WaitGroup
		acked := make([]bool, staleWriters+1) // the last one is the current writer
		for k := range acked {
			epoch := cut.Epoch - min(cut.Epoch-1, uint64(staleWriters-k))
			all.Go(func() {
				err := s.Commit(ctx, fenceBatch(epoch, frame, frame+1+uint64(k)))
				acked[k] = err == nil && epoch != cut.Epoch
				if err != nil && !errors.Is(err, store.ErrFenced) && !errors.Is(err, store.ErrBatch) {
					t.Errorf("epoch %d: %v", epoch, err)
				}
			})
		}
		next, err := s.Open(ctx, "a")
		require.NoError(t, err)
		all.Wait()
		for _, wrote := range acked {
			if wrote {
				violations++
			}
		}
		// A cut that was missing at the takeover must not appear later.
		now, err := s.Load(ctx, "a")
		require.NoError(t, err)
		if now.Frame != next.Frame || string(now.Data) != string(next.Data) {
			violations++
		}
		for _, o := range now.Owners {
			if string(o.Data) != string(now.Data) {
				violations++
			}
		}
		cut, frame = next, max(now.Frame, frame)+staleWriters+1
		if err := s.Commit(ctx, fenceBatch(cut.Epoch, now.Frame, frame)); err != nil {
			violations++
		}
	}
	return violations
}

func fenceBatch(epoch, since, frame uint64) *store.Batch {
	text := fmt.Append(nil, "epoch ", epoch, " frame ", frame)
	b := &store.Batch{Head: store.Head{Zone: "a", Epoch: epoch, Frame: frame, Data: text}, Since: since}
	for id := range 8 {
		b.Owners = append(b.Owners, store.Owner{ID: buff.OwnerID(1 + id), Data: text})
	}
	return b
}

// TestFence takes the zone over many times, each time from the previous writer and four stale
// writers.
func TestFence(t *testing.T) {
	rounds := long.Times(100)
	s := open(t, newSchema(t))
	require.Zero(t, fence(t, s, rounds))
}

// TestFence_DetectsFaults checks that the test detects a missing epoch check.
func TestFence_DetectsFaults(t *testing.T) {
	s := open(t, newSchema(t))
	change(t, s, "z.epoch <> p_epoch", "false")
	require.NotZero(t, fence(t, s, 20))
}

// change replaces a part of a schema's functions.
func change(t *testing.T, s *Store, was, is string) {
	at := strings.Index(moving, "create or replace function")
	require.Positive(t, at)
	require.Contains(t, moving[at:], was)
	_, err := s.pool.Exec(ctx, s.sql(strings.Replace(moving[at:], was, is, 1)))
	require.NoError(t, err)
}

// TestMoves_DetectsFaults removes checks from commit_moves. Without the check of the frame, an
// owner would leave again after a lost answer, which the check of its location detects. Without
// this check and the primary key, the owner is moved back.
func TestMoves_DetectsFaults(t *testing.T) {
	if !long.On() {
		t.Skip("it runs all tests of a store, twice: -long")
	}
	find := func(t *testing.T, changes ...string) map[string]error {
		return storetest.Findings(func() storetest.Open {
			schema := newSchema(t)
			s := open(t, schema)
			at := strings.Index(moving, "create or replace function")
			text := moving[at:]
			for k := 0; k < len(changes); k += 2 {
				require.Contains(t, text, changes[k])
				text = strings.ReplaceAll(text, changes[k], changes[k+1])
			}
			_, err := s.pool.Exec(ctx, s.sql(text))
			require.NoError(t, err)
			require.NoError(t, s.Close())
			return func() (store.Store, error) { return Open(ctx, address(), Options{Schema: schema}) }
		})
	}
	t.Run("frame", func(t *testing.T) {
		found := find(t, "u.frame > z.frame", "true")
		require.Len(t, found, 1, "%v", found)
		require.ErrorIs(t, found["MovesRepeated"], store.ErrElsewhere)
	})
	t.Run("frame and place", func(t *testing.T) {
		found := find(t, "u.frame > z.frame", "true", "if found then", "if false then",
			"where u.id = any(leave);\n", "where u.id = any(leave) on conflict (id) do update set zone = excluded.zone, data = excluded.data;\n")
		require.ErrorContains(t, found["MovesRepeated"], "owner 7 is at [")
		t.Log(found["MovesRepeated"])
	})
}

// TestBeforeMoves checks that a schema without moves is upgraded and keeps its data.
func TestBeforeMoves(t *testing.T) {
	schema := newSchema(t)
	s := open(t, schema)
	cut, err := s.Open(ctx, "a")
	require.ErrorIs(t, err, store.ErrEmpty)
	require.NoError(t, s.Commit(ctx, fenceBatch(cut.Epoch, 0, 1)))
	_, err = s.pool.Exec(ctx, s.sql("drop function SCHEMA.commit_moves; drop table SCHEMA.moves"))
	require.NoError(t, err)
	old, err := Open(ctx, address(), Options{Schema: schema, ReadOnly: true})
	require.NoError(t, err)
	was, err := old.Load(ctx, "a")
	require.NoError(t, err)
	_, err = old.Arrivals(ctx, []string{"a"})
	require.ErrorContains(t, err, "moves")
	require.NoError(t, old.Close())
	s = open(t, schema)
	is, err := s.Load(ctx, "a")
	require.NoError(t, err)
	require.Equal(t, was, is)
	b := fenceBatch(cut.Epoch, 1, 2)
	b.Owners = nil
	b.Moved = []store.Move{{Owner: store.Owner{ID: 3, Frame: 2}, To: "b"}}
	require.NoError(t, s.Commit(ctx, b))
	list, err := s.Arrivals(ctx, []string{"b"})
	require.NoError(t, err)
	require.Len(t, list, 1)
}
