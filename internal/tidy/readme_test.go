package tidy

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Comments in README.md that precede the fenced blocks of its program and of the program's output.
// .ci/readme and .ci/release use the first one too.
const (
	programMarker = "<!-- program: engine/example_test.go Example -->"
	outputMarker  = "<!-- output: engine/example_test.go Example -->"
)

// TestReadmeRuns runs the README's program and compares its output with the README.
func TestReadmeRuns(t *testing.T) {
	readme, err := os.ReadFile(inRoot("README.md"))
	require.NoError(t, err)
	program, err := fenced(string(readme), programMarker)
	require.NoError(t, err)
	want, err := fenced(string(readme), outputMarker)
	require.NoError(t, err)

	file := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(file, []byte(program), 0o600))
	var stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "go", "run", file)
	cmd.Stderr = &stderr
	got, err := cmd.Output()
	require.NoError(t, err, "%s", &stderr)
	require.Equal(t, trimLines(want), trimLines(string(got)))
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

// TestLinks checks that the relative links of Markdown files lead to existing files.
func TestLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(inRoot(path))
		require.NoError(t, err)
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			_, err := os.Stat(inRoot(filepath.Join(filepath.Dir(path), m[1])))
			require.NoError(t, err, "broken link in %s", path)
		}
		return nil
	}))
}
