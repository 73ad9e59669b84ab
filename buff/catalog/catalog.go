package catalog

import (
	"io/fs"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/definition"
)

// Load reads one catalog from files and folders. Of a folder it reads the files
// whose names end in .yaml, .yml, .json or .csv, sorted by name: not those of its
// sub-folders, and none whose name begins with a dot or ends in .schema.json. The definitions may refer to
// one another across files; an ID may stand only once in all of them.
//
// Only regular files are read, and a pipe or a device is an error, never a wait. A link in a
// folder is followed as long as it stays within that folder and is relative, as those of a
// Kubernetes volume are: whoever writes definitions does not choose what else is read. A path
// that Load was given may be a link to anywhere.
//
// The definitions come in the order in which they are read. The error is an
// [Errors] with everything that is wrong with all the files; there is no catalog
// then. Any goroutine may call it.
func Load(paths ...string) (*buff.Catalog, error) { return Loader{}.Load(paths...) }

// LoadFS is Load for the files of fsys, such as those that a program embeds. Links go where
// fsys lets them: out of an os.DirFS, but not out of an os.Root. Any goroutine may call it,
// if fsys allows that. If fsys panics, that is an error with the name of what was to be read.
func LoadFS(fsys fs.FS, paths ...string) (*buff.Catalog, error) {
	return Loader{}.LoadFS(fsys, paths...)
}

// Reload is Load for a catalog that takes the place of prev, as [buff.Catalog.Rebuild] has
// it: tags, acts and handlers keep their numbers, and a definition is the next version of
// that with the same ID. The attributes of prev must all be there as they were, and others may come:
// otherwise the errors match [buff.ErrAttributes]. If there is an error, prev stays what it is, and
// there is no other. It is short for a [Loader] with that Previous. Any goroutine may call it.
func Reload(prev *buff.Catalog, paths ...string) (*buff.Catalog, error) {
	return Loader{Previous: prev}.Load(paths...)
}

// Parse reads a catalog from the text of one file; name stands for the file in the
// errors, and if it ends in .csv the text is a table. The error is an [Errors]. Any goroutine may call it.
func Parse(name string, src []byte) (*buff.Catalog, error) {
	return own(definition.Parse(name, src))
}

// Loader loads catalogs for a game that has something of its own in its definitions, and catalogs that
// take the place of another. The zero Loader is that of [Load] and [LoadFS], which say what its methods do.
type Loader struct {
	// Data is a value of the type, a struct or a map, that data of a definition is read into, as
	// Ability{}; [buff.Spec].Data is such a value then. Fields have the names of their yaml tags or,
	// without one, of the fields in lower case; a time.Duration is a span. A field that the type does
	// not have, or of another kind, is an error with its place. What the value itself says is what a
	// definition has that leaves a field out; one without data has nil. If Data is nil, any data will
	// do and Spec.Data is a map[string]any; anything but a struct or a map panics.
	Data any

	// Previous is the catalog whose place the new one takes, as [Reload] says. If nil, there is none.
	Previous *buff.Catalog
}

// Load is [Load] with the Loader's data, in the place of its Previous. Any goroutine may call it.
func (o Loader) Load(paths ...string) (*buff.Catalog, error) {
	return own(definition.Loader{Data: o.Data}.Reload(o.Previous, paths...))
}

// LoadFS is [LoadFS] with the Loader's data, in the place of its Previous. Any goroutine may call it,
// if fsys allows that.
func (o Loader) LoadFS(fsys fs.FS, paths ...string) (*buff.Catalog, error) {
	return own(definition.Loader{Data: o.Data}.ReloadFS(o.Previous, fsys, paths...))
}

// Schema returns the JSON Schema of a file of definitions, draft 7, as an editor wants it.
// What Load takes it takes; what it takes Load may refuse. Any goroutine may call it.
func Schema() string { return definition.Schema() }
