package engine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
)

// TestFrameJoins checks that the events of turns are joined into one slice if they are adjacent in
// memory, and are in the order of the turns in any case.
func TestFrameJoins(t *testing.T) {
	chunk, other := make([]buff.Event, 8), make([]buff.Event, 4)
	for k := range chunk {
		chunk[k].Seq = uint64(k)
	}
	for k := range other {
		other[k].Seq = uint64(100 + k)
	}
	for _, k := range []struct {
		turns  [][]buff.Event
		want   []uint64
		pieces int
	}{
		{[][]buff.Event{chunk[0:1], chunk[1:3], chunk[3:4]}, []uint64{0, 1, 2, 3}, 1},
		// joining stops at the end of the memory
		{[][]buff.Event{chunk[6:8], other[0:1]}, []uint64{6, 7, 100}, 2},
		// the capacity of the first slice does not allow joining
		{[][]buff.Event{chunk[0:1:1], chunk[1:2]}, []uint64{0, 1}, 2},
		{[][]buff.Event{chunk[0:1], chunk[2:3], chunk[3:4]}, []uint64{0, 2, 3}, 2}, // a gap
		// in reverse order
		{[][]buff.Event{chunk[1:2], chunk[0:1]}, []uint64{1, 0}, 2},
		{[][]buff.Event{chunk[0:1], other[0:2], chunk[1:2], chunk[2:3]}, []uint64{0, 100, 101, 1, 2}, 3}, // two workers
	} {
		var f Frame
		for _, turn := range k.turns {
			f.add(turn)
		}
		var got []uint64
		for e := range f.Events() {
			got = append(got, e.Seq)
		}
		require.Equal(t, k.want, got)
		require.Equal(t, len(k.want), f.Len())
		require.Len(t, f.turns, k.pieces)
	}
}
