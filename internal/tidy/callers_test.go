package tidy

import (
	"bytes"
	"encoding/json"
	"errors"
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
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// surfacePage says of each wide library which names it has, by what they are and who calls them.
const surfacePage = "docs/surface.md"

// wide are the libraries that the page is about.
var wide = []string{"buff", "engine", "buff/stat", "actor", "buff/catalog"}

// callers of a name, the first that is true. What a game calls is the vocabulary; the others are why a
// package has more names than a game programmer needs.
const (
	byGame    = "a game"          // examples, and the programs of the guide and the README
	byLibrary = "other libraries" // and the tool
	byEngine  = "the engine alone"
	byNobody  = "no program here"
)

var callerClasses = []string{byGame, byLibrary, byEngine, byNobody}

// name is one exported name of a library.
type name struct {
	label string // as "Set.Apply"
	kind  string
}

// TestSurfacePage: docs/surface.md is what the source says. UPDATE=1 writes it.
func TestSurfacePage(t *testing.T) {
	if testing.Short() {
		t.Skip("asks the go command for every package of every module")
	}
	house, err := loadTree(os.DirFS(root))
	require.NoError(t, err)
	page := writeSurface(house, findCallers(t, house))
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(inRoot(surfacePage), []byte(page), 0o644))
	}
	text, err := os.ReadFile(inRoot(surfacePage))
	require.NoError(t, err)
	require.Equal(t, string(text), page, "run UPDATE=1 go test ./internal/tidy -run TestSurfacePage")
}

// writeSurface writes the page: a table of numbers for each library, and the names that no game calls.
func writeSurface(house *tree, calls map[string]map[string]bool) string {
	var b strings.Builder
	b.WriteString(`# Exported names, and who calls them

What a game programmer reads of a package is what its first column of numbers counts; the others say why there is more. How many there may be at
most is in ` + "`internal/tidy/surface_test.go`" + `. The aim was 200 for buff, 110 for engine, 40 for stat, 15 for actor and for catalog; engine, stat and catalog are
there. The words of a definition are not buff's any more: they are ` + "`buff/define`" + `. Of what buff has, some 180 are the vocabulary: commands, kinds of events,
reasons, a Catalog, and errors to match. The rest is Set, with what it takes and returns. The engine alone calls it, but it is the rules, and the
rules and the vocabulary share what is not exported: a Spec, an Instance and an Application have fields that only a Set reads. Of actor's, all are the
engine's: six types, Group's methods by which the loop hands owners over and takes them back, and Mailbox's. What the engine asks of it between two
hand-overs (Staged, Running, Held, Quiet, Stats) are five questions with five costs.

Made from the source by ` + "`UPDATE=1 go test ./internal/tidy -run TestSurfacePage`" + `, and held by that test. A game is what ` + "`examples`" + `, the
guide and the README do. Other libraries are ` + "`store`, `replicate`, `inspect`, `cluster`, `timer`, `metrics`, `bench`" + ` and the tool. No program here calls
what only tests and readers of the documentation do: words of the format that stand in files, texts, and what a game may want that our examples do not.
Fields are not counted.
`)
	for _, dir := range wide {
		names := exportedNames(house, dir)
		count := map[string]map[string]int{}
		var kinds []string
		for _, n := range names {
			if count[n.kind] == nil {
				count[n.kind] = map[string]int{}
				kinds = append(kinds, n.kind)
			}
			count[n.kind][classOf(calls[dir+"."+n.label])]++
		}
		slices.Sort(kinds)
		fmt.Fprintf(&b, "\n## %s: %d\n\n| what | names | %s |\n|---|--:|--:|--:|--:|--:|\n", dir, len(names), strings.Join(callerClasses, " | "))
		total := map[string]int{}
		for _, kind := range kinds {
			sum := 0
			var row []string
			for _, c := range callerClasses {
				sum += count[kind][c]
				total[c] += count[kind][c]
				row = append(row, number(count[kind][c]))
			}
			fmt.Fprintf(&b, "| %s | %d | %s |\n", kind, sum, strings.Join(row, " | "))
		}
		fmt.Fprintf(&b, "| **all** | **%d** |", len(names))
		for _, c := range callerClasses {
			fmt.Fprintf(&b, " **%d** |", total[c])
		}
		b.WriteString("\n")
		for _, c := range callerClasses[1:] {
			list := map[string][]string{}
			for _, n := range names {
				if classOf(calls[dir+"."+n.label]) == c && n.kind != kindText {
					list[n.kind] = append(list[n.kind], n.label)
				}
			}
			if len(list) == 0 {
				continue
			}
			fmt.Fprintf(&b, "\nCalled by %s:\n\n", c)
			for _, kind := range kinds {
				if l := list[kind]; len(l) > 0 {
					slices.Sort(l)
					fmt.Fprintf(&b, "- %s: %s\n", kind, strings.Join(l, ", "))
				}
			}
		}
	}
	return b.String()
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// classOf says who calls a name, of the folders of its callers.
func classOf(dirs map[string]bool) string {
	class := byNobody
	for dir := range dirs {
		switch {
		case topFolder(dir) == "examples" || dir == "docs":
			return byGame
		case dir == "engine" || dir == "engine/replay" || dir == "engine/history":
			if class == byNobody {
				class = byEngine
			}
		case dir == "buff" || dir == "internal/recording":
			if class == byNobody {
				class = byEngine // stat's caller on the engine's side
			}
		default:
			class = byLibrary
		}
	}
	return class
}

const (
	kindText     = "texts and bytes: String, UnmarshalText, Error, Unwrap and their like"
	kindWord     = "constants: words of the format, kinds and reasons"
	kindError    = "errors to match"
	kindCommand  = "constructors of commands"
	kindType     = "types"
	kindFunction = "functions"
)

var textMethods = strings.Fields("String GoString Format AppendText MarshalText UnmarshalText AppendBinary MarshalBinary UnmarshalBinary MarshalJSON UnmarshalJSON Error Unwrap Is As")

// exportedNames are what exported counts.
func exportedNames(tr *tree, dir string) (out []name) {
	for _, s := range tr.dirs[dir] {
		if s.test {
			continue
		}
		for _, d := range s.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) {
					out = append(out, functionName(d))
				}
			case *ast.GenDecl:
				out = append(out, declaredNames(d)...)
			}
		}
	}
	return out
}

func functionName(d *ast.FuncDecl) name {
	if d.Recv != nil {
		of := receiver(d)
		if slices.Contains(textMethods, d.Name.Name) {
			return name{of + "." + d.Name.Name, kindText}
		}
		return name{of + "." + d.Name.Name, "methods of " + of}
	}
	if r := d.Type.Results; r != nil && len(r.List) == 1 {
		if id, ok := r.List[0].Type.(*ast.Ident); ok && id.Name == "Command" {
			return name{d.Name.Name, kindCommand}
		}
	}
	return name{d.Name.Name, kindFunction}
}

func declaredNames(d *ast.GenDecl) (out []name) {
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if spec.Name.IsExported() {
				out = append(out, name{spec.Name.Name, kindType})
			}
		case *ast.ValueSpec:
			for _, id := range spec.Names {
				switch {
				case !id.IsExported():
				case strings.HasPrefix(id.Name, "Err"):
					out = append(out, name{id.Name, kindError})
				default:
					out = append(out, name{id.Name, kindWord})
				}
			}
		}
	}
	return out
}

// listed is what the go command says of a package.
type listed struct {
	Dir, ImportPath, Export string
	GoFiles                 []string
	Standard                bool
}

// findCallers returns, by "folder.Name" of each exported name of a wide library, the folders that use it.
func findCallers(t *testing.T, house *tree) map[string]map[string]bool {
	calls := map[string]map[string]bool{}
	note := func(key, dir string) {
		if calls[key] == nil {
			calls[key] = map[string]bool{}
		}
		calls[key][dir] = true
	}
	modules := []string{"."}
	for _, depth := range []string{"*", "*/*", "*/*/*"} {
		files, err := filepath.Glob(inRoot(depth + "/go.mod"))
		require.NoError(t, err)
		for _, f := range files {
			if dir := filepath.Dir(f); filepath.Base(dir) != "tools" {
				modules = append(modules, dir)
			}
		}
	}
	seen := map[string]bool{}
	for _, dir := range modules {
		usesOfModule(t, dir, seen, note)
	}
	pages, err := filepath.Glob(inRoot("docs/guide/*.md"))
	require.NoError(t, err)
	for _, page := range append(pages, inRoot("README.md"), inRoot("docs/cookbook.md")) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		shown(house, string(text), func(key string) { note(key, "docs") })
	}
	return calls
}

// usesOfModule checks the types of a module's packages that were not seen before, and notes what each uses of
// the wide libraries.
func usesOfModule(t *testing.T, dir string, seen map[string]bool, note func(key, dir string)) {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-json=Dir,ImportPath,Export,GoFiles,Standard", "./...")
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	require.NoError(t, err, "go list in %s: %s", dir, &stderr)
	exports := map[string]string{}
	var own []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
		exports[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, module) && !p.Standard && !seen[p.ImportPath] {
			seen[p.ImportPath] = true
			own = append(own, p)
		}
	}
	fset := token.NewFileSet()
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })}
	for _, p := range own {
		var parsed []*ast.File
		for _, f := range p.GoFiles {
			file, err := parser.ParseFile(fset, filepath.Join(p.Dir, f), nil, parser.SkipObjectResolution)
			require.NoError(t, err)
			parsed = append(parsed, file)
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		_, err := conf.Check(p.ImportPath, fset, parsed, info)
		require.NoError(t, err)
		folder := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		for _, o := range info.Uses {
			if key, ok := keyOf(o, folder); ok {
				note(key, folder)
			}
		}
	}
}

// keyOf names an exported thing of a wide library that is used in another folder.
func keyOf(o types.Object, from string) (string, bool) {
	if o.Pkg() == nil || !o.Exported() {
		return "", false
	}
	dir, ok := strings.CutPrefix(o.Pkg().Path(), module+"/")
	if !ok || dir == from || !slices.Contains(wide, dir) {
		return "", false
	}
	if f, ok := o.(*types.Func); ok {
		if recv := f.Origin().Signature().Recv(); recv != nil {
			of := recv.Type()
			if p, ok := of.(*types.Pointer); ok {
				of = p.Elem()
			}
			if n, ok := of.(*types.Named); ok {
				return dir + "." + n.Obj().Name() + "." + f.Name(), true
			}
			return "", false
		}
	}
	return dir + "." + o.Name(), true
}

var (
	goBlock   = regexp.MustCompile("(?s)```go\n(.*?)```")
	qualified = regexp.MustCompile(`\b(buff|engine|stat|catalog|actor)\.([A-Z]\w*)`)
	called    = regexp.MustCompile(`\.([A-Z]\w*)\(`)
)

// shown notes the names that stand in the programs of a page: those of methods wherever a method of that
// name is called, since a page has no types to ask.
func shown(house *tree, text string, note func(key string)) {
	folder := map[string]string{"buff": "buff", "engine": "engine", "stat": "buff/stat", "catalog": "buff/catalog", "actor": "actor"}
	for _, block := range goBlock.FindAllStringSubmatch(text, -1) {
		for _, m := range qualified.FindAllStringSubmatch(block[1], -1) {
			note(folder[m[1]] + "." + m[2])
		}
		methods := map[string]bool{}
		for _, m := range called.FindAllStringSubmatch(block[1], -1) {
			methods[m[1]] = true
		}
		for _, dir := range []string{"engine"} {
			for _, n := range exportedNames(house, dir) {
				if of, method, ok := strings.Cut(n.label, "."); ok && methods[method] && slices.Contains([]string{"Engine", "Context", "Inbox"}, of) {
					note(dir + "." + n.label)
				}
			}
		}
	}
}
