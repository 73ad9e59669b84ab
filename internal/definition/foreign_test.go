package definition_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/internal/definition"
	"github.com/bufftick/bufftick/internal/recovered/recoveredtest"
)

// mined is a file system with one method that panics.
type mined struct {
	fstest.MapFS
	method string
	with   any
}

func (m mined) step(method string) {
	if method == m.method {
		panic(m.with)
	}
}

func (m mined) Open(name string) (fs.File, error) {
	m.step("Open")
	f, err := m.MapFS.Open(name)
	return minedFile{f, m}, err
}

func (m mined) Stat(name string) (fs.FileInfo, error) { m.step("FS.Stat"); return m.MapFS.Stat(name) }

func (m mined) ReadDir(name string) ([]fs.DirEntry, error) {
	m.step("ReadDir")
	return m.MapFS.ReadDir(name)
}

type minedFile struct {
	fs.File
	m mined
}

func (f minedFile) Stat() (fs.FileInfo, error) { f.m.step("File.Stat"); return f.File.Stat() }
func (f minedFile) Read(p []byte) (int, error) { f.m.step("Read"); return f.File.Read(p) }
func (f minedFile) Close() error               { f.m.step("Close"); return f.File.Close() }

// TestP41_FileSystemPanics checks that a panic of a file system is an error with the name of the
// file, and does not panic on the goroutine that loads, which may belong to a watcher.
func TestP41_FileSystemPanics(t *testing.T) {
	files := fstest.MapFS{"buffs/a.yaml": {Data: []byte("buffs:\n  venom: {duration: 1s}\n")}}
	_, err := definition.LoadFS(mined{MapFS: files}, "buffs")
	require.NoError(t, err)
	for method, name := range map[string]string{
		"FS.Stat": "buffs", "ReadDir": "buffs", "Open": "buffs/a.yaml", "File.Stat": "buffs/a.yaml", "Read": "buffs/a.yaml", "Close": "buffs/a.yaml",
	} {
		for _, c := range recoveredtest.Panics {
			_, err := definition.LoadFS(mined{MapFS: files, method: method, with: c.With}, "buffs")
			require.ErrorContains(t, err, name+": its file system panicked: "+c.Said, method)
			require.ErrorAs(t, err, new(definition.Errors))
		}
	}
}
