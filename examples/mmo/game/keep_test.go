package game

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestData checks that a game that is saved plays like a game that is not saved. The next process
// must continue where the first process ended, with all players and buffs and without reported
// losses.
func TestData(t *testing.T) {
	dir := t.TempDir()
	game := "-players 60 -bosses 2 -speed max -duration 6s -seed 7 "
	keep := game + "-data " + dir
	require.Equal(t, digestOf(t, game), digestOf(t, keep), "-data changes nothing")

	stdout, stderr, status := play(t, t.Context(), keep)
	require.Zero(t, status, stderr)
	require.Contains(t, stdout, " units with ")
	require.Contains(t, stdout, ", 0 units could not be restored\n")
	require.Regexp(t, `\nsaved     \d+ cuts, 0 failed, [\d.]+ MB; the last one is 0s of game time old, with \d+ changed units\ndigest: `, stdout)

	_, stderr, status = play(t, t.Context(), strings.Replace(keep, "60", "61", 1))
	require.Equal(t, 1, status)
	require.Contains(t, stderr, "contains a world of 60 players and 2 bosses: use -players 60 -bosses 2, or another folder")
	_, stderr, status = play(t, t.Context(), keep)
	require.Zero(t, status, stderr)
}

// TestDataKilled checks that a world continues from its state on disk after the process was killed.
func TestDataKilled(t *testing.T) {
	dir := t.TempDir()
	s, err := parseFlags(strings.Fields("-players 60 -bosses 2 -speed max -duration 8s -sync -data " + dir))
	require.NoError(t, err)
	for life := range 3 {
		w, err := newWorld(s)
		require.NoError(t, err)
		require.Equal(t, life > 0, w.old())
		for i := range w.players {
			p := &w.players[i]
			buffs, err := w.eng.Buffs(p.id)
			require.Equal(t, p.away, err != nil, "player %d of life %d", p.id, life)
			dead := false
			for b := range buffs.All() {
				dead = dead || is(b.Spec, w.ghost)
			}
			require.Equal(t, p.dead, dead, "player %d of life %d", p.id, life)
		}
		for range 100 {
			w.act()
			f := w.eng.Tick(w.at(1))
			w.see(f)
			w.keep.zone.After(f)
		}
		require.NoError(t, w.err)
		require.NoError(t, w.abandon(t.Context()))
	}
}
