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
		{"if": "owner.gold >= 60", "change": {"attr": "gold", "by": -60}}, {"if": "owner.gold >= 60", "change": {"attr": "gold", "by": -60}}, {"if": "source.pow > 0", "apply": "mark"}, {"if_tags": {"none": ["a"]}, "apply": "mark"}, {"if_tags": {"none": ["a"]}, "apply": "mark"}
	]}}, "mark": {"duration": "1s", "grants": ["a"]}`
	require.Equal(t, []string{
		"0 exec buy x1", "0 change buy gold by=-60 value=40", "0 error buy why=param", "0 apply mark x1 end=1000",
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

// TestScenario_Play_Verbs checks the actions that do what commands do. Without such a buff they
// have no effect and no line.
func TestScenario_Play_Verbs(t *testing.T) {
	buffs := `
		"cd": {"duration": "9s", "tags": ["cooldown.fire"]}, "q": {"duration": "9s", "period": "1s", "tags": ["b"], "dispel": {"type": "poison"}, "stack": {"by": "source", "limit": 3}}, "c": {"duration": "9s", "charges": {"n": 3}},
		"reset": {"duration": "instant", "on": {"exec": [{"remove": {"buff": {"tag": "cooldown"}}, "reason": "consumed"}]}},
		"longer": {"duration": "instant", "on": {"exec": [{"extend": {"buff": "q", "by": 1.5}}, {"extend": {"buff": {"tag": "b", "newest": true}, "by": {"formula": "-magnitude / 1000"}}}, {"extend": {"buff": "q", "by": 5, "at_most": "10s"}}]}},
		"spend": {"duration": "instant", "on": {"exec": [{"use": {"buff": "c"}}, {"use": {"buff": "c", "charges": 2}}, {"use": {"buff": "c"}}]}},
		"clean": {"duration": "instant", "on": {"exec": [{"dispel": {"type": "poison", "most": 1, "newest": true}}]}},
		"some": {"duration": "instant", "on": {"exec": [{"remove": {"buff": "q", "stacks": 1, "from": "source"}}, {"remove": {"buff": {"tag": "b", "most": 1}}}, {"remove": {"buff": "q", "from": "source"}}]}},
		"fast": {"duration": "instant", "on": {"exec": [{"rate": {"buff": "q", "value": 2}}]}}`
	require.Equal(t, []string{"0 apply cd x1 end=9000", "0 exec reset x1", "0 remove cd why=consumed", "0 exec reset x1"},
		playText(t, buffs, `{"at": 0, "apply": "cd"}, {"at": 0, "apply": "reset"}, {"at": 0, "apply": "reset"}`))
	require.Equal(t, []string{
		"0 apply q x1 end=9000", "0 apply q x1 end=9000", "0 exec longer x1", "0 refresh q x1 end=10500", "0 refresh q x1 end=8998", "0 refresh q x1 end=10498", "0 refresh q x1 end=10498",
		"0 exec longer x1",
	}, playText(t, buffs, `{"at": 0, "apply": "q", "source": "a"}, {"at": 0, "apply": "q", "source": "b"}, {"at": 0, "apply": "longer", "magnitude": 2}, {"at": 0, "owner": "o2", "apply": "longer"}`))
	require.Equal(t, []string{"0 apply c x1 end=9000", "0 exec spend x1", "0 remove c why=consumed"}, playText(t, buffs, `{"at": 0, "apply": "c"}, {"at": 0, "apply": "spend"}`))
	two := `{"at": 0, "apply": "q", "source": "a", "stacks": 2}, {"at": 0, "apply": "q", "source": "b", "stacks": 2}, `
	require.Equal(t, []string{"0 apply q x2 end=9000", "0 apply q x2 end=9000", "0 exec clean x1", "0 remove q why=dispelled"}, playText(t, buffs, two+`{"at": 0, "apply": "clean"}`))
	require.Equal(t, []string{"0 apply q x2 end=9000", "0 apply q x2 end=9000", "0 exec some x1", "0 stackend q x1 why=cancelled", "0 remove q why=cancelled", "0 remove q why=cancelled"},
		playText(t, buffs, two+`{"at": 0, "apply": "some", "source": "b"}`))
	require.Equal(t, []string{"0 apply q x1 end=9000", "0 exec fast x1", "500 pulse q x1", "1000 pulse q x1"}, playText(t, buffs, `{"at": 0, "apply": "q"}, {"at": 0, "apply": "fast"}, {"at": 1200, "tick": true}`))
}

// TestScenario_Play_Vars checks the variables of an instance: a refresh, a logout and a steal keep
// the value, a new instance has the base, and an action sees what earlier actions changed.
func TestScenario_Play_Vars(t *testing.T) {
	buffs := `"p": {"duration": "9s", "stack": {"by": "target", "limit": 3}, "vars": {"bank": {"base": {"formula": "level"}, "min": 0, "max": 10, "at_max": [{"change": {"attr": "gold", "by": {"formula": "var.bank"}}}, {"set": {"var": "bank", "value": 0}}], "at_min": [{"apply": "x"}]}}, "on": {
		"act": {"hit": [{"add": {"var": "bank", "by": {"formula": "amount"}}}, {"change": {"attr": "hp", "by": {"formula": "var.bank"}}}]},
		"remove": {"any": [{"change": {"attr": "pow", "by": {"formula": "var.bank"}}}]}
	}}, "x": {"duration": "instant"}`
	hit := func(at, amount string) string {
		return `{"at": ` + at + `, "happened": "hit", "amount": ` + amount + `}, `
	}
	require.Equal(t, []string{
		"0 apply p x1 end=9000", "0 react p hit amount=3", "0 change p hp by=4 value=104", "1000 stack p x2", "1000 refresh p x2 end=10000",
		"2000 unload p", "3000 restore p x2 end=11000",
		"3000 react p hit amount=20", "3000 change p hp by=10 value=114", "3000 change p gold by=10 value=110", "3000 exec x x1",
		"3000 react p hit amount=5", "3000 change p hp by=5 value=119", "4000 remove p why=cancelled", "4000 change p pow by=5 value=13",
		"5000 apply p x1 end=14000", "5000 react p hit amount=1", "5000 change p hp by=3 value=122",
	}, playText(t, buffs, `{"at": 0, "apply": "p", "level": 1}, `+hit("0", "3")+`{"at": 1000, "apply": "p", "level": 7}, {"at": 2000, "save": true}, {"at": 3000, "load": true}, `+hit("3000", "20")+hit("3000", "5")+
		`{"at": 4000, "remove": "p"}, {"at": 5000, "apply": "p", "level": 2}, `+hit("5000", "1")+`{"at": 5000, "tick": true}`))
	require.Equal(t, []string{"0 apply p x1 end=9000", "0 react p hit amount=3", "0 change p hp by=4 value=104", "0 remove p why=stolen", "0 change p pow by=4 value=12", "0 apply p x1 end=9000", "0 react p hit amount=2", "0 change p hp by=6 value=106"},
		playText(t, buffs, `{"at": 0, "apply": "p", "level": 1}, `+hit("0", "3")+`{"at": 0, "steal": "p", "to": "o2"}, {"at": 0, "owner": "o2", "happened": "hit", "amount": 2}`))
}
