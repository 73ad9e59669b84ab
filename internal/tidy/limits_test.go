package tidy

import (
	"fmt"
	"go/ast"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// limitTest is a test that docs/limits.md names.
var limitTest = regexp.MustCompile("`(Test[A-Za-z0-9_]+)`")

// TestLimitsPage: each row of docs/limits.md names a test, and each test that it names is there.
func TestLimitsPage(t *testing.T) {
	house, err := loadTree(os.DirFS(root))
	require.NoError(t, err)
	page, err := os.ReadFile(inRoot("docs/limits.md"))
	require.NoError(t, err)
	for _, f := range unlimited(house, string(page)) {
		t.Error(f)
	}
}

func unlimited(tr *tree, page string) (out []string) {
	there := map[string]bool{}
	for _, s := range tr.all() {
		for _, d := range s.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && s.test && fn.Recv == nil {
				there[fn.Name.Name] = true
			}
		}
	}
	for _, line := range strings.Split(page, "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| what |") {
			continue
		}
		tests := limitTest.FindAllStringSubmatch(line, -1)
		if len(tests) == 0 {
			out = append(out, fmt.Sprintf("docs/limits.md names no test here: %s", line))
		}
		for _, m := range tests {
			if !there[m[1]] {
				out = append(out, fmt.Sprintf("docs/limits.md names %s, and there is no such test", m[1]))
			}
		}
	}
	return out
}

// TestLimitsPlanted: a test that is gone is found, and a row without one.
func TestLimitsPlanted(t *testing.T) {
	tr, err := loadTree(fstest.MapFS{"a/a_test.go": &fstest.MapFile{Data: []byte("package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n")}})
	require.NoError(t, err)
	page := "| what | limit | at it | test |\n|---|---|---|---|\n| one | 1 | | `TestA` |\n| two | 2 | | `TestA`, `TestB` |\n| three | 3 | | |\n"
	require.Equal(t, []string{
		"docs/limits.md names TestB, and there is no such test", "docs/limits.md names no test here: | three | 3 | | |",
	}, unlimited(tr, page))
}
