//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// endless returns the path of a pipe from which a text can be read, followed by an endless stream
// of further texts.
func endless(t *testing.T, head string, more func(i int) string) string {
	t.Helper()
	r, w, err := os.Pipe()
	require.NoError(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, err := w.WriteString(head)
		for i := 0; err == nil; i++ {
			_, err = w.WriteString(more(i))
		}
	}()
	t.Cleanup(func() { r.Close(); <-ended; w.Close() })
	return fmt.Sprintf("/dev/fd/%d", r.Fd())
}

// TestEndlessInput checks that endless input is refused at a limit, and that the error and the help
// name this limit.
func TestEndlessInput(t *testing.T) {
	spells := filepath.Join(t.TempDir(), "spells.csv")
	require.NoError(t, os.WriteFile(spells, []byte(strings.Join(spellColumns, ",")+"\n"), 0o600))
	head := strings.Join(traceColumns, ",") + "\n"
	lines := func(n int, row string) func(int) string {
		s := strings.Repeat(row, n)
		return func(int) string { return s }
	}
	long := strings.Repeat("x", 1<<16)
	for name, k := range map[string]struct {
		args func(path string) []string
		head string
		more func(int) string
		want string
		help string
	}{
		"a recording of lines": {
			func(path string) []string { return []string{"replay", "--spells", spells, path} }, head, lines(4096, "0,death,a,b,,,,\n"),
			":1000002: more than 1000000 lines in one recording", "1000000 lines",
		},
		"a recording of bytes": {
			func(path string) []string { return []string{"replay", "--spells", spells, path} }, head, lines(1, "0,death,a,b,,"+long+",,\n"),
			"cannot be read: more than 33554432 bytes in one file", "32 MiB",
		},
		"a recording without a line": {
			func(path string) []string { return []string{"replay", "--spells", spells, path} }, "", lines(1, long),
			"cannot be read: more than 33554432 bytes in one file", "/dev/stdin",
		},
		"a table of spells": {
			func(path string) []string { return []string{"replay", "--spells", path, spells} }, strings.Join(spellColumns, ",") + "\n", lines(1, "\n"+long),
			":3: ", "32 MiB",
		},
		"a scenario": {
			func(path string) []string { return []string{"run", path} }, "script:\n", lines(100, "- {at: 1, kill: true}\n"),
			"a file may have at most 1048576", "1 MiB",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, stderr, code := tool(k.args(endless(t, k.head, k.more))...)
			require.NotZero(t, code)
			require.Contains(t, stderr, k.want)
			help, _, _ := tool(k.args("")[0], "--help")
			require.Contains(t, help, k.help)
		})
	}
}

// TestReplayNames checks the limit on owners.
func TestReplayNames(t *testing.T) {
	dir := t.TempDir()
	spells, trace := filepath.Join(dir, "spells.csv"), filepath.Join(dir, "trace.csv")
	require.NoError(t, os.WriteFile(spells, []byte(strings.Join(spellColumns, ",")+"\n"), 0o600))
	write := func(n int, row string) {
		var b strings.Builder
		b.WriteString(strings.Join(traceColumns, ",") + "\n")
		for i := range n {
			fmt.Fprintf(&b, row, i)
		}
		require.NoError(t, os.WriteFile(trace, []byte(b.String()), 0o600))
	}
	write(maxNames+1, "0,apply,a,b%d,7,n,buff,\n")
	_, stderr, code := tool("replay", "--spells", spells, trace)
	require.NotZero(t, code)
	require.Contains(t, stderr, "trace.csv:10002: apply: engine: too many owners: the limit is 10000")
	write(maxSpells+1, "0,apply,a,b,%d,n,buff,\n")
	_, stderr, code = tool("replay", "--spells", spells, trace)
	require.NotZero(t, code)
	require.Contains(t, stderr, "more than 10000 spells in one recording: 10001")
}
