package definition

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/goccy/go-yaml/ast"
)

// Limits of the input. If one is exceeded, the error says which.
const (
	MaxFileSize    = 1 << 20 // bytes of one file
	MaxTotalSize   = 8 << 20 // bytes of all files of one catalog
	MaxFiles       = 1000    // files of one catalog
	MaxDefinitions = 10_000  // definitions of one catalog, and keys of any map
	MaxErrors      = 1000    // errors that are returned individually

	maxDepth = 32      // levels of nesting; a list in the same column as its key counts as a level
	maxEmpty = 100     // omitted values in one file
	maxSigns = 100_000 // lines, brackets, commas, colons and quotes in one file
	// Number of tabs in a file times its number of bytes. The lexer scans the rest of the file for
	// each tab in quotes.
	maxTabs = 1e9
)

// Load reads one catalog from files and folders. In a folder it reads the files with names that end
// in .yaml, .yml, .json or .csv, sorted by name, except those that start with a dot or end in
// .schema.json. Load does not read subfolders. Definitions may refer to each other across files;
// each ID may be defined only once.
//
// Only regular files are read. A pipe or a device is an error and never blocks. A link in a folder
// is followed only if it is relative and leads to a file in that folder, as in a Kubernetes volume.
// Authors of definitions therefore cannot make Load read other files. A path that is passed to Load
// may be a link to any place.
//
// The definitions in the catalog are in the order in which they were read. If there is any error,
// Load returns no catalog, and an [Errors] with all errors of all files. Load is safe for
// concurrent use.
func Load(paths ...string) (*buff.Catalog, error) { return LoadFS(disk{}, paths...) }

// LoadFS is like Load, but reads the files of fsys, such as embedded files. It follows a link
// wherever fsys allows: an os.DirFS allows links that lead out of it, and an os.Root does not. If
// fsys panics, LoadFS returns an error with the name of the file that was being read. LoadFS is
// safe for concurrent use if fsys is.
func LoadFS(fsys fs.FS, paths ...string) (*buff.Catalog, error) {
	return Loader{}.LoadFS(fsys, paths...)
}

// Reload is like Load, but returns a catalog that can replace prev, as with
// [buff.Catalog.Rebuild]. Tags, acts and handlers keep their numbers, and each definition is the
// next version of the definition with the same ID in prev. Attributes may be added, but all
// attributes of prev must be present and unchanged; otherwise the error matches
// [buff.ErrAttributes]. If there is an error, Reload returns no catalog. It never changes prev. It
// is safe for concurrent use.
func Reload(prev *buff.Catalog, paths ...string) (*buff.Catalog, error) {
	return ReloadFS(prev, disk{}, paths...)
}

// ReloadFS is like Reload, but reads the files of fsys. It is safe for concurrent use if fsys is.
func ReloadFS(prev *buff.Catalog, fsys fs.FS, paths ...string) (*buff.Catalog, error) {
	return Loader{}.ReloadFS(prev, fsys, paths...)
}

// Parse reads a catalog from the text of one file. The name is used in errors. If it ends in .csv,
// the text is a table. The error is an [Errors]. Parse is safe for concurrent use.
func Parse(name string, src []byte) (*buff.Catalog, error) {
	l := newLoader()
	l.parse(name, src)
	return l.catalog(nil)
}

// ParseNode reads a catalog from a node that maps IDs to definitions, like the value of
// "buffs:" in a file. The node must be part of the tree that [Tree] returned for src, so that
// errors have positions in the whole text. The error is an [Errors]. ParseNode is safe for
// concurrent use.
func ParseNode(name string, src []byte, node ast.Node) (*buff.Catalog, error) {
	l := newLoader()
	l.definitions(l.open(name, plain(src)), at(node), node)
	return l.catalog(nil)
}

// ParseFields reads a catalog from some fields of a map, which may also have other fields. The
// given fields are top-level fields of a definition file, such as "buffs:" and "attributes:". They
// must be part of the tree that [Tree] returned for src, so that errors have positions in the whole
// text. If there is no field "tags:", the catalog also gets the given tags, except invalid tags.
// The error is an [Errors]. ParseFields is safe for concurrent use.
func ParseFields(name string, src []byte, tags []string, fields ...*ast.MappingValueNode) (*buff.Catalog, error) {
	l := newLoader()
	l.extraTags = tags
	l.sections(l.open(name, plain(src)), fields)
	return l.catalog(nil)
}

// loader collects the definitions of one catalog and the errors.
type loader struct {
	sources   []*source
	defs      []*definition // the first definition with each ID, in file order
	byID      map[string]*definition
	templates map[string]*definition
	extending []*definition // definitions with a base, which are read after all others
	reported  map[fact]bool // reported errors; nil if no definition has a base
	count     int           // number of definitions, including those with a repeated ID
	full      bool          // the limit MaxDefinitions is exceeded
	faults    faults
	bytes     int // size of all files together

	attrs     attributeSheet
	curves    map[string]*curveEntry
	declared  map[string]map[string]bool // declared names by section
	stated    map[string][]stated        // declared names by section, in order, with positions
	extraTags []string                   // tags given by the caller
	dead      define.DeadRule
	data      any // see Loader.Data
	slots     map[string]*entry
	returns   map[string]*entry
	failed    int // number of errors reported, including errors that `faults` has dropped

	// The number, curve or action that is being read, for the functions that read its fields.
	number  *define.Number
	byCurve **define.Curve
	action  *define.Action
	later   []func(*loader) // to be called when all files have been read

	// spoiled holds the classes of slots and groups of diminishing returns that occur in a
	// definition that could not be read. Disagreements about these classes and groups are not
	// reported.
	spoiled map[shared]bool

	// blind is set if some definitions could not be read at all. Unknown IDs are then not
	// reported, because they may be defined there.
	blind bool
}

// shared is a class of slots or a group of diminishing returns: its name, and the field that
// contains the name. All definitions with the same class or group must agree about it.
type shared struct{ field, name string }

func newLoader() *loader {
	return &loader{
		byID: map[string]*definition{}, templates: map[string]*definition{}, spoiled: map[shared]bool{}, curves: map[string]*curveEntry{}, declared: map[string]map[string]bool{}, stated: map[string][]stated{},
		slots: map[string]*entry{}, returns: map[string]*entry{}, attrs: attributeSheet{bases: map[string]float64{}},
	}
}

// open adds a source for a file.
func (l *loader) open(name, text string) *source {
	s := newSource(name, text)
	s.index = len(l.sources)
	l.sources = append(l.sources, s)
	return s
}

// add reports an error at a position.
func (l *loader) add(s *source, p position, id, field, format string, args ...any) *Error {
	s, p = l.resolve(s, p)
	e := &Error{
		File: s.name, Line: p.line, Column: p.column,
		Buff: id, Field: field, Text: fmt.Sprintf(format, args...),
	}
	if !s.poisoned[p] {
		l.failed++
		if l.reported != nil {
			f := fact{s, p, e.Text}
			if l.reported[f] {
				return e
			}
			l.reported[f] = true
		}
		l.faults.add(s, e)
	}
	return e
}

// whole reports an error about a whole file.
func (l *loader) whole(name string, cause error, format string, args ...any) {
	l.add(l.open(name, ""), position{}, "", "", format, args...).cause = cause
	l.blind = true
}

// parse reads the definitions of one file.
func (l *loader) parse(name string, src []byte) {
	if isTable(name) {
		l.csv(name, src)
		return
	}
	root, ok := l.tree(name, src)
	if !ok {
		l.blind = true
		return
	}
	s := l.sources[len(l.sources)-1]
	if root == nil {
		l.add(s, start, "", "", `the file is empty: want "buffs:" and definitions`)
		l.blind = true
		return
	}
	l.root(s, root)
}

// catalog checks the definitions as a whole and builds a catalog. If prev is not nil, the catalog
// can replace prev, as in [Reload].
func (l *loader) catalog(prev *buff.Catalog) (*buff.Catalog, error) {
	l.extend()
	for _, do := range l.later {
		do(l)
	}
	l.undeclared()
	specs, places := make([]buff.Spec, len(l.defs)), make([]string, len(l.defs))
	for i, d := range l.defs {
		specs[i] = *d.spec
		// This frees the first copy, so that there are never two copies of all definitions.
		d.spec = &specs[i]
		places[i] = d.src.name + ":" + strconv.Itoa(d.at.line)
	}
	definitions := buff.Definitions{Attributes: l.attrs.list, Tags: l.tags(), Acts: l.names("acts"), Dead: l.dead, Specs: specs, Places: places}
	build := buff.Build
	if prev != nil {
		build = prev.Rebuild
	}
	c, err := build(definitions)
	l.explain(err)
	if errors.Is(err, buff.ErrAttributes) {
		_, err = buff.Build(definitions) // reports the errors that Rebuild did not reach
		l.explain(err)
	}
	if l.failed > 0 {
		return nil, l.errors()
	}
	return c, nil
}
