package buff

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLooked: what a command costs is counted, and grows with what it has to look at.
func TestLooked(t *testing.T) {
	cat, err := NewCatalog(
		Spec{ID: "beat", Kind: Infinite, Period: time.Second},
		Spec{ID: "hit", Kind: Instant},
		Spec{ID: "many", Duration: time.Hour, Stack: Stacking{By: ByTarget, Limit: 100, Timers: TimersEach}},
		Spec{ID: "fire", Kind: Instant, Tags: []string{"fire"}},
	)
	require.NoError(t, err)
	fire, _ := cat.Tag("fire")
	for _, n := range []uint32{10, 100, 1000} {
		s, turn := NewSet(1, 0, 0, 1024), &Turn{Catalog: cat}
		cost := func(c Command) uint32 {
			before := s.Looked()
			require.NoError(t, s.Do(turn, 1, c).Err)
			turn.Events = turn.Events[:0]
			return s.Looked() - before
		}
		apply := func(id string) Command {
			return Command{Verb: VerbApply, Application: Application{Spec: cat.Spec(id)}}
		}
		for range n {
			require.EqualValues(t, looksOfMove, cost(apply("beat")), "a new one moves its own deadline")
		}
		require.Zero(t, cost(apply("hit")))
		require.Equal(t, (looksOfMove+2)*n, cost(Command{Verb: VerbSetRate, Whose: OfOwner, Rate: Ratio{1, 2}}))
		require.Equal(t, (looksOfMove+2)*n, cost(Command{Verb: VerbPause, Whose: OfOwner}))
		require.Equal(t, (looksOfMove+2)*n, cost(Command{Verb: VerbResume, Whose: OfOwner}))
		inside(t, n, cost(Command{Verb: VerbImmunize, Tag: fire}))
		inside(t, n, cost(Command{Verb: VerbDropImmunity, Tag: fire}))
		inside(t, n, cost(Command{Verb: VerbDispel, Query: Query{Tag: fire}}))
		inside(t, n, cost(Command{Verb: VerbRemoveSpec, Application: Application{Spec: cat.Spec("hit")}}))
		inside(t, n, cost(Command{Verb: VerbAbsorb, Amount: 5}))
		cost(apply("many"))
		for k := range uint32(20) {
			require.GreaterOrEqual(t, cost(apply("many")), looksOfMove+k+2, "each stack has a timer of its own")
		}
		require.GreaterOrEqual(t, cost(Command{Verb: VerbKill}), n)
	}
}

// inside: what each buff is looked at for is a matter of the rules, and of what the owner has had
// before; that each one is, and not more than some times, is not.
func inside(t *testing.T, buffs, looked uint32) {
	t.Helper()
	require.GreaterOrEqual(t, looked, buffs)
	require.LessOrEqual(t, looked, 8*buffs)
}
