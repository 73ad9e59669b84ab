package buff

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
)

// TestBlobLinksGuessed: a blob of a format before 4 does not say what came with which buff. It is taken to be the oldest of
// the same source, and of no other; it ends with that buff, also if that one ended while its owner was away.
func TestBlobLinksGuessed(t *testing.T) {
	c := mustCatalog(t,
		Spec{ID: "aide", Duration: time.Hour, Stack: define.Stacking{By: define.BySource}},
		Spec{ID: "lord", Duration: 10 * time.Second, Clock: define.Wall, Links: []string{"aide"}, Stack: define.Stacking{By: define.BySource}},
	)
	s, turn := NewSet(7, 3, 0, 10), &Turn{Catalog: c, Now: blobMoment.Now}
	for _, a := range []Application{{Spec: c.Spec("aide"), Source: 3}, {Spec: c.Spec("lord"), Source: 5}, {Spec: c.Spec("lord"), Source: 6}} {
		s.Do(turn, turn.Now, Command{Verb: verb.Apply, Application: a})
		require.True(t, s.Run(turn, turn.Now, 10))
	}
	s.Do(turn, turn.Now, Dispel(7, Query{Spec: c.Spec("aide"), Source: 6})) // a lord whose aide has gone already
	blob, _ := s.Save(nil, c, blobMoment)
	text, err := BlobJSON(blob)
	require.NoError(t, err)
	var b map[string]any
	require.NoError(t, json.Unmarshal(text, &b))
	b["format"] = 3
	delete(b, "events")
	for _, x := range b["buffs"].([]any) {
		delete(x.(map[string]any), "with")
	}
	text, err = json.Marshal(b)
	require.NoError(t, err)
	old, err := ParseBlobJSON(text)
	require.NoError(t, err)

	sources := func(s *Set) (out []OwnerID) {
		for x := range s.All() {
			if x.Spec.ID == "aide" {
				out = append(out, x.Source)
			}
		}
		return out
	}
	back, turn, _, err := restoreHere(c, old)
	require.NoError(t, err)
	require.Equal(t, []OwnerID{3, 5}, sources(back))
	turn.Now = turn.Now.After(10 * time.Second)
	require.True(t, back.Run(turn, turn.Now, 10))
	require.Equal(t, []OwnerID{3}, sources(back), "the lord has ended")

	back, turn = NewSet(7, 3, 0, 10), &Turn{Catalog: c, Now: blobMoment.Now}
	later := blobMoment
	later.Wall += 60_000
	_, err = back.Restore(turn, later, old, nil)
	require.NoError(t, err)
	require.Equal(t, []OwnerID{3}, sources(back), "the lord ended while its owner was away")
}
