package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// TestOwners_SlotsAreReused checks that the slots of owners that have left, in any way, are
// reused by later owners or freed: after repeated waves of owners, the heap is as large as after
// the first wave.
func TestOwners_SlotsAreReused(t *testing.T) {
	const players, each = 2000, 20
	cat := catalogOf(t, buff.Spec{ID: "dot", Duration: time.Hour, Period: time.Second, Stack: define.Stacking{By: define.BySource}})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true})
	var first uint64
	for storm := range 8 {
		for id := range buff.OwnerID(players) {
			spawn(t, e, id+1)
			for k := range each {
				r := e.AddBuff(id+1, buff.Application{Spec: cat.Spec("dot"), Source: buff.OwnerID(k + 1)})
				require.NoError(t, r.Failure)
			}
			if id%500 == 499 {
				e.Tick(time.Millisecond)
			}
		}
		for id := range buff.OwnerID(players) {
			if id%2 == 0 {
				_, err := e.Despawn(id + 1)
				require.NoError(t, err)
			} else {
				require.NoError(t, e.Drop(id+1))
			}
			if id%500 == 499 {
				e.Tick(time.Millisecond)
			}
		}
		e.Tick(time.Second)
		e.Tick(time.Second)
		if storm == 0 {
			first = heap()
		}
	}
	require.Less(t, int64(heap())-int64(first), int64(players*each*80/2), "half of what the slots of one storm are")
}

// TestSmallGame checks that an engine with two workers and ten players takes at most 32 KB, so
// that a process can have one for each match.
func TestSmallGame(t *testing.T) {
	const matches, players, most = 50, 10, 32 << 10
	cat := catalogOf(t, buff.Spec{ID: "dot", Duration: time.Hour, Period: time.Second})
	before := heap()
	var all [matches]*engine.Engine
	for k := range all {
		all[k] = open(t, engine.Options{Catalog: cat, Workers: 2})
		for id := range buff.OwnerID(players) {
			spawn(t, all[k], id+1)
		}
		for range 100 {
			all[k].Tick(50 * time.Millisecond)
		}
	}
	took := int64(heap()) - int64(before)
	t.Logf("%d bytes each", took/matches)
	require.LessOrEqual(t, took, int64(matches*most))
	require.Equal(t, players, all[0].Owners())
}
