package postgres

import (
	"errors"
	"fmt"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// faultBatch returns the changes since a cut. Each frame writes its number to twenty owners,
// deletes a third of them, and contains one command.
func faultBatch(epoch, since, frame uint64) *store.Batch {
	text := fmt.Append(nil, frame)
	b := &store.Batch{Head: store.Head{Zone: "a", Epoch: epoch, Frame: frame, Window: 1000, Data: text}, Since: since}
	for id := range buff.OwnerID(20) {
		if id > 0 && (uint64(id)+frame)%3 == 0 {
			b.Deleted = append(b.Deleted, id)
		} else {
			b.Owners = append(b.Owners, store.Owner{ID: id, Blob: make([]byte, 200), Data: text})
		}
	}
	for n := since + 1; n <= frame; n++ {
		b.Commands = append(b.Commands, store.CommandID{byte(n), byte(n >> 8)})
	}
	return b
}

// reference returns the expected cut after a frame.
func reference(t *testing.T, epoch, frame uint64) *store.Cut {
	m := storetest.NewMemory()
	for range epoch {
		_, err := m.Open(ctx, "a")
		require.ErrorIs(t, err, store.ErrEmpty)
	}
	require.NoError(t, m.Commit(ctx, faultBatch(epoch, 0, frame)))
	cut, err := m.Load(ctx, "a")
	require.NoError(t, err)
	return cut
}

// faults commits frames through a proxy that disturbs every second commit. After each commit, the
// store must have the previous or the new cut, and acknowledged cuts must be kept.
func faults(t *testing.T, s *Store, look func() *Store, rounds int, arm, disarm func(round int)) {
	cut, err := s.Open(ctx, "a")
	require.ErrorIs(t, err, store.ErrEmpty)
	acked, failed := uint64(0), 0
	for round := range rounds {
		frame := uint64(round + 1)
		arm(round)
		err := s.Commit(ctx, faultBatch(cut.Epoch, acked, frame))
		disarm(round)
		if err == nil {
			acked = frame
		} else {
			failed++
			for _, kind := range []error{store.ErrFenced, store.ErrLost, store.ErrBatch, store.ErrDamaged} {
				require.NotErrorIs(t, err, kind)
			}
		}
		now, err := look().Load(ctx, "a")
		if errors.Is(err, store.ErrEmpty) && acked == 0 {
			continue
		}
		require.NoError(t, err)
		require.GreaterOrEqual(t, now.Frame, acked, "acknowledged, and lost")
		require.NoError(t, storetest.Differ(now, reference(t, cut.Epoch, now.Frame)))
	}
	t.Logf("%d commits, %d failed", rounds, failed)
	require.NotZero(t, failed)
	require.Less(t, failed, rounds)
}

// TestConnectionCut breaks the connection at many byte positions of a commit and of its
// answer.
func TestConnectionCut(t *testing.T) {
	schema := newSchema(t)
	direct := open(t, schema)
	u, err := url.Parse(address())
	require.NoError(t, err)
	p := newProxy(t, u.Host)
	u.Host = p.listener.Addr().String()
	through, err := Open(ctx, u.String(), Options{Schema: schema})
	require.NoError(t, err)
	defer through.Close()
	rounds := long.Times(60)
	faults(t, through, func() *Store { return direct }, rounds, func(round int) {
		switch round % 3 {
		case 0:
			p.arm(1+round*6200/rounds, false, p.cut) // a commit has about 6 KB
		case 1:
			p.arm(1+round%40, true, p.cut) // disturb the answer
		}
	}, func(int) { p.arm(-1, false, nil) })
}

// TestDamage changes a byte of a row, deletes a row, and restores an old version of a row.
func TestDamage(t *testing.T) {
	schema := newSchema(t)
	s := open(t, schema)
	cut, err := s.Open(ctx, "a")
	require.ErrorIs(t, err, store.ErrEmpty)
	require.NoError(t, s.Commit(ctx, faultBatch(cut.Epoch, 0, 1)))
	c := connect(t)
	for _, change := range []string{
		"update SCHEMA.owners set data = set_byte(data, 9, get_byte(data, 9) # 4) where id = 4",
		"update SCHEMA.owners set data = substr(data, 1, 30) where id = 4",
		"delete from SCHEMA.owners where id = 4",
		"update SCHEMA.owners set id = 400 where id = 4",
		"update SCHEMA.owners a set data = b.data from SCHEMA.owners b where a.id = 4 and b.id = 1",
		"delete from SCHEMA.commands",
		"update SCHEMA.zones set head = set_byte(head, 20, 255)",
		"update SCHEMA.zones set head = null",
		"update SCHEMA.zones set frame = 7",
		"update SCHEMA.zones set total = total + 1",
	} {
		tx, err := c.Begin(ctx)
		require.NoError(t, err)
		_, err = tx.Exec(ctx, s.sql(change))
		require.NoError(t, err, change)
		_, err = s.readZone(ctx, tx, "a")
		require.ErrorIs(t, err, store.ErrDamaged, change)
		require.NoError(t, tx.Rollback(ctx))
	}
	_, err = s.Load(ctx, "a")
	require.NoError(t, err)
}

// TestLayout checks that schemas of another program and of a later version are not changed.
func TestLayout(t *testing.T) {
	schema, c := newSchema(t), connect(t)
	_, err := Open(ctx, address(), Options{Schema: schema, ReadOnly: true})
	require.ErrorIs(t, err, store.ErrReadOnly)
	_, err = c.Exec(ctx, "create schema "+schema)
	require.NoError(t, err)
	_, err = Open(ctx, address(), Options{Schema: schema})
	require.ErrorIs(t, err, store.ErrForeign)
	_, err = c.Exec(ctx, "drop schema "+schema)
	require.NoError(t, err)

	open(t, schema)
	reader, err := Open(ctx, address(), Options{Schema: schema, ReadOnly: true})
	require.NoError(t, err)
	defer reader.Close()
	_, err = reader.Open(ctx, "a")
	require.ErrorIs(t, err, store.ErrReadOnly)
	_, err = reader.Load(ctx, "a")
	require.ErrorIs(t, err, store.ErrEmpty)

	_, err = c.Exec(ctx, "update "+schema+".layout set version = 2")
	require.NoError(t, err)
	_, err = Open(ctx, address(), Options{Schema: schema})
	require.ErrorIs(t, err, store.ErrFuture)
}
