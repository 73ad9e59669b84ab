package tidy

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// planted is a small module, with the finding that one rule must make in it; no
// finding is wanted if want is empty.
type planted struct {
	rule  string
	name  string
	files map[string]string
	want  string
}

// one plants a single file.
func one(path, text string) map[string]string { return map[string]string{path: text} }

// plantedHouses has at least one bad and one good module for every rule:
// TestPlanted checks that.
var plantedHouses = []planted{
	{"packages", "nothing there", one("wheel/wheel.go", "package wheel"), "engine: the package is missing"},
	{"packages", "tests only", one("wheel/wheel_test.go", "package wheel"), "wheel: the package is missing"},
	{"packages", "all there", everyPackage(), ""},

	{"arrows", "library to library", one("wheel/a.go", `package wheel; import _ "github.com/bufftick/bufftick/buff"`), "wheel/a.go:1: wheel may not import github.com/bufftick/bufftick/buff"},
	{"arrows", "library to module", one("buff/a.go", `package buff; import _ "github.com/goccy/go-yaml"`), "buff may not import github.com/goccy/go-yaml"},
	{"arrows", "path that only begins alike", one("internal/definition/a.go", `package definition; import _ "github.com/goccy/go-yaml-ng"`), "internal/definition may not import"},
	{"arrows", "second importer of the pool", one("cmd/x/a.go", `package main; import _ "github.com/panjf2000/ants/v2"`), "cmd/x may not import github.com/panjf2000/ants/v2"},
	{"arrows", "library to program", one("engine/a.go", `package engine; import _ "github.com/bufftick/bufftick/bench"`), "engine may not import"},
	{"arrows", "test to program", one("engine/a_test.go", `package engine; import _ "github.com/bufftick/bufftick/bench"`), "engine may not import"},
	{"arrows", "program to program", one("cmd/x/a.go", `package main; import _ "github.com/bufftick/bufftick/examples/mmo"`), "cmd/x may not import"},
	{"arrows", "new package", one("shop/a.go", `package shop`), "shop: the package has no row"},
	{"arrows", "front page", one("doc.go", `package bufftick; import _ "github.com/bufftick/bufftick/engine"`), ". may not import"},
	{"arrows", "all allowed", map[string]string{
		"engine/a.go":              `package engine; import ( _ "sync"; _ "github.com/bufftick/bufftick/wheel"; _ "github.com/panjf2000/ants/v2" )`,
		"engine/a_test.go":         `package engine; import _ "github.com/stretchr/testify/require"`,
		"internal/definition/a.go": `package definition; import _ "github.com/goccy/go-yaml/ast"`,
		"bench/go.mod":             "module bench",
		"bench/peers/go.mod":       "module peers",
		"bench/peers/main.go":      `package main; import _ "github.com/panjf2000/ants/v2"`,
		"bench/a.go":               `package bench; import _ "github.com/bufftick/bufftick/bench/report"`,
	}, ""},

	{"clock", "read", one("wheel/a.go", "package wheel\nimport \"time\"\nvar t = time.Now()"), "wheel/a.go:3: time.Now in a package"},
	{"clock", "under another name", one("buff/a.go", "package buff\nimport clock \"time\"\nvar now = clock.Now"), "buff/a.go:3: time.Now"},
	{"clock", "under no name", one("buff/a.go", "package buff\nimport . \"time\"\nvar now = Now"), "a dot import of time"},
	{"clock", "go", one("actor/a.go", "package actor\nfunc f() { go f() }"), "a go statement"},
	{"clock", "go by a method", one("actor/a.go", "package actor\nimport \"sync\"\nfunc f(wg *sync.WaitGroup) { wg.Go(func() {}) }"), "a call of Go"},
	{"clock", "dice", one("buff/stat/a.go", "package stat\nimport \"math/rand/v2\"\nvar n = rand.IntN(6)"), "rand.IntN"},
	{"clock", "deadline", one("engine/a.go", "package engine\nimport \"context\"\nvar f = context.WithTimeout"), "context.WithTimeout"},
	{"clock", "allowed file, other clock", one("engine/budget.go", "package engine\nimport \"time\"\nvar t = time.NewTimer(0)\nvar n = time.Now()"), "engine/budget.go:4: time.Now"},
	{"clock", "allowed and not used", one("engine/budget.go", "package engine"), "time.NewTimer is allowed here"},
	{"clock", "all allowed", map[string]string{
		"wheel/a.go":       "package wheel\nimport \"time\"\n// time.Now is not called.\nconst d = time.Second // go away",
		"wheel/a_test.go":  "package wheel\nfunc f() { go f() }",
		"buff/a.go":        "package buff\nimport \"math/rand/v2\"\nfunc f(r *rand.Rand) int { return r.IntN(6) }",
		"engine/budget.go": "package engine\nimport \"time\"\nvar t = time.NewTimer(0)",
		"bench/a.go":       "package bench\nimport \"time\"\nvar t = time.Now()",
	}, ""},

	{"waiting tests", "sleep", one("bench/a_test.go", "package bench\nimport \"time\"\nfunc f() { time.Sleep(1) }"), "bench/a_test.go:3: time.Sleep"},
	{"waiting tests", "sleep beside the bubble", one("actor/a_test.go", sleepBesideBubble), "actor/a_test.go:7: time.Sleep"},
	{"waiting tests", "yield", one("actor/a_test.go", "package actor\nimport \"runtime\"\nfunc f() { runtime.Gosched() }"), "runtime.Gosched"},
	{"waiting tests", "poll", one("actor/a_test.go", "package actor\nimport \"github.com/stretchr/testify/require\"\nvar f = require.EventuallyWithT"), "EventuallyWithT polls"},
	{"waiting tests", "poll by a method", one("actor/a_test.go", "package actor\nfunc f(r R) { r.Eventually() }"), "Eventually polls"},
	{"waiting tests", "watch", one("actor/a_test.go", "package actor\nimport \"github.com/stretchr/testify/assert\"\nvar f = assert.Never"), "Never polls"},
	{"waiting tests", "sleep under no name", one("actor/a_test.go", "package actor\nimport . \"time\"\nfunc f() { Sleep(1) }"), "a dot import of time"},
	{"waiting tests", "bubble", one("actor/a_test.go", strings.Replace(sleepBesideBubble, "time.Sleep(2)", "", 1)), ""},

	{"length", "file", one("cmd/x/a.go", "package main\n"+strings.Repeat("\n", 400)), "cmd/x/a.go: 401 lines, more than 400"},
	{"length", "function", one("wheel/a.go", "package wheel\nfunc f() {"+strings.Repeat("\n", 60)+"}"), "wheel/a.go:2: f has 61 lines, more than 60"},
	{"length", "just short enough", map[string]string{
		"cmd/x/a.go":      "package main\n" + strings.Repeat("\n", 399),
		"wheel/a.go":      "package wheel\n// f\nfunc f() {" + strings.Repeat("\n", 59) + "}",
		"wheel/a_test.go": "package wheel\nfunc f() {" + strings.Repeat("\n", 500) + "}",
	}, ""},

	{"documentation", "function", one("wheel/a.go", "package wheel\nfunc New() {}"), "wheel/a.go:2: New is exported and has no doc comment"},
	{"documentation", "method", one("wheel/a.go", "package wheel\n\n// W is.\ntype W[V any] struct{}\n\nfunc (w *W[V]) Len() {}"), "Len is exported"},
	{"documentation", "other beginning", one("wheel/a.go", "package wheel\n\n// Creates a wheel.\nfunc New() {}"), "the doc comment of New does not begin with its name"},
	{"documentation", "longer name", one("wheel/a.go", "package wheel\n\n// Newest creates a wheel.\nfunc New() {}"), "does not begin with its name"},
	{"documentation", "type", one("buff/a.go", "package buff\ntype Set struct{}"), "Set is exported"},
	{"documentation", "type in a group", one("buff/a.go", "package buff\n\n// Types of things.\ntype (\n\tSet struct{}\n)"), "Set is exported"},
	{"documentation", "field", one("buff/a.go", "package buff\n\n// Set is.\ntype Set struct {\n\t// Len is.\n\tLen int\n\n\tCap int\n}"), "buff/a.go:8: Set.Cap is exported"},
	{"documentation", "interface", one("actor/a.go", "package actor\n\n// Pool is.\ntype Pool interface {\n\tSubmit()\n\tClose()\n}"), "Pool.Close is exported"},
	{"documentation", "article and other name", one("actor/a.go", "package actor\n\n// A pool is.\ntype Pool int"), "does not begin with its name"},
	{"documentation", "constant", one("wheel/a.go", "package wheel\nconst Never = 1"), "Never is exported"},
	{"documentation", "variable in a group", one("engine/a.go", "package engine\nvar (\n\tErrClosed = 1\n)"), "ErrClosed is exported"},
	{"documentation", "all said", map[string]string{"wheel/a.go": documented, "bench/a.go": "package bench\nfunc New() {}", "wheel/a_test.go": "package wheel\nfunc New2() {}"}, ""},

	{"who may call", "not said", one("engine/a.go", threeLanes+"\nfunc (e *Engine) Close() {}"), "Engine.Close says 0 times"},
	{"who may call", "in other words", one("engine/a.go", threeLanes+"\n// Close closes. Anyone may call it.\nfunc (e *Engine) Close() {}"), "Engine.Close says 0 times"},
	{"who may call", "said and unsaid", one("engine/a.go", threeLanes+"\n// Close: Any goroutine may call it. Only inside the handler.\nfunc (e *Engine) Close() {}"), "Engine.Close says 2 times"},
	{"who may call", "lane gone", one("engine/a.go", strings.ReplaceAll(threeLanes, "Inbox", "Box")), "no exported method of Inbox"},
	{"who may call", "all said", one("engine/a.go", threeLanes+"\n// F is free.\nfunc F() {}\nfunc (e *Engine) close() {}"), ""},

	{"names", "file", one("bench/util_strings.go", "package bench"), "bench/util_strings.go: name the file"},
	{"names", "test file", one("wheel/helpers_test.go", "package wheel"), "name the file"},
	{"names", "interfaces", one("actor/interfaces.go", "package actor"), "name the file"},
	{"names", "type", one("buff/a.go", "package buff\ntype buffManager struct{}"), "buff/a.go:2: type buffManager"},
	{"names", "mark", one("buff/a.go", "package buff\n\nfunc f() {\n\t// "+"TODO: later\n}"), "buff/a.go:4: TODO"},
	{"names", "mark in a long comment", one("buff/a.go", "package buff\n\n/*\n"+"FIXME\n*/\n"), "FIXME"},
	{"names", "all good", one("buff/prototypes.go", "package buff\n\n// TODOS and managers are words.\ntype managers struct{}\n\nconst s = \"TODO\"\n"), ""},

	{"teaching", "no doc.go", one("wheel/wheel.go", "// Package wheel is.\npackage wheel"), "wheel: no doc.go"},
	{"teaching", "empty doc.go", one("wheel/doc.go", "package wheel"), "wheel: no doc.go"},
	{"teaching", "no example", map[string]string{
		"wheel/doc.go":   "// Package wheel is.\npackage wheel",
		"wheel/wheel.go": "package wheel",
	}, "wheel: no Example"},
	{"teaching", "example that does not run", map[string]string{
		"wheel/doc.go":          "// Package wheel is.\npackage wheel",
		"wheel/wheel.go":        "package wheel",
		"wheel/example_test.go": "package wheel\nfunc Example() {\n}\n// Output: 1\n",
	}, "wheel: no Example"},
	{"teaching", "silent program", one("cmd/x/main.go", "package main"), "cmd/x: no package comment"},
	{"teaching", "silent front page", one("doc.go", "package bufftick"), ".: no package comment"},
	{"teaching", "all taught", map[string]string{
		"wheel/doc.go":          "// Package wheel is.\npackage wheel",
		"wheel/wheel.go":        "package wheel",
		"wheel/example_test.go": "package wheel\nfunc Example() {\n\t// Output: 1\n}\n",
		"cmd/x/main.go":         "// Command x does.\npackage main",
		"doc.go":                "// Package bufftick is.\npackage bufftick",
		"tidy/doc.go":           "// Package tidy is.\npackage tidy",
		"tidy/tidy_test.go":     "package tidy",
	}, ""},
}

func TestPlanted(t *testing.T) {
	type sides struct{ good, bad bool }
	tried := map[string]sides{}
	for _, p := range plantedHouses {
		t.Run(p.rule+"/"+p.name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for path, text := range p.files {
				fsys[path] = &fstest.MapFile{Data: []byte(text)}
			}
			house, err := loadTree(fsys)
			require.NoError(t, err)
			found := strings.Join(ruleNamed(t, p.rule)(house), "\n")
			if p.want == "" {
				require.Empty(t, found)
				return
			}
			require.Contains(t, found, p.want)
		})
		s := tried[p.rule]
		tried[p.rule] = sides{good: s.good || p.want == "", bad: s.bad || p.want != ""}
	}
	for _, r := range rules {
		require.Equal(t, sides{good: true, bad: true}, tried[r.name], "the rule %q was not tried on both good and bad source", r.name)
	}
}

func ruleNamed(t *testing.T, name string) func(*tree) []string {
	t.Helper()
	for _, r := range rules {
		if r.name == name {
			return r.check
		}
	}
	t.Fatalf("no rule is called %q", name)
	return nil
}

func everyPackage() map[string]string {
	files := map[string]string{}
	for _, dir := range expected {
		files[dir+"/a.go"] = "package a"
	}
	return files
}

const sleepBesideBubble = `package actor
import (
	"testing/synctest"
	"time"
)
func f(t T) { synctest.Test(t, func(t T) { g := func() { time.Sleep(1) }; g() })
	time.Sleep(2)
}`

const documented = `package wheel

// Never is later than all.
const Never = 1

// Kinds of things.
const (
	A = iota
	B
)

var (
	// ErrClosed is returned.
	ErrClosed = 1
	ErrFull   = 2 // after Close

	hidden = 3
)

// W is a wheel.
type W struct {
	// Min and Max are bounds.
	Min int
	Max int

	Len int // in slots
	Cap int

	hidden int
}

type inner struct{ Field int }

func (i inner) Method() {}

// New makes a wheel.
func New() {}

// A Pool runs what it is given.
type Pool interface {
	Submit(func()) error
}

// Loop is two things.
type Loop interface {
	// Tick ticks.
	Tick()

	Close() // ends it
}
`

const threeLanes = `package engine

// Tick ticks. Only the loop goroutine
// may call it.
func (e *Engine) Tick() {}

// AddBuff adds. Only inside the handler.
func (c Context) AddBuff() {}

// AddBuff adds. Any goroutine may call it.
func (i *Inbox) AddBuff() {}
`

// The README's comparison has its own planted sources.

const readmeExample = `package engine_test

import "fmt"

type game struct{ hp int }

func Example() {
	g := game{hp: 3}
	for range 2 {
		fmt.Println(hit(&g))
	}
	// Output:
	// 2
	// 1
}

func hit(g *game) int { g.hp--; return g.hp }
`

const readmeGood = `# bufftick

` + programMarker + "\n```go" + `
package main

import "fmt"

type game struct{ hp int }

func main() {
    g := game{hp: 3}
    for range 2 {
        fmt.Println(hit(&g))
    }
}

func hit(g *game) int { g.hp--; return g.hp }
` + "```\n\nIt prints:\n\n" + outputMarker + "\n```text\n2\n1\n```\n"

func TestPlantedReadme(t *testing.T) {
	require.Empty(t, readmeDiffers(readmeGood, []byte(readmeExample)))
	oneLine := strings.Replace(readmeExample, "Output:\n\t// 2\n\t// 1", "Output: 2", 1)
	require.Empty(t, readmeDiffers(strings.Replace(readmeGood, "2\n1\n", "2\n", 1), []byte(oneLine)))
	for _, p := range []struct{ name, old, new, want string }{
		{"other statement", "hp: 3", "hp: 4", "the README's main differs"},
		{"other function", "g.hp--;", "g.hp -= 2;", "the README's func hit"},
		{"other type", "game struct{ hp int }", "game struct{ hp, mp int }", "the README's type game"},
		{"other output", "```text\n2\n1\n", "```text\n2\n0\n", "the README's output differs"},
		{"no program marker", programMarker, "", "no line " + programMarker},
		{"no output marker", outputMarker, "", "no line " + outputMarker},
		{"two programs", "# bufftick", programMarker, "more than one line"},
		{"marker without a block", outputMarker + "\n", outputMarker + "\n\n", "no fenced block"},
		{"block without an end", "1\n```\n", "1\n", "does not end"},
		{"no Go", "package main", "poison := 1", "the README's program"},
		{"no main", "func main()", "func start()", "want a main"},
	} {
		t.Run(p.name, func(t *testing.T) {
			require.Contains(t, readmeGood, p.old)
			bad := strings.Replace(readmeGood, p.old, p.new, 1)
			require.Contains(t, strings.Join(readmeDiffers(bad, []byte(readmeExample)), "\n"), p.want)
		})
	}
	silent := strings.ReplaceAll(readmeExample, "Output", "Prints")
	require.Contains(t, strings.Join(readmeDiffers(readmeGood, []byte(silent)), "\n"), "with an Output comment")
}

func TestPlantedPlaceholder(t *testing.T) {
	require.Empty(t, placeholders(readmeGood))
	require.Empty(t, placeholders("# API\n\nMIT license\n\nSee JSON.\n\nA\n\n| 12 |\n"))
	require.Contains(t, placeholders("# bufftick\n\nFIGURES\n")[0], "README.md:3: ")
	for _, line := range []string{"FIGURES", "  BENCH", "**NUMBERS**", "<!-- BENCH -->", "BENCH_TABLE", "FIGURES.", "BENCH\r", "```\nBENCH\n```"} {
		found := placeholders(readmeGood + "\n" + line + "\n\nMore.\n")
		require.Len(t, found, 1, line)
		require.Contains(t, found[0], "the line is only ")
	}
}
