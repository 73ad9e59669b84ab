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
		alone bool
	}{
		{"fence", guards{fence: true}, 100, []string{"is lost", "what was on disk is not", "and is now the", "the only writer is refused", "on disk (", "is nowhere", "and in", "was done twice", "and it has not", "came when", "and is there", "not all is well"}, false},
		{"early stop", guards{earlyStop: true}, 50, []string{"has begun"}, false},
		{"move guard", guards{moveGuard: true}, 200, []string{"is lost", "and on disk in", "plays in", "on disk (", "and in", "and is there", "not all is well"}, false},
		{"id window", guards{window: true}, 20, []string{"was done twice"}, false},
		{"ids of commands sent on", guards{moved: true}, 120, []string{"was done twice"}, false},
		{"wait for who leaves", guards{leaving: true}, 20, []string{"was refused, and there is"}, false},
		{"count of the window", guards{since: true}, 100, []string{"was done twice", "was refused, and is done"}, false},
		{"timeline", guards{timeline: true}, 150, []string{"has begun", "is lost", "and in", "is nowhere", "on disk (", "and is there", "is refused", "came when", "was done twice", "what was on disk", "does not come back", "plays in", "is now the", "and is on disk in"}, false},
		{"hold after a takeover", guards{hold: true}, 80, []string{"has begun"}, false},
		{"count that a new owner has", guards{lower: true}, 20, []string{"came when"}, false},
		{"zone whose cut is lost", guards{lost: true}, 80, []string{"is nowhere", "and in", "is lost", "is refused", "was done twice", "on disk (", "and is there", "came when", "not all is well"}, false},
		{"life of a zone", guards{life: true}, 60, []string{"came when", "was done twice"}, false},
		{"turn of a gateway", guards{turn: true}, 60, []string{"not all is well"}, false},
		{"session that only reads", guards{session: true}, 20, []string{"not all is well"}, false},
		{"closed connection", guards{closed: true}, 20, []string{"has been closed for", "not all is well"}, true},
		{"missed definitions", guards{missed: true}, 20, []string{"not all is well"}, false},
		{"deaf node", guards{deaf: true}, 80, []string{"no command reaches it"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, failed := each(0, c.seeds, settings{off: c.off, alone: c.alone})
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
