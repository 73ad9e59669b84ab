package definition

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// The transcript has these commands, about the folders of testdata/errors:
//
//	fails CLASS      prints the errors of the file fail.yaml of the class
//	passes CLASS     prints the number of definitions in pass.yaml
//	load FOLDER      prints the errors of all files of the folder
//
// Each class of errors has both files. All errors of all files are reported at once, each with its
// position, and nothing is loaded.
func TestP41_AllErrorsAtOnce(t *testing.T) {
	const folder = "testdata/errors"
	files := os.DirFS(folder)
	seen := map[string]bool{}
	datadriven.RunTest(t, folder+"/classes.txt", func(t *testing.T, d *datadriven.TestData) string {
		name := d.CmdArgs[0].Key
		seen[d.Cmd+" "+name] = true
		switch d.Cmd {
		case "fails":
			c, err := LoadFS(files, name+"/fail.yaml")
			require.Nil(t, c)
			checkErrors(t, err)
			return err.Error() + "\n"
		case "passes":
			c, err := LoadFS(files, name+"/pass.yaml")
			require.NoError(t, err)
			return fmt.Sprintf("%d definitions\n", c.Len())
		case "load":
			c, err := LoadFS(files, name)
			require.Nil(t, c)
			checkErrors(t, err)
			return fmt.Sprintf("%v\n%d errors\n", err, len(err.(Errors)))
		}
		d.Fatalf(t, "unknown command %q", d.Cmd)
		return ""
	})
	classes, err := filepath.Glob(folder + "/[1-8]-*")
	require.NoError(t, err)
	require.Len(t, classes, 8)
	for _, c := range classes {
		require.True(t, seen["fails "+filepath.Base(c)], c)
		require.True(t, seen["passes "+filepath.Base(c)], c)
	}
}

// TestRepeatedClass checks that the error about a class that a second file repeats has the
// position in the first file.
func TestRepeatedClass(t *testing.T) {
	_, err := LoadFS(fstest.MapFS{
		"a.yaml": {Data: []byte("slots:\n  debuff: {limit: 3}\nbuffs: {}\n")},
		"b.yaml": {Data: []byte("buffs: {}\nslots: {debuff: {limit: 4}}\n")},
	}, ".")
	require.ErrorContains(t, err, `b.yaml:2:9: slots: "debuff" is repeated: it is already at a.yaml:2`)
}
