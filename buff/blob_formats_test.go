package buff

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFormatsMean: the same words in a blob of each format, and what they mean there: up to format 2 an async stack says up to
// when it counts, from 3 on how far it is behind; up to 3 nothing is said of what came with which buff, and it is guessed,
// from 4 on that means that nothing did; up to 4 those that wait have the numbers of the buff, those of its source if
// they are of the same one, and from 5 on those that they say.
func TestFormatsMean(t *testing.T) {
	c := blobCatalog(t)
	left, next := int64(57_858), int64(858)
	for format := 1; format <= blobFormat; format++ {
		b := saved{Format: format, Wall: blobMoment.Wall, Uptime: blobMoment.Uptime, Time: 5_000, Ages: 9, Buffs: []savedBuff{
			{
				ID: "layers", Age: 1, Source: 1000, Stacks: 1, Clock: "wall", Left: &left, Duration: 60_000, Next: &next,
				Async: []savedStack{{Left: left, Last: next + 40, Source: 1000, Stacks: 1}},
			},
			{ID: "charges", Age: 2, Source: 1000, Stacks: 1, Left: &left, Duration: 60_000, Charges: 5},
			{ID: "hidden", Age: 3, Source: 1000, Stacks: 1, Left: &left, Duration: 60_000},
			{
				ID: "turns", Age: 4, Source: 1000, Stacks: 1, Left: &left, Duration: 60_000,
				Waiting:      []savedStack{{Left: 60_000, Source: 1000, Age: 1}, {Left: 60_000, Source: 1001, Age: 2}},
				savedNumbers: savedNumbers{Params: []savedValue{{"a", -0.5}}},
			},
		}}
		if format > 1 { // the first one has neither
			n := &b.Buffs[3].savedNumbers
			n.Numbers, n.Captures = []savedValue{{"modifiers.power.add.0", 11}}, []savedValue{{"apply:power", 12}}
		}
		text, err := json.Marshal(b)
		require.NoError(t, err)
		blob, err := ParseBlobJSON(text)
		require.NoError(t, err)
		s, _, _, err := restoreHere(c, blob)
		require.NoError(t, err)
		again, lost := s.Save(nil, c, blobMoment, 0)
		require.Zero(t, lost)
		got, err := readBlob(again, &blobScratch{})
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
		own := got.Buffs[3].savedNumbers
		others := savedNumbers{Params: own.Params, Numbers: own.Numbers} // of another source nothing is known
		if format > 4 {
			own = savedNumbers{Params: []savedValue{{"a", 0}}, Numbers: []savedValue{{"modifiers.power.add.0", 0}}} // what the definition says
			others = own
		}
		require.Equal(t, []savedNumbers{own, others}, []savedNumbers{got.Buffs[3].Waiting[0].savedNumbers, got.Buffs[3].Waiting[1].savedNumbers}, "format %d", format)
	}
}
