package tidy

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/bufftick/bufftick"

// rules are the checks of the whole tree. A check returns one sentence per finding,
// led by its position: "wheel/slot.go:12: ...".
var rules = []struct {
	name  string
	check func(*tree) []string
}{
	{"packages", missingPackages},
	{"imports", wrongImports},
	{"clocks", hiddenClocks},
	{"waiting tests", waitingTests},
	{"who may call", unsaidCaller},
}

// root is the folder of the root module.
var root string

// inRoot returns the absolute path of a file in the root module. Tests open files by absolute
// path because the go command's test cache resolves relative ones against the package folder,
// not the folder that TestMain changed to.
func inRoot(path string) string { return filepath.Join(root, path) }

// TestMain changes to the root of the module, where the tests run the go command.
func TestMain(m *testing.M) {
	for {
		at, err := os.Getwd()
		if err != nil {
			panic(err)
		}
		if _, err := os.Stat("go.mod"); err == nil {
			root = at
			break
		}
		if at == filepath.Dir(at) {
			panic("tidy: no folder above this one has a go.mod")
		}
		if err := os.Chdir(".."); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// TestRules checks each rule against the module's source.
func TestRules(t *testing.T) {
	house, err := loadTree(os.DirFS(root))
	require.NoError(t, err)
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			for _, f := range r.check(house) {
				t.Error(f)
			}
		})
	}
}

// linked are the modules that a game may link when it imports only engine and wheel.
var linked = []string{
	module,
	"github.com/panjf2000/ants/v2",
	"golang.org/x/sync",
}

// TestLinked lists the modules that a program with engine and wheel links. It also lists those
// of the catalog, to show that a module that is not allowed would be found.
func TestLinked(t *testing.T) {
	for _, m := range linkedModules(t, "./engine", "./wheel") {
		if !slices.Contains(linked, m) {
			t.Errorf("a program that imports engine and wheel links %s", m)
		}
	}
	require.Contains(t, linkedModules(t, "./buff/catalog"), "github.com/goccy/go-yaml",
		"go list no longer reports foreign modules")
}

func linkedModules(t *testing.T, pkgs ...string) []string {
	t.Helper()
	args := append([]string{"list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}"}, pkgs...)
	cmd := exec.CommandContext(t.Context(), "go", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "go list: %s", &stderr)
	mods := strings.Fields(string(out))
	slices.Sort(mods)
	mods = slices.Compact(mods)
	require.Contains(t, mods, module)
	return mods
}

// tree is the parsed source of the root module and of the nested modules that follow the same
// rules, without the folders that the go command ignores.
type tree struct {
	fset *token.FileSet
	dirs map[string][]*source // by path from the root; "." is the root
}

// source is one Go file.
type source struct {
	path    string // from the root, with slashes
	dir     string
	test    bool
	ast     *ast.File
	imports map[string]string // name in this file → import path
}

func loadTree(fsys fs.FS) (*tree, error) {
	tr := &tree{fset: token.NewFileSet(), dirs: map[string][]*source{}}
	err := fs.WalkDir(fsys, ".", func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return enterDir(fsys, p)
		case path.Ext(p) != ".go":
			return nil
		}
		text, err := fs.ReadFile(fsys, p)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(tr.fset, p, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := path.Dir(p)
		tr.dirs[dir] = append(tr.dirs[dir], &source{
			path:    p,
			dir:     dir,
			test:    strings.HasSuffix(p, "_test.go"),
			ast:     f,
			imports: importNames(f),
		})
		return nil
	})
	return tr, err
}

// nested are the nested modules that follow the same rules.
var nested = []string{"bench", "conformance"}

// enterDir reports fs.SkipDir for a folder that is not part of the module.
func enterDir(fsys fs.FS, p string) error {
	base := path.Base(p)
	if p == "." {
		return nil
	}
	if base == "testdata" || base == "vendor" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") {
		return fs.SkipDir
	}
	if _, err := fs.Stat(fsys, path.Join(p, "go.mod")); err == nil && !slices.Contains(nested, p) {
		return fs.SkipDir
	}
	return nil
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

func importNames(f *ast.File) map[string]string {
	names := map[string]string{}
	for _, spec := range f.Imports {
		p := importPath(spec)
		name := path.Base(p)
		if majorVersion.MatchString(name) {
			name = path.Base(path.Dir(p))
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = p
	}
	return names
}

func importPath(spec *ast.ImportSpec) string {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		panic(err) // the parser has accepted it as a string
	}
	return p
}

// all returns the tree's files, folder by folder.
func (tr *tree) all() []*source {
	var out []*source
	for _, dir := range tr.sorted() {
		out = append(out, tr.dirs[dir]...)
	}
	return out
}

// sorted returns the tree's folders by name.
func (tr *tree) sorted() []string {
	dirs := make([]string, 0, len(tr.dirs))
	for dir := range tr.dirs {
		dirs = append(dirs, dir)
	}
	slices.Sort(dirs)
	return dirs
}

// at formats a finding at the node's position.
func (tr *tree) at(n ast.Node, format string, args ...any) string {
	pos := tr.fset.Position(n.Pos())
	return fmt.Sprintf("%s:%d: %s", pos.Filename, pos.Line, fmt.Sprintf(format, args...))
}

// qualified returns the import path and the name when the expression is
// path.Name, under whatever name the file imports the path.
func (s *source) qualified(e ast.Node) (pkg, name string, ok bool) {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return "", "", false
	}
	x, ok := sel.X.(*ast.Ident)
	if !ok {
		return "", "", false
	}
	pkg, ok = s.imports[x.Name]
	return pkg, sel.Sel.Name, ok
}
