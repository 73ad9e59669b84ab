package scenario

import (
	"os"
	"path/filepath"
	"strings"
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

// TestScenario_Frame checks that a frame ends at each multiple of "frame" and at each step, and that
// every player that the script names exists.
func TestScenario_Frame(t *testing.T) {
	const text = `
frame: 400ms
attributes: {health: {base: 100, min: 0}}
buffs:
  banner: {duration: 2s, aura: {apply: courage, radius: 5, interval: 500ms}}
  courage: {duration: infinite, on: {apply: [{apply: thanks, to: source}]}}
  thanks: {duration: instant}
  thorns: {duration: 9s, on: {act: {damaged: [{apply: thanks, to: target}]}}}
script:
  - {at: 1100, near: bard}
  - {at: 1s, owner: bard, apply: banner}
  - {at: 1s, apply: thorns}
  - {at: 1500, damage: health, by: 5, source: wolf}
`
	list, err := Parse("a.yaml", []byte(text))
	require.NoError(t, err)
	require.Contains(t, list[0].Faults.Error(), "put them in the order of time")
	list, err = Parse("a.yaml", []byte(strings.Replace(text, "at: 1100", "at: 1s", 1)))
	require.NoError(t, err)
	require.Empty(t, list[0].Faults)
	var ends []wheel.Time
	log, err := list[0].Follow(engine.Options{Synchronous: true}, Run{Frame: LongestFrame, Until: 2000, See: func(m Moment) error {
		ends = append(ends, m.Frame.Now)
		return nil
	}})
	require.NoError(t, err)
	require.Equal(t, []wheel.Time{400, 800, 1000, 1000, 1000, 1200, 1500, 1600, 2000, 2000}, ends)
	require.Equal(t, []string{
		"1000 apply courage x1",
		"1000 apply thorns x1 end=10000",
		"1000 apply banner x1 end=3000",
		"1000 exec thanks x1",
		"1500 change health by=-5 value=95",
		"1500 react thorns damaged amount=5",
		"1500 exec thanks x1",
	}, log)

	for frame, want := range map[string]string{
		"0s": `"frame" must be a span`, "2m": `"frame" must be a span`, "1500us": `"frame" must be a span`, "soon": `"frame" must be a span`, "7": `"frame" must be a span`,
		"1ms": "more than 1000000 frames",
	} {
		list, err := Parse("a.yaml", []byte("frame: "+frame+"\nbuffs: {a: {duration: 9s}}\nscript: [{at: 1h, apply: a}]"))
		require.NoError(t, err)
		require.Contains(t, list[0].Faults.Error(), want, frame)
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
