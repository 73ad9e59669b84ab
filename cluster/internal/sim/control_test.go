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
