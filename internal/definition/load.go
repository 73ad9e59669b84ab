package definition

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
)

// Limits on what is read. Each has an error that names it.
const (
	MaxFileSize    = 1 << 20 // bytes of one file
	MaxTotalSize   = 8 << 20 // bytes of all files of one catalog
	MaxFiles       = 1000    // files of one catalog
	MaxDefinitions = 10_000  // definitions of one catalog, and keys of any one map
	MaxErrors      = 1000    // errors that are returned singly

	maxDepth = 32      // levels of nesting; a list in the column of its key counts with it
	maxEmpty = 100     // values that are left out, in one file
	maxSigns = 100_000 // lines, brackets, commas, colons and quotes in one file
	maxTabs  = 1e9     // tabs times bytes of a file: for a tab in quotes the lexer looks at all that follows
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
func Load(paths ...string) (*buff.Catalog, error) { return LoadFS(disk{}, paths...) }

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
// there is no other. Any goroutine may call it.
func Reload(prev *buff.Catalog, paths ...string) (*buff.Catalog, error) {
	return ReloadFS(prev, disk{}, paths...)
}

// ReloadFS is Reload for the files of fsys. Any goroutine may call it, if fsys allows that.
func ReloadFS(prev *buff.Catalog, fsys fs.FS, paths ...string) (*buff.Catalog, error) {
	return Loader{}.ReloadFS(prev, fsys, paths...)
}

// Parse reads a catalog from the text of one file; name stands for the file in the
// errors, and if it ends in .csv the text is a table. The error is an [Errors]. Any goroutine may call it.
func Parse(name string, src []byte) (*buff.Catalog, error) {
	l := newLoader()
	l.parse(name, src)
	return l.catalog(nil)
}

// ParseNode reads a catalog from a node that is a map of IDs to definitions, as it
// stands under "buffs:" in a file. The node is part of the tree that [Tree] made of
// src, so that the errors have the lines and columns of the whole text. The error
// is an [Errors]. Any goroutine may call it.
func ParseNode(name string, src []byte, node ast.Node) (*buff.Catalog, error) {
	l := newLoader()
	l.definitions(l.open(name, plain(src)), at(node), node)
	return l.catalog(nil)
}

// ParseFields reads a catalog from fields of a map that may have others too: those that a
// file has at its top, such as "buffs:" and "attributes:". They are part of the tree that
// [Tree] made of src, so that the errors have the lines and columns of the whole text. The
// catalog has the tags besides, if there is no list "tags:"; those that are no tags are left out.
// The error is an [Errors]. Any goroutine may call it.
func ParseFields(name string, src []byte, tags []string, fields ...*ast.MappingValueNode) (*buff.Catalog, error) {
	l := newLoader()
	l.said = tags
	l.sections(l.open(name, plain(src)), fields)
	return l.catalog(nil)
}

// loader gathers the definitions of one catalog and everything wrong with them.
type loader struct {
	sources []*source
	defs    []*definition // the first of each ID, in the order of the files
	byID    map[string]*definition
	count   int  // all definitions, repeated ones too
	full    bool // there were more than MaxDefinitions
	faults  faults
	bytes   int // of all the files

	attrs    attributeSheet
	curves   map[string]*curveEntry
	declared map[string]map[string]bool // the lists of names by their sections
	stated   map[string][]stated        // the same in their order, and where they stand
	said     []string                   // tags that somebody else speaks of
	dead     define.DeadRule
	data     any // see Loader
	slots    map[string]*entry
	returns  map[string]*entry
	failed   int // how many errors there are, those too that are not kept

	// The number, curve or action that is being read, for its fields.
	number  *define.Number
	byCurve **define.Curve
	action  *buff.Action
	later   []func(*loader) // what is done when all the files have been read

	// spoiled are the classes of slots, and the groups of diminishing returns, of which
	// some definition could not be read: that others disagree with it says nothing.
	spoiled map[shared]bool

	// blind is set when some definitions could not be read at all, so that a
	// reference to an unknown ID is perhaps none.
	blind bool
}

// shared is a name on whose meaning definitions must agree, and the field in which it
// stands.
type shared struct{ field, name string }

func newLoader() *loader {
	return &loader{
		byID: map[string]*definition{}, spoiled: map[shared]bool{}, curves: map[string]*curveEntry{}, declared: map[string]map[string]bool{}, stated: map[string][]stated{},
		slots: map[string]*entry{}, returns: map[string]*entry{}, attrs: attributeSheet{bases: map[string]float64{}},
	}
}

// open adds a source.
func (l *loader) open(name, text string) *source {
	s := newSource(name, text)
	s.index = len(l.sources)
	l.sources = append(l.sources, s)
	return s
}

// add reports an error at a place.
func (l *loader) add(s *source, p position, id, field, format string, args ...any) *Error {
	e := &Error{
		File: s.name, Line: p.line, Column: p.column,
		Buff: id, Field: field, Text: fmt.Sprintf(format, args...),
	}
	if !s.lost[p] {
		l.failed++
		l.faults.add(s, e)
	}
	return e
}

// whole reports an error about a file as a whole.
func (l *loader) whole(name string, cause error, format string, args ...any) {
	l.add(l.open(name, ""), position{}, "", "", format, args...).cause = cause
	l.blind = true
}

// parse reads the definitions of the text of one file.
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

// catalog checks the definitions as a whole, and makes a catalog of them: a new one, or, if
// prev is not nil, the one that takes its place.
func (l *loader) catalog(prev *buff.Catalog) (*buff.Catalog, error) {
	for _, do := range l.later {
		do(l)
	}
	l.undeclared()
	specs, places := make([]buff.Spec, len(l.defs)), make([]string, len(l.defs))
	for i, d := range l.defs {
		specs[i] = *d.spec
		d.spec = &specs[i] // so that there are never two of all
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
		_, err = buff.Build(definitions) // which says what else is wrong
		l.explain(err)
	}
	if l.failed > 0 {
		return nil, l.errors()
	}
	return c, nil
}
