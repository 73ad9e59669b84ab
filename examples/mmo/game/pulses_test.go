package game

import (
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
)

// TestPausedPlayers checks that the check of pulses stays correct if the page pauses and resumes
// the time of players in the middle of a fight. The time of some players is never resumed.
func TestPausedPlayers(t *testing.T) {
	s, err := parseFlags([]string{"-players", "60", "-bosses", "2", "-sync", "-speed", "max"})
	require.NoError(t, err)
	w, err := newWorld(s)
	require.NoError(t, err)
	l := newLoop(w, newStatus(io.Discard), io.Discard)
	for n := range 600 {
		for id := range buff.OwnerID(60) {
			switch {
			case n == 100, n == 300 && id < 20:
				require.NoError(t, l.command(buff.Pause(id+1)), "player %d", id+1)
			case n == 200 && id < 40:
				require.NoError(t, l.command(buff.Resume(id+1)), "player %d", id+1)
			}
		}
		l.act()
		l.see(l.eng.Tick(l.at(n+1) - l.at(n)))
		if n == 99 {
			require.Greater(t, l.pulses.run, 100)
		}
	}
	require.NoError(t, l.err)
	l.pulses.close(l.now)
	require.Greater(t, l.pulses.run, 1000)
	require.NoError(t, l.pulses.check(), fmt.Sprint(l.pulses.due, " due, ", l.pulses.run, " run"))
	require.NoError(t, l.end(t.Context()))
}
