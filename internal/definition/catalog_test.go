package definition

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
)

// The transcripts in testdata have these commands:
//
//	parse                    parses the text below as one file, "buffs.yaml"
//	file NAME                keeps the text below as a file of that name
//	load PATH...             loads files and folders that were kept
//	fix NAME                 rewrites the former words in the text below, and prints the changes
//	knows NAME...            whether the file below makes them known as tags and as acts
//
// The result lists the definitions, each with its fields that are not the default, as dump prints
// them, or all errors as they are printed. If the command has the argument "escapes", \t, \r, \n
// and \ufeff in a text stand for these characters.
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if filepath.Dir(path) != "testdata" {
			return // the folders have their own tests
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
	case "fix":
		fixed, changes, err := Fix(d.CmdArgs[0].Key, []byte(text))
		require.NoError(t, err)
		var b strings.Builder
		for _, c := range changes {
			fmt.Fprintf(&b, "%d:%d: %s is now %s\n", c.Line, c.Column, c.Old, c.New)
		}
		again, changes, err := Fix(d.CmdArgs[0].Key, fixed)
		require.NoError(t, err)
		require.Empty(t, changes)
		require.Equal(t, fixed, again)
		b.Write(fixed)
		if d.HasArg("escapes") {
			return fmt.Sprintf("%q\n", b.String())
		}
		return b.String()
	case "knows":
		c, err := Parse("buffs.yaml", []byte(text))
		require.NoError(t, err)
		var b strings.Builder
		for _, a := range d.CmdArgs {
			tag, isTag := c.Tag(a.Key)
			act, isAct := c.Act(a.Key)
			require.Equal(t, []bool{isTag, isAct}, []bool{tag != 0, act != 0}, "0 is none")
			fmt.Fprintf(&b, "%s: tag %v, act %v\n", a.Key, isTag, isAct)
		}
		return b.String()
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
	dumpAttributes(&b, c)
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

// checkErrors checks the guarantees that every error of this package gives.
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
