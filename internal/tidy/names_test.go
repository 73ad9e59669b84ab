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
	named := 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(inRoot(page))
		require.NoError(t, err)
		for _, m := range namedTest.FindAllStringSubmatch(string(text), -1) {
			if named++; !tests[m[1]] {
				t.Errorf("%s names %s, which does not exist", page, m[1])
			}
		}
		for _, m := range namedTranscript.FindAllStringSubmatch(string(text), -1) {
			for _, pkg := range quoted.FindAllStringSubmatch(m[1], -1) {
				file := filepath.Join(pkg[1], "testdata", m[2])
				if _, err := os.Stat(inRoot(file)); err != nil {
					t.Errorf("%s names %s, which does not exist", page, file)
				}
			}
		}
	}
	require.NotZero(t, named)
}
