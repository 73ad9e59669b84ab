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

// rules are held against the whole tree, in this order. A check returns one
// sentence per finding, led by the place: "wheel/slot.go:12: ...".
var rules = []struct {
	name  string
	check func(*tree) []string
}{
	{"packages", missingPackages},
	{"arrows", wrongImports},
	{"clock", hiddenClocks},
	{"waiting tests", waitingTests},
	{"length", tooLong},
	{"documentation", undocumented},
	{"who may call", unsaidCaller},
	{"names", badNames},
	{"teaching", untaught},
}

// root is the root of the module.
var root string

// inRoot is a file named from there. Tests name what they read by all of its path: the go command
// begins to note what a test reads when TestMain has changed the folder, would look for it
// beside this file, and repeat an old result.
func inRoot(path string) string { return filepath.Join(root, path) }

// TestMain runs the tests in the root of the module, from where they call commands.
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

// TestHouse reads the module's source and holds each rule against it. What a rule
// looks for stands beside it in rules_test.go and docs_test.go; planted_test.go shows,
// on small planted sources, that each finds what it should and leaves good code alone.
func TestHouse(t *testing.T) {
	house, err := loadTree(os.DirFS(root))
	require.NoError(t, err)
	require.Contains(t, house.dirs, ".", "the tree was read from the wrong place")
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			for _, f := range r.check(house) {
				t.Error(f)
			}
		})
	}
}

// linked names the modules that a game may end up with when it imports engine
// and wheel, and nothing else.
var linked = []string{
	module,
	"github.com/panjf2000/ants/v2",
	"golang.org/x/sync",
}

// TestLinked asks the go command what a program that imports only engine and
// wheel links. The catalog is asked for as well, to see that a module which is
// not on the list would be found.
func TestLinked(t *testing.T) {
	for _, m := range linkedModules(t, "./engine", "./wheel") {
		if !slices.Contains(linked, m) {
			t.Errorf("a program that imports engine and wheel links %s", m)
		}
	}
	require.Contains(t, linkedModules(t, "./buff/catalog"), "github.com/goccy/go-yaml",
		"the question to the go command no longer finds foreign modules")
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

// tree is the parsed source of one module: the real one or a planted one.
// Folders that the go command leaves out are not in it, and of the modules nested
// in this one only those that are held to the same rules.
type tree struct {
	fset *token.FileSet
	dirs map[string][]*source // by path from the root; "." is the root
}

// source is one Go file.
type source struct {
	path    string // from the root, with slashes
	dir     string
	test    bool
	lines   int
	ast     *ast.File
	imports map[string]string // the name it has in this file, to its import path
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
			lines:   bytes.Count(text, []byte("\n")),
			ast:     f,
			imports: importNames(f),
		})
		return nil
	})
	return tr, err
}

// nested are the modules in this one that the rules hold for too.
var nested = []string{"bench"}

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

// at writes a finding about the node.
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
