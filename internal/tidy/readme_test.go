package tidy

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Comments in README.md that precede its fenced blocks. .ci/readme and .ci/release use the first two.
const (
	fileMarker    = "<!-- file: buffs.yaml -->"
	programMarker = "<!-- program: main.go -->"
	outputMarker  = "<!-- output: main.go -->"
	mistakeMarker = "<!-- mistake -->"
)

// TestReadmeRuns runs the README's program with its file of buffs, also with a mistake in it, and
// compares the outputs with the README.
func TestReadmeRuns(t *testing.T) {
	readme, err := os.ReadFile(inRoot("README.md"))
	require.NoError(t, err)
	block := func(marker string) string {
		text, err := fenced(string(readme), marker)
		require.NoError(t, err)
		return text
	}
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		return file
	}
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "game"), write("main.go", block(programMarker))).CombinedOutput()
	require.NoError(t, err, "%s", out)
	run := func(buffs string) (stdout, stderr string) {
		write("buffs.yaml", buffs)
		var out, errs bytes.Buffer
		cmd := exec.CommandContext(t.Context(), "./game")
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &errs
		require.Equal(t, cmd.Run() != nil, errs.Len() > 0)
		return trimLines(out.String()), trimLines(errs.String())
	}
	buffs := block(fileMarker)
	stdout, stderr := run(buffs)
	require.Empty(t, stderr)
	require.Equal(t, trimLines(block(outputMarker)), stdout)
	_, stderr = run(strings.Replace(buffs, "duration: 6s", "duration: 10", 1))
	require.Contains(t, stderr, trimLines(block(mistakeMarker)))
}

// fenced returns the content of the fenced block after the marker.
func fenced(readme, marker string) (string, error) {
	lines := strings.Split(strings.ReplaceAll(readme, "\r\n", "\n"), "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) != marker {
			continue
		}
		if strings.Contains(strings.Join(lines[i+1:], "\n"), marker) {
			return "", fmt.Errorf("README.md: more than one line %s", marker)
		}
		if i+1 == len(lines) || !strings.HasPrefix(lines[i+1], "```") {
			return "", fmt.Errorf("README.md:%d: no fenced block directly after the marker", i+1)
		}
		for end := i + 2; end < len(lines); end++ {
			if lines[end] == "```" {
				return strings.Join(lines[i+2:end], "\n") + "\n", nil
			}
		}
		return "", fmt.Errorf("README.md:%d: the fenced block does not end", i+2)
	}
	return "", fmt.Errorf("README.md: no line %s", marker)
}

// trimLines removes trailing spaces of lines, and empty lines at both ends of the text.
func trimLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\r")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}
