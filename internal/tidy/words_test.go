package tidy

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// The page of words has two tables. In the second each row says what is not said any more, and
// what is: | `pump` | worker |.
const wordsPage = "docs/words.md"

var (
	unsaidRow = regexp.MustCompile("(?m)^\\| `([a-z]+)` \\| ([^|]+) \\|$")
	saidRow   = regexp.MustCompile(`(?m)^\| \*\*([^*]+)\*\* \| [^|]+ \|`)
	// A word of text or of a name: Pumps, pumpState, HTTP.
	wordOf = regexp.MustCompile(`[A-Z]+[a-z]*|[a-z]+`)
)

// ofLibraries are names of other modules' that a method or a call of ours must have: those of
// syntax trees and of flags.
var ofLibraries = []string{"Visit", "Visitor", "Visitable"}

// TestWords: nobody uses a word that docs/words.md has given up, in code, comments or docs, and
// no word is explained twice.
func TestWords(t *testing.T) {
	page, err := os.ReadFile(inRoot(wordsPage))
	require.NoError(t, err)
	unsaid := unsaidWords(string(page))
	require.NotEmpty(t, unsaid)
	for _, f := range append(said(t, os.DirFS(root), unsaid), twice(string(page))...) {
		t.Error(f)
	}
}

func unsaidWords(page string) map[string]string {
	out := map[string]string{}
	for _, m := range unsaidRow.FindAllStringSubmatch(page, -1) {
		out[m[1]] = m[2]
	}
	return out
}

func twice(page string) (out []string) {
	seen := map[string]bool{}
	for _, m := range saidRow.FindAllStringSubmatch(page, -1) {
		for _, w := range strings.Split(m[1], ", ") {
			if seen[w] {
				out = append(out, fmt.Sprintf("%s: %q is explained twice", wordsPage, w))
			}
			seen[w] = true
		}
	}
	return out
}

// said finds the words in the sources of the module and in its pages. The changelog and what was
// measured say what was said then.
func said(t *testing.T, fsys fs.FS, unsaid map[string]string) (out []string) {
	t.Helper()
	require.NoError(t, fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && p == "bench/report":
			return fs.SkipDir
		case d.IsDir():
			return enterDir(fsys, p)
		case p == wordsPage || p == "CHANGELOG.md" || !slices.Contains([]string{".go", ".md", ".js", ".css", ".html"}, path.Ext(p)):
			return nil
		}
		text, err := fs.ReadFile(fsys, p)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			for _, w := range wordOf.FindAllString(line, -1) {
				if slices.Contains(ofLibraries, w) {
					continue
				}
				w = strings.ToLower(w)
				one := strings.TrimSuffix(w, "s")
				for _, word := range slices.Compact([]string{w, one}) {
					if better, ok := unsaid[word]; ok && p != "internal/tidy/"+filepath.Base(p) {
						out = append(out, fmt.Sprintf("%s:%d: %q is called %s: see %s", p, i+1, word, better, wordsPage))
					}
				}
			}
		}
		return nil
	}))
	return out
}

// TestWordsPlanted: a word is found in names, comments and pages, in the singular and the plural,
// and not inside another one.
func TestWordsPlanted(t *testing.T) {
	page := "| **worker** | runs turns |\n| **outbox, queue** | waits |\n\n| `pump` | worker |\n| `parcel` | outbox |\n"
	unsaid := unsaidWords(page)
	require.Equal(t, map[string]string{"pump": "worker", "parcel": "outbox"}, unsaid)
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	require.Equal(t, []string{
		`a/a.go:1: "pump" is called worker: see docs/words.md`,
		`a/a.go:2: "parcel" is called outbox: see docs/words.md`,
		`docs/a.md:1: "pump" is called worker: see docs/words.md`,
	}, said(t, fstest.MapFS{
		"a/a.go":                 file("type lastPumpState int // a pumpkin\n// Parcels wait.\n"),
		"docs/a.md":              file("Two pumps."),
		"docs/words.md":          file(page),
		"CHANGELOG.md":           file("pump"),
		"a/testdata/b.go":        file("pump"),
		"bench/report/README.md": file("pump"),
	}, unsaid))
	require.Empty(t, twice(page))
	require.Equal(t, []string{`docs/words.md: "queue" is explained twice`}, twice(page+"| **queue** | again |\n"))
}
