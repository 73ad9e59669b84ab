package watch_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/buff/catalog/watch"
)

// A designer saves a file, and the loop finds the new catalog between two frames.
func ExampleFolder() {
	dir, err := os.MkdirTemp("", "buffs")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "poison.yaml")
	save := func(text string) { // as good editors do: the new file takes the old one's place
		if err := os.WriteFile(file+".new", []byte(text), 0o644); err != nil {
			log.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			log.Fatal(err)
		}
	}

	save("buffs: {venom: {duration: 12s}}")
	cat, err := catalog.Load(dir)
	if err != nil {
		log.Fatal(err)
	}
	w, err := watch.Folder(dir, cat)
	if err != nil {
		log.Fatal(err)
	}
	defer w.Close()

	save("buffs: {venom: {duration: 15s}, plague: {duration: 1m}}")
	change := <-w.Changes() // a game loop does not wait: it has a select with a default
	if change.Err != nil {
		log.Fatal(change.Err)
	}
	for _, c := range change.Catalog.Changes() {
		fmt.Println(c.ID, c.Kind)
	}
	// Output:
	// venom changed
	// plague added
}
