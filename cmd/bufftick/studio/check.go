package studio

import (
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/internal/definition"
)

// CheckRequest requests the errors of a file, with the other files of its folder.
type CheckRequest struct {
	Edits
	Name string `json:"name"`
}

// CheckResult is the result of a check.
type CheckResult struct {
	Findings    []Finding           `json:"findings"`
	Definitions []Definition        `json:"definitions"` // of the file
	Names       map[string][]string `json:"names"`       // names in the folder by section, for completion
	Scenario    bool                `json:"scenario"`
}

// Finding is an error or a warning.
type Finding struct {
	File     string `json:"file"`
	Line     int    `json:"line"`   // counted from 1; 0 if the finding is about the whole file
	Column   int    `json:"column"` // counted from 1, in characters
	Severity string `json:"severity"`
	ID       string `json:"id,omitempty"`
	Field    string `json:"field,omitempty"`
	Rule     string `json:"rule,omitempty"`
	Text     string `json:"text"`
}

func findingOf(e *definition.Error) Finding {
	return Finding{e.File, e.Line, e.Column, e.Severity(), e.Buff, e.Field, e.Rule, e.Text}
}

// findingsOf returns the findings of an error.
func findingsOf(err error) []Finding {
	out := []Finding{}
	switch list := err.(type) {
	case nil:
	case definition.Errors:
		for _, e := range list {
			out = append(out, findingOf(e))
		}
	case *definition.Error:
		out = append(out, findingOf(list))
	default:
		out = append(out, Finding{Severity: "error", Text: err.Error()})
	}
	return out
}

// Definition is the position of a definition in a file.
type Definition struct {
	ID   string `json:"id"`
	Line int    `json:"line"`
}

func (s *Studio) check(r CheckRequest) (any, error) {
	files, err := s.now(r.Open)
	if err != nil {
		return nil, err
	}
	out := CheckResult{Definitions: []Definition{}, Names: map[string][]string{}}
	dir := path.Dir(r.Name)
	for _, f := range files {
		x := s.index(f)
		if f.Name == r.Name {
			out.Definitions, out.Scenario = x.definitions, x.scenario
		}
		if path.Dir(f.Name) != dir || x.scenario != (f.Name == r.Name && out.Scenario) {
			continue
		}
		for section, names := range x.names {
			out.Names[section] = append(out.Names[section], names...)
		}
	}
	if out.Scenario {
		out.Findings = s.checkScenario(files, r.Name)
		return out, nil
	}
	c := s.catalogOf(files, dir, nil)
	out.Findings = append(findingsOf(c.err), findingsOf(c.warnings)...)
	if c.Catalog != nil {
		for t := buff.Tag(1); c.TagName(t) != ""; t++ {
			out.Names["tags"] = append(out.Names["tags"], c.TagName(t))
		}
	}
	for section, names := range out.Names {
		slices.Sort(names)
		out.Names[section] = slices.Compact(names)
	}
	return out, nil
}

func (s *Studio) checkScenario(files []File, name string) []Finding {
	i := slices.IndexFunc(files, func(f File) bool { return f.Name == name })
	list, err := s.parse(files, name, string(files[i].Text))
	out := findingsOf(err)
	for _, sc := range list {
		out = append(out, findingsOf(sc.Faults)...)
		if len(sc.Faults) == 0 {
			out = append(out, findingsOf(sc.Warnings(definition.CheckOptions{}))...)
		}
	}
	return out
}

// index is the outline of one file. It is empty if the file cannot be parsed.
type index struct {
	scenario    bool
	definitions []Definition
	names       map[string][]string // keys or elements of each section
	parsed      definition.File
}

// maxIndexes bounds the cache of indexes.
const maxIndexes = 5000

func (s *Studio) isScenario(f File) bool { return s.index(f).scenario }

func (s *Studio) index(f File) *index {
	key := f.Version + " " + f.Name
	s.mu.Lock()
	x := s.indexes[key]
	s.mu.Unlock()
	if x != nil {
		return x
	}
	x = indexOf(f)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.indexes) >= maxIndexes {
		clear(s.indexes)
	}
	s.indexes[key] = x
	return x
}

func indexOf(f File) *index {
	x := &index{
		definitions: []Definition{}, names: map[string][]string{},
		parsed: definition.File{Name: f.Name, Text: f.Text}.Parsed(),
	}
	root, err := definition.Tree(f.Name, f.Text)
	if err != nil {
		// A scenario with an error of syntax is still a scenario.
		x.scenario = strings.HasPrefix(string(f.Text), "script:") || strings.Contains(string(f.Text), "\nscript:")
		return x
	}
	_, x.scenario = root.(*ast.SequenceNode)
	sections, _ := definition.Fields(root)
	for _, section := range sections {
		name, _ := definition.Text(section.Key)
		x.scenario = x.scenario || name == "script"
		fields, _ := definition.Fields(section.Value)
		for _, f := range fields {
			id, _ := definition.Text(f.Key)
			x.names[name] = append(x.names[name], id)
			if name == "buffs" {
				x.definitions = append(x.definitions, Definition{id, f.Key.GetToken().Position.Line})
			}
		}
		if list, ok := section.Value.(*ast.SequenceNode); ok {
			for _, n := range list.Values {
				if text, ok := definition.Text(n); ok {
					x.names[name] = append(x.names[name], text)
				}
			}
		}
	}
	return x
}
