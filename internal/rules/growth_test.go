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

// TestP29_SourcesOfAnOwner: what an owner remembers of sources does not grow with how many there
// are, whether they share one instance that lasts or are long over: the oldest is forgotten first.
// Nor does what one application costs grow with their square.
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
			if k >= sources { // by now all are over that are not in effect
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

// TestP29_Queue: no more applications wait in a queue than its limit says, and without one no more
// than MaxAsyncStacks.
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

// TestP29_Lineage: catalogs that take the place of each other have so many definitions together; one
// that would be beyond that is refused by name, and the one before goes on.
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
