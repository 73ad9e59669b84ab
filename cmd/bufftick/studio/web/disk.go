package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/bufftick/bufftick/cmd/bufftick/studio"
	"github.com/bufftick/bufftick/internal/definition"
)

// Limits of a folder.
const (
	maxFiles = 5000
	maxDepth = 8
	gitTime  = 5 * time.Second
)

// disk is a folder of the operating system. No name leads out of it, not even through a link.
type disk struct {
	dir  string
	root *os.Root

	mu   sync.Mutex
	seen map[string]cached
}

// cached is a file that has been read.
type cached struct {
	file     studio.File
	size     int64
	modified time.Time
}

func openDisk(dir string) (*disk, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &disk{dir: dir, root: root, seen: map[string]cached{}}, nil
}

var errTooMany = fmt.Errorf("the folder has more than %d files of definitions: open a part of it", maxFiles)

// Files returns the files of the folder and its subfolders, except hidden ones. It reads only files
// with another size or time than at the last call.
func (d *disk) Files() ([]studio.File, error) {
	var out []studio.File
	err := fs.WalkDir(d.root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil && name == ".":
			return err
		case err != nil:
			return fs.SkipDir
		case e.IsDir() && name != "." && (strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules" || strings.Count(name, "/") >= maxDepth):
			return fs.SkipDir
		case e.IsDir() || !definition.IsDefinitions(e.Name()):
			return nil
		case len(out) == maxFiles:
			return errTooMany
		}
		out = append(out, d.file(name))
		return nil
	})
	slices.SortFunc(out, func(a, b studio.File) int { return cmp.Compare(a.Name, b.Name) })
	return out, err
}

// file returns a file, from the cache if it is unchanged.
func (d *disk) file(name string) studio.File {
	info, err := d.root.Stat(name)
	if err != nil {
		return studio.File{Name: name, Problem: reasonOf(err)}
	}
	d.mu.Lock()
	c, known := d.seen[name]
	d.mu.Unlock()
	if known && c.size == info.Size() && c.modified.Equal(info.ModTime()) {
		return c.file
	}
	f := studio.File{Name: name, Version: fmt.Sprint(info.Size(), info.ModTime().UnixNano())}
	if f.Text, err = d.read(name); err != nil {
		f.Problem = reasonOf(err)
	} else {
		f.Version = studio.VersionOf(f.Text)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.seen) > maxFiles {
		clear(d.seen)
	}
	d.seen[name] = cached{f, info.Size(), info.ModTime()}
	return f
}

// reasonOf returns the text of an error without the path, which the message already has.
func reasonOf(err error) string {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// read reads a regular UTF-8 file of at most definition.MaxFileSize bytes.
func (d *disk) read(name string) ([]byte, error) {
	if info, err := d.root.Stat(name); err != nil || !info.Mode().IsRegular() { // opening a pipe would block
		return nil, cmp.Or(err, errors.New("not a file"))
	}
	f, err := d.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, definition.MaxFileSize+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > definition.MaxFileSize:
		return nil, fmt.Errorf("larger than %d bytes, the most that a file may have", definition.MaxFileSize)
	case !utf8.Valid(text):
		return nil, errors.New("not UTF-8: save the file as UTF-8")
	}
	return text, nil
}

// Save replaces a file as a whole: a crash leaves the old or the new text.
func (d *disk) Save(name string, text []byte, version string) (string, error) {
	if !fs.ValidPath(name) || !definition.IsDefinitions(path.Base(name)) {
		return "", fmt.Errorf("%s: want a file that ends in .yaml, .yml, .json or .csv", name)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	mode := fs.FileMode(0o644)
	info, err := d.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && version == "":
		if err := d.root.MkdirAll(path.Dir(name), 0o755); err != nil {
			return "", fmt.Errorf("%s cannot be saved: %s", name, reasonOf(err))
		}
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%w: it has been removed", studio.ErrChanged)
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is a link or no file: edit the file that it leads to", name)
	default:
		mode = info.Mode().Perm()
		if mode&0o200 == 0 {
			return "", fmt.Errorf("%s is read-only", name)
		}
		old, err := d.read(name)
		if err != nil {
			return "", err
		}
		if studio.VersionOf(old) != version {
			return "", studio.ErrChanged
		}
	}
	if err := d.replace(name, text, mode, version == ""); err != nil {
		return "", err
	}
	delete(d.seen, name)
	return studio.VersionOf(text), nil
}

// replace writes a temporary file and renames it. A new file replaces none.
func (d *disk) replace(name string, text []byte, mode fs.FileMode, isNew bool) (err error) {
	temp := path.Join(path.Dir(name), "."+path.Base(name)+"."+rand.Text()[:8])
	f, err := d.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return fmt.Errorf("%s cannot be saved: %s", name, reasonOf(err))
	}
	defer func() {
		if err != nil || isNew {
			err = cmp.Or(err, d.root.Remove(temp))
		}
	}()
	_, err = f.Write(text)
	if !isNew {
		_ = f.Chmod(mode) // OpenFile applied the umask; not every file system has modes
	}
	err = cmp.Or(err, f.Sync())
	if err = cmp.Or(err, f.Close()); err != nil {
		return err
	}
	if isNew {
		if err = d.root.Link(temp, name); errors.Is(err, fs.ErrExist) {
			return studio.ErrChanged
		}
		return err
	}
	return d.root.Rename(temp, name)
}

// Committed returns the text of a file in the last commit of the folder's repository.
func (d *disk) Committed(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, fmt.Errorf("%s: not a file of the folder", name)
	}
	ctx, cancel := context.WithTimeout(context.Background(), gitTime)
	defer cancel()
	text, err := exec.CommandContext(ctx, "git", "-C", d.dir, "show", "HEAD:./"+name).Output()
	if err != nil {
		return nil, fmt.Errorf("%s has no committed version", name)
	}
	return text, nil
}
