package catalog_test

import (
	"fmt"
	"testing/fstest"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff/catalog"
)

// A definition from a text.
func ExampleParse() {
	cat, err := catalog.Parse("venom.yaml", []byte(`
buffs:
  venom:
    duration: 12s
    period: 3s
    stack: {by: source, limit: 5, refresh: pandemic}
    on: {pulse: [{call: hurt}]}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	venom := cat.Spec("venom")
	fmt.Println(venom, "lives", venom.Duration, "and pulses every", venom.Period)
	fmt.Println("up to", venom.Stack.Limit, "stacks by", venom.Stack.By)
	fmt.Println("handlers to write:", cat.Handlers())
	// Output:
	// venom lives 12s and pulses every 3s
	// up to 5 stacks by source
	// handlers to write: [hurt]
}

// Every mistake is reported at once, each with a caret under its place.
func ExampleErrors() {
	_, err := catalog.Parse("venom.yaml", []byte(`buffs:
  venom:
    duration: 12
    perod: 3s
    stack: {by: sauce, limit: 0}
    on: {remove: {expired: [{apply: venon}]}}
`))
	fmt.Println(err)
	// Output:
	// venom.yaml:3:15: buff "venom": duration: "12" has no unit: want instant, infinite or a span such as 12s, 1500ms, 30m or 36h
	//    3 |     duration: 12
	//      |               ^
	// venom.yaml:4:5: buff "venom": unknown field "perod": did you mean "period"?
	//    4 |     perod: 3s
	//      |     ^
	// venom.yaml:5:17: buff "venom": stack.by: unknown word "sauce": want none, source, target or key
	//    5 |     stack: {by: sauce, limit: 0}
	//      |                 ^
	// venom.yaml:5:31: buff "venom": stack.limit: must be at least 1, not 0
	//    5 |     stack: {by: sauce, limit: 0}
	//      |                               ^
	// venom.yaml:6:37: buff "venom": on.remove.expired[0].apply: no definition "venon": did you mean "venom"?
	//    6 |     on: {remove: {expired: [{apply: venon}]}}
	//      |                                     ^
}

// A file that holds definitions among other things: its own program walks the tree
// and leaves the definitions to this package.
func ExampleParseNode() {
	src := []byte(`{"quest": "cave", "curses": {"dread": {"duration": "5s", "period": "fast"}}}`)
	root, err := catalog.Tree("quest.json", src)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, field := range root.(*ast.MappingNode).Values {
		if field.Key.String() == `"curses"` {
			_, err = catalog.ParseNode("quest.json", src, field.Value)
			fmt.Println(err)
		}
	}
	// Output:
	// quest.json:1:68: buff "dread": period: "fast" is no span: want a span such as 12s, 1500ms, 30m or 36h
	//    1 | {"quest": "cave", "curses": {"dread": {"duration": "5s", "period": "fast"}}}
	//      |                                                                    ^
}

// What is allowed and hardly meant: the catalog is there, and a word about it.
func ExampleCheck() {
	files := fstest.MapFS{"buffs/bleed.yaml": {Data: []byte("buffs: {bleed: {duration: 8s, period: 3s}}")}}
	cat, warnings, err := catalog.Check(files, catalog.CheckOptions{}, "buffs")
	fmt.Println(cat.Len(), warnings, err)
	// Output:
	// 1 buffs/bleed.yaml:1:27: warning: buff "bleed": duration: not whole periods of 3s: the last 2s have no pulse; say tail: partial or fit, or change one of the two (lost-tail)
	//    1 | buffs: {bleed: {duration: 8s, period: 3s}}
	//      |                           ^ <nil>
}
