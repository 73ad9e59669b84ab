package catalog_test

import (
	"fmt"
	"testing/fstest"
	"time"

	"github.com/bufftick/bufftick/buff/catalog"
)

// What a game knows of its abilities stands beside their definitions, and is checked with them.
func ExampleLoader() {
	type ability struct {
		Cast  time.Duration
		Range float64
	}
	files := fstest.MapFS{"fire.yaml": {Data: []byte(`
buffs:
  fireball:
    duration: instant
    data: {cast: 1500ms, range: 30}
`)}}
	cat, err := catalog.Loader{Data: ability{}}.LoadFS(files, ".")
	if err != nil {
		fmt.Println(err)
		return
	}
	a := cat.Spec("fireball").Data.(ability)
	fmt.Println(a.Cast, a.Range)
	// Output:
	// 1.5s 30
}
