package catalog

import (
	"io/fs"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/definition"
)

// Load loads a catalog from files and folders. In a folder it reads the files with the extensions
// .yaml, .yml, .json and .csv, sorted by name. It skips sub-folders and files whose names start
// with a dot or end in .schema.json. Definitions can refer to one another across files; an ID
// must be unique in all of them.
//
// Only regular files are read; a pipe or a device is an error, and Load never blocks on it. A
// symbolic link in a folder is followed only if it is relative and stays within the folder, like
// the links in a Kubernetes volume, so that an author of definitions cannot make Load read other
// files. A path passed to Load may be a link to anywhere.
//
// The definitions in the catalog are in the order in which they were read. The error is an
// [Errors] with all the errors of all the files; the catalog is then nil. Load is safe for
// concurrent use.
func Load(paths ...string) (*buff.Catalog, error) { return Loader{}.Load(paths...) }

// LoadFS is like Load, but reads the files of fsys, such as embedded files. Whether links are
// followed depends on fsys: a link in an os.DirFS may lead out of the folder, a link in an os.Root
// may not. If fsys panics, the panic is returned as an error with the name of the file. LoadFS is
// safe for concurrent use if fsys is.
func LoadFS(fsys fs.FS, paths ...string) (*buff.Catalog, error) {
	return Loader{}.LoadFS(fsys, paths...)
}

// Reload is like Load, but returns a catalog that can replace prev, as [buff.Catalog.Rebuild]
// describes. Tags, acts and handlers keep their numbers, and each definition becomes the next
// version of prev's definition with the same ID. Attributes may be added, but all attributes of
// prev must be present and unchanged; otherwise the error matches [buff.ErrAttributes]. On error
// prev is unchanged and Reload returns no catalog. Reload is shorthand for a [Loader] with Previous
// set to prev. It is safe for concurrent use.
func Reload(prev *buff.Catalog, paths ...string) (*buff.Catalog, error) {
	return Loader{Previous: prev}.Load(paths...)
}

// Parse loads a catalog from the text of one file. The name is used in errors, and if it ends in
// .csv the text is parsed as a table. The error is an [Errors]. Parse is safe for concurrent use.
func Parse(name string, src []byte) (*buff.Catalog, error) {
	return own(definition.Parse(name, src))
}

// MustParse is like [Parse] but panics on an error, whose text has all mistakes with their lines. Use
// it for definitions that are part of the program, such as an embedded file.
func MustParse(name string, src []byte) *buff.Catalog {
	c, err := Parse(name, src)
	if err != nil {
		panic(err)
	}
	return c
}

// Loader loads catalogs with game-specific data in their definitions, and catalogs that replace an
// earlier catalog. The zero Loader behaves like [Load] and [LoadFS].
type Loader struct {
	// Data is a value of the struct or map type into which the "data" field of a definition is
	// decoded, such as Ability{}. [buff.Spec].Data then has this type. Struct fields are named by
	// their yaml tags or, without a tag, by their lower-case names; a time.Duration is written as a
	// span. A field that the type does not have, or a value of the wrong kind, is reported as an
	// error with its position. Fields that a definition omits have the values that they have in
	// Data. For a definition without data, Spec.Data is nil.
	//
	// If Data is nil, any map is accepted and Spec.Data is a map[string]any. Data that is neither
	// a struct nor a map causes a panic.
	Data any

	// Previous is the catalog that the new catalog replaces, as with [Reload]. It may be nil.
	Previous *buff.Catalog
}

// Load is like the function [Load], but uses the Loader's Data and Previous. It is safe for
// concurrent use.
func (o Loader) Load(paths ...string) (*buff.Catalog, error) {
	return own(definition.Loader{Data: o.Data}.Reload(o.Previous, paths...))
}

// LoadFS is like the function [LoadFS], but uses the Loader's Data and Previous. It is safe for
// concurrent use if fsys is.
func (o Loader) LoadFS(fsys fs.FS, paths ...string) (*buff.Catalog, error) {
	return own(definition.Loader{Data: o.Data}.ReloadFS(o.Previous, fsys, paths...))
}

// Schema returns the JSON Schema (draft 7) of a definition file, for editors. The schema accepts
// every file that Load accepts, and also some files that Load rejects. Schema is safe for
// concurrent use.
func Schema() string { return definition.Schema() }
