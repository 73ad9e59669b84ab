package sim

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/long"
)

// each plays seeds and returns the counts of all, and what failed, by seed.
func each(from uint64, n int, s settings) (counts map[string]int, failed map[uint64]string) {
	counts, failed = map[string]int{}, map[uint64]string{}
	var next atomic.Uint64
	var mu sync.Mutex
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for k := next.Add(1) - 1; k < uint64(n); k = next.Add(1) - 1 {
				w := play(from+k, s)
				mu.Lock()
				for what, times := range w.counts {
					counts[what] += times
				}
				if len(w.violations) > 0 {
					failed[from+k] = w.violations[0]
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return counts, failed
}

func table(counts map[string]int) string {
	var b strings.Builder
	for _, what := range slices.Sorted(maps.Keys(counts)) {
		fmt.Fprintf(&b, "\n%10d  %s", counts[what], what)
	}
	return b.String()
}

// wrong is everything that goes wrong, or is done by an operator.
var wrong = []string{
	"lost messages", "doubled messages", "delayed messages", "reordered messages", "messages cut off: client", "messages cut off: node",
	"requests cut off from the database", "answers cut off from the database", "lost answers of the database",
	"slow beats", "slow claims", "slow loads", "slow commits", "slow releases", "slow polls", "clocks that are wrong",
	"fault: crash", "fault: pause", "fault: node cut from the database", "fault: node cut from NATS", "fault: node cut from NATS for long", "zones given away by a node cut off from NATS", "fault: client cut from NATS",
	"fault: standby takes over", "standbys that have taken over", "fault: backup put back", "backups put back", "fault: cuts lost", "zones loaded again after a lost cut",
	"fault: database only reads", "sessions opened while the database only read", "writes refused by a session that only reads",
	"fault: connection to NATS closed", "nodes that leave for a closed connection", "lost definitions", "lost packets of a screen", "screens that have missed something",
	"commands lost with their history", "commands for another life", "clients told that a zone has gone back", "screens told that a zone has gone back",
	"commits before the end of the leases of before", "fault: database gone", "fault: deploy", "fault: join", "fault: two with one name", "fault: move of a zone", "moved players",
	"panics at load", "fenced commits", "zones stopped", "drained nodes", "balanced zones", "departures done before",
	"commits behind their successor", "commands that came again", "commands nobody knows of", "refused commands", "busy zones",
	"commands for a zone that moves", "lost notices of a move", "slow lookups", "players who come", "players who come back too soon",
	"commands for a player who has moved", "commands for a player who is under way", "commands that followed a player",
}

// TestSeeds: nothing that was acknowledged is lost, nothing is done twice, no zone is played by two.
func TestSeeds(t *testing.T) {
	n := long.Times(100)
	counts, failed := each(long.Seed(), n, settings{})
	t.Logf("%d seeds%s", n, table(counts))
	for _, what := range wrong {
		if n > 100 && counts[what] < n/100 {
			t.Errorf("%q was there %d times, less than %d", what, counts[what], n/100)
		}
	}
	if len(failed) == 0 {
		return
	}
	all := slices.Sorted(maps.Keys(failed))
	for _, seed := range all[:min(len(all), 10)] {
		t.Logf("seed %d: %s", seed, failed[seed])
	}
	seed := all[0]
	w := play(seed, settings{verbose: true})
	t.Errorf("%d of %d seeds failed. Seed %d (go test ./internal/sim -run TestSeeds -seed %d):\n%s\n%s",
		len(failed), n, seed, seed, strings.Join(w.lines[max(0, len(w.lines)-150):], "\n"), strings.Join(w.violations, "\n"))
}

// TestAgain: one seed is one history.
func TestAgain(t *testing.T) {
	for seed := range uint64(16) {
		a, b := play(seed, settings{verbose: true}), play(seed, settings{verbose: true})
		require.NotEmpty(t, a.lines)
		require.Equal(t, a.lines, b.lines)
		require.Equal(t, a.counts, b.counts)
	}
}
