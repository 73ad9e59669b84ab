package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff"
)

// Limits on what is read. Each has an error that names it.
const (
	MaxFileSize    = 1 << 20 // bytes of one file
	MaxFiles       = 1000    // files of one catalog
	MaxDefinitions = 10_000  // definitions of one catalog, and keys of any one map
	MaxErrors      = 1000    // errors that are returned singly

	maxDepth = 32      // levels of nesting; a list in the column of its key counts with it
	maxEmpty = 100     // values that are left out, in one file
	maxSigns = 300_000 // brackets, commas and colons in one file
	maxTabs  = 1e9     // tabs times bytes of a file: for a tab in quotes the lexer looks at all that follows
)

// Load reads one catalog from files and folders. Of a folder it reads the files
// whose names end in .yaml, .yml, .json or .csv, sorted by name: not those of its
// sub-folders, and none whose name begins with a dot or ends in .schema.json. The definitions may refer to
// one another across files; an ID may stand only once in all of them.
//
// The definitions come in the order in which they are read. The error is an
// [Errors] with everything that is wrong with all the files; there is no catalog
// then. Any goroutine may call it.
func Load(paths ...string) (*buff.Catalog, error) { return LoadFS(disk{}, paths...) }

// LoadFS is Load for the files of fsys, such as those that a program embeds. Any
// goroutine may call it, if fsys allows that.
func LoadFS(fsys fs.FS, paths ...string) (*buff.Catalog, error) {
	l := newLoader()
	l.read(fsys, paths)
	return l.catalog()
}

// read reads all the files that the paths stand for.
func (l *loader) read(fsys fs.FS, paths []string) {
	if len(paths) == 0 {
		l.whole("", nil, "no file or folder of definitions was named")
	}
	for _, p := range paths {
		for _, name := range l.expand(fsys, p) {
			if len(l.sources) == MaxFiles {
				l.whole(name, nil, "more than %d files in one catalog", MaxFiles)
				return
			}
			l.file(fsys, name)
		}
	}
}

// disk is the file system of the machine, with its own paths.
type disk struct{}

func (disk) Open(name string) (fs.File, error) { return os.Open(name) }

// Stat does not open the file, as package fs would: a named pipe would wait for its
// other end.
func (disk) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// Parse reads a catalog from the text of one file; name stands for the file in the
// errors, and if it ends in .csv the text is a table. The error is an [Errors]. Any goroutine may call it.
func Parse(name string, src []byte) (*buff.Catalog, error) {
	l := newLoader()
	l.parse(name, src)
	return l.catalog()
}

// ParseNode reads a catalog from a node that is a map of IDs to definitions, as it
// stands under "buffs:" in a file. The node is part of the tree that [Tree] made of
// src, so that the errors have the lines and columns of the whole text. The error
// is an [Errors]. Any goroutine may call it.
func ParseNode(name string, src []byte, node ast.Node) (*buff.Catalog, error) {
	l := newLoader()
	l.definitions(l.open(name, plain(src)), at(node), node)
	return l.catalog()
}

// loader gathers the definitions of one catalog and everything wrong with them.
type loader struct {
	sources []*source
	defs    []*definition // the first of each ID, in the order of the files
	byID    map[string]*definition
	count   int  // all definitions, repeated ones too
	full    bool // there were more than MaxDefinitions
	faults  []fault

	// spoiled are the classes of slots, and the groups of diminishing returns, of which
	// some definition could not be read: that others disagree with it says nothing.
	spoiled map[shared]bool

	// blind is set when some definitions could not be read at all, so that a
	// reference to an unknown ID is perhaps none.
	blind bool
}

// fault is an error that has its source, not yet the excerpt.
type fault struct {
	src *source
	err *Error
}

// shared is a name on whose meaning definitions must agree, and the field in which it
// stands.
type shared struct{ field, name string }

func newLoader() *loader {
	return &loader{byID: map[string]*definition{}, spoiled: map[shared]bool{}}
}

// open adds a source.
func (l *loader) open(name, text string) *source {
	s := newSource(name, text)
	s.index = len(l.sources)
	l.sources = append(l.sources, s)
	return s
}

// add reports an error at a place.
func (l *loader) add(s *source, p position, id, field, format string, args ...any) {
	if s.lost[p] {
		return
	}
	l.faults = append(l.faults, fault{s, &Error{
		File: s.name, Line: p.line, Column: p.column,
		Buff: id, Field: field, Text: fmt.Sprintf(format, args...),
	}})
}

// whole reports an error about a file as a whole.
func (l *loader) whole(name string, cause error, format string, args ...any) {
	l.add(l.open(name, ""), position{}, "", "", format, args...)
	l.faults[len(l.faults)-1].err.cause = cause
	l.blind = true
}

// expand returns the files that a name stands for.
func (l *loader) expand(fsys fs.FS, name string) []string {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		l.unread(name, err)
		return nil
	}
	if !info.IsDir() {
		switch {
		case !info.Mode().IsRegular():
			l.whole(name, nil, "neither a file nor a folder")
		case !isDefinitions(name):
			l.whole(name, nil, "the name does not end in .yaml, .yml, .json or .csv")
		default:
			return []string{name}
		}
		return nil
	}
	entries, err := fs.ReadDir(fsys, name) // sorted by name
	if err != nil {
		l.unread(name, err)
		return nil
	}
	var names []string
	for _, e := range entries {
		hidden := strings.HasPrefix(e.Name(), ".") || strings.HasSuffix(e.Name(), ".schema.json")
		if !e.IsDir() && !hidden && isDefinitions(e.Name()) {
			names = append(names, path.Join(filepath.ToSlash(name), e.Name()))
		}
	}
	if len(names) == 0 {
		l.whole(name, nil, "no .yaml, .yml, .json or .csv file in this folder")
	}
	return names
}

func isDefinitions(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".yaml", ".yml", ".json", ".csv":
		return true
	}
	return false
}

// unread reports that a file could not be read.
func (l *loader) unread(name string, err error) {
	var pe *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.whole(name, err, "no such file or folder")
	case errors.As(err, &pe):
		l.whole(name, err, "cannot be read: %v", pe.Err) // the path stands in front anyway
	default:
		l.whole(name, err, "cannot be read: %v", err)
	}
}

// file reads the definitions of one file.
func (l *loader) file(fsys fs.FS, name string) {
	f, err := fsys.Open(name)
	if err != nil {
		l.unread(name, err)
		return
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, MaxFileSize+1))
	if err != nil {
		l.unread(name, err)
		return
	}
	l.parse(name, src)
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

// catalog checks the definitions as a whole.
func (l *loader) catalog() (*buff.Catalog, error) {
	specs := make([]buff.Spec, len(l.defs))
	for i, d := range l.defs {
		specs[i] = d.spec
	}
	c, err := buff.NewCatalog(specs...)
	l.explain(err)
	if len(l.faults) > 0 {
		return nil, l.errors()
	}
	return c, nil
}

// errors returns what was reported, in order, with the lines of the sources.
func (l *loader) errors() Errors {
	slices.SortStableFunc(l.faults, func(a, b fault) int {
		return cmp.Or(cmp.Compare(a.src.index, b.src.index),
			cmp.Compare(a.err.Line, b.err.Line), cmp.Compare(a.err.Column, b.err.Column))
	})
	list := make(Errors, 0, min(len(l.faults), MaxErrors+1))
	for i, f := range l.faults {
		f.err.Source = f.src.excerpt(position{f.err.Line, f.err.Column})
		list = append(list, f.err)
		if i == MaxErrors && len(l.faults) > MaxErrors+1 {
			f.err.Buff, f.err.Field = "", ""
			f.err.Text = fmt.Sprintf("too many %ss: this one and %d more are not shown", f.err.Severity(), len(l.faults)-i-1)
			break
		}
	}
	return list
}
