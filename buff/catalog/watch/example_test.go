package watch_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/buff/catalog/watch"
)

// A designer saves a file while the game runs.
func ExampleFolder() {
	dir, err := os.MkdirTemp("", "buffs")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	save := func(text string) {
		file := filepath.Join(dir, "venom.yaml")
		if err := os.WriteFile(file+".new", []byte(text), 0o644); err != nil {
			panic(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			panic(err)
		}
	}
	save("buffs:\n  venom: {duration: 12s}\n")
	current, err := catalog.Load(dir)
	if err != nil {
		panic(err)
	}
	w, err := watch.Folder(dir, current)
	if err != nil {
		panic(err)
	}
	save("buffs:\n  venom: {duration: 15s}\n  frost: {duration: 5s}\n")
	c := <-w.Changes()
	if err := w.Close(); err != nil {
		panic(err)
	}
	for _, change := range c.Catalog.Changes() {
		fmt.Println(change.Kind, change.ID)
	}
	fmt.Println(c.Catalog.Spec("venom").Duration)
	// Output:
	// changed venom
	// added frost
	// 15s
}
