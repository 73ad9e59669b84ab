package main

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// benchLine matches an output line of go test -bench. The line has a name, whose last part is the
// column of the table, the number of iterations, and pairs of a value and a unit.
var benchLine = regexp.MustCompile(`^Benchmark(\S+)/([a-z]+)(?:-\d+)?\s+\d+\s+(.*)$`)

// benchTable prints the output of go test -bench as a Markdown table. The table has a row for each
// benchmark and custom unit, with the median of several runs. It omits ns/op and allocations.
func benchTable(w io.Writer, in io.Reader, columns []string) error {
	samples, rows := map[string][]float64{}, []string{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		m := benchLine.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		pairs := strings.Fields(m[3])
		for i := 0; i+1 < len(pairs); i += 2 {
			value, err := strconv.ParseFloat(pairs[i], 64)
			if err != nil {
				return fmt.Errorf("%q: %w", lines.Text(), err)
			}
			unit := pairs[i+1]
			if strings.HasSuffix(unit, "s/op") && unit != "cpu-ns/op" || unit == "ns/op" || unit == "B/op" {
				continue
			}
			row := strings.NewReplacer("pending=", "", "due=", "").Replace(m[1]) + " | " + unit
			if samples[row] == nil {
				rows = append(rows, row)
				samples[row] = []float64{}
			}
			samples[row+m[2]] = append(samples[row+m[2]], value)
		}
	}
	fmt.Fprintf(w, "| | unit | %s |\n|---|---|%s\n", strings.Join(columns, " | "), strings.Repeat("---:|", len(columns)))
	for _, row := range rows {
		fmt.Fprintf(w, "| %s |", row)
		for _, c := range columns {
			fmt.Fprintf(w, " %s |", median(samples[row+c]))
		}
		fmt.Fprintln(w)
	}
	return lines.Err()
}
