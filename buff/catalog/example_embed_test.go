package catalog_test

import (
	"embed"
	"fmt"

	"github.com/bufftick/bufftick/buff/catalog"
)

//go:embed testdata/embedded
var files embed.FS

// The definitions go into the binary. The folder has a file of YAML and a table of a spreadsheet:
//
//	sheet.yaml   attributes: {health: {base: 100, min: 0, at_min: kill}}
//	spells.csv   id,duration,period,stack.by,stack.limit,on.pulse
//	             venom,12s,3s,source,5,"{damage: {attr: health, by: 4, per_stack: true}}"
//	             haste,8s,,,,
func ExampleLoadFS() {
	cat, err := catalog.LoadFS(files, "testdata/embedded")
	if err != nil {
		fmt.Println(err)
		return
	}
	for s := range cat.All() {
		fmt.Println(s, s.Duration, s.Period, s.Stack.Limit)
	}
	// Output:
	// venom 12s 3s 5
	// haste 8s 0s 0
}
