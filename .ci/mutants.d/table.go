package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// table is what one text file says.
type table struct {
	name    string // of the file, without its ending
	module  string // its folder, if the package is in a module of its own
	pkg     string
	runs    []testRun
	mutants []mutant
}

// testRun is one run of a test binary.
type testRun struct {
	pkg    string
	module string
	flags  []string
	limit  time.Duration // of the processor
	race   bool          // with the race detector
}

type mutant struct {
	name  string
	why   string
	edits []edit
}

type edit struct {
	file     string
	old, new string
}

func readTables(dir string) ([]*table, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no table in %s", dir)
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
	for i, line := range strings.Split(text, "\n") {
		if err := t.line(line); err != nil {
			return fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	names := map[string]bool{}
	for _, m := range t.mutants {
		if m.why == "" || len(m.edits) == 0 || names[m.name] {
			return fmt.Errorf("mutant %q has no reason or no edit, or is there twice", m.name)
		}
		names[m.name] = true
		for k := range m.edits {
			e := &m.edits[k]
			e.old, e.new = strings.TrimSpace(e.old), strings.TrimSpace(e.new)
			if e.old == "" || e.old == e.new {
				return fmt.Errorf("mutant %q changes nothing in %s", m.name, e.file)
			}
		}
	}
	if t.pkg == "" || len(t.runs) == 0 {
		return errors.New("it names no package or no run")
	}
	return nil
}

func (t *table) line(line string) error {
	if line == "" || line[0] == '#' {
		return nil
	}
	if line[0] == '-' || line[0] == '+' || line[0] == ' ' {
		return t.change(line)
	}
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case rest == "":
		return fmt.Errorf("%s says nothing", word)
	case word == "module":
		t.module = rest
	case word == "package":
		t.pkg = rest
	case word == "first", word == "then":
		t.runs = append(t.runs, testRun{pkg: t.pkg, module: t.module, flags: strings.Fields(rest)})
	case word == "also":
		words := strings.Fields(rest)
		t.runs = append(t.runs, testRun{pkg: words[0], module: t.module, flags: words[1:]})
	case word == "==":
		t.mutants = append(t.mutants, mutant{name: rest})
	case len(t.mutants) == 0:
		return fmt.Errorf("%s before the first mutant", word)
	case word == "why":
		t.last().why = rest
	case word == "in":
		t.last().edits = append(t.last().edits, edit{file: rest})
	default:
		return fmt.Errorf("%q is no word of a table", word)
	}
	return nil
}

func (t *table) last() *mutant { return &t.mutants[len(t.mutants)-1] }

// change reads a line of old text, of new text or of both.
func (t *table) change(line string) error {
	if len(t.mutants) == 0 || len(t.last().edits) == 0 {
		return errors.New("a change without a file")
	}
	e := &t.last().edits[len(t.last().edits)-1]
	if line[0] != '+' {
		e.old += line[1:] + "\n"
	}
	if line[0] != '-' {
		e.new += line[1:] + "\n"
	}
	return nil
}

// inModule returns the package as the go command calls it in the folder of its module.
func (r *testRun) inModule() string {
	if r.module == "" {
		return r.pkg
	}
	return "." + strings.TrimPrefix(r.pkg, r.module)
}
