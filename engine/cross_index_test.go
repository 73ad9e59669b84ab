package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/long"
)

// TestCrossIndex checks in random worlds, in which owners and sources are spawned and removed,
// that after every Tick the cross-owner index agrees with the buffs of the owners, that no source
// exceeds its limit, and that the index is empty after the last owner has left.
func TestCrossIndex(t *testing.T) {
	seeds := uint64(long.Times(3))
	for seed := range seeds {
		for _, m := range []mode{modes[0], modes[3]} {
			p := plan{seed: seed, owners: 25, steps: 80, outbox: true, inbox: true, churn: true, shared: true}
			var o engine.Options
			m.set(&o)
			s := newSim(t, p, o)
			s.run(whole)
			held, auras, _ := engine.Room(s.eng)
			require.NotZero(t, held)
			require.NotZero(t, auras)
			for id := range buff.OwnerID(p.owners + 1) {
				if s.eng.Data(id) != nil {
					require.NoError(t, s.eng.Drop(id))
				}
			}
			s.tick(0)
			s.tick(0)
			require.Zero(t, s.eng.Stats().Timers)
			require.Zero(t, engine.Owed(s.eng))
			s.finish()
		}
	}
}
