package tidy

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// libraries are the modules whose packages other modules import.
var libraries = []string{".", "store/postgres", "cluster", "contrib/nakama", "contrib/prom", "contrib/protoactor"}

// TestExported checks that no exported signature of a public package mentions a type of an
// internal package, because a program could neither name such a type nor read its documentation.
func TestExported(t *testing.T) {
	for _, dir := range libraries {
		t.Run(dir, func(t *testing.T) {
			im := exports(t, dir)
			for _, p := range im.public {
				pkg, err := im.Import(p)
				require.NoError(t, err)
				for _, f := range internalTypes(pkg) {
					t.Error(f)
				}
			}
		})
	}
}

// TestExported_Finds checks that each kind of declaration with an internal type is found.
func TestExported_Finds(t *testing.T) {
	im := exports(t, ".")
	for code, want := range map[string]string{
		"func F(h wire.T) {}":                      "F",
		"func F() (map[int][]*wire.T, error)":      "F",
		"func F[X interface{ M(wire.T) }](x X) {}": "F",
		"var V = wire.New()":                       "V",
		"const C = wire.C":                         "C",
		"type A = wire.T":                          "A",
		"type A wire.T":                            "",
		"type A []wire.T":                          "A",
		"type S struct { x, F wire.T }":            "S",
		"type S struct { f wire.T }":               "",
		"type S struct { wire.T }":                 "S",
		"type S struct { F struct { G wire.T } }":  "S",
		"type I interface { M(wire.T); m() }":      "I",
		"type I interface { m(wire.T) }":           "",
		"type S struct{}; func (*S) M(wire.T) {}":  "S.M",
		"type S struct{}; func (*S) m(wire.T) {}":  "",
		"func f(wire.T) {}":                        "",
		"type L[X any] struct{}; var V L[wire.T]":  "V",
		"type t struct{}; func (t) M(wire.T) {}":   "",
		"func F(time.Time) {}":                     "",
	} {
		conf := types.Config{Importer: fakeWire{im}, Error: func(error) {}}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "p.go", "package p\nimport (\"time\"; \""+fakePath+"\")\nvar _ time.Time\nvar _ wire.T\n"+code, 0)
		require.NoError(t, err)
		pkg, err := conf.Check("p", fset, []*ast.File{f}, nil)
		if !strings.HasPrefix(code, "func F() (") { // it has no body
			require.NoError(t, err, code)
		}
		var names []string
		for _, finding := range internalTypes(pkg) {
			name, _, _ := strings.Cut(strings.TrimPrefix(finding, "p."), " ")
			names = append(names, name)
		}
		require.Equal(t, want, strings.Join(names, " "), code)
	}
}

// fakePath is an internal package that only TestExported_Finds has.
const fakePath = module + "/internal/fake/wire"

type fakeWire struct{ types.Importer }

func (f fakeWire) Import(p string) (*types.Package, error) {
	if p != fakePath {
		return f.Importer.Import(p)
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "w.go", "package wire\ntype T struct{}\ntype N int\nconst C N = 1\nfunc New() *T { return nil }", 0)
	if err != nil {
		return nil, err
	}
	return new(types.Config).Check(p, fset, []*ast.File{file}, nil)
}

// exportData imports packages from the compiler's export data.
type exportData struct {
	types.Importer
	public []string // the public packages of the module
}

func exports(t *testing.T, dir string) *exportData {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "-C", dir, "list", "-export", "-deps", "-f",
		"{{.ImportPath}} {{.Export}} {{if not .DepOnly}}{{.Name}}{{end}}", "./...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "go list: %s", &stderr)
	files, x := map[string]string{}, &exportData{}
	for line := range strings.Lines(string(out)) {
		path, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		file, name, listed := strings.Cut(rest, " ")
		files[path] = file
		if listed && name != "main" && file != "" && !isInternal(path) {
			x.public = append(x.public, path)
		}
	}
	require.NotEmpty(t, x.public)
	x.Importer = importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(files[path])
	})
	return x
}

// isInternal reports whether a package is an internal package of this repository.
func isInternal(path string) bool {
	return under(path, module) && strings.Contains(path+"/", "/internal/")
}

// internalTypes returns a finding for each exported declaration of a package that mentions a type
// of an internal package.
func internalTypes(pkg *types.Package) (findings []string) {
	add := func(name string, typ types.Type) {
		if in := mentioned(typ); in != "" {
			findings = append(findings, fmt.Sprintf("%s.%s mentions %s", pkg.Path(), name, in))
		}
	}
	for _, name := range pkg.Scope().Names() {
		o := pkg.Scope().Lookup(name)
		if !o.Exported() {
			continue
		}
		named, defined := o.Type().(*types.Named)
		if _, isType := o.(*types.TypeName); !isType || !defined {
			if alias, ok := o.Type().(*types.Alias); ok && isType {
				add(name, alias.Rhs())
				continue
			}
			add(name, o.Type())
			continue
		}
		add(name, named.Underlying())
		for m := range named.Methods() {
			if m.Exported() {
				add(name+"."+m.Name(), m.Type())
			}
		}
	}
	return findings
}

// mentioned returns an internal type that the notation of a type contains, or "". It skips
// unexported fields and methods.
func mentioned(typ types.Type) string {
	all := func(list ...types.Type) string {
		for _, t := range list {
			if in := mentioned(t); in != "" {
				return in
			}
		}
		return ""
	}
	named := func(o *types.TypeName, args *types.TypeList) string {
		if o.Pkg() != nil && isInternal(o.Pkg().Path()) {
			return o.Pkg().Path() + "." + o.Name()
		}
		for t := range args.Types() {
			if in := mentioned(t); in != "" {
				return in
			}
		}
		return ""
	}
	switch t := typ.(type) {
	case *types.Named:
		return named(t.Obj(), t.TypeArgs())
	case *types.Alias:
		return named(t.Obj(), t.TypeArgs())
	case *types.Map:
		return all(t.Key(), t.Elem())
	case interface{ Elem() types.Type }: // pointers, slices, arrays, channels
		return mentioned(t.Elem())
	case *types.Signature:
		for p := range t.TypeParams().TypeParams() {
			if in := mentioned(p.Constraint()); in != "" {
				return in
			}
		}
		return all(t.Params(), t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			if in := mentioned(v.Type()); in != "" {
				return in
			}
		}
	case *types.Struct:
		for f := range t.Fields() {
			if in := mentioned(f.Type()); in != "" && f.Exported() {
				return in
			}
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			if in := mentioned(m.Type()); in != "" && m.Exported() {
				return in
			}
		}
		for e := range t.EmbeddedTypes() {
			if in := mentioned(e); in != "" {
				return in
			}
		}
	case *types.Union:
		for term := range t.Terms() {
			if in := mentioned(term.Type()); in != "" {
				return in
			}
		}
	}
	return ""
}
