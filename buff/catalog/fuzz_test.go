package catalog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Any text at all gives a catalog or errors that keep their promises, and the same
// ones each time.
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
		"buffs: !!map {}", "buffs: &a {<<: *a}", "[[[[[[", "{a: {b: {c: ", "- - - - -", "\"\\u12", "'", "a: 'b\n\nc'", "%", "---\n---",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		c, err := Parse("f", src)
		if err == nil {
			require.NotNil(t, c)
			return
		}
		require.Nil(t, c)
		checkErrors(t, err)
		for _, e := range err.(Errors) {
			require.Equal(t, "f", e.File)
			require.GreaterOrEqual(t, e.Line, 1)
			require.GreaterOrEqual(t, e.Column, 1)
		}
		_, again := Parse("f", src)
		require.EqualError(t, again, err.Error())
	})
}
