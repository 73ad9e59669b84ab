package sim

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestControls checks that each guard is necessary: without it at least 1 of 10 seeds fails, and only in the ways
// that the guard prevents.
func TestControls(t *testing.T) {
	lost := []string{"is lost", "and is now the", "was not sent yet", "and is done"}
	for _, c := range []struct {
		name     string
		seeds    int
		settings settings
		finds    []string
	}{
		{"fence", 20, settings{off: guards{fence: true}}, []string{"is lost", "what was on disk is not", "and is now the", "the only writer is refused", "on disk (", "is nowhere", "and in", "was done twice", "and it has not", "came when", "and is there", "not all is well"}},
		{"early stop", 20, settings{off: guards{earlyStop: true}}, []string{"has begun", "another load"}},
		{"move guard", 40, settings{off: guards{moveGuard: true}}, []string{"is lost", "and on disk in", "plays in", "on disk (", "and in", "and is there", "not all is well"}},
		{"id window", 20, settings{off: guards{window: true}}, []string{"was done twice"}},
		{"ids of commands sent on", 40, settings{off: guards{moved: true}, slow: true}, []string{"was done twice"}},
		{"wait for who leaves", 20, settings{off: guards{leaving: true}}, []string{"was refused, and there is"}},
		{"count of the window", 40, settings{off: guards{since: true}}, []string{"was done twice", "was refused, and is done"}},
		{"timeline", 20, settings{off: guards{timeline: true}, often: "standby takes over"}, []string{"has begun", "another load", "is lost", "and in", "is nowhere", "on disk (", "and is there", "is refused", "came when", "was done twice", "what was on disk", "does not come back", "plays in", "is now the", "and is on disk in"}},
		{"hold after a takeover", 20, settings{off: guards{hold: true}, often: "standby takes over"}, []string{"has begun"}},
		{"skipped epochs", 20, settings{off: guards{skip: true}, often: "standby takes over"}, []string{"has begun", "another load"}},
		{"count that a new owner has", 20, settings{off: guards{lower: true}}, []string{"came when"}},
		{"zone whose cut is lost", 20, settings{off: guards{lost: true}, often: "cuts lost"}, []string{"is nowhere", "and in", "is lost", "is refused", "was done twice", "on disk (", "and is there", "came when", "not all is well"}},
		{"life of a zone", 20, settings{off: guards{life: true}, often: "backup put back"}, append(lost, "came when", "was done twice")},
		{"answers from before a loss", 40, settings{off: guards{before: true}, slow: true, often: "cuts lost"}, lost},
		{"turn of a gateway", 20, settings{off: guards{turn: true}, often: "backup put back"}, []string{"not all is well"}},
		{"session that only reads", 20, settings{off: guards{session: true}}, []string{"not all is well"}},
		{"closed connection", 20, settings{off: guards{closed: true}, alone: true}, []string{"has been closed for", "not all is well"}},
		{"missed definitions", 20, settings{off: guards{missed: true}}, []string{"not all is well"}},
		{"deaf node", 40, settings{off: guards{deaf: true}, often: "node cut from NATS for long"}, []string{"no command reaches it"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, failed := each(0, c.seeds, c.settings)
			kinds := map[string]int{}
			for seed, why := range failed {
				known := ""
				for _, text := range c.finds {
					if strings.Contains(why, text) {
						known = text
					}
				}
				require.NotEmpty(t, known, "seed %d: %s", seed, why)
				kinds[known]++
			}
			t.Logf("%d of %d seeds: %v", len(failed), c.seeds, kinds)
			require.GreaterOrEqual(t, 10*len(failed), c.seeds)
		})
	}
}
