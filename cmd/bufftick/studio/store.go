package studio

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"sync"
)

// File is a file of a folder.
type File struct {
	Name    string // path from the folder, with slashes
	Text    []byte
	Version string // changes with the text
	Problem string // reason why the file has no text
}

// Store holds the files of a folder that can contain definitions or scenarios.
type Store interface {
	// Files returns all files, sorted by name.
	Files() ([]File, error)

	// Save replaces the text of a file and returns its new version. The version is the version of the
	// replaced text, or "" for a new file. If the file has another version, the error is
	// ErrChanged.
	Save(name string, text []byte, version string) (string, error)

	// Committed returns the text of a file in the last commit.
	Committed(name string) ([]byte, error)
}

// ErrChanged is the error of a Save over a file that has changed meanwhile.
var ErrChanged = errors.New("the file has been changed by another program")

// VersionOf returns the version of a text.
func VersionOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Memory is a Store without a disk. Its methods may be called concurrently.
type Memory struct {
	mu    sync.Mutex
	files map[string][]byte
}

// NewMemory returns a store with the given files.
func NewMemory(files map[string]string) *Memory {
	m := &Memory{files: map[string][]byte{}}
	for name, text := range files {
		m.files[name] = []byte(text)
	}
	return m
}

// Files returns all files, sorted by name.
func (m *Memory) Files() ([]File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []File
	for name, text := range m.files {
		out = append(out, File{Name: name, Text: text, Version: VersionOf(text)})
	}
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// Save replaces a file.
func (m *Memory) Save(name string, text []byte, version string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	old, exists := m.files[name]
	if exists != (version != "") || exists && VersionOf(old) != version {
		return "", ErrChanged
	}
	m.files[name] = slices.Clone(text)
	return VersionOf(text), nil
}

// Committed fails, because there are no commits.
func (m *Memory) Committed(string) ([]byte, error) {
	return nil, errors.New("the page without a server has no commits")
}
