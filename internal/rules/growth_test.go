package rules_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// TestP29_SourcesOfAnOwner checks that the records of an owner about sources are limited, however
// many sources there are, whether the sources share one instance or have long ended. The oldest
// record is dropped first. The cost of an application must not grow with the square of the number
// of sources either.
func TestP29_SourcesOfAnOwner(t *testing.T) {
	const sources = 3 * buff.MaxPerOwner
	for _, timers := range []define.Timers{define.TimersShared, define.TimersEach} {
		r := newRig(t, buff.Spec{
			ID: "stun", Duration: 20 * time.Hour, Stack: define.Stacking{By: define.ByTarget, Limit: 5, Timers: timers, Overflow: define.OverflowReplace},
			DR: define.DR{Group: "stun", Steps: []int{100, 50, 25}, Reset: time.Hour, Scope: define.ScopePair},
		})
		var half int
		for k := range wheel.Time(sources + 3) {
			at := k
			if k >= sources { // by now all instances that are not in effect have ended
				at += wheel.Time(2 * time.Hour / time.Millisecond)
			}
			before := r.set.Looked()
			r.do(at, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: r.catalog.Spec("stun"), Source: buff.OwnerID(k + 1)}})
			require.LessOrEqual(t, r.set.Looked()-before, uint32(3*buff.MaxPerOwner))
			r.turn.Events = r.turn.Events[:0]
			if k == sources/2 || k == sources-1 {
				blob, _ := r.set.Save(nil, r.catalog, buff.Moment{Now: at}, 0)
				if half == 0 {
					half = len(blob)
				}
				require.LessOrEqual(t, len(blob), half+half/50, "what is saved grows")
			}
		}
	}
}

// TestP29_Queue checks that at most as many applications wait in a queue as its limit allows, or
// MaxAsyncStacks without a limit.
func TestP29_Queue(t *testing.T) {
	for limit, want := range map[int]int{7: 7, 0: define.MaxAsyncStacks} {
		r := newRig(t, buff.Spec{ID: "shout", Duration: time.Hour, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersQueue, Limit: limit}})
		denied := 0
		for range 3 * define.MaxAsyncStacks {
			if r.apply(0, "shout").Kind == buff.Denied {
				denied++
			}
		}
		require.Equal(t, 3*define.MaxAsyncStacks-want, denied, "limit %d", limit)
		require.Contains(t, r.log()[want], "deny shout why=limit")
	}
}

// TestP29_Lineage checks that the number of definitions in a catalog and its predecessors is
// limited. A catalog above the limit is rejected with an error that names the definition, and the
// previous catalog remains usable.
func TestP29_Lineage(t *testing.T) {
	if !long.On() {
		t.Skip("131,072 definitions: -long")
	}
	const each = define.MaxLineage / 8
	of := func(generation, n int) (specs []buff.Spec) {
		for k := range n {
			specs = append(specs, buff.Spec{ID: fmt.Sprintf("g%d.%d", generation, k), Kind: define.Infinite})
		}
		return specs
	}
	c, err := buff.NewCatalog(of(0, each)...)
	require.NoError(t, err)
	for g := 1; g < 8; g++ {
		c, err = c.Next(of(g, each)...)
		require.NoError(t, err)
	}
	_, err = c.Next(append(of(7, 3), of(8, 2)...)...)
	require.EqualError(t, err, `buff "g8.0": id: more than 131072 definitions in a catalog and those that it took the place of
buff "g8.1": id: more than 131072 definitions in a catalog and those that it took the place of`)
	_, err = c.Next(of(0, each)...)
	require.NoError(t, err, "known ones may come again")
}
