package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// bench runs a command line and returns its exit code and output.
func bench(args ...string) (code int, out, diag string) {
	var o, d bytes.Buffer
	code = run(args, &o, &d)
	return code, o.String(), d.String()
}

// TestRun plays a small city, selected by name and by letter. The flags have one dash or two.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	code, out, diag := bench("run", "-seed", "3", "-out", dir, "city", "-players=40", "--for", "5s", "-warm", "1s")
	require.Zero(t, code, diag)
	require.Contains(t, out, "A city     ok   5s of game")
	require.Contains(t, out, "1 of 1 profiles: nothing lost, early or doubled")
	for _, name := range []string{"run.json", "bench.txt", "ticks.csv"} {
		require.FileExists(t, filepath.Join(dir, name))
	}
	code, _, diag = bench("run", "A", "-players", "40", "-for", "1s", "-warm", "1s", "-quick")
	require.Zero(t, code, diag)
}

// TestReportOfTwoMachines checks that a report never mixes measurements of two machines.
func TestReportOfTwoMachines(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "run.json"), []byte(`{"Machine":{"CPU":"abacus","Processors":1}}`), 0o600))
	code, _, diag := bench("report", "-to", dir, "-pages", "", "-parts", "wheel", "-quick", "-most", "1000")
	require.Equal(t, 2, code)
	require.Contains(t, diag, "is from another machine (abacus, 1 processors)")
	require.NoFileExists(t, filepath.Join(dir, "README.md"))
}

// TestHelp checks that help describes each profile and lists its flags.
func TestHelp(t *testing.T) {
	code, out, _ := bench()
	require.Zero(t, code)
	require.Contains(t, out, "Usage: bench <command>")
	_, out, _ = bench("run", "-help")
	require.Contains(t, out, "A. 5,000 players in a city")
	_, out, _ = bench("run", "siege", "-help")
	require.Contains(t, out, "--targets=500")
	require.Contains(t, out, "--players=2000")
}

// TestBadCommand checks the exit code 2 and the message for invalid commands.
func TestBadCommand(t *testing.T) {
	code, _, diag := bench("run", "nothing")
	require.Equal(t, 2, code)
	require.Contains(t, diag, "nothing")
	code, _, diag = bench("compare", t.TempDir(), "nowhere")
	require.Equal(t, 2, code)
	require.Contains(t, diag, "bench.txt")
}

// TestQuickKeepsFlags checks that -quick changes only flags that were not set.
func TestQuickKeepsFlags(t *testing.T) {
	full, given := newCLI().Run.Siege, newCLI().Run.Siege
	given.Players = 123
	given.For = 7
	quick := newCLI().Run.Siege
	quick.Quick()
	shorten(&given, &full, &quick)
	require.Equal(t, 123, given.Players)
	require.EqualValues(t, 7, given.For)
	require.Equal(t, quick.Warm, given.Warm)
	require.Equal(t, 500, given.Targets)
}

// TestRatioLines checks that the command "compare" uses only the lines of steps.
func TestRatioLines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "bench.txt")
	text := "cpu: x\nBenchmarkProfile/A/event-2 1 5 ns/op\nBenchmarkStep/a-2 1 2.0 times-the-heap\nBenchmarkStep/a-2 1 2.1 times-the-heap\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	got, rows, err := ratioLines(filepath.Dir(file))
	require.NoError(t, err)
	require.Equal(t, 1, rows)
	require.NotContains(t, string(got), "Profile")
	require.Contains(t, string(got), "2.1 times-the-heap")
}

// TestCompare checks that random differences are ignored, that changes of a fifth are found, and
// that only slowdowns make the command fail.
func TestCompare(t *testing.T) {
	file := func(times float64, steps ...string) string {
		var text strings.Builder
		for _, step := range steps {
			for i := range 10 {
				fmt.Fprintf(&text, "BenchmarkStep/%s-2 1 %.4f times-the-heap\n", step, 3*times*(1+0.01*float64(i*7%10)))
			}
		}
		name := filepath.Join(t.TempDir(), "bench.txt")
		require.NoError(t, os.WriteFile(name, []byte(text.String()), 0o600))
		return name
	}
	old := file(1, "calls", "game")
	for _, row := range []struct {
		times float64
		code  int
		says  string
	}{
		{1, 0, "2 rows: 0 dearer, 0 cheaper, 2 without a difference"},
		// the difference is significant, but too small
		{1.05, 0, "2 rows: 0 dearer, 0 cheaper, 2 without a difference"},
		{1.2, 1, "2 rows: 2 dearer, 0 cheaper, 0 without a difference"},
		{0.8, 0, "2 rows: 0 dearer, 2 cheaper, 0 without a difference"},
	} {
		code, out, diag := bench("compare", old, file(row.times, "calls", "game"))
		require.Equal(t, row.code, code, "%s%s", out, diag)
		require.Contains(t, out, row.says)
	}
	code, _, diag := bench("compare", old, file(1, "elsewhere"))
	require.Equal(t, 2, code)
	require.Contains(t, diag, "benchstat has compared nothing")
}

// TestGateVerdict checks that the verdict is "passed" or names the failed checks.
func TestGateVerdict(t *testing.T) {
	require.Equal(t, "passed", gateVerdict(nil))
	require.Equal(t, "failed at wheel/churn, wheel: Move", gateVerdict([]string{"wheel/churn", "wheel: Move"}))
}
