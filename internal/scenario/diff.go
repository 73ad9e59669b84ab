package scenario

import (
	"fmt"
	"strings"
)

// around is the number of equal lines that are shown on each side of a difference.
const around = 3

// mostCells is the size of the largest table that Diff uses to align lines. If the logs need a
// larger table, Diff shows all lines between the common start and the common end as different.
const mostCells = 1 << 22

// Diff returns the difference between two logs in a format like that of diff -u. Lines that are
// missing in the actual log (got) start with "-", and additional lines start with "+". "@@" gives
// the line number in the expected log (want).
func Diff(want, got []string) []string {
	edits := compared(want, got)
	var out []string
	line, shown := 1, 0 // a line number in `want`; the number of edits already in `out`
	for i, e := range edits {
		if near(edits, i) {
			if i > shown || len(out) == 0 {
				out = append(out, fmt.Sprintf("@@ line %d @@", line))
			}
			out = append(out, e)
			shown = i + 1
		}
		if !strings.HasPrefix(e, "+") {
			line++
		}
	}
	return out
}

// near reports whether edit i, or an edit close to it, is a missing or additional line.
func near(edits []string, i int) bool {
	for j := max(i-around, 0); j <= min(i+around, len(edits)-1); j++ {
		if edits[j][0] != ' ' {
			return true
		}
	}
	return false
}

// compared returns the lines of both logs. Each line starts with " ", "-" or "+".
func compared(want, got []string) []string {
	var edits, tail []string
	for len(want) > 0 && len(got) > 0 && want[0] == got[0] {
		edits = append(edits, "  "+want[0])
		want, got = want[1:], got[1:]
	}
	for len(want) > 0 && len(got) > 0 && want[len(want)-1] == got[len(got)-1] {
		tail = append(tail, "  "+want[len(want)-1])
		want, got = want[:len(want)-1], got[:len(got)-1]
	}
	common := commonLines(want, got)
	i, j := 0, 0
	for i < len(want) || j < len(got) {
		switch {
		case i < len(want) && j < len(got) && want[i] == got[j]:
			edits = append(edits, "  "+want[i])
			i++
			j++
		case j == len(got) || i < len(want) && common(i+1, j) >= common(i, j+1):
			edits = append(edits, "- "+want[i])
			i++
		default:
			edits = append(edits, "+ "+got[j])
			j++
		}
	}
	for k := len(tail) - 1; k >= 0; k-- {
		edits = append(edits, tail[k])
	}
	return edits
}

// commonLines returns a function f(i, j) that returns the length of the longest common subsequence
// of want[i:] and got[j:]. It costs O(len(want) × len(got)). If that is more than mostCells, f
// always returns 0.
func commonLines(want, got []string) func(i, j int) int {
	width := len(got) + 1
	if len(want)*width > mostCells {
		return func(int, int) int { return 0 }
	}
	table := make([]int32, (len(want)+1)*width)
	for i := len(want) - 1; i >= 0; i-- {
		for j := len(got) - 1; j >= 0; j-- {
			if want[i] == got[j] {
				table[i*width+j] = table[(i+1)*width+j+1] + 1
			} else {
				table[i*width+j] = max(table[(i+1)*width+j], table[i*width+j+1])
			}
		}
	}
	return func(i, j int) int { return int(table[i*width+j]) }
}
