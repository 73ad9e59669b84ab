package main

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
	"path/filepath"
	"slices"
	"strings"
)

// source is a parsed package in which bugs are generated.
type source struct {
	pkg   string // argument of the go command, such as "./wheel"
	fset  *token.FileSet
	files []*ast.File
	names []string // names of the files, without the folder
	texts [][]byte
	info  *types.Info
	conf  types.Config
	path  string
}

// load parses and type-checks a package without its tests.
func load(pkg string) (*source, error) {
	out, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}\t{{.Dir}}\t{{join .GoFiles \" \"}}", pkg).Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w", pkg, err)
	}
	exports := map[string]string{}
	var own []string
	for line := range strings.Lines(string(out)) { // the package itself comes last
		own = strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		exports[own[0]] = own[1]
	}
	s := &source{pkg: pkg, path: own[0], fset: token.NewFileSet(), names: strings.Fields(own[3])}
	s.conf.Importer = importer.ForCompiler(s.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, name := range s.names {
		text, err := os.ReadFile(filepath.Join(own[2], name))
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(s.fset, name, text, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		s.files, s.texts = append(s.files, f), append(s.texts, text)
	}
	s.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	_, err = s.conf.Check(s.path, s.fset, s.files, s.info)
	return s, err
}

// compiles reports whether the package compiles if the file with the given index has the given
// text.
func (s *source) compiles(file int, text []byte) bool {
	f, err := parser.ParseFile(s.fset, s.names[file], text, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	files := slices.Clone(s.files)
	files[file] = f
	_, err = s.conf.Check(s.path, s.fset, files, nil)
	return err == nil
}

// splice replaces a piece of a file by a text.
type splice struct {
	from, to int
	text     string
}

// bug is one generated bug.
type bug struct {
	file    int
	line    int
	in      string // name of the function
	what    string // description of the change, such as "+ becomes -"
	splices []splice
}

// key returns a name for a bug. The name does not depend on line numbers.
func (s *source) key(b bug) string {
	return fmt.Sprintf("%s/%s %s: %s", strings.TrimPrefix(s.pkg, "./"), s.names[b.file], b.in, b.what)
}

// planted returns the text of the bug's file after planting the bug.
func (s *source) planted(b bug) []byte {
	var out bytes.Buffer
	at := 0
	for _, p := range b.splices {
		out.Write(s.texts[b.file][at:p.from])
		out.WriteString(p.text)
		at = p.to
	}
	out.Write(s.texts[b.file][at:])
	return out.Bytes()
}

// bugs returns all bugs that can be generated in the package, in source order.
func (s *source) bugs() []bug {
	var out []bug
	for k, f := range s.files {
		for _, d := range f.Decls {
			m := maker{source: s, file: k, in: "declarations"}
			if fn, ok := d.(*ast.FuncDecl); ok {
				m.in = funcName(fn)
			}
			ast.PreorderStack(d, nil, m.visit)
			m.locks(d)
			out = append(out, m.bugs...)
		}
	}
	number(out)
	return out
}

// number appends numbers to the descriptions of equal changes in the same function, to make them
// unique.
func number(bugs []bug) {
	type place struct {
		file     int
		in, what string
	}
	seen := map[place]int{}
	for k := range bugs {
		b := &bugs[k]
		p := place{b.file, b.in, b.what}
		if seen[p]++; seen[p] > 1 {
			b.what += fmt.Sprintf(" (%d)", seen[p])
		}
	}
}

func funcName(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	return types.ExprString(t) + "." + fn.Name.Name
}
