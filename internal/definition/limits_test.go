package definition

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
)

// many returns a file of n definitions.
func many(n int) []byte {
	var b strings.Builder
	b.WriteString("buffs:\n")
	for i := range n {
		fmt.Fprintf(&b, "  b%d: {duration: 12s, period: 3s}\n", i)
	}
	return []byte(b.String())
}

// firstError checks that there are errors and returns the first.
func firstError(t *testing.T, err error) *Error {
	t.Helper()
	checkErrors(t, err)
	return err.(Errors)[0]
}

func TestDefinitionsLimit(t *testing.T) {
	c, err := Parse("many.yaml", many(MaxDefinitions))
	require.NoError(t, err)
	require.Equal(t, MaxDefinitions, c.Len())

	// In one file, the limit of keys protects the parser.
	_, err = Parse("many.yaml", many(MaxDefinitions+1))
	e := firstError(t, err)
	require.Equal(t, "more than 10000 keys in one map", e.Text)
	require.Equal(t, MaxDefinitions+2, e.Line)

	// In two files, the limit of the catalog applies. The error is reported once, at the first
	// definition too many.
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.yaml"), many(MaxDefinitions), 0o600))
	more := []byte("buffs:\n  one: {duration: 1s}\n  two: {duration: 1s}\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.yaml"), more, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "c.yaml"), more, 0o600))
	_, err = Load(dir)
	require.Len(t, err, 1)
	e = firstError(t, err)
	require.Equal(t, "more than 10000 definitions in one catalog", e.Text)
	require.Equal(t, "b.yaml", filepath.Base(e.File))
	require.Equal(t, 2, e.Line)
}

func TestFileLimits(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"size":            {strings.Repeat("#", MaxFileSize+1), "1048577 bytes: a file may have at most 1048576"},
		"brackets":        {"buffs: " + strings.Repeat("[", 70_000), "nested more than 32 deep"},
		"braces":          {strings.Repeat("{a: ", 39_000), "nested more than 32 deep"},
		"lists in a line": {strings.Repeat("- ", 70_000), "nested more than 32 deep"},
		"indentation":     {stairs(40), "nested more than 32 deep"},
		"empty values":    {strings.Repeat("a:\n", 300), "more than 100 empty values in one file"},
		"empty items":     {strings.Repeat("-\n", 39_000), "more than 100 empty values in one file"},
		"empty in braces": {"{" + strings.Repeat("a:,", 39_000) + "}", "more than 100 empty values in one file"},
		"keys in braces":  {"{" + strings.Repeat("a,", 70_000) + "}", "more than 100 empty values in one file"},
		"keys":            {strings.Repeat("a: b\n", 39_000), "more than 10000 keys in one map"},
		"tabs":            {"{\"" + strings.Repeat("\t", 100_000), "100000 tabs are too many: use spaces"},
		"tags":            {strings.Repeat("!a ", 70_000), "tags (!) are not supported: put a text in quotes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("big.yaml", []byte(c.text))
			require.Equal(t, c.want, firstError(t, err).Text)
		})
	}
}

// stairs returns n nested maps.
func stairs(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func TestFilesLimit(t *testing.T) {
	dir := t.TempDir()
	for i := range MaxFiles + 1 {
		name := filepath.Join(dir, fmt.Sprintf("%04d.yaml", i))
		require.NoError(t, os.WriteFile(name, fmt.Appendf(nil, "buffs: {b%d: {duration: 1s}}", i), 0o600))
	}
	_, err := Load(dir)
	e := firstError(t, err)
	require.Equal(t, "more than 1000 files in one catalog", e.Text)
	require.Equal(t, "1000.yaml", filepath.Base(e.File))

	require.NoError(t, os.Remove(filepath.Join(dir, "1000.yaml")))
	c, err := Load(dir)
	require.NoError(t, err)
	require.Equal(t, MaxFiles, c.Len())
}

// TestTotalLimit checks that no more files are read when files that are small enough each are too
// large together.
func TestTotalLimit(t *testing.T) {
	files := folder(MaxTotalSize/MaxFileSize+3, "buffs: {a%d: {duration: 1s}}\n#"+strings.Repeat("x", MaxFileSize-100))
	_, err := LoadFS(files, "buffs")
	require.Len(t, err, 1)
	e := firstError(t, err)
	require.Equal(t, "the files up to this one have more than 8388608 bytes in total", e.Text)
	require.Equal(t, "buffs/008.yaml", e.File)
	delete(files, "buffs/008.yaml")
	delete(files, "buffs/009.yaml")
	delete(files, "buffs/010.yaml")
	c, err := LoadFS(files, "buffs")
	require.NoError(t, err)
	require.Equal(t, MaxTotalSize/MaxFileSize, c.Len())
}

func TestErrorsLimit(t *testing.T) {
	text := "buffs: {a: {duration: 1s, " + strings.Repeat("zz: 1, ", 3*MaxErrors) + "}}"
	_, err := Parse("bad.yaml", []byte(text))
	require.Len(t, err, MaxErrors+1)
	require.Equal(t, "too many errors: this one and 1999 more are not shown", err.(Errors)[MaxErrors].Text)
	checkErrors(t, err)

	// One more than the limit needs a line of its own, because a line about errors that are not
	// shown would take as much room.
	_, err = Parse("bad.yaml", []byte("buffs: {a: {duration: 1s, "+strings.Repeat("zz: 1, ", MaxErrors+1)+"}}"))
	require.Len(t, err, MaxErrors+1)
	require.NotContains(t, err.(Errors)[MaxErrors].Text, "too many")
}

// TestDepthLimit checks that brackets may be nested as deep as the error says.
func TestDepthLimit(t *testing.T) {
	for n, deep := range map[int]bool{maxDepth: false, maxDepth + 1: true} {
		_, err := Parse("deep.yaml", []byte(strings.Repeat("[", n)+strings.Repeat("]", n)))
		if deep {
			require.ErrorContains(t, err, "nested more than 32 deep")
		} else {
			require.NotContains(t, err.Error(), "nested")
		}
	}
}

// TestMissingFile checks that definitions in a file that could not be read are not reported as
// missing.
func TestMissingFile(t *testing.T) {
	files := fstest.MapFS{"a.yaml": {Data: []byte("buffs: {a: {duration: 1s, on: {apply: [{apply: b}]}}}")}}
	_, err := LoadFS(files, "a.yaml", "b.yaml")
	require.Len(t, err, 1)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestErrorIs(t *testing.T) {
	_, err := Parse("bad.yaml", []byte("buffs: {a: {duration: 0s}}"))
	require.ErrorIs(t, err, buff.ErrSpec)
	require.NotErrorIs(t, err, fs.ErrNotExist)

	_, err = Load(filepath.Join(t.TempDir(), "nowhere"))
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NotErrorIs(t, err, buff.ErrSpec)

	var e *Error
	require.ErrorAs(t, err, &e)
	require.Zero(t, e.Line)
}

// TestFolderWithAnExtension checks that a folder is not a definition file, whatever its name.
func TestFolderWithAnExtension(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "buffs.yaml")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "more.yaml"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.YML"), []byte("buffs: {a: {duration: 1s}}"), 0o600))
	c, err := Load(dir)
	require.NoError(t, err)
	require.Equal(t, 1, c.Len())
}

func TestLoadFS(t *testing.T) {
	files := fstest.MapFS{
		"buffs/a.yaml": {Data: []byte("buffs: {a: {duration: 1s}}")},
		"buffs/b.json": {Data: []byte(`{"buffs": {"b": {"duration": 1}}}`)},
	}
	_, err := LoadFS(files, "buffs")
	require.Equal(t, "buffs/b.json", firstError(t, err).File)

	c, err := LoadFS(files, "buffs/a.yaml")
	require.NoError(t, err)
	require.NotNil(t, c.Spec("a"))

	_, err = LoadFS(files, "nowhere")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestDanglingLink checks that a link without a target is a file that cannot be read, and that the
// other files are read nevertheless.
func TestDanglingLink(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("nowhere", filepath.Join(dir, "a.yaml")); err != nil {
		t.Skip(err)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.yaml"), []byte("buffs: {b: {duration: 1}}"), 0o600))
	_, err := Load(dir)
	require.Len(t, err, 2)
	require.Equal(t, "no such file or folder", firstError(t, err).Text)
}
