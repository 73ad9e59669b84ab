package engine_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// TestP29_AuraMembers checks that an aura has each member once and no unknown owners, whatever
// Members reports, so that neither its list nor the events of a Tick grow.
func TestP29_AuraMembers(t *testing.T) {
	const owners = 50
	cat := catalogOf(t,
		buff.Spec{ID: "torch", Kind: define.Infinite, Aura: define.Aura{Apply: "light", Radius: 1, Interval: time.Second}},
		buff.Spec{ID: "light", Kind: define.Infinite, Stack: define.Stacking{By: define.ByTarget}},
	)
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Members: func(_ engine.AuraQuery, found func(buff.OwnerID)) {
		for k := range buff.OwnerID(200_000) {
			found(k)              // most of them are not in the engine
			found(1 + k%owners)   // the owners of the engine, many times
			found(math.MaxUint64) // an unknown owner
		}
	}})
	for id := range buff.OwnerID(owners) {
		spawn(t, e, 1+id)
	}
	add(t, e, 1, cat.Spec("torch"))
	before := heap()
	for range 5 {
		require.LessOrEqual(t, e.Tick(time.Second).Len(), owners+1)
	}
	require.Less(t, heap(), before+1<<20)
	for id := range buff.OwnerID(owners) {
		require.Equal(t, 1, count(must(e.Buffs(1+id)), cat.Spec("light")), "owner %d", 1+id)
	}
}

func count(c engine.Carried, s *buff.Spec) (n int) {
	for b := range c.All() {
		if b.Spec == s {
			n++
		}
	}
	return n
}

// TestP29_View checks that a View shows a limited part of one owner, with the total numbers.
func TestP29_View(t *testing.T) {
	cat := statsOf(t, buff.Spec{ID: "oath", Kind: define.Infinite, Modifiers: might.Modifiers})
	e := open(t, engine.Options{Catalog: cat, Synchronous: true, Limits: engine.Limits{Buffs: buff.MaxPerOwner}})
	spawn(t, e, 1)
	leave, err := e.Watch().Follow(1, nil)
	require.NoError(t, err)
	defer leave()
	defer e.Watch().Open(nil)()
	for range 3 { // more than the limit of buffs, and more events than are kept
		for range buff.MaxPerOwner / 2 {
			e.AddBuff(1, buff.Application{Spec: cat.Spec("oath")})
		}
		e.Tick(time.Millisecond)
	}
	v := viewOf(t, e, 0).Owners[1]
	require.Equal(t, []int{512, buff.MaxPerOwner, engine.MaxHistory}, []int{len(v.Buffs), v.Carried, len(v.Events)})
	power := v.Attributes[1]
	require.Equal(t, []int{512, buff.MaxPerOwner}, []int{len(power.Modifiers), power.ModifierCount})
}
