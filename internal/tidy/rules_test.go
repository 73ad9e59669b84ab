package tidy

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
)

// expected are packages that must be present, so that the other rules have code to check.
var expected = []string{
	"actor", "bench", "buff", "buff/catalog", "cmd/bufftick", "conformance/judge", "engine", "examples/mmo", "inspect", "wheel",
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

// arrows lists what each library package may import in addition to the standard library:
// packages of this module by folder, other modules by path prefix. A new library gets its row
// here, with the reason in the commit message.
var arrows = map[string][]string{
	"actor":              {},
	"buff":               {"buff/reason", "wheel", "buff/stat", "buff/define", "buff/verb", "internal/compile", "internal/exact", "internal/handle", "internal/misspelt", "internal/state", "internal/stolen", "internal/wordlist"},
	"internal/compile":   {"buff/reason", "buff/define", "buff/stat", "internal/exact", "internal/handle", "internal/misspelt", "internal/rules/sheet", "internal/wordlist"},
	"internal/rules":     {"buff/reason", "buff", "buff/define", "buff/journal", "buff/stat", "buff/verb", "wheel", "internal/compile", "internal/exact", "internal/handle", "internal/rules/clock", "internal/rules/deadline", "internal/rules/gate", "internal/rules/sheet", "internal/rules/slots", "internal/state", "internal/stolen"},
	"internal/stolen":    {"buff/reason", "buff/define", "internal/compile"},
	"internal/exact":     {},
	"buff/define":        {"buff/reason", "buff/stat", "internal/wordlist"}, // not buff, which imports it
	"buff/verb":          {"internal/wordlist"},
	"buff/reason":        {"internal/wordlist"},
	"buff/journal":       {},
	"buff/stat":          {"internal/wordlist"},
	"buff/catalog":       {"buff", "internal/definition"},
	"buff/catalog/watch": {"buff", "buff/catalog", "internal/definition", "github.com/fsnotify/fsnotify"},
	"internal/definition": {
		"buff/reason", "buff", "buff/define", "buff/stat", "wheel", "internal/recovered", "internal/misspelt",
		"github.com/goccy/go-yaml", "github.com/google/jsonschema-go", "github.com/expr-lang/expr",
	},
	"engine":                           {"buff/reason", "wheel", "buff", "buff/define", "buff/journal", "buff/verb", "buff/stat", "actor", "internal/rules", "internal/state", "engine/history", "engine/view", "internal/radix", "internal/recovered", "internal/recording", "internal/snapshot", antsPath},
	"engine/view":                      {"buff/reason", "wheel", "buff", "buff/define", "buff/stat"}, // not engine, which imports it
	"engine/history":                   {"buff/reason", "wheel", "buff", "buff/define", "buff/verb", "buff/stat"},
	"engine/replay":                    {"engine", "buff", "wheel", "internal/recovered", "internal/recording"},
	"wheel":                            {"internal/radix"},
	"internal/radix":                   {},
	"replicate":                        {"engine", "buff", "buff/define", "buff/journal", "buff/stat", "wheel"},
	"replicate/js":                     {},
	"replicate/client":                 {"buff", "buff/define", "wheel"}, // not engine: it runs on the player's machine
	"store":                            {"engine", "buff", "internal/snapshot"},
	"store/bolt":                       {"store", "store/record", "buff", "go.etcd.io/bbolt"},
	"store/record":                     {"store", "buff", "wheel", "internal/snapshot", "internal/wire"},
	"store/storetest":                  {"store", "store/record", "engine", "buff", "wheel"},
	"inspect":                          {"buff/reason", "engine", "engine/view", "engine/history", "buff", "buff/define", "buff/verb", "buff/stat", "wheel", "internal/rules", "internal/rules/clock", "internal/rules/deadline", "internal/rules/sheet", "internal/recovered"},
	"conformance/judge":                {}, // independent of the engine, which it is compared with
	"internal/handle":                  {},
	"internal/preview":                 {"buff/reason", "internal/rules", "buff", "buff/define", "buff/verb", "wheel"},
	"internal/recovered":               {},
	"internal/recovered/recoveredtest": {},
	"internal/recording":               {"buff", "buff/define", "wheel", "internal/wire"},
	"internal/scenario":                {"engine", "buff", "buff/define", "buff/stat", "buff/verb", "wheel", "internal/definition", "internal/misspelt", "github.com/goccy/go-yaml"},
	"internal/snapshot":                {"buff"},
	"internal/state":                   {"buff/define", "buff/stat", "internal/wire", "internal/wordlist"},
	"internal/wire":                    {},
	"internal/long":                    {},
	"internal/misspelt":                {},
	"internal/needs":                   {},
	"internal/wordlist":                {"internal/misspelt"},
	"internal/rules/clock":             {"buff", "buff/define", "internal/exact", "wheel"},
	"internal/rules/slots":             {},
	"internal/rules/deadline":          {"internal/rules/clock", "wheel"},
	"internal/rules/gate":              {"buff", "buff/define", "internal/rules/clock"},
	"internal/rules/sheet":             {"buff/stat"},
	"internal/tidy":                    {},
	"timer":                            {"wheel"}, // the caller passes a Pool
}

// programs are folders that libraries must not import.
var programs = []string{"bench", "cmd", "conformance", "examples"}

func topFolder(dir string) string {
	top, _, _ := strings.Cut(dir, "/")
	return top
}

func isProgram(dir string) bool {
	_, limited := arrows[dir]
	return slices.Contains(programs, topFolder(dir)) && !limited
}

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

// core are the packages in which time and randomness are arguments.
var core = []string{"actor", "buff", "buff/catalog", "buff/define", "buff/journal", "buff/reason", "buff/stat", "buff/verb", "engine", "engine/view", "internal/compile", "internal/definition", "internal/preview", "internal/rules", "internal/rules/clock", "internal/rules/deadline", "internal/rules/gate", "internal/rules/sheet", "internal/rules/slots", "replicate", "replicate/client", "store", "store/bolt", "store/record", "wheel"}

// clocks are the functions that read the wall clock or wait for it.
var clocks = map[string][]string{
	"time":    {"After", "AfterFunc", "NewTicker", "NewTimer", "Now", "Since", "Sleep", "Tick", "Until"},
	"context": {"AfterFunc", "WithDeadline", "WithDeadlineCause", "WithTimeout", "WithTimeoutCause"},
}

// seeded are the names in math/rand that do not use its global source.
var seeded = []string{
	"ChaCha8", "New", "NewChaCha8", "NewPCG", "NewSource", "NewZipf", "PCG", "Rand", "Source", "Source64", "Zipf",
}

// clockAllowed lists the files of the core that may use the wall clock or start goroutines, and
// why. An entry that is no longer used is a finding too.
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
		"a restored engine's Epoch is the present unless Options.Now is set",
	},
	"store/commits.go": {
		[]string{"a go statement"},
		"one goroutine of each Saver waits for the disk, so that the loop does not",
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

// clock returns the wall clock function, go statement or global random source that the node
// uses, or "".
func (s *source) clock(n ast.Node) string {
	switch n := n.(type) {
	case *ast.GoStmt:
		return "a go statement"
	case *ast.CallExpr:
		// WaitGroup.Go and similar methods start a goroutine.
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

// waitingTests finds tests that wait for wall time to pass. Sleep is allowed in a function
// literal passed to synctest.Test, where it takes no real time.
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

// bubbles returns the function literals passed to synctest.Test.
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

// callers are the fixed phrases for who may call a method; each exported method of a lane has
// exactly one of them in its doc comment.
var (
	callers = []string{"Only the loop goroutine may call it.", "Any goroutine may call it.", "It may be called only inside the handler."}
	lanes   = []string{"Context", "Engine", "Inbox"}
)

func unsaidCaller(tr *tree) []string {
	var out []string
	said := map[string]bool{}
	for _, s := range tr.dirs["engine"] {
		for _, d := range s.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || s.test || fn.Recv == nil || !fn.Name.IsExported() || !slices.Contains(lanes, receiver(fn)) {
				continue
			}
			said[receiver(fn)] = true
			doc, n := strings.Join(strings.Fields(fn.Doc.Text()), " "), 0
			for _, phrase := range callers {
				n += strings.Count(doc, phrase)
			}
			if n != 1 {
				out = append(out, tr.at(fn.Name, "%s.%s has %d of the fixed phrases for who may call it, want one", receiver(fn), fn.Name.Name, n))
			}
		}
	}
	for _, lane := range lanes {
		if !said[lane] {
			out = append(out, "engine: no exported method of "+lane+" was found")
		}
	}
	return out
}

// receiver returns the type name of the method's receiver.
func receiver(fn *ast.FuncDecl) string {
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
