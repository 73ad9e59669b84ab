package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/cmd/bufftick/cookbook"
	"github.com/bufftick/bufftick/internal/definition"
)

// intended lists warnings that a recipe shows on purpose.
var intended = map[string]string{"xp-boost": "runs-offline"}

// TestCookbook copies each recipe with the tool. It checks that the recipe loads on its own, has
// the expected log, shows the attributes that it changes, and has no warnings.
func TestCookbook(t *testing.T) {
	t.Chdir(t.TempDir())
	recipes := cookbook.All()
	require.GreaterOrEqual(t, len(recipes), 60)
	for _, r := range recipes {
		stdout, stderr, code := tool("new", r.ID)
		require.Zero(t, code, stderr)
		require.Contains(t, stdout, "scenarios/"+r.ID+".yaml")
		_, err := definition.Load("buffs/" + r.ID + ".yaml")
		require.NoError(t, err)
		stdout, stderr, code = tool("run", "-check", "scenarios/"+r.ID+".yaml")
		require.Zero(t, code, "%s%s", stdout, stderr)
		require.Equal(t, "ok   "+r.ID+" "+r.Title+"\n1 of 1 agree\n", stdout)
		stdout, stderr, code = tool("validate", "-strict", "-except", cmp.Or(intended[r.ID], "unused"), "buffs/"+r.ID+".yaml", "scenarios/"+r.ID+".yaml")
		require.Zero(t, code, "%s%s", stdout, stderr)
		require.Contains(t, r.Scenario, " show: ", r.ID)
		require.LessOrEqual(t, strings.Count(r.About, "\n"), 2, "%s: at most three lines", r.ID)
	}
}

// TestCookbookPage checks that docs/cookbook.md lists all recipes. With -rewrite it writes the
// page.
func TestCookbookPage(t *testing.T) {
	const path = "../../docs/cookbook.md"
	var b strings.Builder
	b.WriteString("# Cookbook\n\nBuffs of real games, each as one file of data. `bufftick new RECIPE` copies one: its definitions to `buffs/`, and the\n" +
		"recipe with a script and its log to `scenarios/`. Run it with `bufftick run`, change a number, and run it again.\n")
	b.WriteString("\n")
	for _, r := range cookbook.All() {
		fmt.Fprintf(&b, "- [%s](../cmd/bufftick/cookbook/%s.yaml): %s\n", r.ID, r.ID, r.Title)
	}
	if f := flag.Lookup("rewrite"); f != nil && f.Value.String() == "true" {
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
		return
	}
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, b.String(), string(text), "run go test ./cmd/bufftick -run TestCookbookPage -rewrite")
}
