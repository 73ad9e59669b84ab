package judge

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// playText plays one scenario of the second edition of the language.
func playText(t *testing.T, buffs, script string) []string {
	t.Helper()
	all, err := Decode([]byte(`[{"attributes": {"gold": {"base": 100}, "hp": {"base": 100}, "pow": {"base": 8}, "life": {"base": 10, "min": 0, "at_min": "kill"}},
		"acts": ["hit"], "buffs": {` + buffs + `}, "script": [` + script + `]}]`))
	require.NoError(t, err)
	log, decided := all[0].Play()
	require.True(t, decided)
	return log
}

// TestScenario_Play_If checks that a condition is asked when its action runs, so that it sees the
// effects of earlier actions, and that a failed condition skips the action without a line.
func TestScenario_Play_If(t *testing.T) {
	buy := `"buy": {"duration": "instant", "on": {"exec": [
		{"if": "owner.gold >= 60", "change": {"attr": "gold", "by": -60}}, {"if": "owner.gold >= 60", "change": {"attr": "gold", "by": -60}}, {"if": "1 / (owner.gold - 40)", "apply": "mark"}, {"if_tags": {"none": ["a"]}, "apply": "mark"}, {"if_tags": {"none": ["a"]}, "apply": "mark"}
	]}}, "mark": {"duration": "1s", "grants": ["a"]}`
	require.Equal(t, []string{
		"0 exec buy x1", "0 change buy gold by=-60 value=40", "0 error buy why=value", "0 apply mark x1 end=1000",
	}, playText(t, buy, `{"at": 0, "apply": "buy"}`))
}

// TestScenario_Play_IfForOthers checks that the condition of an action for another owner is asked on
// the owner of the buff, before the other actions of the list run, and before a missing owner is logged.
func TestScenario_Play_IfForOthers(t *testing.T) {
	buffs := `"p": {"duration": "instant", "on": {"exec": [
		{"change": {"attr": "gold", "by": -60}}, {"if": "owner.gold > 40", "apply": "q", "to": "source"}, {"if": "owner.gold <= 40", "apply": "q", "to": "source"}
	]}}, "q": {"duration": "1s"}`
	require.Equal(t, []string{"0 exec p x1", "0 change p gold by=-60 value=40", "0 miss p apply q to source"}, playText(t, buffs, `{"at": 0, "apply": "p", "source": "z"}`))
	require.Equal(t, []string{"0 exec p x1", "0 change p gold by=-60 value=40", "0 apply q x1 end=1000"},
		playText(t, buffs, `{"at": 0, "apply": "p", "source": "o2"}, {"at": 0, "owner": "o2", "tick": true}`))
}

// TestScenario_Play_Run checks that a number with `snapshot: run` reads the owner when the action
// runs, and that other numbers keep the value of the application.
func TestScenario_Play_Run(t *testing.T) {
	buffs := `"p": {"duration": "9s", "period": "1s", "on": {"pulse": [
		{"change": {"attr": "pow", "by": 1}}, {"change": {"attr": "hp", "by": {"formula": "owner.pow", "snapshot": "run"}}}, {"change": {"attr": "hp", "by": {"attr": "pow", "snapshot": "run", "coef": 10}}},
		{"change": {"attr": "hp", "by": {"attr": "pow"}}}
	]}}`
	require.Equal(t, []string{
		"0 apply p x1 end=9000", "1000 pulse p x1", "1000 change p pow by=1 value=9", "1000 change p hp by=9 value=109", "1000 change p hp by=90 value=199", "1000 change p hp by=8 value=207",
	}, playText(t, buffs, `{"at": 0, "apply": "p"}, {"at": 1000, "tick": true}`))
}

// TestScenario_Play_RunNames checks the names that have a value only when an action runs.
func TestScenario_Play_RunNames(t *testing.T) {
	buffs := `"p": {"duration": "4s", "period": "1s", "shield": {"pool": 30, "attrs": ["hp"]}, "stack": {"by": "target", "limit": 2}, "on": {
		"pulse": [{"change": {"attr": "hp", "by": {"formula": "left"}}}, {"change": {"attr": "pow", "by": {"formula": "age * 100 + absorbed"}}}],
		"overflow": [{"change": {"attr": "gold", "by": {"formula": "amount"}}}],
		"act": {"hit": [{"change": {"attr": "gold", "by": {"formula": "amount * 2 + left"}}}]},
		"remove": {"any": [{"change": {"attr": "hp", "by": {"formula": "left + absorbed"}}}]}
	}}`
	require.Equal(t, []string{
		"0 apply p x2 end=4000", "500 change hp by=0 value=100 absorbed=5",
		"1000 pulse p x2", "1000 change p hp by=3 value=103", "1000 change p pow by=105 value=113",
		"1500 refresh p x2 end=5500", "1500 change p gold by=3 value=103",
		"2000 pulse p x2", "2000 change p hp by=3.5 value=106.5", "2000 change p pow by=205 value=318",
		"2500 react p hit amount=7", "2500 change p gold by=17 value=120",
		"2500 remove p why=cancelled", "2500 change p hp by=8 value=114.5",
	}, playText(t, buffs, `{"at": 0, "apply": "p", "stacks": 2}, {"at": 500, "damage": "hp", "by": 5}, {"at": 1500, "apply": "p", "stacks": 3}, {"at": 2500, "happened": "hit", "amount": 7}, {"at": 2500, "remove": "p"}`))
	require.Equal(t, []string{"0 exec x x1", "0 error x why=param"}, playText(t, `"x": {"duration": "instant", "on": {"exec": [{"change": {"attr": "hp", "by": {"formula": "left"}}}]}}`, `{"at": 0, "apply": "x"}`))
}

// TestScenario_Play_ApplyMap checks the numbers of an action that applies a buff. They are rounded
// half up, the duration to whole ms.
func TestScenario_Play_ApplyMap(t *testing.T) {
	buffs := `"p": {"duration": "instant", "on": {"exec": [
		{"apply": {"id": "q", "stacks": {"formula": "owner.pow / 3.2"}, "duration": {"formula": "magnitude + 0.0005"}, "magnitude": 2.5, "level": 7}}, {"apply": {"id": "q", "duration": {"formula": "0"}}}, {"apply": {"id": "q", "stacks": 0.25}}
	]}}, "q": {"duration": "9s", "period": "1s", "stack": {"by": "target", "limit": 5}, "on": {"pulse": [{"change": {"attr": "hp", "by": {"formula": "magnitude * 10 + level"}}}]}}`
	require.Equal(t, []string{
		"0 exec p x1", "0 apply q x3 end=2001", "0 error q why=duration", "0 error q why=value", "1000 pulse q x3", "1000 change q hp by=37 value=137",
	}, playText(t, buffs, `{"at": 0, "apply": "p", "magnitude": 2}, {"at": 1000, "tick": true}`))
}
