package watch

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/fsnotify/fsnotify"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/internal/definition"
)

// Change is what came of loading the folder anew: either a Catalog or an Err.
type Change struct {
	// Catalog takes the place of the catalog of the Change before, or of the one that
	// [Folder] was given.
	Catalog *buff.Catalog

	// Err says what is wrong: a [catalog.Errors], or why the folder cannot be watched.
	// The old set stays.
	Err error
}

// Watch is a folder that is watched. Make one with [Folder].
type Watch struct {
	changes chan Change
	files   *fsnotify.Watcher
	ended   chan struct{}
}

// Folder begins to watch a folder of definitions; current is the catalog that was loaded
// from it. It fails if the folder is not there or cannot be watched. [Watch.Close] gives
// its goroutines and file handles back.
//
// Any goroutine may call it.
func Folder(dir string, current *buff.Catalog) (*Watch, error) {
	return FolderOf(catalog.Loader{}, dir, current)
}

// FolderOf is Folder for definitions that a Loader loads; its Previous is not looked at.
//
// Any goroutine may call it.
func FolderOf(loader catalog.Loader, dir string, current *buff.Catalog) (*Watch, error) {
	files, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch: %s: %w", dir, err)
	}
	place, err := filepath.Abs(dir)
	if err == nil {
		err = files.Add(place)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("watch: %s: %w", dir, err), files.Close())
	}
	// Without its parent the folder is watched all the same, until it goes.
	_ = files.Add(filepath.Dir(place))
	w := &Watch{changes: make(chan Change, 1), files: files, ended: make(chan struct{})}
	f := follower{
		out: w.changes, base: current, quiet: quiet, longest: longest,
		load: func(prev *buff.Catalog) (*buff.Catalog, error) {
			loader.Previous = prev
			return loader.Load(dir)
		},
		heeds: func(e fsnotify.Event) bool { return heeds(files, place, e) },
	}
	go func() {
		defer close(w.ended)
		f.follow(files.Events, files.Errors)
	}()
	return w, nil
}

// Changes returns the channel of changes. It holds one, and a newer one takes its place;
// [Watch.Close] closes it.
//
// Any goroutine may call it.
func (w *Watch) Changes() <-chan Change { return w.changes }

// Close ends the watch. It waits for a load that runs. Further calls do nothing.
//
// Any goroutine may call it.
func (w *Watch) Close() error {
	err := w.files.Close()
	<-w.ended
	if err != nil {
		return fmt.Errorf("watch: close: %w", err)
	}
	return nil
}

// heeds reports whether an event may change what is loaded from the folder at place. One
// that is there again is watched again.
func heeds(files *fsnotify.Watcher, place string, e fsnotify.Event) bool {
	name := filepath.Base(e.Name)
	switch {
	case e.Op == fsnotify.Chmod:
		return false
	case e.Name == place:
		if e.Has(fsnotify.Create) {
			_ = files.Remove(place) // the old folder, or where an old link pointed
			_ = files.Add(place)    // if it has gone again, the load says so
		}
		return true
	case filepath.Dir(e.Name) != place:
		return false // beside the folder
	}
	// Where files are links into a folder with such a name, pointing that elsewhere
	// changes all of them at once.
	return definition.IsDefinitions(name) || strings.HasPrefix(name, "..")
}
