package bufftick_test

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
var promised = [][2]int{{1, 30}, {41, 45}, {50, 50}}

// proof is the name of a test that holds promises: TestP24_P25_Isolation.
var proof = regexp.MustCompile(`^Test((?:P\d+_)+)`)

// TestPromises: each promise has a test with its number in its name, and each such number
// is a promise.
func TestPromises(t *testing.T) {
	house, err := loadTree(os.DirFS("."))
	require.NoError(t, err)
	for _, f := range unproven(house) {
		t.Error(f)
	}
}

func unproven(tr *tree) (out []string) {
	proven := map[int]bool{}
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
				proven[n] = true
				if !isPromised(n) {
					out = append(out, tr.at(fn, "%s: there is no promise P%d", fn.Name.Name, n))
				}
			}
		}
	}
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
}
