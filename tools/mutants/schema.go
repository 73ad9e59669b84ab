package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// Building a test binary takes longer than running it. Therefore all bugs inside functions share
// one binary. In this binary, each function contains a copy of its body for each bug in the
// function, and the environment variable MUTANT selects a copy. A run without MUTANT writes the
// numbers of the bugs that it reaches to the file that MUTANT_REACHED names. A test that does not
// reach a bug cannot find the bug.

// switchFile is added to the package. Its variables are initialised before any code of the package
// runs.
const switchFile = `package %s

import (
	"strconv"
	"sync/atomic"
	"syscall"
)

var mutantNow = func() int {
	text, _ := syscall.Getenv("MUTANT")
	n, _ := strconv.Atoi(text)
	return n
}()

var mutantFile = func() int {
	path, ok := syscall.Getenv("MUTANT_REACHED")
	if !ok {
		return -1
	}
	fd, err := syscall.Open(path, syscall.O_WRONLY|syscall.O_CREAT|syscall.O_APPEND, 0o600)
	if err != nil {
		panic(err)
	}
	return fd
}()

var mutantSeen [%d]atomic.Bool

func mutantReached(k int) {
	if mutantFile >= 0 && !mutantSeen[k].Swap(true) {
		syscall.Write(mutantFile, []byte(strconv.Itoa(k)+"\n"))
	}
}
`

// schema returns the texts of the changed files. They contain all bugs that can share a binary; the
// bug with index k has the number k + 1. The result "in" reports for each bug whether the files
// contain it.
func (s *source) schema(bugs []bug) (texts map[string][]byte, in []bool, err error) {
	in = make([]bool, len(bugs))
	inserts := make([][]splice, len(s.files))
	for k, b := range bugs {
		fn := s.function(b)
		if fn == nil {
			continue
		}
		body, ok := s.variant(b, fn, k+1)
		if !ok {
			continue
		}
		in[k] = true
		start, probe := s.offset(fn.body.Lbrace)+1, s.offset(s.statement(b, fn))
		inserts[b.file] = append(inserts[b.file],
			splice{start, start, fmt.Sprintf(" if mutantNow == %d {%s}; ", k+1, body)},
			splice{probe, probe, fmt.Sprintf("mutantReached(%d); ", k+1)})
	}
	texts = map[string][]byte{}
	for file, splices := range inserts {
		if splices == nil {
			continue
		}
		slices.SortStableFunc(splices, func(a, b splice) int { return a.from - b.from })
		path, err := filepath.Abs(filepath.Join(s.pkg, s.names[file]))
		if err != nil {
			return nil, nil, err
		}
		texts[path] = s.planted(bug{file: file, splices: splices})
	}
	path, err := filepath.Abs(filepath.Join(s.pkg, "mutant_switch.go"))
	texts[path] = fmt.Appendf(nil, switchFile, s.files[0].Name.Name, len(bugs)+1)
	return texts, in, err
}

func (s *source) offset(at token.Pos) int { return s.fset.Position(at).Offset }

// function is the body and the results of a function.
type function struct {
	body    *ast.BlockStmt
	results *ast.FieldList
}

// function returns the outermost function whose body contains the bug, or nil.
func (s *source) function(b bug) (found *function) {
	has := func(body *ast.BlockStmt) bool {
		return body != nil && s.offset(body.Lbrace) < b.splices[0].from && b.splices[len(b.splices)-1].to <= s.offset(body.Rbrace)
	}
	ast.Inspect(s.files[b.file], func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if has(n.Body) {
				found = &function{n.Body, n.Type.Results}
			}
		case *ast.FuncLit: // a function in a variable declaration
			if has(n.Body) {
				found = &function{n.Body, n.Type.Results}
			}
		}
		return found == nil
	})
	return found
}

// statement returns the position of the innermost statement that contains the bug.
func (s *source) statement(b bug, fn *function) token.Pos {
	at := fn.body.Lbrace + 1
	visit := func(list []ast.Stmt) {
		for _, one := range list {
			if s.offset(one.Pos()) <= b.splices[0].from && b.splices[0].from < s.offset(one.End()) {
				at = one.Pos()
			}
		}
	}
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			clauses := len(n.List) > 0
			if clauses {
				switch n.List[0].(type) {
				case *ast.CaseClause, *ast.CommClause:
				default:
					clauses = false
				}
			}
			if !clauses {
				visit(n.List)
			}
		case *ast.CaseClause:
			visit(n.Body)
		case *ast.CommClause:
			visit(n.Body)
		}
		return true
	})
	return at
}

// variant returns the body of a function with the bug in it, without braces. It renames the labels,
// because all copies of a body are in one function, in which labels must be unique.
func (s *source) variant(b bug, fn *function, k int) (string, bool) {
	splices := slices.Clone(b.splices)
	label := func(id *ast.Ident) {
		if id != nil {
			at := s.offset(id.End())
			splices = append(splices, splice{at, at, fmt.Sprintf("Mutant%d", k)})
		}
	}
	ast.Inspect(fn.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.LabeledStmt:
			label(n.Label)
		case *ast.BranchStmt:
			label(n.Label)
		}
		return true
	})
	slices.SortStableFunc(splices, func(a, b splice) int { return a.from - b.from })
	var out strings.Builder
	at := s.offset(fn.body.Lbrace) + 1
	for _, p := range splices {
		if p.from < at {
			return "", false
		}
		out.Write(s.texts[b.file][at:p.from])
		out.WriteString(p.text)
		at = p.to
	}
	out.Write(s.texts[b.file][at:s.offset(fn.body.Rbrace)])
	out.WriteString("\n")
	if fn.results == nil || len(fn.results.List) == 0 {
		out.WriteString("return\n")
	}
	return out.String(), true
}
