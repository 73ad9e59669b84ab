package rules

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/state"
	"github.com/stretchr/testify/require"
)

// TestBlob_LinksGuessed checks the links in a blob of a format before 4, which does not say which
// buff is a link of which head. The oldest instance from the same source is taken as the link. It
// ends with the head, even if the head ended while the owner was away.
func TestBlob_LinksGuessed(t *testing.T) {
	c := mustCatalog(t,
		buff.Spec{ID: "aide", Duration: time.Hour, Stack: define.Stacking{By: define.BySource}},
		buff.Spec{ID: "lord", Duration: 10 * time.Second, Clock: define.Wall, Links: []string{"aide"}, Stack: define.Stacking{By: define.BySource}},
	)
	s, turn := NewOwner(7, 3, 0, 10), &Turn{Catalog: c, Now: blobMoment.Now}
	for _, a := range []buff.Application{{Spec: c.Spec("aide"), Source: 3}, {Spec: c.Spec("lord"), Source: 5}, {Spec: c.Spec("lord"), Source: 6}} {
		s.Do(turn, turn.Now, buff.Command{Verb: verb.Apply, Application: a})
		require.True(t, s.Run(turn, turn.Now, 10))
	}
	s.Do(turn, turn.Now, buff.Dispel(7, buff.Query{Spec: c.Spec("aide"), Source: 6})) // a lord whose aide has already ended
	blob, _ := s.Save(nil, c, blobMoment, 0)
	text, err := buff.BlobJSON(blob)
	require.NoError(t, err)
	var b map[string]any
	require.NoError(t, json.Unmarshal(text, &b))
	b["format"] = 3
	delete(b, "events")
	for _, x := range b["buffs"].([]any) {
		delete(x.(map[string]any), "with")
		delete(x.(map[string]any), "brought")
	}
	text, err = json.Marshal(b)
	require.NoError(t, err)
	old, err := buff.ParseBlobJSON(text)
	require.NoError(t, err)

	sources := func(s *Owner) (out []buff.OwnerID) {
		for x := range s.All() {
			if x.Spec.ID == "aide" {
				out = append(out, x.Source)
			}
		}
		return out
	}
	back, turn, _, err := restoreHere(c, old)
	require.NoError(t, err)
	require.Equal(t, []buff.OwnerID{3, 5}, sources(back))
	turn.Now = turn.Now.After(10 * time.Second)
	require.True(t, back.Run(turn, turn.Now, 10))
	require.Equal(t, []buff.OwnerID{3}, sources(back), "the lord has ended")

	back, turn = NewOwner(7, 3, 0, 10), &Turn{Catalog: c, Now: blobMoment.Now}
	later := blobMoment
	later.Wall += 60_000
	_, err = back.Restore(turn, later, old, nil)
	require.NoError(t, err)
	require.Equal(t, []buff.OwnerID{3}, sources(back), "the lord ended while its owner was away")
}

// TestBlob_LinksWithoutHeads checks that a link is restored only with a head. Blobs of formats
// before 7 may have links whose heads were not saved; these links are dropped. If the heads are set
// aside because the catalog does not have them, their links are set aside too, and heads and links
// are restored together.
func TestBlob_LinksWithoutHeads(t *testing.T) {
	hide := buff.Spec{ID: "hide", Kind: define.Infinite, Links: []string{"hair"}}
	hair := buff.Spec{ID: "hair", Kind: define.Infinite}
	bear := buff.Spec{ID: "bear", Duration: time.Minute, Links: []string{"hide"}}
	whole, little := mustCatalog(t, bear, hide, hair), mustCatalog(t, hide, hair)
	s, turn := NewOwner(7, 3, 0, 10), &Turn{Catalog: whole, Now: blobMoment.Now}
	s.Do(turn, turn.Now, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: whole.Spec("bear"), Source: 3}})
	s.Do(turn, turn.Now, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: whole.Spec("hair"), Source: 3}})
	require.Equal(t, 4, s.Len())
	blob, _ := s.Save(nil, whole, blobMoment, 0)

	names := func(s *Owner) (out []string) {
		for b := range s.All() {
			out = append(out, b.Spec.ID)
		}
		return out
	}
	aside, _, r, err := restoreHere(little, blob)
	require.NoError(t, err)
	require.Equal(t, buff.Restoration{Restored: 1, Unknown: 3}, r)
	require.Equal(t, []string{"hair"}, names(aside), "that of the game")
	again, _ := aside.Save(nil, little, blobMoment, 0)
	back, turn, r, err := restoreHere(whole, again)
	require.NoError(t, err)
	require.Equal(t, buff.Restoration{Restored: 4}, r)
	turn.Now = turn.Now.After(time.Minute)
	require.True(t, back.Run(turn, turn.Now, 10))
	require.Equal(t, []string{"hair"}, names(back), "the bear has ended with all that is its")

	b, err := state.Decode(blob, &state.Memory{})
	require.NoError(t, err)
	b.Format, b.Events = 4, 0
	b.Buffs = b.Buffs[1:]
	for k := range b.Buffs {
		b.Buffs[k].Brought = nil
	}
	dropped, _, r, err := restoreHere(whole, b.Append(nil))
	require.NoError(t, err)
	require.Equal(t, buff.Restoration{Restored: 1}, r)
	require.Equal(t, []string{"hair"}, names(dropped))
}
