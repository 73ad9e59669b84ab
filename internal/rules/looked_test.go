package rules

import (
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/stretchr/testify/require"
)

// TestOwner_Looked checks that Looked counts the work of a command, and that the count grows with
// the number of visited buffs.
func TestOwner_Looked(t *testing.T) {
	cat, err := buff.NewCatalog(
		buff.Spec{ID: "beat", Kind: define.Infinite, Period: time.Second},
		buff.Spec{ID: "hit", Kind: define.Instant},
		buff.Spec{ID: "many", Duration: time.Hour, Stack: define.Stacking{By: define.ByTarget, Limit: 100, Timers: define.TimersEach}},
		buff.Spec{ID: "fire", Kind: define.Instant, Tags: []string{"fire"}},
		buff.Spec{ID: "best", Duration: time.Hour, Stack: define.Stacking{By: define.ByNone, Effective: 1}},
	)
	require.NoError(t, err)
	fire, _ := cat.Tag("fire")
	for _, n := range []uint32{10, 100, 1000} {
		s, turn := NewOwner(1, 0, 0, 1024), &Turn{Catalog: cat}
		cost := func(c buff.Command) uint32 {
			before := s.Looked()
			require.NoError(t, s.Do(turn, 1, c).Failure)
			turn.Events = turn.Events[:0]
			return s.Looked() - before
		}
		apply := func(id string) buff.Command {
			return buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: cat.Spec(id)}}
		}
		for range n {
			require.EqualValues(t, workPerDeadline, cost(apply("beat")), "a new one moves its own deadline")
		}
		require.Zero(t, cost(apply("hit")))
		require.Equal(t, (workPerDeadline+2)*n, cost(buff.Command{Verb: verb.SetRate, Whose: define.OfOwner, Rate: buff.Ratio{Num: 1, Den: 2}}))
		require.Equal(t, (workPerDeadline+2)*n, cost(buff.Command{Verb: verb.Pause, Whose: define.OfOwner}))
		require.Equal(t, (workPerDeadline+2)*n, cost(buff.Command{Verb: verb.Resume, Whose: define.OfOwner}))
		inside(t, n, cost(buff.Command{Verb: verb.Immunize, Tag: fire}))
		inside(t, n, cost(buff.Command{Verb: verb.DropImmunity, Tag: fire}))
		inside(t, n, cost(buff.Command{Verb: verb.Dispel, Query: buff.Query{Tag: fire}}))
		inside(t, n, cost(buff.Command{Verb: verb.RemoveSpec, Application: buff.Application{Spec: cat.Spec("hit")}}))
		inside(t, n, cost(buff.Command{Verb: verb.Absorb, Amount: 5}))
		cost(apply("many"))
		for k := range uint32(20) {
			require.GreaterOrEqual(t, cost(apply("many")), workPerDeadline+k+2, "each stack has a timer of its own")
		}
		require.GreaterOrEqual(t, cost(buff.Command{Verb: verb.Kill}), n)
		for m := uint32(1); m <= 20; m++ {
			require.Equal(t, workPerDeadline+4*m+m*m, cost(apply("best")), "each of the buffs is compared with all of them")
		}
	}
}

// inside checks that the given number of visits is plausible: each buff is visited at least once,
// and at most a few times. The exact number depends on the rules and on the history of the owner.
func inside(t *testing.T, buffs, looked uint32) {
	t.Helper()
	require.GreaterOrEqual(t, looked, buffs)
	require.LessOrEqual(t, looked, 8*buffs)
}
