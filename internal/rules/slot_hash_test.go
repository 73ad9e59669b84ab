package rules

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/stretchr/testify/require"
)

// TestHashes checks that the hash of each slot is that of its instance, whatever happens to the
// instances, and that an application joins the oldest instance that it may join. There are many
// slots, the sources change, and some hashes are equal.
func TestHashes(t *testing.T) {
	specs := []buff.Spec{
		{ID: "each", Duration: time.Hour, Stack: define.Stacking{By: define.BySource, Limit: 3}, OnSourceGone: define.FateAdopt},
		{ID: "one", Duration: time.Hour, Stack: define.Stacking{By: define.ByTarget}},
		{ID: "many", Duration: time.Hour},
	}
	c, err := buff.NewCatalog(specs...)
	require.NoError(t, err)
	const sources = 600 // more sources than there are hashes of sources
	s, turn := NewOwner(1, 1, 0, buff.MaxPerOwner), &Turn{}
	rng := rand.New(rand.NewPCG(3, 4))
	var handles []buff.Handle
	joined, most := 0, 0
	for range 20_000 {
		a := buff.Application{Spec: c.Spec(specs[rng.IntN(len(specs))].ID), Source: buff.OwnerID(rng.IntN(sources))}
		want := instance{}
		for i := s.first(); i.exists() && !want.exists(); i = i.next() {
			if s.sameDefinition(i.program(), compile.Of(a.Spec)) && i.joins(&a) {
				want = i
			}
		}
		if got := s.joinTarget(&a); got != want {
			t.Fatalf("%v of %d joins slot %d, not %d", a.Spec, a.Source, got.slot, want.slot)
		}
		if want.exists() {
			joined++
		}
		switch n := rng.IntN(10); {
		case n < 5:
			handles = append(handles, s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: a}).Handle)
		case n < 6:
			s.Do(turn, 0, buff.Command{Verb: verb.LoseSource, Application: buff.Application{Source: a.Source}})
		case len(handles) > 0:
			k := rng.IntN(len(handles))
			s.Do(turn, 0, buff.Command{Verb: verb.Remove, Handle: handles[k]})
			handles[k] = handles[len(handles)-1]
			handles = handles[:len(handles)-1]
		}
		most = max(most, s.Len())
		turn.Events = turn.Events[:0]
		for at := range s.records.Used() {
			hash := uint16(0)
			if spec := s.slot(at).program(); spec != nil {
				hash = hashOf(spec, s.slot(at).source)
			}
			if got := s.records.Hash(at); got != hash {
				t.Fatalf("slot %d has the hash %#x, not %#x", at, got, hash)
			}
		}
	}
	require.Greater(t, joined, 1000)
	require.Greater(t, most, 48)
}
