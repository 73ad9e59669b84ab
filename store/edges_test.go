package store_test

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/storetest"
)

// TestBatchLimits checks, for each limit, that a batch at the limit is accepted and a batch above
// it is refused.
func TestBatchLimits(t *testing.T) {
	const areas = buff.MaxOwners
	for name, c := range map[string]struct {
		fill func(b *store.Batch, more int)
		want error
	}{
		"the zone's name":    {func(b *store.Batch, more int) { b.Zone = strings.Repeat("z", store.MaxName+more) }, store.ErrName},
		"where one goes":     {func(b *store.Batch, more int) { b.Moved[0].To = strings.Repeat("z", store.MaxName+more) }, store.ErrName},
		"state":              {func(b *store.Batch, more int) { b.State = make([]byte, store.MaxBytes+more) }, store.ErrTooLarge},
		"data":               {func(b *store.Batch, more int) { b.Data = make([]byte, store.MaxBytes+more) }, store.ErrTooLarge},
		"a blob":             {func(b *store.Batch, more int) { b.Owners[0].Blob = make([]byte, store.MaxBytes+more) }, store.ErrTooLarge},
		"an owner's data":    {func(b *store.Batch, more int) { b.Owners[0].Data = make([]byte, store.MaxBytes+more) }, store.ErrTooLarge},
		"a blob that leaves": {func(b *store.Batch, more int) { b.Moved[0].Owner.Blob = make([]byte, store.MaxBytes+more) }, store.ErrTooLarge},
		"data that leaves":   {func(b *store.Batch, more int) { b.Moved[0].Owner.Data = make([]byte, store.MaxBytes+more) }, store.ErrTooLarge},
		"the window":         {func(b *store.Batch, more int) { b.Window = store.MaxWindow + more }, store.ErrTooLarge},
		"commands":           {func(b *store.Batch, more int) { b.Commands = make([]store.CommandID, store.MaxWindow+more) }, store.ErrTooLarge},
		"older owners": {func(b *store.Batch, more int) {
			b.Older = make([]buff.OwnerID, areas+more)
			for k := range b.Older {
				b.Older[k] = buff.OwnerID(k)
			}
		}, store.ErrTooLarge},
		"areas": {func(b *store.Batch, more int) {
			b.Clocks.Zones = make([]store.ZoneClock, areas+more)
			for k := range b.Clocks.Zones {
				b.Clocks.Zones[k].Number = uint32(k)
			}
		}, store.ErrTooLarge},
		"a window below nothing":    {func(b *store.Batch, more int) { b.Window = -more }, store.ErrBatch},
		"the frame of who leaves":   {func(b *store.Batch, more int) { b.Moved[0].Owner.Frame = b.Frame + uint64(more) }, store.ErrBatch},
		"no frame of who leaves":    {func(b *store.Batch, more int) { b.Moved[0].Owner.Frame = uint64(1 - more) }, store.ErrBatch},
		"the frame that it follows": {func(b *store.Batch, more int) { b.Since = b.Frame - 1 + uint64(more) }, store.ErrBatch},
		"the number of who comes":   {func(b *store.Batch, more int) { b.Arrived[0].Number = uint64(1 - more) }, store.ErrBatch},
	} {
		t.Run(name, func(t *testing.T) {
			for more := range 2 {
				b := &store.Batch{
					Head: store.Head{Zone: "a", Epoch: 1, Frame: 7}, Since: 3,
					Owners:  []store.Owner{{ID: 5}},
					Moved:   []store.Move{{Owner: store.Owner{ID: 6, Frame: 7}, To: "b"}},
					Arrived: []store.Arrival{{Owner: store.Owner{ID: 5}, Zone: "a", Number: 1}},
				}
				c.fill(b, more)
				if err := b.Prepare(); more == 0 {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, c.want)
				}
			}
		})
	}
}

// TestPrepareSorts checks that Prepare sorts the lists of a batch by id.
func TestPrepareSorts(t *testing.T) {
	b := &store.Batch{
		Head: store.Head{
			Zone: "a", Epoch: 1, Frame: 7, Older: []buff.OwnerID{8, 2},
			Clocks: store.Clocks{Zones: []store.ZoneClock{{Number: 3}, {Number: 1, Paused: true}}},
		},
		Owners:  []store.Owner{{ID: 5, Data: []byte("five")}, {ID: 9}, {ID: 4}},
		Deleted: []buff.OwnerID{7, 6},
	}
	for range 2 { // sorted lists remain as they are
		require.NoError(t, b.Prepare())
		require.Equal(t, []store.Owner{{ID: 4}, {ID: 5, Data: []byte("five")}, {ID: 9}}, b.Owners)
		require.Equal(t, []buff.OwnerID{6, 7}, b.Deleted)
		require.Equal(t, []buff.OwnerID{2, 8}, b.Older)
		require.Equal(t, []store.ZoneClock{{Number: 1, Paused: true}, {Number: 3}}, b.Clocks.Zones)
	}
}

// TestBatch_Follows checks that a batch may follow the frame that its writer knows, or a later
// frame up to the batch's own.
func TestBatch_Follows(t *testing.T) {
	for _, c := range []struct {
		epoch, frame uint64
		whole        bool
		want         error
	}{
		{4, 10, false, nil},
		{3, 10, false, store.ErrFenced},
		{5, 10, false, store.ErrFenced},
		{4, 9, false, store.ErrLost},
		{4, 9, true, nil},
		{4, 0, true, nil},
		{4, 12, false, nil}, // the store already has this batch, whose acknowledgement was lost
		{4, 13, false, store.ErrBatch},
		{4, 13, true, store.ErrBatch},
	} {
		b := &store.Batch{Head: store.Head{Zone: "a", Epoch: 4, Frame: 12}, Since: 10, Whole: c.whole}
		require.ErrorIs(t, b.Follows(c.epoch, c.frame), c.want, "%+v", c)
	}
}

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

// TestDamageErrorPlace checks that an error names the place of damage from the outermost to the
// innermost part.
func TestDamageErrorPlace(t *testing.T) {
	const rest = "; nothing has been changed: restore a copy, or list the intact records with: bufftick cut -verify"
	inner := &store.DamageError{Problem: "no"}
	require.EqualError(t, inner, "store: damaged: no"+rest)
	once := store.At(inner, "", "the head")
	require.EqualError(t, once, "store: damaged: the head: no"+rest)
	twice := store.At(once, "world.db", "zone a")
	require.EqualError(t, twice, "store: damaged: world.db: zone a: the head: no"+rest)
	require.EqualError(t, store.At(twice, "other.db", ""), twice.Error())
	require.EqualError(t, store.At(inner, "world.db", ""), "store: damaged: world.db: no"+rest)
	require.EqualError(t, inner, "store: damaged: no"+rest, "what was given is as it was")

	require.NoError(t, store.At(nil, "world.db", "x"))
	require.Equal(t, store.ErrLocked, store.At(store.ErrLocked, "", "x"))
	for err, want := range map[error]string{
		store.ErrLocked:   "world.db: store: locked by another process; stop that process first",
		store.ErrForeign:  "world.db: store: not a bufftick store; nothing has been changed: check the path",
		store.ErrFuture:   "world.db: store: written by a later version; nothing has been changed: update this program",
		store.ErrReadOnly: "world.db: store: read-only; make the file and its directory writable",
		store.ErrClosed:   "world.db: store: closed",
	} {
		got := store.At(err, "world.db", "x")
		require.EqualError(t, got, want)
		require.ErrorIs(t, got, err)
	}
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
