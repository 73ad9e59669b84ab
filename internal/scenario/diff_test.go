package scenario

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDiff(t *testing.T) {
	lines := func(s string) []string { return strings.Fields(s) }
	for _, c := range []struct{ name, want, got, diff string }{
		{"equal", "a b", "a b", ""},
		{"changed", "a b c", "a x c", "@@ line 1 @@|  a|- b|+ x|  c"},
		{"missing at the end", "a b", "a", "@@ line 1 @@|  a|- b"},
		{"too many", "", "a", "@@ line 1 @@|+ a"},
		{"moved", "a b c d", "b c a d", "@@ line 1 @@|- a|  b|  c|+ a|  d"},
		{"far from the start", "1 2 3 4 5 6 7 8", "1 2 3 4 5 x 7 8", "@@ line 3 @@|  3|  4|  5|- 6|+ x|  7|  8"},
		{"two places", "1 2 3 4 5 6 7 8 9 10", "x 2 3 4 5 6 7 8 9 y", "@@ line 1 @@|- 1|+ x|  2|  3|  4|@@ line 7 @@|  7|  8|  9|- 10|+ y"},
	} {
		require.Equal(t, c.diff, strings.Join(Diff(lines(c.want), lines(c.got)), "|"), c.name)
	}
}

// TestDiffKeepsBoth checks that the difference of any two texts contains both of them completely.
func TestDiffKeepsBoth(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	text := func(n int) []string {
		out := make([]string, rnd.IntN(n))
		for i := range out {
			out[i] = string(rune('a' + rnd.IntN(3)))
		}
		return out
	}
	for i := range 500 {
		want, got := text(12), text(12)
		if i == 0 {
			// too large for the table
			want, got = slices.Repeat([]string{"a"}, 3000), slices.Repeat([]string{"b"}, 3000)
		}
		minus, plus := []string{}, []string{}
		for _, e := range compared(want, got) {
			if e[0] != '+' {
				minus = append(minus, e[2:])
			}
			if e[0] != '-' {
				plus = append(plus, e[2:])
			}
		}
		require.Equal(t, want, minus)
		require.Equal(t, got, plus)
	}
}
