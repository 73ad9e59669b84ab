package record_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/store"
	"github.com/bufftick/bufftick/store/record"
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
			b.Clocks.Areas = make([]store.AreaClock, areas+more)
			for k := range b.Clocks.Areas {
				b.Clocks.Areas[k].Number = uint32(k)
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
				if err := record.Prepare(b); more == 0 {
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
			Clocks: store.Clocks{Areas: []store.AreaClock{{Number: 3}, {Number: 1, Paused: true}}},
		},
		Owners:  []store.Owner{{ID: 5, Data: []byte("five")}, {ID: 9}, {ID: 4}},
		Deleted: []buff.OwnerID{7, 6},
	}
	for range 2 { // sorted lists remain as they are
		require.NoError(t, record.Prepare(b))
		require.Equal(t, []store.Owner{{ID: 4}, {ID: 5, Data: []byte("five")}, {ID: 9}}, b.Owners)
		require.Equal(t, []buff.OwnerID{6, 7}, b.Deleted)
		require.Equal(t, []buff.OwnerID{2, 8}, b.Older)
		require.Equal(t, []store.AreaClock{{Number: 1, Paused: true}, {Number: 3}}, b.Clocks.Areas)
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
		require.ErrorIs(t, record.Follows(b, c.epoch, c.frame), c.want, "%+v", c)
	}
}
