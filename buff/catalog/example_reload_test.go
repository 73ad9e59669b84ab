package catalog_test

import (
	"fmt"
	"testing/fstest"

	"github.com/bufftick/bufftick/buff/catalog"
)

// A designer saves a file while the game runs. If anything is wrong with it, all stays as it was; if
// not, Engine.Reload puts the new catalog into force. Package watch does it by itself.
func ExampleLoader_reload() {
	save := func(text string) fstest.MapFS { return fstest.MapFS{"buffs/regen.yaml": {Data: []byte(text)}} }
	cat, err := catalog.LoadFS(save(`buffs: {regen: {duration: 60s, period: 5s}}`), "buffs")
	if err != nil {
		panic(err)
	}
	_, err = catalog.Loader{Previous: cat}.LoadFS(save(`buffs: {regen: {duration: 60s, period: 2}}`), "buffs")
	fmt.Println(err)
	next, err := catalog.Loader{Previous: cat}.LoadFS(save(`buffs: {regen: {duration: 60s, period: 2s}}`), "buffs")
	if err != nil {
		panic(err)
	}
	for _, c := range next.Changes() {
		fmt.Println(c.ID, c.Kind, "now every", next.Spec(c.ID).Period)
	}
	// Output:
	// buffs/regen.yaml:1:40: buff "regen": period: "2" has no unit: want a span such as 12s, 1500ms, 30m or 36h
	//    1 | buffs: {regen: {duration: 60s, period: 2}}
	//      |                                        ^
	// regen changed now every 2s
}
