package postgres

import (
	"errors"
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
)

var takeovers = flag.Int("takeovers", 400, "how often the zone of TestFence is taken")

const staleWriters = 4

// fence takes a zone again and again, each time while the one before is committing and four that
// have lost it long ago try to. It returns how often one of them wrote what it may not.
func fence(t *testing.T, s *Store, rounds int) (violations int) {
	cut, err := s.Open(ctx, "a")
	require.ErrorIs(t, err, store.ErrEmpty)
	frame := uint64(1)
	require.NoError(t, s.Commit(ctx, fenceBatch(cut.Epoch, 0, frame)))
	for range rounds {
		var all sync.WaitGroup
		acked := make([]bool, staleWriters+1) // the last is the one that has the zone now
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
		// What was not there when the zone was taken is not there now.
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

// TestFence: four hundred take-overs, each against four stale writers and the last one.
func TestFence(t *testing.T) {
	rounds := *takeovers
	if testing.Short() {
		rounds = min(rounds, 100)
	}
	s := open(t, newSchema(t))
	require.Zero(t, fence(t, s, rounds))
}

// TestFenceFinds: without the look at the epoch it is violated.
func TestFenceFinds(t *testing.T) {
	s := open(t, newSchema(t))
	_, function, _ := strings.Cut(tables, "create function")
	require.Contains(t, function, "z.epoch <> p_epoch")
	_, err := s.pool.Exec(ctx, s.sql("create or replace function"+strings.Replace(function, "z.epoch <> p_epoch", "false", 1)))
	require.NoError(t, err)
	require.NotZero(t, fence(t, s, 20))
}
