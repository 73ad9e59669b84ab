package sim

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestControls checks that each guard is necessary: without it at least 1 of 10 seeds fails, and
// only in the ways that the guard prevents.
func TestControls(t *testing.T) {
	lost := []string{"is lost", "and is now number", "before this one was sent", "but executed"}
	for _, c := range []struct {
		name     string
		seeds    int
		settings settings
		finds    []string
	}{
		{"fence", 20, settings{off: guards{fence: true}}, []string{"is lost", "an acknowledged cut is missing", "and is now number", "the only writer is refused", "on disk (", "is in no zone", "and in", "was executed twice", "and there was none", "was sent when", "and is already there", "not recovered"}},
		{"early stop", 20, settings{off: guards{earlyStop: true}}, []string{"has begun", "another load"}},
		{"move guard", 40, settings{off: guards{moveGuard: true}}, []string{"is lost", "and on disk in", "on disk (", "and in", "and is already there", "not recovered"}},
		{"id window", 20, settings{off: guards{window: true}}, []string{"was executed twice"}},
		{"ids of redirected commands", 40, settings{off: guards{moved: true}, slow: true}, []string{"was executed twice"}},
		{"wait for leaving players", 20, settings{off: guards{leaving: true}}, []string{"but player"}},
		{"count of the window", 40, settings{off: guards{since: true}}, []string{"was executed twice", "but executed"}},
		{"timeline", 20, settings{off: guards{timeline: true}, often: "standby takes over"}, []string{"has begun", "another load", "is lost", "and in", "is in no zone", "on disk (", "and is already there", "is refused", "was sent when", "was executed twice", "an acknowledged cut is missing", "cannot be restored", "and on disk in", "is now number"}},
		{"hold after a takeover", 20, settings{off: guards{hold: true}, often: "standby takes over"}, []string{"has begun"}},
		{"skipped epochs", 20, settings{off: guards{skip: true}, often: "standby takes over"}, []string{"has begun", "another load"}},
		{"lower count for a new owner", 20, settings{off: guards{lower: true}}, []string{"was sent when"}},
		{"end of a zone that lost its cut", 20, settings{off: guards{lost: true}, often: "cuts lost"}, []string{"is in no zone", "and in", "is lost", "is refused", "was executed twice", "on disk (", "and is already there", "was sent when", "not recovered"}},
		{"life of a zone", 20, settings{off: guards{life: true}, often: "backup restored"}, append(lost, "was sent when", "was executed twice")},
		{"replies from before a loss", 40, settings{off: guards{before: true}, slow: true, often: "cuts lost"}, lost},
		{"acceptance of a lower epoch", 20, settings{off: guards{turn: true}, often: "backup restored"}, []string{"not recovered"}},
		{"read-only session", 20, settings{off: guards{session: true}}, []string{"not recovered"}},
		{"closed connection", 20, settings{off: guards{closed: true}, alone: true}, []string{"has been closed for", "not recovered"}},
		{"missed definitions", 20, settings{off: guards{missed: true}}, []string{"not recovered"}},
		{"deaf node", 40, settings{off: guards{deaf: true}, often: "node cut from NATS for long"}, []string{"no command reaches it"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, failed := simulate(0, c.seeds, c.settings)
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
