package scenario

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/wheel"
)

// TestParse_Load checks that "load" reads definitions relative to the scenario.
func TestParse_Load(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "scenarios", "a.yaml")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "buffs"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "buffs", "a.yaml"), []byte("buffs: {a: {duration: 2s, immune: ignore}}"), 0o600))
	list, err := Parse(file, []byte("load: ../buffs\nscript:\n  - {at: 0, apply: a}\n  - {at: 1s, immune: magic}\nwant:\n  - 0 apply a x1 end=2000\n  - 2000 remove a why=expired\n"))
	require.NoError(t, err)
	require.Empty(t, list[0].Faults)
	log, err := list[0].Play(engine.Options{Synchronous: true}, LongestFrame)
	require.NoError(t, err)
	require.Equal(t, list[0].Want, log)

	for text, want := range map[string]string{
		"load: ../none\nscript: [{at: 0, apply: a}]":                          "no such file or folder",
		"load: ../buffs\nscript: [{at: 0, apply: b}]":                         `there is no "b"`,
		"load: ../buffs\nbuffs: {b: {duration: 1s}}\nscript: []":              `with "load", all definitions are in the files`,
		"load: 7\nscript: []":                                                 `"load" must be text`,
		"load: ../buffs\nscript: [{at: 0, apply: a}, {at: 0, near: p, x: 1}]": "unknown key",
	} {
		list, err := Parse(file, []byte(text))
		require.NoError(t, err)
		require.Contains(t, list[0].Faults.Error(), want)
	}
}

// TestScenario_Follow checks that frames end at the stops and after each step, and that the log does
// not depend on them.
func TestScenario_Follow(t *testing.T) {
	list, err := Parse("a.yaml", []byte("buffs: {a: {duration: 9s, period: 2s}}\nscript: [{at: 1s, apply: a}]"))
	require.NoError(t, err)
	var ends []wheel.Time
	log, err := list[0].Follow(engine.Options{Synchronous: true}, Run{
		Frame: LongestFrame, Stops: []wheel.Time{500, 3000, 5000}, Until: 10_000,
		See: func(m Moment) error { ends = append(ends, m.Frame.Now); return nil },
	})
	require.NoError(t, err)
	require.Equal(t, []wheel.Time{500, 1000, 1000, 3000, 5000, 10_000}, ends)
	require.Len(t, log, 6)
}
