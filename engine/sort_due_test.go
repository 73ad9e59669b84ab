package engine

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSortDue: who is due is in order, however timers have fired: by instant, as a rule, or not.
func TestSortDue(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 8))
	for k := range 2000 {
		due := make([]dueOwner, dice.IntN(40))
		for i := range due {
			due[i] = dueOwner(dice.IntN(5))<<instantShift | dueOwner(dice.IntN(8))<<numberBits | dueOwner(i)
		}
		if k%2 == 0 { // as the wheel fires them
			slices.SortStableFunc(due, func(a, b dueOwner) int { return int(a>>instantShift) - int(b>>instantShift) })
		}
		want := slices.Clone(due)
		slices.Sort(want)
		sortDue(due)
		require.Equal(t, want, due)
	}
}
