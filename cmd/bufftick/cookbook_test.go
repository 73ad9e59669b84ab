package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/cmd/bufftick/cookbook"
	"github.com/bufftick/bufftick/internal/definition"
)

// Each recipe, copied by the tool, loads by its definitions alone, and has the log that it says.
func TestCookbook(t *testing.T) {
	t.Chdir(t.TempDir())
	recipes := cookbook.All()
	require.GreaterOrEqual(t, len(recipes), 30)
	for _, r := range recipes {
		stdout, stderr, code := tool("new", r.ID)
		require.Zero(t, code, stderr)
		require.Contains(t, stdout, "scenarios/"+r.ID+".yaml")
		_, err := definition.Load("buffs/" + r.ID + ".yaml")
		require.NoError(t, err)
		stdout, stderr, code = tool("run", "-check", "scenarios/"+r.ID+".yaml")
		require.Zero(t, code, "%s%s", stdout, stderr)
		require.Equal(t, "ok   "+r.ID+" "+r.Title+"\n1 of 1 agree\n", stdout)
		require.LessOrEqual(t, strings.Count(r.About, "\n"), 2, "%s: at most three lines", r.ID)
	}
}

// docs/cookbook.md lists all of them. With -rewrite it is written.
func TestCookbookPage(t *testing.T) {
	const path = "../../docs/cookbook.md"
	var b strings.Builder
	b.WriteString("# Cookbook\n\nWhat real games do with buffs, each as one file of data. `bufftick new RECIPE` copies one: its definitions to `buffs/`, and to\n" +
		"`scenarios/` a story that begins with them and the log that comes of it. All of them are run by the tests.\n")
	for _, r := range cookbook.All() {
		fmt.Fprintf(&b, "\n## %s\n\n[%s](../cmd/bufftick/cookbook/%s.yaml): %s\n", strings.ToUpper(r.Title[:1])+r.Title[1:], r.ID, r.ID, r.About)
	}
	if f := flag.Lookup("rewrite"); f != nil && f.Value.String() == "true" {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
		return
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, b.String(), string(text), "run go test ./cmd/bufftick -run TestCookbookPage -rewrite")
}
