package main

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// compareCmd compares two bench.txt files, or two commits.
type compareCmd struct {
	Old    string  `arg:"" help:"a folder with a bench.txt, the file, or a commit"`
	New    string  `arg:"" help:"the same, of what has changed; a dot is the tree as it is"`
	Alpha  float64 `default:"0.05" help:"the chance that one of the rows is taken for a difference, and is none"`
	Least  float64 `default:"10" help:"per cent below which a difference is none, however sure: that much has been seen between two runs of one commit"`
	Probes int     `default:"12" help:"how often each of two commits has its turn"`
}

// Run computes the statistics with the version of benchstat that tools/go.mod lists. It fails if
// any step has become slower.
//
// If Old and New are files, Run compares only the ratios to the yardstick. Absolute times depend on
// the state of the machine during each run, and benchstat would report these differences as
// significant. If Old and New are commits, Run builds both and runs them alternately (A B A B), so
// that the machine is in the same state for both commits.
func (c *compareCmd) Run(con *console) error {
	dir, err := os.MkdirTemp("", "bench-compare")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	from := []string{c.Old, c.New}
	if !isFile(c.Old) && (c.New == "." || !isFile(c.New)) {
		if from, err = c.inTurn(dir, con); err != nil {
			return err
		}
	}
	var files []string
	rows := 0
	for i, name := range []string{"old", "new"} {
		text, n, err := ratioLines(from[i])
		if err != nil {
			return err
		}
		rows = max(rows, n)
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, text, 0o600); err != nil {
			return err
		}
		files = append(files, name+"="+file)
	}
	alpha := strconv.FormatFloat(c.Alpha/float64(max(1, rows)), 'g', 4, 64)
	table, err := benchstat(append([]string{"-alpha", alpha}, files...)...)
	if err != nil {
		return err
	}
	con.out.Write(table)
	sheet, err := benchstat(append([]string{"-alpha", alpha, "-format", "csv"}, files...)...)
	if err != nil {
		return err
	}
	return c.verdict(sheet, con)
}

func benchstat(args ...string) ([]byte, error) {
	repo, err := repository()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("go", append([]string{"tool", "-modfile=" + filepath.Join(repo, toolsFile), "benchstat"}, args...)...)
	var diag bytes.Buffer
	cmd.Stderr = &diag
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("benchstat: %w\n%s", err, &diag)
	}
	return out, nil
}

// ratioLines returns the lines of a bench.txt that contain ratios, and the number of steps in these
// lines.
func ratioLines(from string) ([]byte, int, error) {
	if info, err := os.Stat(from); err == nil && info.IsDir() {
		from = filepath.Join(from, "bench.txt")
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return nil, 0, err
	}
	var out bytes.Buffer
	names := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(line, " ")
		switch {
		case strings.HasPrefix(name, "BenchmarkStep/"):
			names[name] = true
			out.WriteString(line)
		case strings.HasPrefix(name, "cpu:"), strings.HasPrefix(name, "pkg:"):
			out.WriteString(line)
		}
	}
	if len(names) == 0 {
		return nil, 0, fmt.Errorf("%s: no line begins with BenchmarkStep/; go -C bench run . gate -out DIR writes them", from)
	}
	return out.Bytes(), len(names), nil
}

// verdict parses benchstat's table and prints the steps that have changed. The columns are: name,
// old, ±, new, ±, difference, p. It fails if a step has become slower.
func (c *compareCmd) verdict(sheet []byte, con *console) error {
	r := csv.NewReader(bytes.NewReader(sheet))
	r.FieldsPerRecord = -1
	lines, err := r.ReadAll()
	if err != nil {
		return fmt.Errorf("the table of benchstat: %w", err)
	}
	var slower, faster, same int
	for _, f := range lines {
		if len(f) < 7 || !strings.HasPrefix(f[0], "Step/") {
			continue
		}
		change, err := strconv.ParseFloat(strings.TrimSuffix(f[5], "%"), 64)
		switch {
		case err != nil || change > -c.Least && change < c.Least:
			same++
		case change > 0:
			slower++
			fmt.Fprintf(con.out, "%s has become dearer by %s (%s)\n", f[0], f[5], f[6])
		default:
			faster++
			fmt.Fprintf(con.out, "%s has become cheaper by %s (%s)\n", f[0], f[5], f[6])
		}
	}
	if slower+faster+same == 0 {
		return fmt.Errorf("benchstat has compared nothing:\n%s", sheet)
	}
	fmt.Fprintf(con.out, "%d rows: %d dearer, %d cheaper, %d without a difference\n", slower+faster+same, slower, faster, same)
	if slower > 0 {
		return errFailed
	}
	return nil
}
