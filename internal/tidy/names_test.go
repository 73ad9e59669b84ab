package tidy

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	testFunc        = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	namedTest       = regexp.MustCompile("`(Test\\w+)`")
	namedTranscript = regexp.MustCompile("((?:`[a-z/]+`, )*`[a-z/]+`): `(\\w+\\.txt)`")
	quoted          = regexp.MustCompile("`([^`]+)`")
)

// TestDocs_NamedTestsExist checks that each test and each transcript that a page in docs names
// exists, so that renaming one includes the page.
func TestDocs_NamedTestsExist(t *testing.T) {
	tests := map[string]bool{}
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(inRoot(path))
		require.NoError(t, err)
		for _, m := range testFunc.FindAllStringSubmatch(string(text), -1) {
			tests[m[1]] = true
		}
		return nil
	}))
	pages, err := filepath.Glob(inRoot("docs/*.md"))
	require.NoError(t, err)
	named := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, m := range namedTest.FindAllStringSubmatch(string(text), -1) {
			if named++; !tests[m[1]] {
				t.Errorf("docs/%s names %s, which does not exist", filepath.Base(page), m[1])
			}
		}
		for _, m := range namedTranscript.FindAllStringSubmatch(string(text), -1) {
			for _, pkg := range quoted.FindAllStringSubmatch(m[1], -1) {
				file := filepath.Join(pkg[1], "testdata", m[2])
				if _, err := os.Stat(inRoot(file)); err != nil {
					t.Errorf("docs/%s names %s, which does not exist", filepath.Base(page), file)
				}
			}
		}
	}
	require.NotZero(t, named)
}
