package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/definition"
	"github.com/bufftick/bufftick/internal/scenario"
)

// TestValidate_LoopsFault checks the warnings of the loop rule. Definitions with a warning must
// cause a fault in the engine, and the actions of definitions without a warning must end.
func TestValidate_LoopsFault(t *testing.T) {
	for _, c := range []struct {
		file  string
		fault bool
		ids   []string
	}{
		{"fail.yaml", true, []string{"ping", "pong", "mirror", "tide", "rage"}},
		{"pass.yaml", false, []string{"ping", "pong", "spark", "arc", "mirror", "oath", "fire"}},
	} {
		text, err := os.ReadFile(filepath.Join("../../internal/definition/testdata/lint/loop", c.file))
		require.NoError(t, err)
		for _, id := range c.ids {
			script := "script: [{at: 0, apply: " + id + "}, {at: 200, apply: " + id + "}, {at: 900, tick: true}]\nwant: []\n"
			list, err := scenario.Parse("s.yaml", append(text, script...))
			require.NoError(t, err)
			require.Empty(t, list[0].Faults)
			log, err := list[0].Play(poolFlags{Sync: true}.options(), scenario.LongestFrame)
			require.NoError(t, err)
			require.Equal(t, c.fault, strings.Contains(strings.Join(log, "\n"), "error cascade"), "%s: %q", id, log)
		}
	}
}

func TestSchemaCommand(t *testing.T) {
	stdout, stderr, code := tool("schema")
	require.Zero(t, code)
	require.Empty(t, stderr)
	require.Equal(t, definition.Schema(), stdout)
}

// TestOwnBuffs checks that the definitions of the examples cause no warnings.
func TestOwnBuffs(t *testing.T) {
	for _, dir := range []string{"arena/buffs", "mmo/buffs", "tavern"} {
		stdout, stderr, code := tool("validate", "-strict", filepath.Join("../../examples", dir))
		require.Regexp(t, `^\d+ definitions, 0 warnings\n$`, stdout, dir)
		require.Empty(t, stderr)
		require.Zero(t, code, dir)
	}
}
