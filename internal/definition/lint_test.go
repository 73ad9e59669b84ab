package definition

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// The transcript has these commands:
//
//	fails RULE      prints the warnings of the file fail.yaml in the folder of the rule
//	passes RULE     prints those of the file pass.yaml
//	check           prints those of the text below
//
// Each may have frame=SPAN, every=SPAN, applied=ID, except=RULE. Every rule has both files, and
// they are in the transcript in the order of the rules.
func TestLint(t *testing.T) {
	files := os.DirFS("testdata/lint")
	var failed, passed []string
	datadriven.RunTest(t, "testdata/lint/rules.txt", func(t *testing.T, d *datadriven.TestData) string {
		var o CheckOptions
		rule := ""
		for _, a := range d.CmdArgs {
			switch span := func() time.Duration {
				s, err := time.ParseDuration(a.Vals[0])
				require.NoError(t, err)
				return s
			}; a.Key {
			case "frame":
				o.Frame = span()
			case "every":
				o.Every = span()
			case "applied":
				o.Applied = a.Vals
			case "except":
				o.Except = a.Vals
			default:
				rule = a.Key
			}
		}
		switch d.Cmd {
		case "fails":
			failed = append(failed, rule)
			_, warnings, err := Check(files, o, rule+"/fail.yaml")
			require.NoError(t, err)
			for _, w := range warnings {
				require.Equal(t, rule, w.Rule, "%v", w)
			}
			require.NotEmpty(t, warnings)
			return checkWarnings(t, warnings)
		case "passes":
			passed = append(passed, rule)
			c, warnings, err := Check(files, o, rule+"/pass.yaml")
			require.NoError(t, err)
			return checkWarnings(t, warnings) + fmt.Sprintf("%d definitions\n", c.Len())
		case "check":
			_, warnings, err := Check(fstest.MapFS{"buffs.yaml": {Data: []byte(d.Input)}}, o, "buffs.yaml")
			require.NoError(t, err)
			return checkWarnings(t, warnings)
		}
		d.Fatalf(t, "unknown command %q", d.Cmd)
		return ""
	})
	require.Equal(t, Rules(), slices.Compact(failed))
	require.Equal(t, Rules(), slices.Compact(passed))
}

// checkWarnings checks the guarantees of every warning, and returns the printed warnings.
func checkWarnings(t *testing.T, warnings Errors) string {
	var b strings.Builder
	for _, w := range warnings {
		require.Equal(t, "warning", w.Severity())
		require.NoError(t, w.Unwrap())
		require.NotEmpty(t, w.Source)
		require.NotEmpty(t, w.Buff)
		fmt.Fprintln(&b, w)
	}
	return b.String()
}

// TestDocNamesEveryRule checks that the documentation explains every rule.
func TestDocNamesEveryRule(t *testing.T) {
	text, err := os.ReadFile("../../buff/catalog/doc.go")
	require.NoError(t, err)
	for _, name := range Rules() {
		require.Regexp(t, `(?m)^//\t`+name+` +\S`, string(text), name)
	}
}

// TestCheckErrors checks that definitions with errors have no warnings, and no catalog.
func TestCheckErrors(t *testing.T) {
	files := fstest.MapFS{"a.yaml": {Data: []byte("buffs: {a: {duration: 8s, period: 3s}, b: {duration: 0s}}")}}
	c, warnings, err := Check(files, CheckOptions{}, "a.yaml")
	require.Nil(t, c)
	require.Empty(t, warnings)
	require.Equal(t, "duration", firstError(t, err).Field)
	require.Equal(t, "error", firstError(t, err).Severity())

	_, _, err = Check(nil, CheckOptions{}, filepath.Join(t.TempDir(), "nowhere"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestWarningsLoad checks that warnings do not prevent a load: Load accepts whatever Check only
// warns of.
func TestWarningsLoad(t *testing.T) {
	for _, rule := range Rules() {
		_, err := Load(filepath.Join("testdata/lint", rule, "fail.yaml"))
		require.NoError(t, err)
	}
}

func TestCheckUnknownRule(t *testing.T) {
	require.PanicsWithValue(t, `catalog: CheckOptions.Except names "tai", which is no rule`, func() {
		_, _, _ = Check(nil, CheckOptions{Except: []string{"tai"}})
	})
}

// TestWarningsLimit checks that the number of warnings is limited to a thousand, and that a long
// chain of definitions is not reported as a loop.
func TestWarningsLimit(t *testing.T) {
	const chain = 2000
	text := "buffs:\n"
	for i := range chain {
		text += fmt.Sprintf("  b%d: {duration: instant, chance: 0, on: {exec: [{apply: b%d}]}}\n", i, min(i+1, chain-1))
	}
	files := fstest.MapFS{"a.yaml": {Data: []byte(text)}}
	_, warnings, err := Check(files, CheckOptions{}, "a.yaml")
	require.NoError(t, err)
	require.Len(t, warnings, MaxErrors+1)
	require.Equal(t, "too many warnings: this one and 999 more are not shown", warnings[MaxErrors].Text)

	files["a.yaml"].Data = []byte(strings.ReplaceAll(text, "chance: 0, ", ""))
	_, warnings, err = Check(files, CheckOptions{}, "a.yaml")
	require.NoError(t, err)
	require.Len(t, warnings, 1)
	require.Equal(t, "loop", warnings[0].Rule)
	require.Equal(t, "b1999", warnings[0].Buff)
}

// TestOwnHaveNoWarnings checks that the project's own definitions have no warnings, because users
// learn from them.
func TestOwnHaveNoWarnings(t *testing.T) {
	for _, dir := range []string{"../../examples/mmo/buffs", "../../examples/arena/buffs"} {
		_, warnings, err := Check(nil, CheckOptions{}, dir)
		require.NoError(t, err)
		require.Empty(t, warnings, dir)
	}
}

// FuzzCheck checks that whatever loads can be checked, and that the warnings keep their
// guarantees.
func FuzzCheck(f *testing.F) {
	for _, rule := range Rules() {
		text, err := os.ReadFile(filepath.Join("testdata/lint", rule, "fail.yaml"))
		require.NoError(f, err)
		f.Add(text, int64(0), "venom")
	}
	f.Fuzz(func(t *testing.T, src []byte, every int64, applied string) {
		files := fstest.MapFS{"f.yaml": {Data: src}}
		for _, o := range []CheckOptions{{}, {Every: time.Duration(max(every, 0)), Applied: []string{applied}, Frame: time.Millisecond}} {
			c, warnings, err := Check(files, o, "f.yaml")
			if err != nil {
				checkErrors(t, err)
				return
			}
			require.NotNil(t, c)
			checkWarnings(t, warnings)
		}
	})
}

// TestPulseIsLater checks that a pulse after a period is at another instant than the application,
// and a pulse with first: start is not.
func TestPulseIsLater(t *testing.T) {
	for first, want := range map[string][]string{"period: 1s, first: none": nil, "period: 2s, first: start": {"loop"}} {
		text := "buffs:\n  a: {duration: 1s, " + first + ", stack: {by: none}, on: {pulse: [{apply: b}]}}\n" +
			"  b: {duration: instant, on: {exec: [{apply: a}]}}\n"
		_, warnings, err := Check(fstest.MapFS{"x.yaml": {Data: []byte(text)}}, CheckOptions{}, "x.yaml")
		require.NoError(t, err)
		var rules []string
		for _, w := range warnings {
			if w.Rule == "loop" {
				rules = append(rules, w.Rule)
			}
		}
		require.Equal(t, want, rules, first)
	}
}
