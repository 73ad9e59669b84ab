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

// Change is the result of loading the folder again: either a Catalog or an Err.
type Change struct {
	// Catalog replaces the catalog of the previous Change, or the catalog passed to [Folder].
	Catalog *buff.Catalog

	// Err is a [catalog.Errors], or the reason why the folder cannot be watched. The previous
	// catalog stays valid.
	Err error
}

// Watch watches a folder. Create one with [Folder].
type Watch struct {
	changes chan Change
	files   *fsnotify.Watcher
	ended   chan struct{}
}

// Folder starts to watch a folder of definitions. The given catalog is the one that was loaded from
// this folder. Folder fails if the folder does not exist or cannot be watched. Call [Watch.Close]
// to release the goroutines and file handles of the Watch. Folder is safe for concurrent use.
func Folder(dir string, current *buff.Catalog) (*Watch, error) {
	return FolderOf(catalog.Loader{}, dir, current)
}

// FolderOf is like Folder, but loads the definitions with the given Loader, and ignores the
// Loader's Previous. It is safe for concurrent use.
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
	// If the parent cannot be watched, the folder is still watched until it is removed.
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

// Changes returns the channel of changes. It holds one change, which a newer change replaces.
// [Watch.Close] closes it. Changes is safe for concurrent use.
func (w *Watch) Changes() <-chan Change { return w.changes }

// Close stops the watch, after waiting for a load in progress. Further calls do nothing. Close is
// safe for concurrent use.
func (w *Watch) Close() error {
	err := w.files.Close()
	<-w.ended
	if err != nil {
		return fmt.Errorf("watch: close: %w", err)
	}
	return nil
}

// heeds reports whether an event can change the definitions in the folder whose path is `place`. If
// the folder has been created again, heeds watches it again.
func heeds(files *fsnotify.Watcher, place string, e fsnotify.Event) bool {
	name := filepath.Base(e.Name)
	switch {
	case e.Op == fsnotify.Chmod:
		return false
	case e.Name == place:
		if e.Has(fsnotify.Create) {
			_ = files.Remove(place) // the old folder, or the old target of a link
			_ = files.Add(place)    // if the folder is gone again, the load reports an error
		}
		return true
	case filepath.Dir(e.Name) != place:
		return false // the file is next to the folder, not in it
	}
	// In a Kubernetes volume, the files are links into a folder named "..data", itself a link.
	// When that link is replaced, all files change at once.
	return definition.IsDefinitions(name) || strings.HasPrefix(name, "..")
}
