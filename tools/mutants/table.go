package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// table is the content of one package file.
type table struct {
	name string // name of the file, without its extension
	pkg  string
	runs []testRun
}

// testRun is one run of a test binary.
type testRun struct {
	pkg   string
	flags []string
	limit time.Duration // limit of processor time
	race  bool          // if set, run with the race detector
}

func readTables(dir string) ([]*table, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no package file in %s", dir)
	}
	var out []*table
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		t := &table{name: strings.TrimSuffix(filepath.Base(path), ".txt")}
		if err := t.parse(string(text)); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out = append(out, t)
	}
	return out, nil
}

func (t *table) parse(text string) error {
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0:
		case words[0] == "package" && len(words) == 2:
			t.pkg = words[1]
		case words[0] == "first":
			t.runs = append(t.runs, testRun{pkg: t.pkg, flags: words[1:]})
		case words[0] == "also" && len(words) > 1:
			t.runs = append(t.runs, testRun{pkg: words[1], flags: words[2:]})
		default:
			return fmt.Errorf("unknown line %q", line)
		}
	}
	if t.pkg == "" || len(t.runs) == 0 {
		return errors.New("it names no package or no run")
	}
	return nil
}
