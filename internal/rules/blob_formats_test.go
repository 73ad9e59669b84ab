package rules

import (
	"encoding/json"
	"testing"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/state"
	"github.com/stretchr/testify/require"
)

// TestFormatsMean: the same words in a blob of each format, and what they mean there: up to format 2 an async stack says up to
// when it counts, from 3 on how far it is behind; up to 3 nothing is said of what came with which buff, and it is guessed,
// from 4 on that means that nothing did; up to 4 those that wait have the numbers of the buff, those of its source if
// they are of the same one, and from 5 on those that they say.
func TestFormatsMean(t *testing.T) {
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
		if format > 1 { // the first one has neither
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
		others := state.Numbers{Params: own.Params, Others: own.Others} // of another source nothing is known
		if format > 4 {
			own = state.Numbers{Params: []state.Value{{Name: "a", Value: 0}}, Others: []state.Value{{Name: "modifiers.power.add.0", Value: 0}}} // what the definition says
			others = own
		}
		require.Equal(t, []state.Numbers{own, others}, []state.Numbers{got.Buffs[3].Waiting[0].Numbers, got.Buffs[3].Waiting[1].Numbers}, "format %d", format)
	}
}
