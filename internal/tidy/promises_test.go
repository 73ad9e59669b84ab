package tidy

import (
	"fmt"
	"go/ast"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// promised are the ranges of numbers of docs/promises.md that have a test in this module.
var promised = [][2]int{{1, 30}, {32, 33}, {37, 37}, {39, 39}, {41, 45}, {50, 50}, {60, 69}}

// proof matches the name of a test of promises: TestP24_P25_Isolation.
var proof = regexp.MustCompile(`^Test((?:P\d+_)+)`)

// TestPromises checks that each promise has a test with its number in the name, and that each
// such number is a promise.
func TestPromises(t *testing.T) {
	house, err := loadTree(os.DirFS(root))
	require.NoError(t, err)
	for _, f := range unproven(house) {
		t.Error(f)
	}
}

// proofs calls f for each promise number in the name of a test.
func proofs(tr *tree, f func(s *source, fn *ast.FuncDecl, n int)) {
	for _, s := range tr.all() {
		if !s.test {
			continue
		}
		for _, d := range s.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv != nil {
				continue
			}
			m := proof.FindStringSubmatch(fn.Name.Name)
			if m == nil {
				continue
			}
			for _, p := range strings.Split(strings.TrimSuffix(m[1], "_"), "_") {
				n, _ := strconv.Atoi(p[1:])
				f(s, fn, n)
			}
		}
	}
}

func unproven(tr *tree) (out []string) {
	proven := map[int]bool{}
	proofs(tr, func(_ *source, fn *ast.FuncDecl, n int) {
		proven[n] = true
		if !isPromised(n) {
			out = append(out, tr.at(fn, "%s: there is no promise P%d", fn.Name.Name, n))
		}
	})
	for _, r := range promised {
		for n := r[0]; n <= r[1]; n++ {
			if !proven[n] {
				out = append(out, fmt.Sprintf("P%d has no test with its number in its name", n))
			}
		}
	}
	return out
}

func isPromised(n int) bool {
	for _, r := range promised {
		if n >= r[0] && n <= r[1] {
			return true
		}
	}
	return false
}

// row matches a row of the page: the promises and the package that tests them.
var row = regexp.MustCompile(`(?m)^\| (P\d+(?:, P\d+)*) \|.*\| ` + "`([^`]+)`" + ` \|$`)

// TestPromisePage checks that each promise has a row in docs/promises.md that names a package with a
// test of it, and that the name of the test has the number in two digits, as the page says.
func TestPromisePage(t *testing.T) {
	house, err := loadTree(os.DirFS(root))
	require.NoError(t, err)
	page, err := os.ReadFile(inRoot("docs/promises.md"))
	require.NoError(t, err)
	for _, f := range unshown(house, string(page)) {
		t.Error(f)
	}
}

func unshown(tr *tree, page string) (out []string) {
	shown := map[int]bool{}
	for _, m := range row.FindAllStringSubmatch(page, -1) {
		for _, p := range strings.Split(m[1], ", ") {
			n, _ := strconv.Atoi(p[1:])
			proofs(tr, func(s *source, fn *ast.FuncDecl, of int) {
				shown[n] = shown[n] || of == n && s.dir == m[2] && strings.Contains(fn.Name.Name, fmt.Sprintf("P%02d_", n))
			})
		}
	}
	for _, r := range promised {
		for n := r[0]; n <= r[1]; n++ {
			if !shown[n] {
				out = append(out, fmt.Sprintf("docs/promises.md names no package with a test of P%02d_", n))
			}
		}
	}
	return out
}
