package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/stretchr/testify/require"
)

// TestIDs compares the table of IDs with a map while IDs are added and removed, also with many
// hash collisions.
func TestIDs(t *testing.T) {
	dice := rand.New(rand.NewPCG(7, 1))
	for round := range 40 {
		l, table, model := &owners{}, newIDs(), map[buff.OwnerID]uint32{}
		var free []uint32
		bound := uint64(8) << (round % 10)
		for range 4000 {
			id := buff.OwnerID(dice.Uint64N(bound) * 1 << (round % 3 * 20))
			n, there := model[id]
			o := table.find(id, l)
			require.Equal(t, there, o != nil, "round %d, ID %d", round, id)
			if there {
				require.Equal(t, n, o.number)
			}
			switch {
			case there && dice.IntN(3) > 0:
				table.remove(id, n)
				delete(model, id)
				free = append(free, n)
			case !there:
				if len(free) > 0 {
					n, free = free[len(free)-1], free[:len(free)-1]
				} else {
					n = l.next()
				}
				o := l.reserve(n)
				o.set = *rules.NewOwner(id, n, 0, 1)
				table.add(id, n)
				model[id] = n
			}
			require.Equal(t, len(model), table.n)
		}
		used := 0
		for _, x := range table.places {
			if x != 0 {
				used++
			}
		}
		require.Equal(t, len(model), used)
		for id, n := range model {
			require.Equal(t, n, table.find(id, l).number)
		}
	}
}

// TestIDs_Collisions checks that owners whose hashes have the same index are distinguished, and
// that the others are found after one of them is removed.
func TestIDs_Collisions(t *testing.T) {
	l, table := &owners{}, newIDs()
	var meet []buff.OwnerID
	for id := buff.OwnerID(1); len(meet) < 6; id++ {
		// the last of sixteen indexes, so that they continue at the first one
		if table.hash(id)>>60 == 15 {
			meet = append(meet, id)
		}
	}
	for _, id := range meet {
		n := l.next()
		l.reserve(n).set = *rules.NewOwner(id, n, 0, 1)
		table.add(id, n)
	}
	require.Len(t, table.places, fewIDs)
	for k, gone := range meet {
		table.remove(gone, uint32(k))
		require.Nil(t, table.find(gone, l))
		for n := k + 1; n < len(meet); n++ {
			require.Equal(t, uint32(n), table.find(meet[n], l).number)
		}
	}
	require.Zero(t, table.n)
}
