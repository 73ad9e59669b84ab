package tidy

import (
	"fmt"
	"go/ast"
	"os"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// surface is how many exported names a package may have at most: types, functions, constants,
// variables, and methods of exported types; fields are not counted. Who needs more says why in
// the commit message; who needs fewer lowers the number.
var surface = map[string]int{
	"actor": 24, "buff": 283, "buff/catalog": 15, "buff/define": 285, "buff/journal": 22, "buff/stat": 40, "buff/verb": 37, "engine": 110, "engine/history": 16, "engine/replay": 6, "engine/view": 27, "inspect": 12,
	"replicate": 22, "replicate/client": 22, "replicate/js": 1, "store/bolt": 9, "timer": 17, "wheel": 30,
	"store": 95,
}

// TestSurface: what a newcomer has to read does not grow unseen. With -v it prints the numbers.
func TestSurface(t *testing.T) {
	house, err := loadTree(os.DirFS(root))
	require.NoError(t, err)
	for _, dir := range house.sorted() {
		if isLibrary(dir) && exported(house, dir) > 0 {
			t.Logf("%-34s %4d", dir, exported(house, dir))
		}
	}
	for _, f := range tooWide(house, surface) {
		t.Error(f)
	}
}

func tooWide(tr *tree, most map[string]int) (out []string) {
	for dir, n := range most {
		if is := exported(tr, dir); is > n {
			out = append(out, fmt.Sprintf("%s: %d exported names, more than %d", dir, is, n))
		} else if is == 0 {
			out = append(out, dir+": no exported name was found")
		}
	}
	return out
}

// exported counts the exported names of a package.
func exported(tr *tree, dir string) (n int) {
	for _, s := range tr.dirs[dir] {
		if s.test {
			continue
		}
		for _, d := range s.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) {
					n++
				}
			case *ast.GenDecl:
				n += exportedSpecs(d)
			}
		}
	}
	return n
}

func exportedSpecs(d *ast.GenDecl) (n int) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() {
				n++
			}
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				if name.IsExported() {
					n++
				}
			}
		}
	}
	return n
}

// TestSurfacePlanted: each kind of name is counted, and nothing else.
func TestSurfacePlanted(t *testing.T) {
	text := "package a\n\ntype T struct{ Field int }\ntype t int\n\nfunc F() {}\nfunc f() {}\nfunc (T) M() {}\nfunc (t) M() {}\n" +
		"func (*T) m() {}\n\nconst (\n\tA, b = 1, 2\n)\n\nvar V, w int\n"
	tr, err := loadTree(fstest.MapFS{
		"a/a.go": &fstest.MapFile{Data: []byte(text)}, "a/a_test.go": &fstest.MapFile{Data: []byte("package a\n\nfunc G() {}\n")},
	})
	require.NoError(t, err)
	require.Equal(t, 5, exported(tr, "a"))
	require.Empty(t, tooWide(tr, map[string]int{"a": 5}))
	require.Equal(t, []string{"a: 5 exported names, more than 4"}, tooWide(tr, map[string]int{"a": 4}))
	require.Equal(t, []string{"b: no exported name was found"}, tooWide(tr, map[string]int{"b": 4}))
}
