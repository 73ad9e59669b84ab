package studio

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/definition"
	"github.com/bufftick/bufftick/internal/scenario"
)

// Studio answers the calls of the page. Its methods may be called concurrently.
type Studio struct {
	store Store

	mu       sync.Mutex
	indexes  map[string]*index   // by version and name
	catalogs map[string]*catalog // by versions of the files and tags
	results  map[string][]TestResult
}

// New returns a Studio for the files of a store.
func New(s Store) *Studio {
	return &Studio{store: s, indexes: map[string]*index{}, catalogs: map[string]*catalog{}, results: map[string][]TestResult{}}
}

// errMethod is the error of a call of an unknown method.
var errMethod = errors.New("studio: there is no such method")

// Call calls a method with a JSON request and returns a value for JSON.
func (s *Studio) Call(ctx context.Context, method string, request []byte) (any, error) {
	switch method {
	case "files":
		return s.files()
	case "read":
		return call(request, s.read)
	case "save":
		return call(request, s.save)
	case "committed":
		return call(request, s.committed)
	case "check":
		return call(request, s.check)
	case "play":
		return call(request, func(r PlayRequest) (any, error) { return s.play(ctx, r) })
	case "numbers":
		return call(request, func(r NumbersRequest) (any, error) { return s.numbers(ctx, r) })
	case "tests":
		return call(request, func(r Edits) (any, error) { return s.tests(ctx, r) })
	case "keep":
		return call(request, func(r KeepRequest) (any, error) { return s.keep(ctx, r) })
	case "recipes":
		return call(request, search)
	case "recipe":
		return call(request, s.recipe)
	case "schema":
		return json.RawMessage(definition.Schema()), nil
	}
	return nil, fmt.Errorf("%w: %q", errMethod, method)
}

func call[R any](request []byte, do func(R) (any, error)) (any, error) {
	var r R
	if err := json.Unmarshal(request, &r); err != nil {
		return nil, fmt.Errorf("studio: invalid request: %w", err)
	}
	return do(r)
}

// Edits are the texts of edited files by name, which are not saved yet.
type Edits struct {
	Open map[string]string `json:"open"`
}

// NameRequest names a file.
type NameRequest struct {
	Name string `json:"name"`
}

// Entry is a file in the list of files.
type Entry struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Kind    string `json:"kind"` // definitions, scenario
	Problem string `json:"problem,omitempty"`
}

func (s *Studio) files() (any, error) {
	files, err := s.store.Files()
	if err != nil {
		return nil, err
	}
	list := []Entry{}
	for _, f := range files {
		e := Entry{f.Name, f.Version, "definitions", f.Problem}
		if s.isScenario(f) {
			e.Kind = "scenario"
		}
		list = append(list, e)
	}
	return list, nil
}

// Text is the text of a file.
type Text struct {
	Text    string `json:"text"`
	Version string `json:"version"`
}

func (s *Studio) read(r NameRequest) (any, error) {
	files, err := s.store.Files()
	if err != nil {
		return nil, err
	}
	for _, f := range files {
		switch {
		case f.Name != r.Name:
		case f.Problem != "":
			return nil, errors.New(f.Name + ": " + f.Problem)
		default:
			return Text{string(f.Text), f.Version}, nil
		}
	}
	return nil, fmt.Errorf("%s: no such file", r.Name)
}

// SaveRequest replaces the text of a file: see [Store].
type SaveRequest struct {
	Name    string `json:"name"`
	Text    string `json:"text"`
	Version string `json:"version"`
}

func (s *Studio) save(r SaveRequest) (any, error) {
	if len(r.Text) > definition.MaxFileSize {
		return nil, fmt.Errorf("%s: %d bytes: a file may have at most %d", r.Name, len(r.Text), definition.MaxFileSize)
	}
	version, err := s.store.Save(r.Name, []byte(r.Text), r.Version)
	return Text{Version: version}, err
}

func (s *Studio) committed(r NameRequest) (any, error) {
	text, err := s.store.Committed(r.Name)
	return Text{Text: string(text)}, err
}

// now returns the files of the store with the edits.
func (s *Studio) now(open map[string]string) ([]File, error) {
	stored, err := s.store.Files()
	if err != nil {
		return nil, err
	}
	files := slices.Clone(stored)
	for name, text := range open {
		f := File{Name: name, Text: []byte(text), Version: VersionOf([]byte(text))}
		i, found := slices.BinarySearchFunc(files, name, func(f File, name string) int { return strings.Compare(f.Name, name) })
		if found {
			files[i] = f
		} else {
			files = slices.Insert(files, i, f)
		}
	}
	return files, nil
}

// catalog is the result of checking the definition files of one folder.
type catalog struct {
	*buff.Catalog
	warnings definition.Errors
	err      error

	once sync.Once // a check and a timeline of the same text share the work
}

// maxCatalogs bounds the cache of catalogs.
const maxCatalogs = 8

// catalogOf returns the catalog of a folder.
func (s *Studio) catalogOf(files []File, dir string, tags []string) *catalog {
	var list []definition.File
	key := dir + "\n" + strings.Join(tags, "\n") + "\n"
	for _, f := range files {
		if path.Dir(f.Name) != dir {
			continue
		}
		if f.Problem != "" {
			return &catalog{err: definition.Errors{{File: f.Name, Text: f.Problem}}}
		}
		if x := s.index(f); !x.scenario {
			list = append(list, x.parsed)
			key += f.Name + " " + f.Version + "\n"
		}
	}
	s.mu.Lock()
	c := s.catalogs[key]
	if c == nil {
		if len(s.catalogs) >= maxCatalogs {
			clear(s.catalogs)
		}
		c = &catalog{}
		s.catalogs[key] = c
	}
	s.mu.Unlock()
	c.once.Do(func() {
		c.Catalog, c.warnings, c.err = definition.CheckFiles(definition.CheckOptions{}, tags, list...)
	})
	return c
}

// Warm fills the caches with the files and the catalog of each folder.
func (s *Studio) Warm() error {
	files, err := s.now(nil)
	if err != nil {
		return err
	}
	done := map[string]bool{}
	for _, f := range files {
		if dir := path.Dir(f.Name); !done[dir] {
			done[dir] = true
			s.catalogOf(files, dir, nil)
		}
	}
	return nil
}

// parse reads the scenarios in a text. They load the definitions of the given files.
func (s *Studio) parse(files []File, name, text string) ([]*scenario.Scenario, error) {
	return scenario.ParseWith(name, []byte(text), func(p string, tags []string) (*buff.Catalog, error) {
		c := s.catalogOf(files, path.Join(path.Dir(name), p), tags)
		return c.Catalog, c.err
	})
}
