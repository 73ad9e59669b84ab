package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/engine"
)

// Whatever a file holds, reading it ends in scenarios or in errors with a place, and
// a short one can be run.
func FuzzScenario(f *testing.F) {
	f.Add("script: []")
	f.Add("buffs: {p: {duration: 1s, period: 50ms}}\nscript: [{at: 0, apply: p}, {at: 60, dispel: p, stacks: 1}]\nwant: []")
	f.Add(`[{"id": "x", "seen": true, "script": [{"at": 5, "timeout": "t", "after": "1s"}, {"at": 9, "source_gone": "a"}]}]`)
	f.Add("- script:\n  - at: 1\n    extend: q\n    by: -1s\n- {}")
	f.Add("buffs: {p: {duration: instant, on: {exec: [{apply: p}, {kill: true}]}}}\nscript: [{at: 0, apply: p, owner: o, source: s, magnitude: -1}]")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseScenarios("f.yaml", []byte(text))
		if err != nil {
			require.Contains(t, err.Error(), "f.yaml:")
			return
		}
		require.NotEmpty(t, list)
		for _, s := range list {
			for _, e := range s.faults {
				require.Positive(t, e.Line)
				require.NotEmpty(t, strings.TrimSpace(e.Text))
			}
			if n := len(s.steps); len(s.faults) > 0 || n > 0 && s.steps[n-1].at > 10_000 {
				continue
			}
			_, err := s.play(engine.Options{Synchronous: true, Budget: -1}, longestFrame)
			if err != nil {
				require.Contains(t, err.Error(), "f.yaml:")
			}
		}
	})
}
