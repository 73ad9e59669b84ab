package rules

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/state"
	"github.com/stretchr/testify/require"
)

// TestMoveBlob checks that a moved blob has the uptime of the new server and area 0, and is
// otherwise equal, including the buffs that are set aside.
func TestMoveBlob(t *testing.T) {
	c := blobCatalog(t)
	blob := goldenBlob(t, c)
	moved, err := buff.MoveBlob(blob, 5_000_000_000)
	require.NoError(t, err)
	_, uptime, err := state.BlobMoment(moved)
	require.NoError(t, err)
	require.EqualValues(t, 5_000_000_000, uptime)
	was, err := state.Decode(blob, &state.Memory{})
	require.NoError(t, err)
	is, err := state.Decode(moved, &state.Memory{})
	require.NoError(t, err)
	on, aside := is.Uptime-was.Uptime, 0
	for k := range is.Buffs {
		if since := is.Buffs[k].Since; since != nil {
			aside++
			require.Equal(t, was.Buffs[k].Since.Uptime+on, since.Uptime)
			require.Equal(t, was.Buffs[k].Since.Wall, since.Wall)
		}
	}
	require.NotZero(t, aside)
	back, err := buff.MoveBlob(moved, was.Uptime)
	require.NoError(t, err)
	area, err := state.BlobArea(blob)
	require.NoError(t, err)
	require.EqualValues(t, 4, area)
	area, err = state.BlobArea(moved)
	require.NoError(t, err)
	require.Zero(t, area)
	was.Area = 0
	require.Equal(t, was.Append(nil), back)
	for n := range blob {
		_, err := buff.MoveBlob(blob[:n], 1)
		require.ErrorIs(t, err, buff.ErrBlob)
	}
}

// TestMoveBlob_Uptime checks that no Uptime buff ends because the new server has run for a longer
// or a shorter time.
func TestMoveBlob_Uptime(t *testing.T) {
	c, err := buff.NewCatalog(buff.Spec{ID: "guard", Duration: 10 * time.Second, Clock: define.Uptime})
	require.NoError(t, err)
	turn := &Turn{Catalog: c, Now: 1000}
	s := NewOwner(1, 0, 0, 4)
	require.NoError(t, s.Do(turn, 1000, buff.Apply(1, buff.Application{Spec: c.Spec("guard")})).Failure)
	blob, _ := s.Save(nil, c, buff.Moment{Now: 1000, Wall: 50_000, Uptime: 90_000_000}, 0)
	for _, there := range []int64{0, 90_000_000, 900_000_000} {
		moved, err := buff.MoveBlob(blob, there)
		require.NoError(t, err)
		back := NewOwner(1, 0, 0, 4)
		r, err := back.Restore(&Turn{Catalog: c, Now: 7000}, buff.Moment{Now: 7000, Wall: 60_000, Uptime: there}, moved, nil)
		require.NoError(t, err)
		require.Equal(t, buff.Restoration{Restored: 1, Away: 10_000}, r)
		for b := range back.All() {
			require.EqualValues(t, 17_000, b.End)
		}
	}
}
