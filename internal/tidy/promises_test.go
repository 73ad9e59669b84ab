package tidy

import (
	"fmt"
	"go/ast"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// promised are the numbers of the promises of docs/promises.md that hold now, from and
// to. Those of durability, the inspector and the cluster come with what they are about.
var promised = [][2]int{{1, 30}, {32, 33}, {37, 37}, {39, 39}, {41, 45}, {50, 50}, {60, 69}}

// proof is the name of a test that holds promises: TestP24_P25_Isolation.
var proof = regexp.MustCompile(`^Test((?:P\d+_)+)`)

// TestPromises: each promise has a test with its number in its name, and each such number
// is a promise.
func TestPromises(t *testing.T) {
	house, err := loadTree(os.DirFS(root))
	require.NoError(t, err)
	for _, f := range unproven(house) {
		t.Error(f)
	}
}

// proofs calls f for each promise that a test has in its name.
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

// row is a row of the page: its promises, and the command that shows them.
var row = regexp.MustCompile(`(?m)^\| (P\d+(?:, P\d+)*) \|.*\| ` + "`go test \\./(\\S+) -run '?([^`']+)'?`" + ` \|$`)

// TestPromisePage: each promise has a row in docs/promises.md whose command runs a test of it.
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
		run, err := regexp.Compile(strings.ReplaceAll(m[3], `\|`, "|"))
		if err != nil {
			out = append(out, fmt.Sprintf("%s: %v", m[1], err))
			continue
		}
		for _, p := range strings.Split(m[1], ", ") {
			n, _ := strconv.Atoi(p[1:])
			proofs(tr, func(s *source, fn *ast.FuncDecl, of int) {
				shown[n] = shown[n] || of == n && s.dir == m[2] && run.MatchString(fn.Name.Name)
			})
		}
	}
	for _, r := range promised {
		for n := r[0]; n <= r[1]; n++ {
			if !shown[n] {
				out = append(out, fmt.Sprintf("docs/promises.md has no command that runs a test of P%d", n))
			}
		}
	}
	return out
}

// TestPromisesPlanted: a promise that no test names is found, and a number that is none.
func TestPromisesPlanted(t *testing.T) {
	var b strings.Builder
	b.WriteString("package a\n\nimport \"testing\"\n")
	for _, r := range promised {
		for n := r[0]; n <= r[1]; n++ {
			if n != 7 {
				fmt.Fprintf(&b, "\nfunc TestP%02d_It(t *testing.T) {}\n", n)
			}
		}
	}
	b.WriteString("\nfunc TestP7Almost(t *testing.T) {}\n\nfunc TestP8_P31_More(t *testing.T) {}\n")
	tr, err := loadTree(fstest.MapFS{"a/a_test.go": &fstest.MapFile{Data: []byte(b.String())}})
	require.NoError(t, err)
	require.Len(t, unproven(tr), 2)
	require.Contains(t, unproven(tr)[0], "there is no promise P31")
	require.Contains(t, unproven(tr)[1], "P7 has no test")

	var page strings.Builder
	for _, r := range promised {
		for n := r[0]; n <= r[1]; n++ {
			if n != 9 {
				fmt.Fprintf(&page, "| P%d | it | so | `go test ./a -run P%02d_` |\n", n, n)
			}
		}
	}
	require.Len(t, unshown(tr, page.String()), 2) // P7, and P9 that is not on it
	require.Len(t, unshown(tr, strings.ReplaceAll(page.String(), "./a", "./b")), 50)
}
