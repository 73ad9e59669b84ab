package judge

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	format "github.com/bufftick/bufftick/internal/definition"
)

// playFile plays the scenarios of a YAML or JSON file that have an expected log, and compares the
// logs. The file may have words of earlier versions.
func playFile(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	text, _, err = format.Fix(path, text)
	require.NoError(t, err)
	if filepath.Ext(path) == ".yaml" {
		text, err = yaml.YAMLToJSON(text)
		require.NoError(t, err)
	}
	all, err := Decode(text)
	require.NoError(t, err)
	for _, s := range all {
		t.Run(s.ID, func(t *testing.T) {
			s.playUntilWanted()
			log, decided := s.Play()
			require.True(t, decided)
			if s.Want == nil {
				t.Log("no want:\n" + strings.Join(log, "\n"))
				return
			}
			require.Equal(t, s.Want, log, s.Name)
		})
	}
}

// playUntilWanted adds a step at the time of the last expected line, if this time is after the last
// step.
func (s *Scenario) playUntilWanted() {
	var last int64
	if n := len(s.Want); n > 0 {
		fmt.Sscan(s.Want[n-1], &last)
		if int64(s.steps[len(s.steps)-1].At) < last {
			s.steps = append(s.steps, step{At: instant(last), Owner: s.steps[0].Owner, Tick: true})
		}
	}
}

// TestScenario_Play_Rules plays testdata/rules.yaml. The file has a scenario for each rule that
// random scenarios once failed to test.
func TestScenario_Play_Rules(t *testing.T) {
	playFile(t, filepath.Join("testdata", "rules.yaml"))
}

// otherwise lists the cases whose expected log differs from the interpreter's log, with the reason.
var otherwise = map[string]string{
	"P79-cookbook-icd-shared": "about a recipe: actions run breadth first",
	"R13-pumpkin2620":         "its want is the old rule: a higher level replaces the end, and a refresh that leaves the end is logged",
}

// TestScenario_Play_Cases plays the case files in ../shared.
func TestScenario_Play_Cases(t *testing.T) {
	cases := filepath.Join("..", "..", "..", "shared", "cases")
	if _, err := os.Stat(cases); err != nil {
		t.Skip("../shared/cases is not there: the test was not run")
	}
	for _, dir := range []string{"rules", "probes"} {
		files, err := os.ReadDir(filepath.Join(cases, dir))
		require.NoError(t, err)
		for _, f := range files {
			name, _, _ := strings.Cut(f.Name(), ".")
			t.Run(name, func(t *testing.T) {
				if why := otherwise[name]; why != "" {
					t.Skip(why)
				}
				playFile(t, filepath.Join(cases, dir, f.Name()))
			})
		}
	}
}

// TestScenario_Play_Cookbook plays the recipes of the cookbook.
func TestScenario_Play_Cookbook(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "cmd", "bufftick", "cookbook", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, path := range files {
		if otherwise[strings.TrimSuffix(filepath.Base(path), ".yaml")] == "" {
			playFile(t, path)
		}
	}
}
