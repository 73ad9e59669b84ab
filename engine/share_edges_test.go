package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
)

// TestInbox_ProducerDebt checks that an expensive command costs its producer a limited number of
// turns.
func TestInbox_ProducerDebt(t *testing.T) {
	require.Equal(t, 3, engine.Credit(10, 7))
	require.Equal(t, -16_384, engine.Credit(16, 16_400))
	require.Equal(t, -16_384, engine.Credit(16, 16_401))
	require.Equal(t, -16_384, engine.Credit(16, 1<<30))
}

// TestTick_OnlyAurasDue checks that if more auras are due than fit into their part of a Tick, and
// nothing else is due, the remaining searches are made in the next Ticks.
func TestTick_OnlyAurasDue(t *testing.T) {
	cat := catalogOf(
		t, buff.Spec{ID: "light", Kind: define.Infinite, Aura: define.Aura{Apply: "lit", Radius: 5, Interval: 500 * time.Millisecond}},
		buff.Spec{ID: "lit", Kind: define.Infinite},
	)
	looks := 0
	e := open(t, engine.Options{Catalog: cat, Workers: 2, Budget: patient, Limits: engine.Limits{Tick: 8}, Members: func(engine.AuraQuery, func(buff.OwnerID)) { looks++ }})
	for id := range buff.OwnerID(40) {
		spawn(t, e, id)
		add(t, e, id, cat.Spec("light"))
		e.Tick(0)
	}
	for range 100 {
		e.Tick(0)
	}
	require.Equal(t, 40, looks)
	e.Tick(500 * time.Millisecond)
	for range 100 {
		e.Tick(0)
	}
	require.Equal(t, 80, looks)
}

// TestTick_OneOwnerOverdue checks that if only one owner has overdue events, it may use the whole
// quota of a Tick, except for the part that its unmerged events of the previous Tick use.
func TestTick_OneOwnerOverdue(t *testing.T) {
	cat := catalogOf(t, buff.Spec{ID: "beat", Kind: define.Infinite, Period: 50 * time.Millisecond})
	for _, m := range modes {
		o := engine.Options{Catalog: cat, Limits: engine.Limits{Tick: 100}}
		m.set(&o)
		o.Budget = patient
		e := open(t, o)
		spawn(t, e, 1, 2, 3)
		add(t, e, 2, cat.Spec("beat"))
		e.Tick(0)
		var counts []int
		for k := range 12 {
			span := time.Duration(0)
			if k == 0 {
				span = 50 * time.Second
			}
			n := 0
			for range e.Tick(span).Events() {
				n++
			}
			counts = append(counts, n)
		}
		require.Equal(t, []int{100, 84, 84, 84, 84, 84, 84, 84, 84, 84, 84, 60}, counts, m)
	}
}
