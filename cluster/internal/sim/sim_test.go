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

// simulate plays n seeds and returns the sum of their counts and the first violation of each
// failed seed.
func simulate(from uint64, n int, s settings) (counts map[string]int, failed map[uint64]string) {
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

// required are the counts of faults and reactions that must occur in a long run.
var required = []string{
	"lost messages", "doubled messages", "delayed messages", "reordered messages", "messages cut off: client", "messages cut off: node",
	"requests cut off from the database", "answers cut off from the database", "lost answers of the database",
	"slow beats", "slow claims", "slow loads", "slow commits", "slow releases", "slow polls", "skewed clocks",
	"fault: crash", "fault: pause", "fault: node cut from the database", "fault: node cut from NATS", "fault: node cut from NATS for long", "zones drained by a node cut off from NATS", "fault: client cut from NATS",
	"fault: standby takes over", "standbys that have taken over", "fault: backup restored", "restored backups", "fault: cuts lost", "zones loaded again after a lost cut",
	"fault: read-only database", "sessions opened while the database was read-only", "writes refused by a read-only session",
	"fault: connection to NATS closed", "nodes that leave because their connection is closed", "lost definitions", "lost packets of a screen", "screens that missed a packet",
	"lost commands", "commands for another life", "clients notified of a loss", "screens notified of a loss",
	"commits before take_over", "fault: database gone", "fault: deploy", "fault: join", "fault: two with one name", "fault: move of a zone", "moved players",
	"panics at load", "fenced commits", "zones stopped", "drained nodes", "balanced zones", "departures executed before",
	"commits later than their successor", "repeated commands", "commands with an unknown outcome", "refused commands", "busy zones",
	"commands for a zone that moves", "lost notices of a move", "slow lookups", "arrived players", "players that come back too soon",
	"commands for a player that has moved", "commands for a player in transit", "redirected commands",
}

// TestSeeds checks that no acknowledged command is lost, no command is executed twice, and no zone
// runs twice.
func TestSeeds(t *testing.T) {
	n := long.Times(100)
	counts, failed := simulate(long.Seed(), n, settings{})
	t.Logf("%d seeds%s", n, table(counts))
	for _, what := range required {
		if n > 100 && counts[what] < n/100 {
			t.Errorf("%q occurred %d times, less than %d", what, counts[what], n/100)
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

// TestSeeds_Deterministic checks that two simulations of a seed are identical.
func TestSeeds_Deterministic(t *testing.T) {
	for seed := range uint64(16) {
		a, b := play(seed, settings{verbose: true}), play(seed, settings{verbose: true})
		require.NotEmpty(t, a.lines)
		require.Equal(t, a.lines, b.lines)
		require.Equal(t, a.counts, b.counts)
	}
}
