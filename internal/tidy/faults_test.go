package tidy

import (
	"fmt"
	"go/ast"
	"os"
	"path"
	"regexp"
	"strconv"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// faults is how many rows the table of docs/promises.md has, under "Faults found by attack, by stalls and by reading the rules".
const faults = 27

var (
	faultRow  = regexp.MustCompile(`(?m)^\| (\d+) \| [^|]+ \| ([^|]+) \|$`)
	faultTest = regexp.MustCompile("`(Test\\w+)`")
	faultText = regexp.MustCompile("((?:`[a-z/]+`, )*`[a-z/]+`): `(\\w+\\.txt)`")
	codeWord  = regexp.MustCompile("`([^`]+)`")
)

// TestFaults: each of those faults has a row, and the tests and transcripts that it names are there.
func TestFaults(t *testing.T) {
	house, err := loadTree(os.DirFS(root))
	require.NoError(t, err)
	page, err := os.ReadFile(inRoot("docs/promises.md"))
	require.NoError(t, err)
	for _, f := range untested(house, string(page), func(name string) bool {
		_, err := os.Stat(inRoot(name))
		return err == nil
	}) {
		t.Error(f)
	}
}

// untested returns which rows are missing, name no test, or name one that is not there.
func untested(tr *tree, page string, exists func(path string) bool) (out []string) {
	tests := map[string]bool{}
	for _, s := range tr.all() {
		for _, d := range s.ast.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && s.test && fn.Recv == nil {
				tests[fn.Name.Name] = true
			}
		}
	}
	named := map[int]int{}
	for _, m := range faultRow.FindAllStringSubmatch(page, -1) {
		n, _ := strconv.Atoi(m[1])
		for _, name := range faultTest.FindAllStringSubmatch(m[2], -1) {
			if named[n]++; !tests[name[1]] {
				out = append(out, fmt.Sprintf("fault %d: there is no test %s", n, name[1]))
			}
		}
		for _, text := range faultText.FindAllStringSubmatch(m[2], -1) {
			for _, pkg := range codeWord.FindAllStringSubmatch(text[1], -1) {
				if named[n]++; !exists(path.Join(pkg[1], "testdata", text[2])) {
					out = append(out, fmt.Sprintf("fault %d: %s has no transcript %s", n, pkg[1], text[2]))
				}
			}
		}
	}
	for n := 1; n <= faults; n++ {
		if named[n] == 0 {
			out = append(out, fmt.Sprintf("fault %d: no row of docs/promises.md names a test", n))
		}
	}
	return out
}

// TestFaultsPlanted: a row that is not there, one without a test, and names of nothing are found.
func TestFaultsPlanted(t *testing.T) {
	page := ""
	for n := 1; n <= faults; n++ {
		switch n {
		case 3:
		case 4:
			page += "| 4 | it was | what can be seen |\n"
		case 5:
			page += "| 5 | it was | `buff`, `engine`: `here.txt`; `TestGone` |\n"
		default:
			page += fmt.Sprintf("| %d | it was | `TestHere` |\n", n)
		}
	}
	tr, err := loadTree(fstest.MapFS{"a/a_test.go": &fstest.MapFile{Data: []byte("package a\n\nimport \"testing\"\n\nfunc TestHere(t *testing.T) {}\n")}})
	require.NoError(t, err)
	require.Equal(t, []string{
		"fault 5: there is no test TestGone", "fault 5: engine has no transcript here.txt",
		"fault 3: no row of docs/promises.md names a test", "fault 4: no row of docs/promises.md names a test",
	}, untested(tr, page, func(name string) bool { return name == "buff/testdata/here.txt" }))
}
