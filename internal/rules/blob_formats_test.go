package rules

import (
	"encoding/json"
	"testing"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/state"
	"github.com/stretchr/testify/require"
)

// TestBlob_OldFormatsMeaning restores the same state from each format. Up to format 2, an async
// stack has the last pulse in which it counts; from format 3 on, it has its lag. Up to format 3,
// the links of heads are guessed; from format 4 on, a buff without heads is no link. Up to format
// 4, waiting applications have the numbers of the buff, including the captured attributes if they
// have the same source; from format 5 on, they have their own numbers.
func TestBlob_OldFormatsMeaning(t *testing.T) {
	c := blobCatalog(t)
	left, next := int64(57_858), int64(858)
	for format := 1; format <= state.Format; format++ {
		b := state.Owner{Format: format, Wall: blobMoment.Wall, Uptime: blobMoment.Uptime, Time: 5_000, Ages: 9, Buffs: []state.Buff{
			{
				ID: "layers", Age: 1, Source: 1000, Stacks: 1, Clock: "wall", Left: state.Some(left), Duration: 60_000, Next: state.Some(next),
				Async: []state.Stack{{Left: left, Last: next + 40, Source: 1000, Stacks: 1}},
			},
			{ID: "charges", Age: 2, Source: 1000, Stacks: 1, Left: state.Some(left), Duration: 60_000, Charges: 5},
			{ID: "hidden", Age: 3, Source: 1000, Stacks: 1, Left: state.Some(left), Duration: 60_000},
			{
				ID: "turns", Age: 4, Source: 1000, Stacks: 1, Left: state.Some(left), Duration: 60_000,
				Waiting: []state.Stack{{Left: 60_000, Source: 1000, Age: 1}, {Left: 60_000, Source: 1001, Age: 2}},
				Numbers: state.Numbers{Params: []state.Value{{Name: "a", Value: -0.5}}},
			},
		}}
		if format > 1 { // format 1 has neither numbers nor captures
			n := &b.Buffs[3].Numbers
			n.Others, n.Captures = []state.Value{{Name: "modifiers.power.add.0", Value: 11}}, []state.Value{{Name: "apply:power", Value: 12}}
		}
		text, err := json.Marshal(b)
		require.NoError(t, err)
		blob, err := buff.ParseBlobJSON(text)
		require.NoError(t, err)
		s, _, _, err := restoreHere(c, blob)
		require.NoError(t, err)
		again, lost := s.Save(nil, c, blobMoment, 0)
		require.Zero(t, lost)
		got, err := state.Decode(again, &state.Memory{})
		require.NoError(t, err)
		require.Len(t, got.Buffs, 4)

		lag, with := int64(0), []uint64(nil)
		if format < 3 {
			lag = 40
		}
		if format < 4 {
			with = []uint64{2}
		}
		require.Equal(t, lag, got.Buffs[0].Async[0].Lag, "format %d", format)
		require.Equal(t, with, got.Buffs[2].With, "format %d", format)
		own := got.Buffs[3].Numbers
		others := state.Numbers{Params: own.Params, Others: own.Others} // nothing was captured of another source
		if format > 4 {
			own = state.Numbers{Params: []state.Value{{Name: "a", Value: 0}}, Others: []state.Value{{Name: "modifiers.power.add.0", Value: 0}}} // the values in the definition
			others = own
		}
		require.Equal(t, []state.Numbers{own, others}, []state.Numbers{got.Buffs[3].Waiting[0].Numbers, got.Buffs[3].Waiting[1].Numbers}, "format %d", format)
	}
}
