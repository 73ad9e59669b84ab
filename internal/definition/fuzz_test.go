package definition

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
)

// FuzzParse checks that any text gives a catalog or errors that keep their guarantees, and that
// the result is the same each time.
func FuzzParse(f *testing.F) {
	scripts, err := filepath.Glob("testdata/*.txt")
	require.NoError(f, err)
	for _, name := range scripts {
		text, err := os.ReadFile(name)
		require.NoError(f, err)
		for part := range strings.SplitSeq(string(text), "\nparse") {
			input, _, _ := strings.Cut(part, "\n----")
			f.Add([]byte(input))
		}
	}
	for _, s := range []string{
		"", "\ufeff", "buffs: {a: {duration: 1s, on: {remove: {any: [{kill: true}]}}}}", "? a\n: b", "a: |\n  b\nc: >-\n d",
		"buffs: !!map {}", "buffs: &a {<<: *a}", "[[[[[[", "{a: {b: {c: ", "- - - - -", "\"\\u12", "'", "a: 'b\n\nc'", "%", "---\n---", ": a", ":", "- a", "[a]: b",
	} {
		f.Add([]byte(s))
	}
	names, err := filepath.Glob("testdata/*/*/*.yaml")
	require.NoError(f, err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, src []byte) { checkParse(t, "f", src) })
}

// checkParse checks that a text gives a catalog, or errors with positions, and the same again.
func checkParse(t *testing.T, name string, src []byte) Errors {
	t.Helper()
	c, err := Parse(name, src)
	if err == nil {
		require.NotNil(t, c)
		return nil
	}
	require.Nil(t, c)
	checkErrors(t, err)
	for _, e := range err.(Errors) {
		require.Equal(t, name, e.File)
		require.GreaterOrEqual(t, e.Line, 1)
		require.GreaterOrEqual(t, e.Column, 1)
	}
	_, again := Parse(name, src)
	require.EqualError(t, again, err.Error())
	return err.(Errors)
}

// FuzzFormula checks that any text is a formula or has an error within it. A formula has the same
// result each time, or none, and names its inputs.
func FuzzFormula(f *testing.F) {
	for _, s := range []string{
		"5 + 0.4 * level", "owner.health < 0.3 * owner.max_health ? 2 : 1", "curve.dmg * (1 + 0.1 * stacks) + caller.bonus",
		"max(1, floor(source.health / 3)) % 7", "let x = magnitude / 2; x * x", `owner["health"]`, "1 < level < 5 ? 1 : 0",
		"if level > 5 { 3 } else { 1 }", "level | max(20)", "((((((((", "1..2", "a?.b", "#", "let", "0x", "1e", "?:", "::max(1)", "{}", "not in",
		"all([1], # > 1)", "map(1)", "'", "//", "/*", "1 ?? 2", "a ?: b", ";", "1;2;3", "nil", "true", "level[1:2]", "-+-level", "!true",
	} {
		f.Add(s, 3.0, 2.0)
	}
	f.Fuzz(func(t *testing.T, text string, level, stacks float64) {
		c, wrong := compileFormula(text, testScope(t))
		if wrong != nil {
			require.NotEmpty(t, wrong.text)
			require.GreaterOrEqual(t, wrong.at, 0)
			require.LessOrEqual(t, wrong.at, utf8.RuneCountInString(text))
			return
		}
		in := define.Inputs{Level: level, Stacks: stacks, Magnitude: 7, Reads: make([]float64, len(c.Reads()))}
		for i := range in.Reads {
			in.Reads[i] = float64(i)
		}
		v, err := c.Eval(in)
		again, errAgain := c.Eval(in)
		require.Equal(t, err, errAgain)
		require.Equal(t, v, again)
		require.LessOrEqual(t, math.Abs(v), float64(stat.MaxValue))
	})
}
