package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/long"
)

// shared returns the path of a file in the folder shared, which is next to the repository. If the
// file does not exist, shared skips the test.
func shared(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join("..", "..", "..", "shared", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("../shared/%s is not there: the test was not run", name)
	}
	return path
}

// passList returns the scenarios that must pass.
func passList(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", ".ci", "vectors-pass.txt"))
	require.NoError(t, err)
	var ids []string
	for line := range strings.Lines(string(text)) {
		line, _, _ = strings.Cut(line, "#")
		if id := strings.TrimSpace(line); id != "" {
			ids = append(ids, id)
		}
	}
	require.NotEmpty(t, ids)
	return ids
}

// TestVectors checks that the conformance scenarios in the list pass, and that neither the length
// of a frame nor the number of workers changes a line of any log.
func TestVectors(t *testing.T) {
	text, err := os.ReadFile(shared(t, "vectors/vectors.json"))
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "vectors.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	tool("validate", "-fix", file)
	want := passList(t)
	var first string
	runs := [][]string{
		{}, {"-workers", "8"}, {"-frame", "7ms", "-workers", "8"}, {"-frame", "7ms"}, {"-frame", "1s"}, {"-workers", "1"}, {"-sync"},
	}
	if !long.On() {
		runs = runs[:2]
	}
	for _, flags := range runs {
		stdout, stderr, _ := tool(append([]string{"run", "-check", file}, flags...)...)
		require.Empty(t, stderr)
		agree := map[string]bool{}
		for line := range strings.Lines(stdout) {
			if rest, ok := strings.CutPrefix(line, "ok   "); ok {
				id, _, _ := strings.Cut(rest, " ")
				agree[id] = true
			}
		}
		for _, id := range want {
			require.True(t, agree[id], "%s with %v:\n%s", id, flags, stdout)
		}
		logs, _, _ := tool(append([]string{"run", file}, flags...)...)
		if first == "" {
			first = logs
		}
		require.Equal(t, first, logs, "%v", flags)
	}
}

// TestTraces replays recordings of real fights. It checks that the engine ends at most two buffs in
// a hundred too early, and that neither the length of a frame nor the number of workers changes a
// figure.
func TestTraces(t *testing.T) {
	spells := shared(t, "traces/spells.csv")
	for _, name := range []string{"arena-duel.csv", "arena-shuffle.csv"} {
		t.Run(name, func(t *testing.T) {
			file := shared(t, "traces/"+name)
			var first string
			for _, flags := range [][]string{
				{}, {"-frame", "7ms"}, {"-frame", "1s", "-sync"}, {"-workers", "1"}, {"-frame", "33ms", "-workers", "8"},
			} {
				stdout, stderr, code := tool(append([]string{"replay", file, "--spells", spells}, flags...)...)
				require.Zero(t, code, stderr)
				figures, _, found := strings.Cut(stdout, " a second\n")
				require.True(t, found, stdout)
				// Cut off the line with the speed.
				figures = figures[:strings.LastIndex(figures, "\n")]
				if first == "" {
					first = figures
					requireFewLates(t, stdout)
				}
				require.Equal(t, first, figures, "%v", flags)
			}
		})
	}
}

func requireFewLates(t *testing.T, report string) {
	t.Helper()
	var compared, match, early, late int
	for line := range strings.Lines(report) {
		var n int
		var word, next string
		_, _ = fmt.Sscan(line, &n, &word, &next) // a line in a different form leaves these words empty
		switch word + " " + next {
		case "ends compared":
			compared = n
		case "match ":
			match = n
		case "early ":
			early = n
		default:
			if word == "late," {
				late = n
			}
		}
	}
	require.Equal(t, compared, match+early+late, report)
	require.Greater(t, match, 10, report)
	require.LessOrEqual(t, 100*late, 2*compared, report)
}
