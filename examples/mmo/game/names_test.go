package game

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
)

// TestNames checks that all names are different and contain the class.
func TestNames(t *testing.T) {
	w, _ := playLog(t, "-players", "1200", "-bosses", "3", "-duration", "50ms")
	n := newNames(w.players, w.raids)
	seen := map[string]bool{}
	for i := range w.players {
		name := n.name(w.players[i].id)
		require.False(t, seen[name], name)
		seen[name] = true
	}
	require.Equal(t, "Warrior Ragnar Ashdown, raid 1", n.name(1))
	require.Equal(t, "Priest Ivar Dunmore, raid 1", n.name(4))
	require.Equal(t, "Warrior Ragnar Ashdown 2, raid 1", n.name(577))
	require.Equal(t, "Boss the Drowned King, raid 2", n.name(firstBoss+1))
	for _, id := range []uint64{0, 1201, firstBoss + 3, 1<<63 - 1, 1 << 63, 1<<63 + 1, 1<<63 + firstBoss, 1<<64 - 1} {
		require.Empty(t, n.name(buff.OwnerID(id)))
	}
}
