package catalog

import (
	"io/fs"
	"strings"

	"github.com/bufftick/bufftick/buff"
)

func Reload(prev *buff.Catalog, paths ...string) (*buff.Catalog, error) {
	return ReloadFS(prev, disk{}, paths...)
}

func ReloadFS(prev *buff.Catalog, fsys fs.FS, paths ...string) (*buff.Catalog, error) {
	l := newLoader()
	l.read(fsys, paths)
	l.prev = prev
	return l.catalog()
}

// IsDefinitions reports whether [Load] reads a file of that name in a folder.
//
// Any goroutine may call it.
func IsDefinitions(name string) bool {
	return !strings.HasPrefix(name, ".") && !strings.HasSuffix(name, ".schema.json") && isDefinitions(name)
}
