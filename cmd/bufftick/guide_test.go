package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGuide loads and runs each example in docs/buffs.md. A YAML block is saved under the file name
// in its first line, such as "# poison.yaml". In a console block, each command follows "$ ". The
// test runs the commands and compares their output with the text below each command. A line "…"
// stands for the timeline, up to the events. With -rewrite the test writes the output to the page.
func TestGuide(t *testing.T) {
	path, err := filepath.Abs("../../docs/buffs.md")
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	var guide strings.Builder
	commands := 0
	for rest := string(text); rest != ""; {
		before, kind, block, after := nextBlock(rest)
		guide.WriteString(before)
		switch rest = after; kind {
		case "":
		case "yaml":
			keep(t, block)
		case "console":
			var n int
			block, n = rerun(t, block)
			commands += n
		}
		if kind != "" {
			guide.WriteString("```" + kind + "\n" + block + "```\n")
		}
	}
	require.Positive(t, commands)
	if f := flag.Lookup("rewrite"); f != nil && f.Value.String() == "true" {
		require.NoError(t, os.WriteFile(path, []byte(guide.String()), 0o644))
		return
	}
	require.Equal(t, string(text), guide.String(), "run go test ./cmd/bufftick -run TestGuide -rewrite")
}

// nextBlock splits a text at its first fenced block. If the text has no such block, the result
// "kind" is empty.
func nextBlock(text string) (before, kind, block, after string) {
	before, rest, ok := strings.Cut(text, "```")
	if !ok {
		return text, "", "", ""
	}
	kind, rest, _ = strings.Cut(rest, "\n")
	block, after, _ = strings.Cut(rest, "```\n")
	return before, kind, block, after
}

// keep saves a YAML block under the file name in its first line.
func keep(t *testing.T, block string) {
	t.Helper()
	name, ok := strings.CutPrefix(strings.SplitN(block, "\n", 2)[0], "# ")
	require.True(t, ok && strings.HasSuffix(name, ".yaml"), "the first line must name the file:\n%s", block)
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(block), 0o600))
}

// rerun returns a console block with the current output of its commands, and the number of
// commands.
func rerun(t *testing.T, block string) (string, int) {
	t.Helper()
	var b strings.Builder
	n := 0
	for line := range strings.Lines(block) {
		command, ok := strings.CutPrefix(line, "$ bufftick ")
		if !ok {
			continue
		}
		n++
		b.WriteString(line)
		stdout, stderr, _ := tool(strings.Fields(command)...)
		if strings.Contains(line, " -events") {
			require.Empty(t, stderr, line)
			_, stdout, ok = strings.Cut(stdout, "\n0 ")
			require.True(t, ok, line)
			stdout = "…\n0 " + stdout
		}
		b.WriteString(stdout + stderr)
	}
	return b.String(), n
}
