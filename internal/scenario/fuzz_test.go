package scenario

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/engine"
)

// FuzzScenario checks that any file is read as scenarios or gives errors with a position, and that
// short scenarios can be run.
func FuzzScenario(f *testing.F) {
	f.Add("script: []")
	f.Add("buffs: {p: {duration: 1s, period: 50ms}}\nscript: [{at: 0, apply: p}, {at: 60, dispel: p, stacks: 1}]\nwant: []")
	f.Add(`[{"id": "x", "seen": true, "script": [{"at": 5, "timeout": "t", "after": "1s"}, {"at": 9, "source_gone": "a"}]}]`)
	f.Add("buffs: {p: {duration: 5s, period: 1s, tags: [a.b], charges: {n: 2}}, q: {duration: 9s, shield: {pool: 5}}}\nscript:\n" +
		"- {at: 0, apply: p, level: 2, key: 7, scale: 1/3, params: {x: 1.5}}\n- {at: 0, apply: q}\n- {at: 1, rate: 0.5}\n- {at: 2, pause: true}\n" +
		"- {at: 3, resume: true}\n- {at: 4, inhibit: p}\n- {at: 5, immune: a, purge: true}\n- {at: 6, absorb: 9, school: a}\n- {at: 7, use: p, charges: 2}")
	f.Add("buffs: {p: {duration: 5s, dispel: {type: t}}}\nscript:\n- {at: 0, apply: p}\n- {at: 1, steal: {type: t, most: 1}, to: b, at_most: 1s}\n" +
		"- {at: 2, dispel: {grade: death, newest: true}, owner: b}\n- {at: 3, extend: p, by: 1s, at_most: 2s}\n- {at: 4, compensate: {buff: p}, by: -1s}")
	f.Add("- script:\n  - at: 1\n    extend: q\n    by: -1s\n- {}")
	f.Add("buffs: {p: {duration: instant, on: {exec: [{apply: p}, {kill: true}]}}}\nscript: [{at: 0, apply: p, owner: o, source: s, magnitude: -1}]")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := Parse("f.yaml", []byte(text))
		if err != nil {
			require.Contains(t, err.Error(), "f.yaml:")
			return
		}
		require.NotEmpty(t, list)
		for _, s := range list {
			for _, e := range s.Faults {
				require.Positive(t, e.Line)
				require.NotEmpty(t, strings.TrimSpace(e.Text))
			}
			if n := len(s.steps); len(s.Faults) > 0 || n > 0 && s.steps[n-1].at > 10_000 {
				continue
			}
			_, err := s.Play(engine.Options{Synchronous: true, Budget: -1}, LongestFrame)
			if err != nil {
				require.Contains(t, err.Error(), "f.yaml:")
			}
		}
	})
}
