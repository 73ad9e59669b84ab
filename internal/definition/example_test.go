package definition_test

import (
	"fmt"
	"testing/fstest"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/internal/definition"
)

// A file may contain definitions and other data: the game's program walks the tree and gives the
// definitions to this package.
func ExampleParseNode() {
	src := []byte(`{"quest": "cave", "curses": {"dread": {"duration": "5s", "period": "fast"}}}`)
	root, err := definition.Tree("quest.json", src)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, field := range root.(*ast.MappingNode).Values {
		if field.Key.String() == `"curses"` {
			_, err = definition.ParseNode("quest.json", src, field.Value)
			fmt.Println(err)
		}
	}
	// Output:
	// quest.json:1:68: buff "dread": period: "fast" is not a span: want a span such as 12s, 1500ms, 30m or 36h
	//    1 | {"quest": "cave", "curses": {"dread": {"duration": "5s", "period": "fast"}}}
	//      |                                                                    ^
}

// Check reports definitions that are valid but probably a mistake. The catalog is returned too.
func ExampleCheck() {
	files := fstest.MapFS{"buffs/bleed.yaml": {Data: []byte("buffs: {bleed: {duration: 8s, period: 3s}}")}}
	cat, warnings, err := definition.Check(files, definition.CheckOptions{}, "buffs")
	fmt.Println(cat.Len(), warnings, err)
	// Output:
	// 1 buffs/bleed.yaml:1:27: warning: buff "bleed": duration: not a multiple of the period of 3s: the last 2s have no pulse; set tail: partial or fit, or change one of the two (lost-tail)
	//    1 | buffs: {bleed: {duration: 8s, period: 3s}}
	//      |                           ^ <nil>
}
