package sim

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestControls: each guard is needed. Without it the books do not agree, in the way that it guards
// against.
func TestControls(t *testing.T) {
	for _, c := range []struct {
		name  string
		off   guards
		seeds int
		finds []string
	}{
		{"fence", guards{fence: true}, 100, []string{"is lost", "what was on disk is not", "and is now the", "the only writer is refused", "on disk (", "is nowhere", "and in", "was done twice"}},
		{"early stop", guards{earlyStop: true}, 50, []string{"has begun"}},
		{"move guard", guards{moveGuard: true}, 200, []string{"is lost", "and on disk in", "plays in", "on disk (", "and in", "and is there"}},
		{"id window", guards{window: true}, 20, []string{"was done twice"}},
		{"ids of commands sent on", guards{moved: true}, 120, []string{"was done twice"}},
		{"wait for who leaves", guards{leaving: true}, 20, []string{"was refused, and there is"}},
		{"count of the window", guards{since: true}, 100, []string{"was done twice", "was refused, and is done"}},
		{"timeline", guards{timeline: true}, 300, []string{"has begun", "is lost", "and in", "is nowhere", "on disk (", "and is there", "is refused", "came when", "was done twice", "what was on disk", "does not come back", "plays in", "is now the", "and is on disk in"}},
		{"zone whose cut is lost", guards{lost: true}, 300, []string{"is nowhere", "and in", "is lost", "is refused", "was done twice", "on disk (", "and is there", "came when", "not all is well"}},
		{"life of a zone", guards{life: true}, 300, []string{"came when", "was done twice"}},
		{"turn of a gateway", guards{turn: true}, 100, []string{"not all is well"}},
		{"session that only reads", guards{session: true}, 50, []string{"not all is well"}},
		{"closed connection", guards{closed: true}, 300, []string{"has been closed for"}},
		{"missed definitions", guards{missed: true}, 50, []string{"not all is well"}},
		{"deaf node", guards{deaf: true}, 50, []string{"no command reaches it"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, failed := each(0, c.seeds, settings{off: c.off})
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
			require.NotEmpty(t, failed, "the control finds nothing")
		})
	}
}
