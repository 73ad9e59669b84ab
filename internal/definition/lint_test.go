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
//	fails RULE      what is said of the file fail.yaml in the folder of the rule
//	passes RULE     of the file pass.yaml
//	check           of the text beneath
//
// each with frame=SPAN, every=SPAN, applied=ID, except=RULE. Every rule has both files,
// and they stand in the transcript in the order of the rules.
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
			return said(t, warnings)
		case "passes":
			passed = append(passed, rule)
			c, warnings, err := Check(files, o, rule+"/pass.yaml")
			require.NoError(t, err)
			return said(t, warnings) + fmt.Sprintf("%d definitions\n", c.Len())
		case "check":
			_, warnings, err := Check(fstest.MapFS{"buffs.yaml": {Data: []byte(d.Input)}}, o, "buffs.yaml")
			require.NoError(t, err)
			return said(t, warnings)
		}
		d.Fatalf(t, "unknown command %q", d.Cmd)
		return ""
	})
	require.Equal(t, Rules(), slices.Compact(failed))
	require.Equal(t, Rules(), slices.Compact(passed))
}

// said checks what every warning promises, and returns how they are printed.
func said(t *testing.T, warnings Errors) string {
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

// The documentation explains every rule.
func TestDocNamesEveryRule(t *testing.T) {
	text, err := os.ReadFile("../../buff/catalog/doc.go")
	require.NoError(t, err)
	for _, name := range Rules() {
		require.Regexp(t, `(?m)^//\t`+name+` +\S`, string(text), name)
	}
}

// Where something is wrong there are no warnings, and no catalog.
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

// No warning stops a load: what Check warns of, Load takes.
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

// A thousand warnings are enough, and a long chain of definitions is no loop.
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

// The project's own definitions are ones to learn from: nothing is to be said against them.
func TestOwnHaveNoWarnings(t *testing.T) {
	for _, dir := range []string{"../../examples/mmo/buffs", "../../examples/arena/buffs"} {
		_, warnings, err := Check(nil, CheckOptions{}, dir)
		require.NoError(t, err)
		require.Empty(t, warnings, dir)
	}
}

// Whatever loads can be checked, and the warnings keep their promises.
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
			said(t, warnings)
		}
	})
}

// TestPulseIsLater: a pulse that begins with a period is of another instant than its application; one at its start is not.
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
