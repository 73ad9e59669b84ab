package store_test

import (
	"context"
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// TestOptionsLimits checks the limits of Options.Window.
func TestOptionsLimits(t *testing.T) {
	for window, ok := range map[int]bool{-1: false, 0: true, store.MaxWindow: true, store.MaxWindow + 1: false} {
		v, err := store.Open(t.Context(), storetest.NewMemory(), "a", engine.Options{Synchronous: true}, store.Options{Window: window})
		if !ok {
			require.ErrorIs(t, err, store.ErrTooLarge, window)
			continue
		}
		require.NoError(t, err)
		v.Close()
	}
}

// TestDefaultTimes checks the defaults. There is a cut in each second of game time, and an alarm
// when the last cut on disk is older than ten times Every, but at least ten seconds.
func TestDefaultTimes(t *testing.T) {
	for _, c := range []struct{ every, alarm, want time.Duration }{
		{0, 0, 10 * time.Second},
		{time.Millisecond, 0, 10 * time.Second},
		{3 * time.Second, 0, 30 * time.Second},
		{-1, 0, 10 * time.Second},
		{0, 700 * time.Millisecond, 700 * time.Millisecond},
	} {
		v := play(t, failing{storetest.NewMemory()}, noon, engine.Options{}, store.Options{Every: c.every, Alarm: c.alarm})
		pass(v, c.want)
		require.Equal(t, c.want, v.Stats().Age)
		require.False(t, v.Stats().Alarm, "%+v", c)
		pass(v, time.Millisecond)
		require.True(t, v.Stats().Alarm, "%+v", c)
	}
	v := play(t, storetest.NewMemory(), noon, engine.Options{}, store.Options{})
	require.NoError(t, v.Committed(t.Context(), pass(v, time.Millisecond).Number))
	pass(v, store.DefaultEvery-time.Millisecond)
	require.EqualValues(t, 1, v.Stats().Frame)
	f := pass(v, time.Millisecond)
	require.NoError(t, v.Committed(t.Context(), f.Number))
	require.EqualValues(t, 3, v.Stats().Frame)
}

// TestAge_IncludesCarriedTime checks that the age of a cut includes time that was passed to Tick
// but that the engine has not processed yet.
func TestAge_IncludesCarriedTime(t *testing.T) {
	v := play(t, storetest.NewMemory(), noon, engine.Options{Limits: engine.Limits{Tick: 10}}, store.Options{Every: -1, Alarm: 29 * time.Second})
	require.NoError(t, v.Engine().Spawn(1, &hero{}))
	v.Engine().AddBuff(1, buff.Application{Spec: v.Engine().Catalog().Spec("poison")})
	f := pass(v, 30*time.Second)
	require.NotZero(t, f.Behind)
	require.Equal(t, 30*time.Second, v.Stats().Age)
	require.True(t, v.Stats().Alarm)
}

// TestStatsBytes checks the sizes in Stats.
func TestStatsBytes(t *testing.T) {
	m := storetest.NewMemory()
	v := play(t, m, noon, engine.Options{}, store.Options{Every: -1})
	for id, gold := range []int{5, 1234} {
		require.NoError(t, v.Engine().Spawn(buff.OwnerID(id), &hero{gold}))
	}
	require.NoError(t, v.SaveAll(t.Context()))
	cut, err := m.Load(t.Context(), "arena")
	require.NoError(t, err)
	var bytes [2]int
	for k := range cut.Owners {
		require.NotEmpty(t, cut.Owners[k].Blob)
		bytes[k] = len(cut.Owners[k].Blob) + len(cut.Owners[k].Data)
	}
	require.Equal(t, bytes[0]+bytes[1], v.Stats().Bytes)
	require.NoError(t, v.Touch(1))
	require.NoError(t, v.SaveAll(t.Context()))
	require.Equal(t, bytes[1], v.Stats().Bytes)
	require.EqualValues(t, bytes[0]+2*bytes[1], v.Stats().Total)
}

// losing is a store that loses acknowledged cuts on demand.
type losing struct {
	store.Store
	lost bool
	last *store.Batch
}

func (l *losing) Commit(ctx context.Context, b *store.Batch) error {
	l.last = b
	if l.lost && !b.Whole {
		return store.ErrLost
	}
	l.lost = false
	return l.Store.Commit(ctx, b)
}

// TestBatch_WholeAfterLoss checks that after a store has lost a cut, the next batch contains the
// whole zone: all owners, and the last commands in order. The cut after that is incremental
// again.
func TestBatch_WholeAfterLoss(t *testing.T) {
	l := &losing{Store: storetest.NewMemory()}
	v := play(t, l, noon, engine.Options{}, store.Options{Every: -1, Window: 3})
	for id := range buff.OwnerID(3) {
		require.NoError(t, v.Engine().Spawn(id, &hero{}))
	}
	for id := range byte(5) {
		v.Mark(store.CommandID{id})
	}
	require.NoError(t, v.SaveAll(t.Context()))
	require.Equal(t, []store.CommandID{{0}, {1}, {2}, {3}, {4}}, l.last.Commands)
	l.lost = true
	require.ErrorIs(t, v.SaveAll(t.Context()), store.ErrLost)
	require.Empty(t, l.last.Owners)
	v.Mark(store.CommandID{5})
	require.NoError(t, v.SaveAll(t.Context()))
	require.True(t, l.last.Whole)
	require.Len(t, l.last.Owners, 3)
	require.Equal(t, []store.CommandID{{3}, {4}, {5}}, l.last.Commands)
	require.NoError(t, v.SaveAll(t.Context()))
	require.False(t, l.last.Whole)
	require.Empty(t, l.last.Owners)
	require.Empty(t, l.last.Commands)
}

// TestWaitingCommandsSpanFrames checks that commands that waited when the cut was made are
// executed when all owners are restored, even if their events do not fit into one frame, and that
// no cut is made before that.
func TestWaitingCommandsSpanFrames(t *testing.T) {
	const owners = 3
	cat := specs(t)
	for _, limit := range []int{1, 2, owners, owners + 1, 100} {
		m := storetest.NewMemory()
		v := play(t, m, noon, engine.Options{Catalog: cat}, store.Options{Every: -1})
		state := []byte{1}
		for id := range buff.OwnerID(owners) {
			require.NoError(t, v.Engine().Spawn(id, &hero{}))
			v.Engine().AddBuff(id, buff.Application{Spec: cat.Spec("poison")})
			c := buff.Apply(id, buff.Application{Spec: cat.Spec("coin")})
			b, err := c.AppendBinary(nil, cat)
			require.NoError(t, err)
			state = append(binary.AppendUvarint(state, uint64(len(b))), b...)
		}
		require.NoError(t, v.SaveAll(t.Context()))
		cut, err := m.Open(t.Context(), "arena")
		require.NoError(t, err)
		b := &store.Batch{Head: cut.Head, Since: cut.Frame}
		b.Frame, b.State = cut.Frame+1, state
		require.NoError(t, m.Commit(t.Context(), b))

		w := play(t, m, noon, engine.Options{Catalog: cat, Limits: engine.Limits{Events: limit}}, store.Options{Every: -1})
		frames := 0
		for ; w.SaveAll(t.Context()) != nil; frames++ {
			require.Less(t, frames, 3*owners)
			pass(w, 50*time.Millisecond)
		}
		require.Equal(t, limit == 100, frames == 0)
		r := w.Restored()
		require.Empty(t, r.Failed, limit)
		require.Equal(t, owners, r.Commands)
		r = play(t, m, noon, engine.Options{Catalog: cat}, store.Options{}).Restored()
		require.Equal(t, 2*owners, r.Buffs)
		require.Zero(t, r.Commands, "each is done once")
	}
}
