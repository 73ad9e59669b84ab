package tidy

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
)

// expected are the packages without which the other rules would hold for want of
// anything to look at.
var expected = []string{
	"actor", "bench", "buff", "buff/catalog", "cmd/bufftick", "engine", "examples/mmo", "inspect", "wheel",
}

func missingPackages(tr *tree) []string {
	var out []string
	for _, dir := range expected {
		if !slices.ContainsFunc(tr.dirs[dir], func(s *source) bool { return !s.test }) {
			out = append(out, dir+": the package is missing")
		}
	}
	return out
}

const antsPath = "github.com/panjf2000/ants"

// arrows says what a library package may import beside the standard library:
// packages of this module by their folder, others by the head of their path. A
// new library gets its row here, with the reason in the commit message.
var arrows = map[string][]string{
	".":                  {},
	"actor":              {},
	"buff":               {"wheel", "buff/stat", "buff/define", "buff/journal", "buff/verb", "internal/sheet", "internal/misspelt", "internal/wire", "internal/wordlist"},
	"buff/define":        {"buff/stat", "internal/wordlist"}, // and not buff, which speaks of it
	"buff/verb":          {"internal/wordlist"},
	"buff/journal":       {},
	"buff/stat":          {"internal/wordlist"},
	"buff/catalog":       {"buff", "internal/definition"},
	"buff/catalog/watch": {"buff", "buff/catalog", "internal/definition", "github.com/fsnotify/fsnotify"},
	"internal/definition": {
		"buff", "buff/define", "buff/stat", "wheel", "internal/recovered", "internal/misspelt",
		"github.com/goccy/go-yaml", "github.com/google/jsonschema-go", "github.com/expr-lang/expr",
	},
	"engine":                           {"wheel", "buff", "buff/define", "buff/journal", "buff/verb", "buff/stat", "actor", "engine/history", "engine/view", "internal/radix", "internal/recovered", "internal/recording", "internal/snapshot", antsPath},
	"engine/view":                      {"wheel", "buff", "buff/define", "buff/stat"}, // and not the engine, which makes it
	"engine/history":                   {"wheel", "buff", "buff/define", "buff/verb", "buff/stat"},
	"engine/replay":                    {"engine", "buff", "wheel", "internal/recovered", "internal/recording"},
	"wheel":                            {"internal/radix"},
	"internal/radix":                   {},
	"replicate":                        {"engine", "buff", "buff/define", "buff/journal", "wheel"},
	"replicate/js":                     {},
	"replicate/client":                 {"buff", "buff/define", "wheel"}, // and not the engine: it is on the player's machine
	"store":                            {"engine", "buff", "wheel", "internal/snapshot", "internal/wire"},
	"store/bolt":                       {"store", "buff", "go.etcd.io/bbolt"},
	"store/storetest":                  {"store", "buff", "wheel"},
	"inspect":                          {"engine", "engine/view", "engine/history", "buff", "buff/define", "buff/verb", "buff/stat", "wheel", "internal/sheet", "internal/recovered"},
	"internal/judge":                   {}, // nothing of the engine: it is the second reading of the law
	"internal/preview":                 {"buff", "buff/define", "buff/verb", "wheel"},
	"internal/recovered":               {},
	"internal/recovered/recoveredtest": {},
	"internal/recording":               {"buff", "buff/define", "wheel", "internal/wire"},
	"internal/snapshot":                {"buff"},
	"internal/wire":                    {},
	"internal/misspelt":                {},
	"internal/wordlist":                {"internal/misspelt"},
	"internal/sheet":                   {"buff/stat"},
	"internal/tidy":                    {},
	"timer":                            {"wheel"}, // ants only as a Pool that the caller brings
}

// programs are the folders at the end of every arrow.
var programs = []string{"bench", "cmd", "examples"}

func topFolder(dir string) string {
	top, _, _ := strings.Cut(dir, "/")
	return top
}

func isProgram(dir string) bool { return slices.Contains(programs, topFolder(dir)) }

func isLibrary(dir string) bool { return dir != "." && !isProgram(dir) }

func wrongImports(tr *tree) []string {
	var out []string
	for _, dir := range tr.sorted() {
		if _, ok := arrows[dir]; !ok && !isProgram(dir) {
			out = append(out, dir+": the package has no row in the table of arrows")
		}
	}
	for _, s := range tr.all() {
		for _, spec := range s.ast.Imports {
			if p := importPath(spec); !mayImport(s, p) {
				out = append(out, tr.at(spec, "%s may not import %s", s.dir, p))
			}
		}
	}
	return out
}

func mayImport(s *source, p string) bool {
	own, inside := strings.CutPrefix(p, module+"/")
	standard := !strings.Contains(topFolder(p), ".")
	switch {
	case standard:
		return true
	case inside && isProgram(own):
		return topFolder(own) == topFolder(s.dir)
	case s.test:
		return true
	case isProgram(s.dir):
		return !under(p, antsPath)
	case inside:
		return slices.Contains(arrows[s.dir], own)
	}
	return slices.ContainsFunc(arrows[s.dir], func(head string) bool { return under(p, head) })
}

// under reports whether p is head or a path below it.
func under(p, head string) bool { return p == head || strings.HasPrefix(p, head+"/") }

// core are the packages in which time is an argument and chance is passed in.
var core = []string{"actor", "buff", "buff/catalog", "buff/define", "buff/journal", "buff/stat", "buff/verb", "engine", "engine/view", "internal/definition", "internal/preview", "internal/sheet", "replicate", "replicate/client", "store", "store/bolt", "wheel"}

// clocks are the functions that read or wait for the real time.
var clocks = map[string][]string{
	"time":    {"After", "AfterFunc", "NewTicker", "NewTimer", "Now", "Since", "Sleep", "Tick", "Until"},
	"context": {"AfterFunc", "WithDeadline", "WithDeadlineCause", "WithTimeout", "WithTimeoutCause"},
}

// seeded are the names of math/rand that do not use its global source.
var seeded = []string{
	"ChaCha8", "New", "NewChaCha8", "NewPCG", "NewSource", "NewZipf", "PCG", "Rand", "Source", "Source64", "Zipf",
}

// clockAllowed names the files of the core that may use the real time, what each
// may use, and why. What is allowed and not used is a finding too, so that the
// list cannot outlive its reasons.
var clockAllowed = map[string]struct {
	names  []string
	reason string
}{
	"engine/budget.go": {
		[]string{"time.NewTimer"},
		"Options.Budget is real time: how long one Tick waits for handlers",
	},
	"store/open.go": {
		[]string{"time.Now"},
		"the Epoch of an engine that comes back is the present, unless Options.Now says another one",
	},
	"store/commits.go": {
		[]string{"a go statement"},
		"one goroutine of each Saver waits for the disk, so that no loop does",
	},
}

func hiddenClocks(tr *tree) []string {
	var out []string
	for _, s := range tr.all() {
		if s.test || !slices.Contains(core, s.dir) {
			continue
		}
		allowed, used := clockAllowed[s.path], map[string]bool{}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			name := s.clock(n)
			if name == "" {
				return true
			}
			used[name] = true
			if !slices.Contains(allowed.names, name) {
				out = append(out, tr.at(n, "%s in a package where time and chance are arguments", name))
			}
			return true
		})
		for _, name := range allowed.names {
			if !used[name] {
				out = append(out, fmt.Sprintf("%s: %s is allowed here (%s) and not used", s.path, name, allowed.reason))
			}
		}
	}
	return out
}

// clock names the clock, the goroutine or the global dice that the node uses, and
// returns "" if it uses none.
func (s *source) clock(n ast.Node) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "a go statement"
	case *ast.CallExpr:
		// WaitGroup.Go and its kin: a go statement under another name.
		if sel, ok := n.Fun.(*ast.SelectorExpr); ok && sel.Sel.Name == "Go" {
			return "a call of Go"
		}
	case *ast.ImportSpec:
		p := importPath(n)
		dotted := n.Name != nil && n.Name.Name == "."
		if dotted && (clocks[p] != nil || isRand(p)) {
			return "a dot import of " + p
		}
	case *ast.SelectorExpr:
		p, name, ok := s.qualified(n)
		if ok && (slices.Contains(clocks[p], name) || isRand(p) && !slices.Contains(seeded, name)) {
			return path.Base(strings.TrimSuffix(p, "/v2")) + "." + name
		}
	}
	return ""
}

func isRand(p string) bool { return p == "math/rand" || p == "math/rand/v2" }

// waitingTests finds tests that wait for the real time to pass. In a bubble of
// testing/synctest, written as a function literal, Sleep takes no real time.
func waitingTests(tr *tree) []string {
	var out []string
	for _, s := range tr.all() {
		if !s.test {
			continue
		}
		bubbles := s.bubbles()
		ast.Inspect(s.ast, func(n ast.Node) bool {
			p, name, qualified := s.qualified(n)
			sel, selector := n.(*ast.SelectorExpr)
			spec, imported := n.(*ast.ImportSpec)
			switch {
			case qualified && p == "time" && name == "Sleep" && !within(n, bubbles):
				out = append(out, tr.at(n, "time.Sleep in a test, outside a synctest bubble"))
			case qualified && p == "runtime" && name == "Gosched":
				out = append(out, tr.at(n, "runtime.Gosched in a test"))
			case qualified && strings.HasPrefix(p, "github.com/stretchr/testify/") && strings.HasPrefix(name, "Never"),
				selector && strings.HasPrefix(sel.Sel.Name, "Eventually"):
				out = append(out, tr.at(n, "%s polls the wall clock", sel.Sel.Name))
			case imported && spec.Name != nil && spec.Name.Name == "." && slices.Contains([]string{"time", "runtime"}, importPath(spec)):
				out = append(out, tr.at(n, "a dot import of %s hides what the test waits for", importPath(spec)))
			}
			return true
		})
	}
	return out
}

// bubbles returns the function literals that the file passes to synctest.Test.
func (s *source) bubbles() []ast.Node {
	var out []ast.Node
	ast.Inspect(s.ast, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if p, name, _ := s.qualified(call.Fun); p != "testing/synctest" || name != "Test" {
			return true
		}
		for _, arg := range call.Args {
			if lit, ok := arg.(*ast.FuncLit); ok {
				out = append(out, lit)
			}
		}
		return true
	})
	return out
}

func within(n ast.Node, outer []ast.Node) bool {
	return slices.ContainsFunc(outer, func(o ast.Node) bool { return o.Pos() <= n.Pos() && n.End() <= o.End() })
}

const (
	maxFileLines = 400
	maxFuncLines = 60
)

func tooLong(tr *tree) []string {
	var out []string
	for _, s := range tr.all() {
		if s.test {
			continue
		}
		if s.lines > maxFileLines {
			out = append(out, fmt.Sprintf("%s: %d lines, more than %d", s.path, s.lines, maxFileLines))
		}
		for _, d := range s.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := tr.line(fn.End()) - tr.line(fn.Type.Pos()) + 1; n > maxFuncLines {
				out = append(out, tr.at(fn.Name, "%s has %d lines, more than %d", fn.Name.Name, n, maxFuncLines))
			}
		}
	}
	return out
}

func (tr *tree) line(p token.Pos) int { return tr.fset.Position(p).Line }

// badFile matches file names that say nothing of what is in the file.
var badFile = regexp.MustCompile(`^(util.*|interface.*|types|helpers?)(_test)?\.go$`)

// unfinished matches the marks of work put off.
var unfinished = regexp.MustCompile(`\b(TODO|FIXME|XXX)\b`)

func badNames(tr *tree) []string {
	var out []string
	for _, s := range tr.all() {
		if badFile.MatchString(path.Base(s.path)) {
			out = append(out, s.path+": name the file by what it holds")
		}
		ast.Inspect(s.ast, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok && strings.HasSuffix(strings.ToLower(spec.Name.Name), "manager") {
				out = append(out, tr.at(spec, "type %s says neither what it is nor what it does", spec.Name.Name))
			}
			return true
		})
		for _, group := range s.ast.Comments {
			for _, c := range group.List {
				if mark := unfinished.FindString(c.Text); mark != "" {
					out = append(out, tr.at(c, "%s: finish it or open an issue", mark))
				}
			}
		}
	}
	return out
}
