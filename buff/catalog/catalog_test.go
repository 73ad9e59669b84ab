package catalog

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
)

// The transcripts in testdata have these commands:
//
//	parse                    the text beneath is one file, "buffs.yaml"
//	file NAME                keep the text beneath as a file of that name
//	load PATH...             load files and folders that were kept
//
// The answer is the definitions, each with its fields that are not the default, or
// all the errors as they are printed. In a text \t, \r, \n and \ufeff stand for
// these characters if the command has the argument "escapes".
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if strings.Contains(path, "fuzz") {
			return
		}
		path, err := filepath.Abs(path)
		require.NoError(t, err)
		t.Chdir(t.TempDir())
		datadriven.RunTest(t, path, transcript)
	})
}

func transcript(t *testing.T, d *datadriven.TestData) string {
	text := d.Input + "\n"
	if d.HasArg("escapes") {
		text = strings.NewReplacer(`\t`, "\t", `\r`, "\r", `\n`, "\n", `\ufeff`, "\ufeff", `\x00`, "\x00", `\xff`, "\xff").Replace(text)
	}
	switch d.Cmd {
	case "parse":
		c, err := Parse("buffs.yaml", []byte(text))
		return answer(t, c, err)
	case "file":
		name := d.CmdArgs[0].Key
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		return ""
	case "load":
		var paths []string
		for _, a := range d.CmdArgs {
			paths = append(paths, a.Key)
		}
		c, err := Load(paths...)
		return answer(t, c, err)
	}
	d.Fatalf(t, "unknown command %q", d.Cmd)
	return ""
}

func answer(t *testing.T, c *buff.Catalog, err error) string {
	if err != nil {
		checkErrors(t, err)
		return err.Error() + "\n"
	}
	require.NotNil(t, c)
	var b strings.Builder
	for s := range c.All() {
		dump(&b, s)
	}
	if h := c.Handlers(); len(h) > 0 {
		fmt.Fprintf(&b, "handlers: %s\n", strings.Join(h, ", "))
	}
	if b.Len() == 0 {
		return "no definitions\n"
	}
	return b.String()
}

// checkErrors checks what every error of this package promises.
func checkErrors(t *testing.T, err error) {
	t.Helper()
	var list Errors
	require.ErrorAs(t, err, &list)
	require.NotEmpty(t, list)
	line := map[string]int{}
	for _, e := range list {
		require.NotEmpty(t, e.Text)
		require.Equal(t, e.Line > 0, e.Column > 0)
		require.Equal(t, e.Line > 0, e.Source != "", "%v", e)
		require.LessOrEqual(t, line[e.File], e.Line, "errors out of order: %v", err)
		line[e.File] = e.Line
	}
}

// dump prints a definition, one line for the whole and one for each list of actions.
func dump(b *strings.Builder, s *buff.Spec) {
	b.WriteString(s.ID)
	put := func(name string, value any, isDefault bool) {
		if !isDefault {
			fmt.Fprintf(b, " %s=%v", name, value)
		}
	}
	if s.Kind == buff.Timed {
		put("duration", s.Duration, false)
	} else {
		put("duration", s.Kind, false)
	}
	put("name", fmt.Sprintf("%q", s.Name), s.Name == "")
	put("note", fmt.Sprintf("%q", s.Note), s.Note == "")
	put("tags", s.Tags, len(s.Tags) == 0)
	put("period", s.Period, s.Period == 0)
	put("first", s.First, s.First == 0)
	put("tail", s.Tail, s.Tail == 0)
	st := s.Stack
	put("by", st.By, st.By == 0)
	put("limit", st.Limit, st.Limit == 0)
	put("initial", st.Initial, st.Initial == 0)
	put("refresh", st.Refresh, st.Refresh == 0)
	put("refresh_pct", st.RefreshPct, st.RefreshPct == 0)
	put("phase", st.Phase, st.Phase == 0)
	put("overflow", st.Overflow, st.Overflow == 0)
	put("overflow_apply", st.OverflowApply, len(st.OverflowApply) == 0)
	put("expire", st.Expire, st.Expire == 0)
	put("on_death", s.OnDeath, s.OnDeath == buff.FateRemove)
	put("on_source_gone", s.OnSourceGone, s.OnSourceGone == buff.FateKeep)
	put("on_fault", s.OnFault, s.OnFault == buff.FateKeep)
	b.WriteString("\n")
	actions := func(name string, list []buff.Action) {
		if len(list) == 0 {
			return
		}
		fmt.Fprintf(b, "  on %s:", name)
		for _, a := range list {
			fmt.Fprintf(b, " %s", strings.TrimSpace(fmt.Sprintf("%v %s", a.Do, a.Name)))
			if a.Reason != buff.NoReason {
				fmt.Fprintf(b, " (%v)", a.Reason)
			}
		}
		b.WriteString("\n")
	}
	actions("apply", s.On.Apply)
	actions("refresh", s.On.Refresh)
	actions("pulse", s.On.Pulse)
	actions("exec", s.On.Exec)
	actions("overflow", s.On.Overflow)
	for _, r := range slices.Sorted(maps.Keys(s.On.Remove)) {
		actions("remove "+r.String(), s.On.Remove[r])
	}
	actions("remove any", s.On.RemoveAny)
}
