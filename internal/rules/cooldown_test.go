package rules_test

import (
	"math"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// TestOwner_Remaining checks that Remaining returns the longest time among the buffs with a tag or
// with a tag below it, in world time, or in buff time for a paused buff.
func TestOwner_Remaining(t *testing.T) {
	cat, err := buff.NewCatalog(
		buff.Spec{ID: "short", Duration: time.Second, Tags: []string{"cd.fire"}},
		buff.Spec{ID: "long", Duration: 9 * time.Second, Grants: []string{"cd.fire.ball"}},
		buff.Spec{ID: "oath", Kind: define.Infinite, Tags: []string{"oath"}},
	)
	require.NoError(t, err)
	s, turn := rules.NewOwner(1, 0, 0, 8), rules.Turn{Catalog: cat}
	handles := map[string]buff.Handle{}
	for spec := range cat.All() {
		handles[spec.ID] = s.Do(&turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: spec}}).Handle
	}
	check := func(name string, now wheel.Time, want time.Duration) {
		t.Helper()
		tag, ok := cat.Tag(name)
		require.True(t, ok)
		left, found := s.Remaining(tag, now)
		require.Equal(t, want, left)
		require.Equal(t, want > 0, found)
	}
	const forever = time.Duration(math.MaxInt64)
	check("cd", 0, 9*time.Second)
	check("cd.fire.ball", 500, 8500*time.Millisecond)
	check("oath", 500, forever)

	long := handles["long"]
	s.Do(&turn, 500, buff.Command{Verb: verb.Pause, Whose: define.OfBuff, Handle: long})
	check("cd.fire", 600, 8500*time.Millisecond)
	s.Do(&turn, 600, buff.Command{Verb: verb.Pause, Whose: define.OfOwner})
	check("cd.fire", 5000, 8500*time.Millisecond)
	check("oath", 5000, forever)
	s.Do(&turn, 5000, buff.Command{Verb: verb.Resume, Whose: define.OfOwner})
	s.Do(&turn, 5000, buff.Command{Verb: verb.Resume, Whose: define.OfBuff, Handle: long})
	s.Do(&turn, 5000, buff.Command{Verb: verb.SetRate, Whose: define.OfBuff, Handle: long, Rate: buff.Ratio{Num: 1, Den: 2}})
	check("cd.fire", 5000, 17*time.Second)
	require.True(t, s.Run(&turn, 22_000, 100))
	check("cd", 22_000, 0)
	_, found := s.Remaining(0, 0)
	require.False(t, found)
}
