package definition

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/internal/recovered"
)

// disk is the operating system's file system. It accepts the paths of package os, not of package
// fs.
type disk struct{}

// Open opens a file. It does not block, even if the file has been replaced by a named pipe since
// it was found.
func (disk) Open(name string) (fs.File, error) { return os.OpenFile(name, os.O_RDONLY|noWait, 0) }

// Stat describes a file. Unlike the default of package fs, it does not open the file.
func (disk) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

// openIn opens a file in a folder. A link that leads out of the folder is an error.
func (disk) openIn(dir, base string) (fs.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.OpenFile(base, os.O_RDONLY|noWait, 0)
}

// File is a definition file.
type File struct {
	Name string // name of the file, with its path
	Text []byte // the unmodified text or, if it is too long, its first MaxFileSize+1 bytes

	root ast.Node // see Parsed; nil if not known
}

// Parsed returns the file with its syntax tree, so that CheckFiles need not parse it again. Tables
// and files with errors are returned unchanged.
func (f File) Parsed() File {
	l := newLoader()
	if root, ok := l.tree(f.Name, f.Text); ok && !isTable(f.Name) {
		f.root = root
	}
	return f
}

// Files returns the files that [Load] reads, unmodified. If some files cannot be read, it returns
// the other files and an [Errors] with an error for each. Files is safe for concurrent use.
func Files(paths ...string) ([]File, error) {
	var files []File
	l := newLoader()
	l.read(disk{}, paths, func(name string, text []byte) { files = append(files, File{Name: name, Text: text}) })
	if l.failed > 0 {
		return files, l.errors()
	}
	return files, nil
}

// read reads all files that the paths refer to, and passes the name and text of each to the
// function `take`.
func (l *loader) read(fsys fs.FS, paths []string, take func(name string, text []byte)) {
	if len(paths) == 0 {
		l.whole("", nil, "no file or folder is given")
	}
	files := 0
	for _, p := range paths {
		for _, m := range l.expand(fsys, p) {
			if files++; files > MaxFiles {
				l.whole(m.name, nil, "more than %d files in one catalog", MaxFiles)
				return
			}
			text, ok := l.file(fsys, &m)
			if l.bytes += len(text); l.bytes > MaxTotalSize {
				l.whole(m.name, nil, "the files up to this one have more than %d bytes in total", MaxTotalSize)
				return
			}
			if ok {
				take(m.name, text)
			}
		}
	}
}

// member is a file to be read.
type member struct {
	name string
	dir  string // folder in which the file was found; "" if the caller gave the file's name
	link bool   // the file is a symbolic link
}

// expand returns the files that a name refers to.
func (l *loader) expand(fsys fs.FS, name string) []member {
	defer l.panicked(name)
	info, err := fs.Stat(fsys, name)
	if err != nil {
		l.unread(name, err)
		return nil
	}
	if !info.IsDir() {
		_, known := FormatOf(name)
		switch {
		case !info.Mode().IsRegular():
			l.whole(name, nil, "neither a file nor a folder")
		case !known:
			l.whole(name, nil, "the name does not end in .yaml, .yml, .json or .csv")
		default:
			return []member{{name: name}}
		}
		return nil
	}
	entries, err := fs.ReadDir(fsys, name) // sorted by name
	if err != nil {
		l.unread(name, err)
		return nil
	}
	var files []member
	found := 0
	for _, e := range entries {
		if e.IsDir() || !IsDefinitions(e.Name()) {
			continue
		}
		found++
		m := member{name: path.Join(filepath.ToSlash(name), e.Name()), dir: name, link: e.Type()&fs.ModeSymlink != 0}
		if !m.link && !e.Type().IsRegular() { // opening such a file could have side effects
			l.whole(m.name, nil, "not a file")
			continue
		}
		files = append(files, m)
	}
	if found == 0 {
		l.whole(name, nil, "no .yaml, .yml, .json or .csv file in this folder")
	}
	return files
}

// panicked reports a panic of the file system as an error, because the file system may be code of
// the game. It must be called by defer.
func (l *loader) panicked(name string) {
	if v := recover(); v != nil {
		l.whole(name, nil, "its file system panicked: %s", recovered.Text(v))
	}
}

// unread reports a file that could not be read.
func (l *loader) unread(name string, err error) {
	var pe *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		l.whole(name, err, "no such file or folder")
	case errors.As(err, &pe):
		// Report pe.Err, because the text of err starts with the path, which the message already
		// has.
		l.whole(name, err, "cannot be read: %v", pe.Err)
	default:
		l.whole(name, err, "cannot be read: %v", err)
	}
}

// file returns the text of one file. If the file is too long, it returns only MaxFileSize+1 bytes.
func (l *loader) file(fsys fs.FS, m *member) (text []byte, ok bool) {
	defer l.panicked(m.name)
	f, err := m.open(fsys)
	if err != nil {
		l.unread(m.name, err)
		return nil, false
	}
	defer f.Close()
	info, err := f.Stat() // info describes f itself, because the name may now refer to another file
	switch {
	case err != nil:
		l.unread(m.name, err)
		return nil, false
	case !info.Mode().IsRegular():
		l.whole(m.name, nil, "not a file")
		return nil, false
	}
	text, err = io.ReadAll(io.LimitReader(f, MaxFileSize+1))
	if err != nil {
		l.unread(m.name, err)
		return nil, false
	}
	return text, true
}

// Errors about symbolic links in a folder.
var (
	errOutside = errors.New("the link is not relative, or leads out of its folder")
	errNoFile  = errors.New("the link does not lead to a file")
)

// open opens the file. If the file was found in a folder of the disk, a link cannot lead out of
// that folder.
func (m *member) open(fsys fs.FS) (fs.File, error) {
	d, onDisk := fsys.(disk)
	switch {
	case m.dir == "":
		return fsys.Open(m.name)
	case !onDisk && m.link: // opening the link's target could have side effects
		if info, err := fs.Stat(fsys, m.name); err != nil || !info.Mode().IsRegular() {
			return nil, cmp.Or(err, errNoFile)
		}
	}
	if !onDisk {
		return fsys.Open(m.name)
	}
	f, err := d.openIn(m.dir, path.Base(m.name))
	if err != nil && m.link && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		return nil, errOutside
	}
	return f, err
}
